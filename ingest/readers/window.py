"""A window on a stream of JSON: one value at a time, or what is wrong with it, and in which line."""

import io
import json
import re
from collections import Counter
from dataclasses import dataclass, replace

from ingest.readers import urls
from ingest.readers.refusals import RAW_LENGTH, Params, Refusal, excerpt, storable
from ingest.readers.text import wrong_byte

CHUNK = 256 * 1024
_SPACE = re.compile(r"[ \t\r\n\ufeff\x1e]*")


class Broken(Exception):
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


class Window:
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
        """The value that begins here, or its refusal; moves behind the value. Raises Broken."""
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
        """A value that is no record; moves behind it. Raises Broken."""
        value, self._pos = self._decoded()
        return value

    def _decoded(self) -> tuple[object, int]:
        """The value that begins here, and its end. Raises Broken."""
        while True:
            found = self._attempt()
            if found:
                return found
            if len(self._buffer) - self._pos > self._limit:
                raise Broken(self._refusal("record_too_long", limit=self._limit))
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
                raise Broken(self._refusal("json_cut")) from None
            raise Broken(self._syntax(error.msg, error.pos)) from None
        except RecursionError:
            raise Broken(self._refusal("json_deep")) from None
        except ValueError:
            # Python reads no numbers of more than a few thousand digits.
            raise Broken(self._syntax("Number too long", self._pos)) from None
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

    def _of_line(self, refusal: Refusal) -> Refusal:
        """The refusal of the broken value that begins here. In a file with one record a line a value that is
        cut off is found broken in a later line only, or at the end of the file: then that of its own line.
        """
        if refusal.code not in {"json_syntax", "json_cut"} or (
            refusal.code == "json_syntax" and refusal.line == self._line
        ):
            return refusal
        own, after = self._line_and_next()
        if not _is_object(after):
            return refusal
        try:
            json.loads(own)
        except json.JSONDecodeError as error:
            if error.pos < len(own.rstrip()) and not error.msg.startswith("Unterminated string"):
                return self._syntax(error.msg, self._pos + error.pos)
            return self._refusal("line_cut")
        except (RecursionError, ValueError):
            pass
        return refusal

    def _line_and_next(self) -> tuple[str, str]:
        """The rest of this line, and the line after it."""
        while True:
            own, end, rest = self._buffer[self._pos :].partition("\n")
            after, whole, _ = rest.partition("\n")
            if (
                (end and whole)
                or len(own) + len(after) > 2 * self._limit
                or not self._fill(len(self._buffer))
            ):
                return own, after

    def _syntax(self, reason: str, pos: int) -> Refusal:
        column = pos - self._buffer.rfind("\n", 0, pos)
        params: Params = {"reason": reason, "column": column}
        return Refusal(self._line_at(pos), "json_syntax", params, self._raw(), self._record)

    def _refusal(self, code: str, **params: str | int) -> Refusal:
        return Refusal(self._line_at(self._pos), code, params, self._raw(), self._record)

    def _raw(self) -> str:
        return storable(self._buffer[self._pos : self._pos + RAW_LENGTH].partition("\n")[0])


def _is_object(line: str) -> bool:
    if not line.startswith("{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (RecursionError, ValueError):
        return False
