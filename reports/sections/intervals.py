"""The same coefficients with three intervals: over issues, over repositories, over volunteers."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext_lazy

from agreement import FROM_COUNTS, Coefficient, UnitIntervals
from drawing.axes import close_axis, whisker
from reports.agreement_report import AgreementReport
from reports.frozen.figures import KeyedFigures, estimate, plain
from reports.queries.intervals import intervals
from reports.queries.population import is_everything
from reports.sections.chart_rows import DRAWN, EDGE, HEADLINE, ChartRow, known
from reports.sections.columns import COEFFICIENT, ESTIMATE, Column, estimate_cells
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences.definitions import COEFFICIENTS
from reports.sentences.intervals import (
    NOTE,
    QUESTIONS,
    SAMPLED,
    everything_is_labelled,
    narrower_repositories,
    unequal_repositories,
    units_of,
)
from reports.sentences.numbers import doubts, reason_in_words, span


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for sampled, one in intervals(report).items():
        for name, found in one.coefficients.items():
            yield [sampled, one.units, name, *estimate_cells(found)]


def _as_dict(report: AgreementReport) -> dict[str, Any]:
    return {
        "population": "all issues labelled" if is_everything(report) else "a part, or unknown",
        "scale": "logit",
        "sampled": {
            sampled: {
                "units": one.units,
                "effective": one.effective,
                "coefficients": {name: found.as_dict() for name, found in one.coefficients.items()},
            }
            for sampled, one in intervals(report).items()
        },
    }


def _figures(found: dict[str, Any]) -> KeyedFigures:
    for sampled, one in found["sampled"].items():
        yield from plain("intervals", sampled, one, "units", "effective")
        for name, coefficient in one["coefficients"].items():
            yield estimate("intervals", sampled, name, coefficient)


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any]:
    found = intervals(report)
    kappas = [one.coefficients[HEADLINE] for one in found.values()]
    axis = close_axis(known((one.value, one.low, one.high) for one in kappas), EDGE, DRAWN - EDGE, most=4)
    lines = [
        {
            "kappa": ChartRow(
                kappa,
                whisker(axis, kappa.value, kappa.low, kappa.high),
                key=sampled,
                name=units_of(sampled, found[sampled].units),
                hint=str(QUESTIONS[sampled]),
                is_first=sampled == "issues",
            ),
            "others": [
                (span(one.low, one.high), reason_in_words(one.doubt.text) if one.doubt else "")
                for one in _others(found[sampled])
            ],
        }
        for sampled, kappa in zip(found, kappas, strict=True)
    ]
    return {
        "intervals": {
            "axis": axis,
            "lines": lines,
            "doubts": doubts(one for each in found.values() for one in each.coefficients.values()),
        },
        "intervals_note": NOTE,
        "other_coefficients": [COEFFICIENTS[name][0] for name in FROM_COUNTS if name != HEADLINE],
        "everything_is_labelled": everything_is_labelled(report),
        "unequal_repositories": unequal_repositories(found["repositories"]),
        "narrower_repositories": narrower_repositories(found["repositories"]),
    }


def _others(found: UnitIntervals) -> list[Coefficient]:
    return [one for name, one in found.coefficients.items() if name != HEADLINE]


INTERVALS = Section(
    key="intervals",
    title=gettext_lazy("What the intervals assume"),
    columns=(
        Column("sampled", gettext_lazy("Sampled"), words=lambda _report, text: str(SAMPLED[text])),
        Column("units", gettext_lazy("Number")),
        COEFFICIENT,
        *ESTIMATE,
    ),
    rows=_rows,
    note=NOTE,
    card=Card("reports/agreement/_intervals.html", _card, "top"),
    json=JsonPart(
        "intervals",
        _as_dict,
        _figures,
        parts={"intervals": gettext_lazy("Interval over %(of)s")},
        names={
            **{key: name for key, (name, _hint) in COEFFICIENTS.items()},
            "units": gettext_lazy("Number"),
            "effective": gettext_lazy("Repositories of equal size"),
        },
    ),
)
