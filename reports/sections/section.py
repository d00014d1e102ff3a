"""One section of the agreement report: what every page, file and comparison asks of a statistic."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from reports.agreement_report import AgreementReport
from reports.formats.tables import Table
from reports.frozen.figures import KeyedFigures
from reports.pictures.kind import PictureKind
from reports.sections.columns import Column

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

PageQuery = Mapping[str, str]
"""The query of the page's address."""


@dataclass(frozen=True)
class JsonPart:
    """A section in the report's JSON, and how two such values are compared.

    `key` is its key in the JSON and `value` what stands there. `figures` gives every number of such a value.
    `parts` are the parts of the report that these numbers belong to, each with the words that introduce a
    change in it: "Volunteer %(of)s". `names` are the names of numbers that are no column's heading.
    """

    key: str
    value: Callable[[AgreementReport], Any]
    figures: Callable[[Any], KeyedFigures]
    parts: Mapping[str, "StrPromise"]
    names: Mapping[str, "StrPromise | str"] = field(default_factory=dict)


@dataclass(frozen=True)
class Card:
    """A section on the page: its template, the column of the page it stands in, and its context.

    `context` is None where the page does not show the section.
    """

    template: str
    context: Callable[[AgreementReport, PageQuery], dict[str, Any] | None]
    place: Literal["top", "left", "right", "whole"] = "whole"


@dataclass(frozen=True)
class Section:
    """One statistic: a table under headed columns, and where there are any its card, picture and JSON.

    `key` names the table in addresses and files. `columns` may depend on the report. A section without a
    `title` is no table of the whole report as a file. `note` is what readers must know of the table.
    """

    key: str
    title: "StrPromise | None"
    columns: tuple[Column, ...] | Callable[[AgreementReport], tuple[Column, ...]]
    rows: Callable[[AgreementReport], Iterable[Iterable[object]]]
    note: "StrPromise | str" = ""
    card: Card | None = None
    picture: PictureKind | None = None
    json: JsonPart | None = None

    def columns_of(self, report: AgreementReport) -> tuple[Column, ...]:
        return self.columns(report) if callable(self.columns) else self.columns

    def table(self, report: AgreementReport) -> Table:
        """The rows at full precision, under the names that columns have in files."""
        return Table.of((column.name for column in self.columns_of(report)), self.rows(report))
