"""Tables of people and quotes, in CSV or XLSX: a header and rows of texts."""

import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any, NamedTuple

from ingest.readers import delimited
from ingest.readers.refusals import Refusal
from interviews.readers.office import Package, value_of
from interviews.readers.refusals import Notes, Unit, Unreadable
from interviews.readers.text import lines_of, text_of, without_controls

MOST_BYTES = 4 << 20
MOST_UNPACKED = 16 << 20
MOST_ELEMENTS = 500_000
MOST_ROWS = 5_000
MOST_COLUMNS = 100
MOST_MERGED = 5_000
LONGEST_CELL = 20_000

Range = tuple[int, int, int, int]
"""First column, first row, last column, last row."""


class Row(NamedTuple):
    """`line` is the first line of the row in the file, or the number of the row in its sheet."""

    line: int
    cells: tuple[str, ...]


class RawTable(NamedTuple):
    """`rows` begin with the header; rows that are blank are left out. `sheet` is the name of the sheet."""

    rows: list[Row]
    unit: Unit
    sheet: str = ""


def read_csv(data: bytes, notes: Notes) -> RawTable:
    """The rows of a CSV file with commas, semicolons or tabs. Raises Unreadable."""
    text = text_of(data, most_bytes=MOST_BYTES)
    for _line in lines_of(text):  # refuses what cannot be stored, by its line
        pass
    rows: list[Row] = []
    for row in _records(text.replace("\r\n", "\n").replace("\r", "\n")):
        if len(rows) > MOST_ROWS:
            raise Unreadable("many_rows", line=row.line, limit=MOST_ROWS)
        rows.append(Row(row.line, tuple(without_controls(cell, row.line, notes) for cell in row.cells)))
        _require_short(rows[-1], "line")
    return RawTable(rows, "line")


def _records(text: str) -> Iterator[delimited.CsvRow]:
    delimiter = max(delimited.DELIMITERS, key=lambda sign: _width(text, sign))
    for row in _parsed(text, delimiter):
        if isinstance(row, Refusal):
            params: dict[str, Any] = dict(row.params)
            raise Unreadable(row.code, line=row.line, **params)
        if any(cell.strip() for cell in row.cells):
            yield row


def _parsed(text: str, delimiter: str) -> Iterator[delimited.CsvRow | Refusal]:
    return delimited.rows(
        io.StringIO(text, newline="\n"),
        delimiter=delimiter,
        encoding="utf-8",
        max_record=MOST_COLUMNS * LONGEST_CELL,
    )


def _width(text: str, delimiter: str) -> int:
    """How many cells the header has."""
    first = next(_parsed(text, delimiter), None)
    return len(first.cells) if isinstance(first, delimited.CsvRow) else 0


def read_xlsx(data: bytes, notes: Notes, sheet: int = 1) -> RawTable:
    """The rows of one sheet of an XLSX file, counted from 1; merged cells have their common text. Raises
    Unreadable.
    """
    _package(data).require_harmless()
    grid, found = _grid(data, sheet)
    if found.of > 1:
        notes.add(0, "other_sheets", number=sheet, count=found.of)
    filled = _fill(grid, _merged(data, found.part))
    if filled:
        notes.add(0, "merged", count=filled)
    rows = []
    for number, values in enumerate(grid, 1):
        cells = tuple(without_controls(value, number, notes) for value in values[:MOST_COLUMNS])
        if any(cell.strip() for cell in cells):
            rows.append(Row(number, cells))
            _require_short(rows[-1], "row")
    return RawTable(_trimmed(rows), "row", found.name)


def _package(data: bytes) -> Package:
    return Package(
        data,
        kind="XLSX",
        most_bytes=MOST_BYTES,
        most_unpacked=MOST_UNPACKED,
        most_elements=MOST_ELEMENTS,
    )


class _Sheet(NamedTuple):
    """`part` is where the file keeps it, `of` how many sheets the file has."""

    name: str
    part: str
    of: int


