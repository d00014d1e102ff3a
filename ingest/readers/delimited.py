"""CSV with commas, semicolons or tabs: a header, then a row for each issue."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from ingest.addresses import BadAddress, parse
from ingest.readers import fields, objects
from ingest.readers.drafts import Draft, Limits, Sniffed
from ingest.readers.refusals import RAW_LENGTH, Params, Refusal, Refused, UnreadableFile, excerpt, storable
from ingest.readers.shapes import jira
from ingest.readers.text import undo_inert, wrong_byte
from ingest.readers.urls import shown

DELIMITERS = (",", ";", "\t")
SAMPLE = 5
HEADER_LENGTH = 65_536
"""The most characters that a header may have."""


class CsvRow(NamedTuple):
    """One row of the file: `line` is its first line, `raw` its text."""

    line: int
    cells: list[str]
    raw: str


def rows(
    text: io.TextIOBase, *, delimiter: str, encoding: str, max_record: int
) -> Iterator[CsvRow | Refusal]:
    """Every row that is not blank, including the header, without the apostrophes of inert cells.

    A quoted cell may span lines. Nothing is repaired: wrong quotation marks and bytes of another encoding
    refuse the row; a cell that does not end within `max_record` characters refuses the rest.
    """
    # The csv module has one limit for the whole process; lowering this would break another reader.
    csv.field_size_limit(max(csv.field_size_limit(), max_record + 1))
    source = _Lines(text, max_record)
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    while True:
        source.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except (csv.Error, _TooLong) as error:
            refusal = source.refusal(error)
            yield refusal
            if refusal.fatal:
                return
            continue
        raw = source.raw()
        if not raw.strip(" \t\r\n\ufeff"):
            continue
        byte = wrong_byte(raw)
        if byte:
            params = {"byte": byte, "encoding": shown(encoding)}
            yield Refusal(source.start, "wrong_bytes", params, storable(raw[:RAW_LENGTH]))
            continue
        yield CsvRow(source.start, [undo_inert(cell) for cell in cells], raw)


class _TooLong(Exception):
    pass


class _Lines:
    """The lines for the csv module; remembers the lines of the current row."""

    def __init__(self, text: io.TextIOBase, limit: int) -> None:
        self._text = text
        self._limit = limit
        self._first = ""
        self._more = io.StringIO()
        self._size = 0
        self.line = 0
        self.start = 1

    def begin(self) -> None:
        self._first = ""
        if self.line > self.start:
            self._more = io.StringIO()
        self._size = 0
        self.start = self.line + 1

    def raw(self) -> str:
        return self._first + self._more.getvalue() if self.line > self.start else self._first

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(self._limit + 1)
        if not line:
            raise StopIteration
        self.line += 1
        self._size += len(line)
        if self.line == self.start:
            self._first = line
        else:
            self._more.write(line)
        if self._size > self._limit:
            rest = line
            while len(rest) > self._limit and not rest.endswith("\n"):
                rest = self._text.readline(self._limit + 1)
            raise _TooLong
        return line

    def refusal(self, error: Exception) -> Refusal:
        raw = storable(self.raw()[:RAW_LENGTH])
        is_too_long = isinstance(error, _TooLong)
        if is_too_long and self.line == self.start:
            return Refusal(self.start, "line_too_long", {"limit": self._limit}, raw)
        if is_too_long or "unexpected end of data" in str(error):
            return Refusal(self.start, "unclosed_quote", {"limit": self._limit}, raw, fatal=True)
        reason = str(error).partition(" - ")[0]
        return Refusal(self.start, "quotes", {"reason": reason}, raw)


def read(text: io.TextIOWrapper, sniffed: Sniffed, *, limits: Limits) -> Iterator[Draft | Refusal]:
    """The issues of a CSV file, in its order."""
    delimiter = sniffed.delimiter or ","
    columns: list[str] | None = None
    indexes: dict[str, list[int]] = {}
    for row in rows(text, delimiter=delimiter, encoding=sniffed.encoding, max_record=limits.max_record):
        if isinstance(row, Refusal):
            yield row
            continue
        if columns is None:
            columns = names(row)
            indexes = {
                field: [index for index, column in enumerate(columns) if column == source]
                for field, source in sniffed.mapping.items()
            }
            continue
        try:
            yield _draft(row, columns, indexes, sniffed, limits)
        except Refused as refused:
            yield Refusal(row.line, refused.code, refused.params, storable(row.raw[:RAW_LENGTH]))


def _draft(
    row: CsvRow, columns: list[str], indexes: Mapping[str, list[int]], sniffed: Sniffed, limits: Limits
) -> Draft:
    if len(row.cells) != len(columns):
        raise Refused("ragged", cells=len(row.cells), columns=len(columns))
    for column, cell in zip(columns, row.cells, strict=True):
        if len(cell) > limits.max_cell:
            raise Refused("cell_too_long", key=excerpt(column), length=len(cell), limit=limits.max_cell)
    values: dict[str, object] = {
        field: _value(field, [row.cells[index] for index in places]) for field, places in indexes.items()
    }
    if sniffed.shape == "jira_csv" and isinstance(values.get("comments"), str):
        values["comments"] = _value("comments", [str(values["comments"]), ""])
    return objects.draft(
        values, sniffed.mapping, row.line, limits=limits, tabular=True, base=sniffed.base, zone=sniffed.zone
    )


def _value(field: str, cells: list[str]) -> object:
    """The one cell of a column, or the list of those of columns with the same name."""
    if len(cells) == 1:
        return cells[0]
    filled = [cell for cell in cells if cell.strip()]
    if field == "comments":
        return [jira.comment_of(cell) for cell in filled]
    return filled if field == "labels" else next(iter(filled), "")


def names(header: CsvRow) -> list[str]:
    """The names of the columns. Raises UnreadableFile if two of them are equal, but for Jira, which repeats
    names for labels and comments.
    """
    columns = [storable(cell.strip(" \t\r\n\ufeff")) for cell in header.cells]
    if is_of_jira(columns):
        return columns
    places: dict[str, int] = {}
    for second, name in enumerate(columns):
        first = places.setdefault(name.casefold(), second)
        if first != second:
            params: Params = {"first": first + 1, "second": second + 1, "name": excerpt(name)}
            raise UnreadableFile(
                Refusal(header.line, "duplicate_header", params, storable(header.raw), fatal=True)
            )
    return columns


def is_of_jira(columns: Sequence[str]) -> bool:
    return {"Issue key", "Summary"} <= set(columns)


def sniff(head: str, encoding: str) -> Sniffed:
    """How the CSV that begins with `head` will be read. Raises UnreadableFile."""
    first = {delimiter: _first(head, delimiter, encoding) for delimiter in DELIMITERS}
    headers = {delimiter: row for delimiter, row in first.items() if isinstance(row, CsvRow)}
    if not headers:
        raise UnreadableFile(next(row for row in first.values() if isinstance(row, Refusal)))
    delimiter = _delimiter(headers, head, encoding)
    columns = names(headers[delimiter])
    is_jira = is_of_jira(columns)
    mapping = (
        _mapping_of_jira(columns) if is_jira else fields.mapping_of_columns(columns, headers[delimiter].line)
    )
    text = io.StringIO(head, newline="\n")
    found = rows(text, delimiter=delimiter, encoding=encoding, max_record=HEADER_LENGTH)
    sample: list[dict[str, str]] = []
    for row in found:
        if len(sample) == SAMPLE:
            break
        if isinstance(row, CsvRow) and row.line > headers[delimiter].line and len(row.cells) == len(columns):
            sample.append({c: excerpt(cell, 200) for c, cell in zip(columns, row.cells, strict=True)})
    shape = "jira_csv" if is_jira else ""
    return Sniffed("csv", encoding, delimiter, mapping, tuple(dict.fromkeys(columns)), tuple(sample), shape)


def _mapping_of_jira(columns: Sequence[str]) -> dict[str, str]:
    return {field: column for field, column in jira.CSV_MAPPING.items() if column in columns}


def _delimiter(headers: Mapping[str, CsvRow], head: str, encoding: str) -> str:
    """The only delimiter that fits the header. Raises UnreadableFile."""
    fitting = [d for d, row in headers.items() if fields.has_url([cell.strip() for cell in row.cells])]
    several = [d for d in fitting if len(headers[d].cells) > 1]
    if not fitting:
        # A person can choose the columns if it is clear what the columns are.
        several = [d for d, row in headers.items() if len(row.cells) > 1 and _fits(head, d, encoding)]
        if len(several) != 1 or _no_url(dict(headers)).code != "no_url_column":
            raise UnreadableFile(_no_url(dict(headers)))
    if len(several) > 1:
        raise UnreadableFile(Refusal(1, "delimiter", {}, storable(headers[several[0]].raw), fatal=True))
    # If the address is the only column, the header contains no delimiter, and any will do.
    return (several or fitting)[0]


def _fits(head: str, delimiter: str, encoding: str) -> bool:
    """Does the first row have as many cells as the header?"""
    found = rows(
        io.StringIO(head, newline="\n"), delimiter=delimiter, encoding=encoding, max_record=HEADER_LENGTH
    )
    sizes = [len(row.cells) for row in islice(found, 2) if isinstance(row, CsvRow)]
    return len(sizes) == 2 and sizes[0] == sizes[1]


def _first(head: str, delimiter: str, encoding: str) -> CsvRow | Refusal:
    text = io.StringIO(head, newline="\n")
    found = rows(text, delimiter=delimiter, encoding=encoding, max_record=HEADER_LENGTH)
    return next(found, Refusal(0, "no_rows"))


def _no_url(headers: dict[str, CsvRow]) -> Refusal:
    """Why no column has the address, judged by the delimiter that gives the most columns."""
    widest = max(headers.values(), key=lambda row: len(row.cells))
    raw = storable(widest.raw[:RAW_LENGTH])
    for cell in widest.cells:
        with suppress(BadAddress):
            parse(cell)
            return Refusal(widest.line, "no_header", {}, raw, fatal=True)
    if len(widest.cells) == 1 and any(sign in widest.cells[0].strip() for sign in " |:"):
        return Refusal(widest.line, "delimiter", {}, raw, fatal=True)
    return Refusal(widest.line, "no_url_column", {"columns": listed(widest.cells)}, raw, fatal=True)


def listed(columns: Sequence[str]) -> str:
    """Names of columns or keys for a message, shortened."""
    return excerpt(", ".join(name.strip() for name in columns), 300)
