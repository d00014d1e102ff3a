"""A table of participants: its header and rows, with their flaws."""

from collections.abc import Sequence
from dataclasses import dataclass

from interviews.readers.refusals import Note, Notes, Unit, Unreadable
from interviews.readers.tables import RawTable, Row, read_csv, read_xlsx


@dataclass(frozen=True, slots=True)
class Table:
    """Each row has as many cells as the header. Problems refuse nothing."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    problems: tuple[Note, ...] = ()
    unit: Unit = "line"
    sheet: str = ""


def read_background(data: bytes, sheet: int = 1) -> Table:
    """The table of a sheet of an XLSX file, or of a CSV file, which has one. Raises Unreadable."""
    is_packed = data.startswith(b"PK")
    notes = Notes("row" if is_packed else "line")
    if sheet > 1 and not is_packed:
        raise Unreadable("no_sheet", number=sheet, count=1)
    table = read_xlsx(data, notes, sheet) if is_packed else read_csv(data, notes)
    return checked(table, notes)


def checked(table: RawTable, notes: Notes) -> Table:
    """The table with the flaws of its header and rows noted; rows of another width are left out. Raises
    Unreadable for one without rows.
    """
    if len(table.rows) < 2:
        raise Unreadable("no_rows")
    first, *rest = table.rows
    header = tuple(" ".join(cell.split()) for cell in first.cells)
    places: dict[str, int] = {}
    for place, name in enumerate(header, 1):
        if not name:
            notes.add(first.line, "no_name", column=place)
        elif (before := places.setdefault(name.casefold(), place)) != place:
            notes.add(first.line, "same_name", first=before, second=place)
    rows = []
    for row in rest:
        if len(row.cells) == len(header):
            rows.append(row)
        else:
            notes.add(row.line, "ragged", cells=len(row.cells), columns=len(header))
    if not rows:
        raise Unreadable("no_rows")
    _note_letter_cases(rows, notes)
    return Table(header, tuple(rows), notes.all(), table.unit, table.sheet)


def _note_letter_cases(rows: Sequence[Row], notes: Notes) -> None:
    """Note a cell whose text an earlier row has in other letter cases: one value that counts as two."""
    said: dict[tuple[int, str], str] = {}
    for row in rows:
        for column, cell in enumerate(row.cells, 1):
            text = " ".join(cell.split())
            if said.setdefault((column, text.casefold()), text) != text:
                notes.add(row.line, "letter_case", column=column)
