"""The definition of a section's picture: its texts, its rows, and the function that draws it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.agreement_report import AgreementReport
from reports.formats.tables import Table
from reports.pictures import widths
from reports.pictures.picture import Drawing, Picture
from reports.pictures.widths import Width
from reports.sections.columns import Column

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

Choice = tuple[Table, int]
"""The rows that fit, and the number of names that do not."""

Choose = Callable[[Table, Width], Choice]
Part = Callable[[AgreementReport, Table], Table]


def all_rows(table: Table, _room: Width) -> Choice:
    return table, 0


def first_rows(table: Table, _room: Width) -> Choice:
    return Table(table.columns, table.rows[: widths.ROWS]), max(0, len(table.rows) - widths.ROWS)


def heaviest(weight: str) -> Choose:
    """Choose the rows with the most issues or labels that fit on a sheet, in their order."""

    def choose(table: Table, _room: Width) -> Choice:
        most = widths.ROWS
        if len(table.rows) <= most:
            return table, 0
        at = table.columns.index(weight)
        heaviest = sorted(range(len(table.rows)), key=lambda row: -int(str(table.rows[row][at])))[:most]
        return Table.of(table.columns, (table.rows[row] for row in sorted(heaviest))), len(table.rows) - most

    return choose


def corner(columns: tuple[str, ...], weight: str, most: Callable[[Width], int]) -> Choose:
    """Choose the cells whose names in these columns have the most issues or labels."""

    def choose(table: Table, room: Width) -> Choice:
        weights: Counter[object] = Counter()
        named, at = [table.columns.index(name) for name in columns], table.columns.index(weight)
        for row in table.rows:
            for place in named:
                weights[row[place]] += int(str(row[at]))
        kept = {name for name, _weight in weights.most_common(most(room))}
        rows = (row for row in table.rows if all(row[place] in kept for place in named))
        return Table.of(table.columns, rows), len(weights) - len(kept)

    return choose


def columns_of(*columns: str) -> Part:
    """Some columns of the section's table."""

    def part(_report: AgreementReport, table: Table) -> Table:
        places = [table.columns.index(column) for column in columns]
        return Table.of(columns, ([row[place] for place in places] for row in table.rows))

    return part


@dataclass(frozen=True)
class PictureKind:
    """A picture of a section: it draws the column `value`, and at least `least` rows must have a value.

    `name` is the section's key by default. `more` continues the caption. `part` makes the rows of the picture
    from the section's table, and `columns` are additional columns of these rows. `choose` selects the rows
    that fit. `ends_with_all`: the last row is for all issues.
    """

    title: "StrPromise"
    value: str
    caption: "StrPromise"
    draw: Callable[[AgreementReport, Picture, Width], Drawing]
    name: str = ""
    more: Callable[[AgreementReport], str] = lambda _report: ""
    part: Part = lambda _report, table: table
    columns: tuple[Column, ...] = ()
    choose: Choose = all_rows
    least: int = 1
    ends_with_all: bool = False
