"""One section of the agreement report: the interface of a statistic for pages, files and comparisons."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from reports.agreement_report import AgreementReport
from reports.formats.tables import PrintedTable, Table
from reports.frozen.figures import KeyedFigures
from reports.pictures.kind import PictureKind
from reports.sections.columns import Column

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

PageQuery = Mapping[str, str]
"""The query of the page's address."""


@dataclass(frozen=True)
class JsonPart:
    """A section in the report's JSON, and how to compare two of its values.

    `key` is its key in the JSON, and `value` makes the value there. `figures` lists every number of a value.
    `parts` are the parts of the report with these numbers, each with the words that introduce a change:
    "Volunteer %(of)s". `names` are the names of numbers without a column of the same name.
    """

    key: str
    value: Callable[[AgreementReport], Any]
    figures: Callable[[Any], KeyedFigures]
    parts: Mapping[str, "StrPromise"]
    names: Mapping[str, "StrPromise | str"] = field(default_factory=dict)


@dataclass(frozen=True)
class Card:
    """A section on the page: its template, its column of the page (`place`), and its context.

    `context` returns None if the page does not show the section.
    """

    template: str
    context: Callable[[AgreementReport, PageQuery], dict[str, Any] | None]
    place: Literal["top", "left", "right", "whole"] = "whole"


@dataclass(frozen=True)
class Section:
    """One statistic: a table with columns, and optionally a card, a picture and JSON.

    `key` names the table in addresses and files. `columns` can depend on the report. The whole report as a
    file has the sections that are `in_document`. `note` tells how to read the table, `remark` what it shows.
    """

    key: str
    title: "StrPromise"
    columns: tuple[Column, ...] | Callable[[AgreementReport], tuple[Column, ...]]
    rows: Callable[[AgreementReport], Iterable[Iterable[object]]]
    note: "StrPromise | str" = ""
    remark: Callable[[AgreementReport], str] = lambda _report: ""
    card: Card | None = None
    picture: PictureKind | None = None
    json: JsonPart | None = None
    in_document: bool = True

    def columns_of(self, report: AgreementReport) -> tuple[Column, ...]:
        return self.columns(report) if callable(self.columns) else self.columns

    def table(self, report: AgreementReport) -> Table:
        """The rows at full precision, under the column names of files."""
        return Table.of((column.name for column in self.columns_of(report)), self.rows(report))

    def printed(
        self, report: AgreementReport, most: int | None = None, table: Table | None = None
    ) -> PrintedTable:
        """The table for people, without columns whose cells are all empty; `most` rows at most. `table` is
        that of the report, where it was made before.
        """
        table = self.table(report) if table is None else table
        cells = [list(column) for column in zip(*table.rows, strict=True)] or [[] for _name in table.columns]
        found = list(zip(self.columns_of(report), cells, strict=True))
        used = [pair for pair in found if any(cell is not None for cell in pair[1])] or found
        texts = ([column.text(report, cell) for cell in column_cells[:most]] for column, column_cells in used)
        return PrintedTable(
            heads=tuple(str(column.heading) for column, _cells in used),
            is_number=tuple(all(_is_number(cell) for cell in column_cells) for _column, column_cells in used),
            rows=tuple(zip(*texts, strict=True)),
        )


def _is_number(cell: object) -> bool:
    return cell is None or isinstance(cell, int | float)
