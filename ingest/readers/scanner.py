"""JSON in pieces: the values of a file one at a time, in a memory that does not grow with the file."""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ingest.readers.frames import MOST_CHARACTERS, Cells
from ingest.readers.layouts import CONTAINERS, LISTS, SINGLES, WINDOW, layout_of
from ingest.readers.refusals import RAW_LENGTH, Params, Refusal, excerpt, storable
from ingest.readers.window import Broken, Record, Window

_DEPTH = 3
_PLACES = ("repository", "project")
_NAMES_OF_PLACES = ("nameWithOwner", "url", "fullPath")


def records(text: io.TextIOBase, *, encoding: str, max_record: int) -> Iterator[Record | Refusal]:
    """Every element of every array, every record of an answer or a frame, and every other value, in order.

    An invalid value outside arrays is refused, and reading continues on the next line; inside an array the
    rest is refused. Memory needs one record of at most `max_record` characters and a piece of the file.
    """
    return _Scanner(text, encoding, max_record).records()


class _Scanner(Window):
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
        except Broken as broken:
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
            except Broken as broken:
                refusal = self._of_line(broken.refusal)
                yield refusal
                self._skip(one_line=refusal.line == self._line)

    def _layout(self, *, inside_a_list: bool = False) -> str:
        while len(self._buffer) - self._pos < WINDOW and self._fill():
            pass
        return layout_of(self._buffer, self._pos, inside_a_list=inside_a_list)

    def _array(self, depth: int, place: Mapping[str, object] | None = None) -> Iterator[Record | Refusal]:
        """The elements of an array, from after its opening bracket to after its closing bracket."""
        if depth > _DEPTH:
            raise Broken(self._refusal("json_deep"))
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
                raise Broken(self._refusal("json_cut"))
            yield sign
            sign = self._sign()
            if sign == ",":
                self._pos += 1
                sign = self._sign()
                if sign == "]":
                    raise Broken(self._syntax("Expecting value", self._pos))
            elif sign not in {"]", ""}:
                raise Broken(self._syntax("Expecting ',' delimiter", self._pos))
        self._pos += 1

    def _members(self) -> Iterator[str]:
        """The key of each member of the object that begins here; whoever takes it moves behind the value."""
        self._pos += 1
        sign = self._sign()
        while sign != "}":
            key = self._passed() if sign == '"' else None
            if not isinstance(key, str):
                raise Broken(
                    self._syntax("Expecting property name enclosed in double quotes", self._pos)
                    if sign
                    else self._refusal("json_cut")
                )
            if self._sign() != ":":
                raise Broken(self._syntax("Expecting ':' delimiter", self._pos))
            self._pos += 1
            self._sign()
            yield key
            sign = self._sign()
            if sign == ",":
                self._pos += 1
                sign = self._sign()
                if sign == "}":
                    raise Broken(self._syntax("Expecting property name", self._pos))
            elif sign != "}":
                raise Broken(
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
                    raise Broken(self._syntax("A second list", at))

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
                    raise Broken(self._refusal("bad_frame", key=excerpt(column)))
                for label in self._members():
                    found = self._value()
                    cells.add(label, column, found.value if isinstance(found, Record) else found)
                    if self._before + self._pos - start > MOST_CHARACTERS:
                        raise Broken(self._refusal("frame_too_large", limit=MOST_CHARACTERS))
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
