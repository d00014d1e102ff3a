"""JSON in pieces: arrays, one object a line, consecutive arrays, the list inside a forge's answer."""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ingest.readers import objects, urls
from ingest.readers.drafts import HEAD_BYTES, Draft, Limits, Sniffed
from ingest.readers.refusals import (
    RAW_LENGTH,
    Params,
    Refusal,
    Refused,
    UnreadableFile,
    excerpt,
    kind_of,
    storable,
)
from ingest.readers.text import wrong_byte

_CHUNK = 256 * 1024
_SAMPLE = 5
_KEYS_FROM = 50
_COLUMNS = 500
_DEPTH = 3
_SPACE = re.compile(r"[ \t\r\n\ufeff\x1e]*")
_SCALAR = r'(?:"(?:[^"\\]|\\.)*+"|-?[0-9][0-9.eE+-]*+|true|false|null)'
# {"total_count": 3, "items": [ … : an answer around a list. The keys before the list tell it from an issue.
_WRAPPER = re.compile(
    r'\{\s*+(?:"(?!(?:html_url|web_url|issue_url|url|link|number|title|iid)")[A-Za-z_]{1,40}"\s*+:\s*+'
    + _SCALAR
    + r"\s*+,\s*+)*+"
    r'"(?:items|issues|data|results|nodes|records)"\s*+:\s*+\[',
    re.DOTALL,
)
_WRAPPER_START = 4096


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


def read(text: io.TextIOWrapper, sniffed: Sniffed, *, limits: Limits) -> Iterator[Draft | Refusal]:
    """The issues of a JSON file, in its order. A text in place of an object is read as an address."""
    for found in records(text, encoding=sniffed.encoding, max_record=limits.max_record):
        if isinstance(found, Refusal):
            yield found
            continue
        try:
            yield _draft(found, sniffed, limits)
        except Refused as refused:
            raw = storable(found.raw)
            yield Refusal(found.line, refused.code, refused.params, raw, record=found.record)


def _draft(found: Record, sniffed: Sniffed, limits: Limits) -> Draft:
    if isinstance(found.value, str):
        return urls.draft_of(found.value, found.line, encoding=sniffed.encoding, limits=limits)
    if not isinstance(found.value, Mapping):
        raise Refused("not_an_object", kind=kind_of(found.value))
    if "url" not in sniffed.mapping:
        raise Refused("no_url_key", columns=_listed(found.value))
    values = objects.values_of(found.value, sniffed.mapping)
    return objects.draft(values, sniffed.mapping, found.line, limits=limits)


def records(text: io.TextIOBase, *, encoding: str, max_record: int) -> Iterator[Record | Refusal]:
    """Every element of every array, and every value outside arrays, in order.

    An invalid value outside arrays is refused, and reading continues on the next line; inside an array the
    rest is refused. Memory needs one record of at most `max_record` characters and a piece of the file.
    """
    return _Scanner(text, encoding, max_record).records()


