"""JSON in pieces: the values of a file one at a time, in a memory that does not grow with the file."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ingest.readers import urls
from ingest.readers.frames import MOST_CHARACTERS, Cells
from ingest.readers.layouts import CONTAINERS, LISTS, SINGLES, WINDOW, layout_of
from ingest.readers.refusals import RAW_LENGTH, Params, Refusal, excerpt, storable
from ingest.readers.text import wrong_byte

CHUNK = 256 * 1024
_DEPTH = 3
_SPACE = re.compile(r"[ \t\r\n\ufeff\x1e]*")
_PLACES = ("repository", "project")
_NAMES_OF_PLACES = ("nameWithOwner", "url", "fullPath")


class _Broken(Exception):
    """The value that begins here cannot be read, and its end is unknown."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


@dataclass(frozen=True, slots=True)
class Record:
    """One value of the file: number `record`, from `line` on; `raw` is the beginning of its text."""

    line: int
    record: int
    value: object
    raw: str


def records(text: io.TextIOBase, *, encoding: str, max_record: int) -> Iterator[Record | Refusal]:
    """Every element of every array, every record of an answer or a frame, and every other value, in order.

    An invalid value outside arrays is refused, and reading continues on the next line; inside an array the
    rest is refused. Memory needs one record of at most `max_record` characters and a piece of the file.
    """
    return _Scanner(text, encoding, max_record).records()


