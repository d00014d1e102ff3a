"""One picture: its texts, its rows, and the axes with the texts at both ends of a drawn row."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.translation import gettext_lazy, ngettext

from reports.agreement_report import AgreementReport
from reports.formats.tables import Table
from reports.pictures.widths import Width
from reports.sections.columns import Column

if TYPE_CHECKING:
    import altair as alt

Row = dict[str, Any]

DATA = "rows"
"""The name of the data for all layers that name no other data."""


class Drawing(NamedTuple):
    """A chart and its data by name; the data are added last, since each step of a chart copies its data."""

    chart: "alt.LayerChart"
    datasets: dict[str, list[Row]]


UNDEFINED_BECAUSE = gettext_lazy("Why undefined")


@dataclass(frozen=True)
class Picture:
    """The texts and rows of a picture of `report`; `left` is the number of rows or names without room.

    It draws the column `value`. `columns` are the columns of the rows.
    """

    name: str
    title: str
    caption: str
    value: str
    table: Table
    left: int
    columns: tuple[Column, ...]
    report: AgreementReport

    @property
    def no_room(self) -> str:
        """The number of rows or names that a picture leaves out, in words; "" for none."""
        text = ngettext(
            "%(n)s row with few issues or labels does not fit here.",
            "%(n)s rows with few issues or labels do not fit here.",
            self.left,
        )
        return text % {"n": f"{self.left:,}"} if self.left else ""

    @property
    def heads(self) -> list[str]:
        return [
            str(UNDEFINED_BECAUSE if column.name == "reason" else column.heading) for column in self.columns
        ]

    @property
    def rows(self) -> list[Row]:
        return [dict(zip(self.table.columns, row, strict=True)) for row in self.table.rows]

    @property
    def cells(self) -> list[list[tuple[str, bool]]]:
        """The table for people: each cell's text and whether it is a number; reasons for missing values."""
        return [[self._cell(row, column) for column in self.columns] for row in self.rows]

    def _cell(self, row: Row, column: Column) -> tuple[str, bool]:
        cell = row[column.name]
        if column.name == "reason" and row[self.value] is not None:
            return "", False
        if column.name == "type" and cell != "all":
            return str(cell), False
        return column.text(self.report, cell), isinstance(cell, int | float)


def row_name(name: object, count: str) -> str:
    """A row's name and the text at its end, separated by a tab."""
    return f"{' '.join(str(name).split())}\t{count}"


def left_axis(room: Width) -> "alt.Axis":
    import altair as alt

    return alt.Axis(title=None, labelExpr="split(datum.label, '\\t')[0]", labelLimit=room.names, grid=False)


def right_axis(rows: Iterable[Row], title: str, room: Width) -> "alt.Axis":
    """The axis with the texts at the ends of rows, below its title, flush right."""
    import altair as alt

    longest = max(len(text) for text in (title, *(row["row"].partition("\t")[2] for row in rows)))
    at_end = room.font * 0.6 * longest + 4
    return alt.Axis(
        title=title, labelExpr="split(datum.label, '\\t')[1]", grid=False, orient="right",
        labelAlign="right", labelPadding=at_end, titleAlign="right", titleAngle=0, titleX=at_end, titleY=-3,
    )  # fmt: skip