def _grid(data: bytes, chosen: int) -> tuple[list[list[str]], _Sheet]:
    """The cells of a sheet as texts, and which sheet it is."""
    import openpyxl  # noqa: PLC0415 - large, and seldom needed

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and validations, which are not read
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
            count = len(book.worksheets)
            sheet: Any = book.worksheets[min(chosen, count) - 1]
            rows = sheet.iter_rows(max_row=MOST_ROWS + 2, max_col=MOST_COLUMNS + 1, values_only=True)
            grid = [[_text(value) for value in values] for values in rows]
            found = _Sheet(sheet.title, sheet._worksheet_path, count)  # noqa: SLF001 - nothing else names it
            book.close()
    except Exception:  # noqa: BLE001 - a library of many readers, on a file of anybody
        raise Unreadable("damaged", part="xl") from None
    if chosen > count:
        raise Unreadable("no_sheet", number=chosen, count=count)
    if len(grid) > MOST_ROWS + 1:
        raise Unreadable("many_rows", line=MOST_ROWS + 2, unit="row", limit=MOST_ROWS)
    for number, values in enumerate(grid, 1):
        if any(values[MOST_COLUMNS:]):
            raise Unreadable("many_columns", line=number, unit="row", limit=MOST_COLUMNS)
    return grid, found


def _text(value: object) -> str:
    """A cell as text: whole numbers without a point, times as ISO 8601."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _merged(data: bytes, part: str) -> list[Range]:
    """The merged ranges of a sheet. Raises Unreadable, also for a value beyond the columns that are read."""
    found: list[Range] = []
    place = (0, 0)

    def start(tag: str, values: dict[str, str]) -> None:
        nonlocal place
        if tag == "c" and (at := _bounds(value_of(values, "r") or "A1")):
            place = at[:2]
        elif tag in {"v", "is"} and place[0] > MOST_COLUMNS:
            raise Unreadable("many_columns", line=place[1], unit="row", limit=MOST_COLUMNS)
        elif tag == "mergeCell":
            at = _bounds(value_of(values, "ref") or "")
            if at is None or len(found) >= MOST_MERGED:
                raise Unreadable("damaged", part=part)
            found.append(at)

    _package(data).parse(part, start=start)
    return found


def _bounds(ref: str) -> Range | None:
    """The range that a text such as A1:B2 names."""
    from openpyxl.utils.cell import range_boundaries  # noqa: PLC0415 - large, and seldom needed

    try:
        bounds = range_boundaries(ref)
    except (ValueError, TypeError):
        return None
    return None if None in bounds else bounds


def _fill(grid: list[list[str]], ranges: Iterable[Range]) -> int:
    """Give each cell of a range the text of its first one; the number of cells that got a text."""
    count = area = 0
    for left, top, right, bottom in ranges:
        area += (min(right, MOST_COLUMNS) - left + 1) * (min(bottom, len(grid)) - top + 1)
        if area > MOST_ROWS * MOST_COLUMNS:  # no sheet has so many, for ranges do not overlap
            raise Unreadable("damaged", part="xl")
        if top > len(grid) or left > len(grid[top - 1]) or not (said := grid[top - 1][left - 1]):
            continue
        for cells in grid[top - 1 : bottom]:
            for column in range(left - 1, min(right, len(cells))):
                count += not cells[column]
                cells[column] = cells[column] or said
    return count


def _trimmed(rows: list[Row]) -> list[Row]:
    """The rows without the columns at the right that are blank in all of them, all of one width."""
    width = max((_filled(row.cells) for row in rows), default=0)
    return [Row(line, (*cells[:width], *[""] * (width - len(cells)))) for line, cells in rows]


def _filled(cells: Sequence[str]) -> int:
    return max((place for place, cell in enumerate(cells, 1) if cell.strip()), default=0)


def _require_short(row: Row, unit: Unit) -> None:
    for column, cell in enumerate(row.cells, 1):
        if len(cell) > LONGEST_CELL:
            raise Unreadable("cell_too_long", line=row.line, unit=unit, column=column, limit=LONGEST_CELL)
    if len(row.cells) > MOST_COLUMNS:
        raise Unreadable("many_columns", line=row.line, unit=unit, limit=MOST_COLUMNS)