class _Window:
    """A window on the text: `_pos` is the position in `_buffer`; position `_counted` is in line `_line`."""

    def __init__(self, text: io.TextIOBase, encoding: str, max_record: int) -> None:
        self._text = text
        self._encoding = urls.shown(encoding)
        self._limit = max_record
        self._buffer = ""
        self._pos = 0
        self._line = 1
        self._counted = 0
        self._ended = False
        self._marked = False
        self._record = 0
        self._before = 0
        self._twice: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object, parse_constant=lambda _: None)

    def _fill(self, size: int = 0) -> bool:
        """Read on and drop the text before the position; False at the end of the text."""
        chunk = "" if self._ended else self._text.read(max(size, CHUNK))
        if not chunk:
            self._ended = True
            return False
        self._line = self._line_at(self._pos)
        self._before += self._pos
        self._buffer = self._buffer[self._pos :] + chunk
        self._pos = self._counted = 0
        if not chunk.isascii():
            try:
                chunk.encode()
            except UnicodeEncodeError:
                self._marked = True
        return True

    def _line_at(self, pos: int) -> int:
        return self._line + self._buffer.count("\n", self._counted, pos)

    def _sign(self) -> str:
        """The next character that is not white space, "" at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._pos)
            self._pos = match.end() if match else self._pos
            if self._pos < len(self._buffer):
                return self._buffer[self._pos]
            if not self._fill():
                return ""

    def _skip(self, *, one_line: bool) -> None:
        """Skip a broken value: to the next line, or if it spans lines, to the next line with a bracket."""
        while True:
            end = self._buffer.find("\n", self._pos)
            if end < 0:
                self._pos = len(self._buffer)
                if not self._fill():
                    return
                continue
            self._pos = end + 1
            if self._pos == len(self._buffer) and not self._fill():
                return
            if one_line or self._buffer[self._pos] in "{[":
                return

    def _value(self) -> Record | Refusal:
        """The value that begins here, or its refusal; moves behind the value. Raises _Broken."""
        self._line, self._counted = self._line_at(self._pos), self._pos
        self._record += 1
        value, end = self._decoded()
        refusal = self._refused(end)
        raw = self._buffer[self._pos : min(end, self._pos + RAW_LENGTH)]
        self._pos = end
        if refusal:
            return replace(refusal, raw=storable(raw))
        return Record(self._line, self._record, value, raw)

    def _refused(self, end: int) -> Refusal | None:
        if end - self._pos > self._limit:
            return self._refusal("record_too_long", limit=self._limit)
        if self._twice:
            return self._refusal("duplicate_key", key=excerpt(self._twice[0]))
        byte = wrong_byte(self._buffer[self._pos : end]) if self._marked else None
        if byte:
            return self._refusal("wrong_bytes", byte=byte, encoding=self._encoding)
        return None

    def _passed(self) -> object:
        """A value that is no record; moves behind it. Raises _Broken."""
        value, self._pos = self._decoded()
        return value

    def _decoded(self) -> tuple[object, int]:
        """The value that begins here, and its end. Raises _Broken."""
        while True:
            found = self._attempt()
            if found:
                return found
            if len(self._buffer) - self._pos > self._limit:
                raise _Broken(self._refusal("record_too_long", limit=self._limit))
            # Doubling the window keeps the cost of all attempts in proportion to the size of the record.
            self._fill(len(self._buffer) - self._pos)

    def _attempt(self) -> tuple[object, int] | None:
        """The value in the window and its end, or None if the window cuts it off."""
        self._twice.clear()
        try:
            value, end = self._decoder.raw_decode(self._buffer, self._pos)
        except json.JSONDecodeError as error:
            unterminated = error.msg.startswith("Unterminated string")
            if not self._ended and (unterminated or error.pos >= len(self._buffer) - 12):
                return None
            if unterminated or error.pos >= len(self._buffer):
                raise _Broken(self._refusal("json_cut")) from None
            raise _Broken(self._syntax(error.msg, error.pos)) from None
        except RecursionError:
            raise _Broken(self._refusal("json_deep")) from None
        except ValueError:
            # Python reads no numbers of more than a few thousand digits.
            raise _Broken(self._syntax("Number too long", self._pos)) from None
        # A number at the end of the window may continue after it, such as 12 of 129.
        if end == len(self._buffer) and not self._ended and not isinstance(value, dict | list | str):
            return None
        return value, end

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        value = dict(pairs)
        if len(value) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            self._twice.append(next(key for key, count in counts.items() if count > 1))
        return value

    def _syntax(self, reason: str, pos: int) -> Refusal:
        column = pos - self._buffer.rfind("\n", 0, pos)
        params: Params = {"reason": reason, "column": column}
        return Refusal(self._line_at(pos), "json_syntax", params, self._raw(), self._record)

    def _refusal(self, code: str, **params: str | int) -> Refusal:
        return Refusal(self._line_at(self._pos), code, params, self._raw(), self._record)

    def _raw(self) -> str:
        return storable(self._buffer[self._pos : self._pos + RAW_LENGTH].partition("\n")[0])


class _Scanner(_Window):
    """`_goes_on`: does a page follow the last one of each list of GraphQL?"""

    def __init__(self, text: io.TextIOBase, encoding: str, max_record: int) -> None:
        super().__init__(text, encoding, max_record)
        self._goes_on: dict[str, bool] = {}

    def records(self) -> Iterator[Record | Refusal]:
        try:
            while sign := self._sign():
                if sign == "[":
                    self._pos += 1
                    yield from self._array(1)
                else:
                    yield from self._outside()
            if any(self._goes_on.values()):
                yield Refusal(self._line_at(self._pos), "more_pages")
        except _Broken as broken:
            yield replace(broken.refusal, fatal=True)

    def _outside(self) -> Iterator[Record | Refusal]:
        """One value outside arrays."""
        layout = self._layout() if self._buffer[self._pos] == "{" else ""
        if layout in {"wrapper", "table"}:
            yield from self._answer({})
        elif layout == "index":
            yield from self._labelled()
        elif layout == "split":
            yield from self._split()
        elif layout == "columns":
            yield from self._columns()
        else:
            try:
                yield self._value()
            except _Broken as broken:
                yield broken.refusal
                self._skip(one_line=broken.refusal.line == self._line)

    def _layout(self, *, inside_a_list: bool = False) -> str:
        while len(self._buffer) - self._pos < WINDOW and self._fill():
            pass
        return layout_of(self._buffer, self._pos, inside_a_list=inside_a_list)

    def _array(self, depth: int, place: Mapping[str, object] | None = None) -> Iterator[Record | Refusal]:
        """The elements of an array, from after its opening bracket to after its closing bracket."""
        if depth > _DEPTH:
            raise _Broken(self._refusal("json_deep"))
        for sign in self._elements():
            if sign == "[":
                self._pos += 1
                yield from self._array(depth + 1)
            elif sign == "{" and not place and self._layout(inside_a_list=True) == "wrapper":
                yield from self._answer({})
            else:
                yield _placed(self._value(), place)

    def _elements(self) -> Iterator[str]:
        """The first character of each element; whoever takes it moves behind the element."""
        sign = self._sign()
        while sign != "]":
            if not sign:
                raise _Broken(self._refusal("json_cut"))
            yield sign
            sign = self._sign()
            if sign == ",":
                self._pos += 1
                sign = self._sign()
                if sign == "]":
                    raise _Broken(self._syntax("Expecting value", self._pos))
            elif sign not in {"]", ""}:
                raise _Broken(self._syntax("Expecting ',' delimiter", self._pos))
        self._pos += 1

    def _members(self) -> Iterator[str]:
        """The key of each member of the object that begins here; whoever takes it moves behind the value."""
        self._pos += 1
        sign = self._sign()
        while sign != "}":
            key = self._passed() if sign == '"' else None
            if not isinstance(key, str):
                raise _Broken(
                    self._syntax("Expecting property name enclosed in double quotes", self._pos)
                    if sign
                    else self._refusal("json_cut")
                )
            if self._sign() != ":":
                raise _Broken(self._syntax("Expecting ':' delimiter", self._pos))
            self._pos += 1
            self._sign()
            yield key
            sign = self._sign()
            if sign == ",":
                self._pos += 1
                sign = self._sign()
                if sign == "}":
                    raise _Broken(self._syntax("Expecting property name", self._pos))
            elif sign != "}":
                raise _Broken(
                    self._syntax("Expecting ',' delimiter", self._pos) if sign else self._refusal("json_cut")
                )
        self._pos += 1

    def _answer(
        self, place: Mapping[str, object], depth: int = 1, inside: str = ""
    ) -> Iterator[Record | Refusal]:
        """The records inside an answer, or inside its member `inside`; `place` are the names of the
        repository that they are in.
        """
        place = {} if inside in _PLACES else dict(place)
        for key in self._members():
            sign = self._sign()
            if key in LISTS and sign == "[":
                self._pos += 1
                yield from self._array(1, place)
            elif key in CONTAINERS and sign == "{" and depth < 8:
                yield from self._answer(place, depth + 1, key)
            elif key in SINGLES and sign == "{" and depth > 1:
                yield _placed(self._value(), place)
            else:
                at = self._pos
                value = self._passed()
                if inside in _PLACES and key in _NAMES_OF_PLACES and isinstance(value, str):
                    place[key] = value
                if key == "pageInfo" and isinstance(value, dict):
                    self._goes_on[inside] = value.get("hasNextPage") is True
                if key == "errors" and value:
                    yield self._refusal("forge_error", text=excerpt(said_by(value), 200))
                elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
                    raise _Broken(self._syntax("A second list", at))

    def _labelled(self) -> Iterator[Record | Refusal]:
        """The records of a frame by their labels."""
        for label in self._members():
            found = self._value()
            if isinstance(found, Record) and isinstance(found.value, dict):
                found = replace(found, value={"index": label, **found.value})
            yield found

    def _split(self) -> Iterator[Record | Refusal]:
        """The records of a frame whose names of columns come first."""
        columns: list[str] = []
        for key in self._members():
            if key == "columns":
                columns = [str(name) for name in _list(self._passed())]
            elif self._sign() == "[":
                self._pos += 1
                for _ in self._elements():
                    found = self._value() if key == "data" else self._passed()
                    if isinstance(found, Record | Refusal):
                        yield _row(found, columns)
            else:
                self._passed()

    def _columns(self) -> Iterator[Record | Refusal]:
        """The records of a frame that is written column by column: its cells wait outside the memory."""
        with Cells() as cells:
            start = self._before + self._pos
            for column in self._members():
                if self._sign() != "{":
                    raise _Broken(self._refusal("bad_frame", key=excerpt(column)))
                for label in self._members():
                    found = self._value()
                    cells.add(label, column, found.value if isinstance(found, Record) else found)
                    if self._before + self._pos - start > MOST_CHARACTERS:
                        raise _Broken(self._refusal("frame_too_large", limit=MOST_CHARACTERS))
            for number, (value, refusal) in enumerate(cells.rows(), 1):
                raw = json.dumps(value, ensure_ascii=False)[:RAW_LENGTH]
                if refusal:
                    yield replace(refusal, record=number)
                else:
                    yield Record(self._line, number, value, raw)


def said_by(errors: object) -> str:
    """The first message in the errors of an answer."""
    first = errors[0] if isinstance(errors, list) and errors else errors
    said = first.get("message") if isinstance(first, Mapping) else first
    return said if isinstance(said, str) else json.dumps(said)


def _placed(found: Record | Refusal, place: Mapping[str, object] | None) -> Record | Refusal:
    """A record without an address gets the repository that its answer names."""
    if not place or isinstance(found, Refusal) or not isinstance(found.value, dict):
        return found
    if {"url", "html_url", "web_url", "repository"} & found.value.keys():
        return found
    return replace(found, value={"repository": dict(place), **found.value})


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _row(found: Record | Refusal, columns: list[str]) -> Record | Refusal:
    if isinstance(found, Refusal):
        return found
    cells = _list(found.value)
    if len(cells) != len(columns):
        params: Params = {"cells": len(cells), "columns": len(columns)}
        return Refusal(found.line, "ragged", params, storable(found.raw), found.record)
    return replace(found, value=dict(zip(columns, cells, strict=True)))
