"""The coefficients of all issues, side by side."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy, pgettext_lazy

from agreement import Bootstrap, bootstrap
from drawing.axes import close_axis, whisker
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.pictures.dots import draw_coefficients
from reports.pictures.kind import PictureKind
from reports.planned import Planned, in_words, mark, planned_in, sentence
from reports.sections.chart_rows import DRAWN, EDGE, HEADLINE, Chart, ChartRow, known
from reports.sections.columns import COEFFICIENT, ESTIMATE, Column, estimate_cells
from reports.sections.section import Card, PageQuery, Section
from reports.sentences.definitions import COEFFICIENTS
from reports.sentences.numbers import doubts, span

MARK = Column(
    "mark", pgettext_lazy("number of a report", "Planned"), words=lambda _report, text: in_words(text)
)


def _columns(report: AgreementReport) -> tuple[Column, ...]:
    """With a protocol a column of marks; the last one stays that of reasons."""
    return (COEFFICIENT, MARK, *ESTIMATE) if planned_in(report) else (COEFFICIENT, *ESTIMATE)


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    found, planned = report.overall.coefficients, planned_in(report)
    return (
        [name, *([mark(report, name, planned)] if planned else []), *estimate_cells(found[name])]
        for name in COEFFICIENTS
    )


@computed_of_labels
def resampled(report: AgreementReport) -> Bootstrap:
    """The bootstrap intervals, in seconds for a large study; the seed is the round's as unsigned number."""
    seed = report.round.seed % 2**64
    return bootstrap(report.numbers.patterns, seed=seed, columns_are_raters=bool(report.columns))


def _card(report: AgreementReport, asked: PageQuery) -> dict[str, Any]:
    intervals = resampled(report) if asked.get("bootstrap") == "yes" else None
    found, planned = report.overall.coefficients.values(), planned_in(report)
    return {
        "coefficients": _chart(report, intervals, planned),
        "resampled": intervals,
        "doubts": doubts(found),
        "planned": planned,
        "fixed": sentence(report, planned),
    }


def _chart(report: AgreementReport, resampled: Bootstrap | None, planned: Planned | None) -> Chart:
    found = report.overall
    intervals = resampled.intervals if resampled else {}
    bounds: dict[str, tuple[float | None, float | None]] = {}
    for name in COEFFICIENTS:
        one, again = found.coefficients[name], intervals.get(name)
        bounds[name] = (
            (one.low, one.high) if one.low is not None or again is None else (again.low, again.high)
        )
    values = known((found.coefficients[name].value, *bounds[name]) for name in COEFFICIENTS)
    axis = close_axis(values, EDGE, DRAWN - EDGE, most=4)
    rows = []
    for name, (title, hint) in COEFFICIENTS.items():
        one, again = found.coefficients[name], intervals.get(name)
        rows.append(
            ChartRow(
                one,
                whisker(axis, one.value, *bounds[name]),
                key=name,
                name=str(title),
                hint=str(hint),
                is_first=name == HEADLINE,
                resampled=span(again.low, again.high) if again else "",
                fixed=in_words(mark(report, name, planned)),
            )
        )
    return Chart(axis, rows)


COEFFICIENTS_SECTION = Section(
    key="coefficients",
    title=gettext_lazy("Coefficients side by side"),
    columns=_columns,
    rows=_rows,
    card=Card("reports/agreement/_coefficients.html", _card, "top"),
    picture=PictureKind(
        title=gettext_lazy("Coefficients side by side"),
        value="value",
        caption=gettext_lazy("Each coefficient of all issues with its 95 % interval."),
        draw=draw_coefficients,
    ),
)
