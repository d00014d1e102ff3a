"""Rows of the page's tables: a number, with its interval drawn on the axis of the table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from agreement import Agreement, Coefficient
from drawing.axes import Axis, Whisker, close_axis, whisker
from reports.agreement_report import AgreementReport
from reports.sentences.agreement import is_paradox
from reports.sentences.numbers import doubts

HEADLINE = "fleiss_kappa"
DRAWN = 150.0
EDGE = 8.0
MARKS = ("circle", "square", "diamond")


@dataclass(frozen=True)
class ChartRow:
    """A row of a table with an axis: the number `of` the row, and its marks `drawn` on the axis.

    `place` is the place of its type, from 0; -1 for a row without a type. `group` is the agreement of a group
    of issues. `resampled` is the bootstrap interval, if the reader requested it. `fixed` tells in a word
    whether the number was planned; "" without a protocol.
    """

    of: Coefficient
    drawn: Whisker | None
    key: str = ""
    name: str = ""
    hint: str = ""
    place: int = -1
    labels: int = 0
    issues: int = 0
    share: str = ""
    group: Agreement | None = None
    resampled: str = ""
    fixed: str = ""
    is_first: bool = False
    is_few: bool = False

    @property
    def is_paradox(self) -> bool:
        return self.group is not None and is_paradox(self.group)

    @property
    def mark(self) -> str:
        """The shape of the mark: hue and shape together tell the first three types apart."""
        return MARKS[self.place] if 0 <= self.place < len(MARKS) else MARKS[0]

    @property
    def css(self) -> str:
        if self.is_first and self.place < 0:
            return "ac"
        return f"f{'abc'[self.place]}" if 0 <= self.place < len(MARKS) else "d w"


@dataclass(frozen=True)
class Chart:
    """Rows on one axis."""

    axis: Axis
    rows: list[ChartRow]
    all: ChartRow | None = None
    reference: str = ""

    @property
    def doubts(self) -> list[str]:
        """Why intervals of the rows are not to be trusted, each reason once."""
        return doubts(row.of for row in (*self.rows, *([self.all] if self.all else ())))


def kappa_axis(groups: Iterable[Agreement]) -> Axis:
    """An axis for the kappas of these groups and their intervals."""
    kappas = [group.coefficients[HEADLINE] for group in groups]
    ends = known((kappa.value, kappa.low, kappa.high) for kappa in kappas)
    return close_axis(ends, EDGE, DRAWN - EDGE, most=4)


def group_row(axis: Axis, found: Agreement, **fields: Any) -> ChartRow:
    """The row of one group of issues, with its kappa drawn on the axis."""
    kappa = found.coefficients[HEADLINE]
    return ChartRow(kappa, whisker(axis, kappa.value, kappa.low, kappa.high), group=found, **fields)


def place_of(report: AgreementReport, code: str) -> int:
    return report.codebook.hue(report.codebook.by_code[code].category_id)


def named(report: AgreementReport, code: str) -> dict[str, Any]:
    """The values that the chip of a category shows."""
    return {"code": code, "place": place_of(report, code), "name": report.codebook.by_code[code].title}


def known(triples: Iterable[Sequence[float | None]]) -> list[float]:
    return [value for triple in triples for value in triple if value is not None]