class _Scanner:
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
        self._twice: list[str] = []
        self._decoder = json.JSONDecoder(object_pairs_hook=self._object, parse_constant=lambda _: None)

    def records(self) -> Iterator[Record | Refusal]:
        try:
            while sign := self._sign():
                if sign == "[":
                    self._pos += 1
                    yield from self._array(1)
                elif sign == "{" and self._enter_wrapper():
                    yield from self._array(1)
                    self._leave_wrapper()
                else:
                    yield from self._outside()
        except _Broken as broken:
            yield replace(broken.refusal, fatal=True)

    def _array(self, depth: int) -> Iterator[Record | Refusal]:
        """The elements of an array, from after its opening bracket to after its closing bracket."""
        if depth > _DEPTH:
            raise _Broken(self._refusal("json_deep"))
        sign = self._sign()
        while sign != "]":
            if not sign:
                raise _Broken(self._refusal("json_cut"))
            if sign == "[":
                self._pos += 1
                yield from self._array(depth + 1)
            else:
                yield self._value()
            sign = self._sign()
            if sign == ",":
                self._pos += 1
                sign = self._sign()
                if sign == "]":
                    raise _Broken(self._syntax("Expecting value", self._pos))
            elif sign not in {"]", ""}:
                raise _Broken(self._syntax("Expecting ',' delimiter", self._pos))
        self._pos += 1

    def _outside(self) -> Iterator[Record | Refusal]:
        """One value outside arrays."""
        try:
            yield self._value()
        except _Broken as broken:
            yield broken.refusal
            self._skip(one_line=broken.refusal.line == self._line)

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

    def _fill(self, size: int = 0) -> bool:
        """Read on and drop the text before the position; False at the end of the text."""
        chunk = "" if self._ended else self._text.read(max(size, _CHUNK))
        if not chunk:
            self._ended = True
            return False
        self._line = self._line_at(self._pos)
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

    def _enter_wrapper(self) -> bool:
        """Enter the list inside a forge's answer, if such an answer begins here."""
        while len(self._buffer) - self._pos < _WRAPPER_START and self._fill():
            pass
        match = _WRAPPER.match(self._buffer, self._pos)
        if match:
            self._pos = match.end()
        return bool(match)

    def _leave_wrapper(self) -> None:
        """Skip the members after the list, which are no issues, and the closing bracket."""
        while (sign := self._sign()) == ",":
            self._pos += 1
            self._sign()
            self._pos = self._decoded()[1]
            if self._sign() != ":":
                raise _Broken(self._syntax("Expecting ':' delimiter", self._pos))
            self._pos += 1
            self._sign()
            value, end = self._decoded()
            if value and isinstance(value, list):
                raise _Broken(self._syntax("A second list", self._pos))
            self._pos = end
        if sign != "}":
            raise _Broken(
                self._syntax("Expecting ',' delimiter", self._pos) if sign else self._refusal("json_cut")
            )
        self._pos += 1

    def _syntax(self, reason: str, pos: int) -> Refusal:
        column = pos - self._buffer.rfind("\n", 0, pos)
        params: Params = {"reason": reason, "column": column}
        return Refusal(self._line_at(pos), "json_syntax", params, self._raw(), self._record)

    def _refusal(self, code: str, **params: str | int) -> Refusal:
        return Refusal(self._line_at(self._pos), code, params, self._raw(), self._record)

    def _raw(self) -> str:
        return storable(self._buffer[self._pos : self._pos + RAW_LENGTH].partition("\n")[0])


def sniff(head: str, encoding: str, *, whole: bool) -> Sniffed:
    """How the JSON that begins with `head`, or is `head` if `whole`, will be read. Raises UnreadableFile."""
    lines: list[int] = []
    found: list[Mapping[str, object]] = []
    addresses: list[str] = []
    refusals: list[Refusal] = []
    for record in records(io.StringIO(head, newline="\n"), encoding=encoding, max_record=HEAD_BYTES):
        if isinstance(record, Refusal):
            refusals.append(record)
        elif isinstance(record.value, Mapping):
            lines.append(record.line)
            found.append(record.value)
        elif isinstance(record.value, str):
            addresses.append(record.value)
        else:
            params: Params = {"kind": kind_of(record.value)}
            raw = storable(record.raw)
            refusals.append(Refusal(record.line, "not_an_object", params, raw, record.record))
        if len(found) + len(addresses) + len(refusals) == _KEYS_FROM:
            break
    if not found and not addresses:
        raise UnreadableFile(_nothing(refusals, whole=whole))
    if not found:
        sample = tuple({"url": excerpt(url, 200)} for url in addresses[:_SAMPLE])
        return Sniffed("json", encoding, None, {"url": "url"}, ("url",), sample)
    mapping = objects.mapping_of_objects(found, lines[0])
    if "url" not in mapping:
        raise UnreadableFile(_no_url(found[0], lines[0]))
    columns = tuple(dict.fromkeys(excerpt(key) for record in found for key in record))[:_COLUMNS]
    sample = tuple({key: _shown(record.get(key)) for key in columns} for record in found[:_SAMPLE])
    return Sniffed("json", encoding, None, mapping, columns, sample)


def _nothing(refusals: list[Refusal], *, whole: bool) -> Refusal:
    if not refusals:
        return Refusal(0, "no_rows")
    if refusals[0].code == "json_cut" and not whole:
        return replace(refusals[0], code="record_too_long", params={"limit": HEAD_BYTES}, fatal=True)
    return replace(refusals[0], fatal=True)


def _no_url(record: Mapping[str, object], line: int) -> Refusal:
    said = record.get("message")
    if isinstance(said, str):
        return Refusal(0, "forge_error", {"text": excerpt(said, 200)})
    return Refusal(line, "no_url_key", {"columns": _listed(record)}, fatal=True)


def _listed(record: Mapping[str, object]) -> str:
    return excerpt(", ".join(record), 300)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return excerpt(value, 200)
    try:
        return excerpt(json.dumps(value, ensure_ascii=False), 200)
    except RecursionError:
        return "…"
