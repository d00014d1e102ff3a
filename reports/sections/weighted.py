"""Agreement with partial credit, of all issues and of each group."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy

from agreement import Bootstrap
from drawing.axes import close_axis, whisker
from reports.agreement_report import BY, AgreementReport
from reports.frozen.figures import KeyedFigures, estimate, group_name, plain
from reports.queries.weighted import (
    WeightedGroup,
    WeightedReport,
    weighted_report,
    weighted_resampled,
    weighted_rounds,
)
from reports.sections import columns
from reports.sections.chart_rows import DRAWN, EDGE, HEADLINE, Chart, ChartRow, known, named
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sentences import weighted as say
from reports.sentences.definitions import WEIGHTED
from reports.sentences.numbers import span

NAMES = {key: name for key, (name, _hint) in WEIGHTED.items()}
ABOVE = {
    "labels_above_the_level": gettext_lazy("Labels above this level"),
    "issues_with_labels_above": gettext_lazy("Issues with labels above this level"),
}
GROUPINGS = (
    ("type", gettext_lazy("Type")),
    ("repository", gettext_lazy("Repository")),
    ("month", gettext_lazy("Month")),
    ("round", gettext_lazy("Round")),
)


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    for group in (*weighted_report(report).groups, *(one.group for one in weighted_rounds(report))):
        for name, found in group.coefficients.items():
            cells = [group_name(group.key), group.issues, group.labels, group.above, name]
            yield [*cells, *columns.estimate_cells(found)]


def _as_dict(report: AgreementReport) -> dict[str, Any]:
    found = weighted_report(report)
    return {
        "weights": "tree" if found.matrix is None else "matrix",
        "matrix": found.matrix,
        "longest_path": found.weights.longest,
        "choosable": found.weights.q,
        "groups": [
            *(group.as_dict() for group in found.groups),
            *(one.as_dict() for one in weighted_rounds(report)),
        ],
    }


def _figures(found: dict[str, Any]) -> KeyedFigures:
    yield from plain("weighted", "all", {"matrix": None, **found}, "matrix", "longest_path", "choosable")
    for group in found["groups"]:
        if tuple(group["group"]) not in ((), *BY):
            continue
        of = group_name(group["group"])
        yield from plain("weighted", of, group, "issues", "labels", *ABOVE)
        for name, one in group["coefficients"].items():
            yield estimate("weighted", of, name, one)


def _card(report: AgreementReport, asked: PageQuery) -> dict[str, Any]:
    found = weighted_report(report)
    intervals = weighted_resampled(report) if asked.get("bootstrap") == "yes" else None
    return {
        "weighted": {
            "chart": _chart(found.overall, intervals),
            "is_plain": found.is_plain,
            "longest": found.weights.longest,
            "matrix": found.matrix,
            "lacking": say.lacking(found),
            "above": say.labels_above(found.overall),
            "examples": list(_examples(report, found)),
            "groups": asked.get("weighted") == "groups"
            and [
                {"heading": heading, "chart": _groups_chart(report, name, groups)}
                for name, heading in GROUPINGS
                # A single month, or round, has all issues.
                if len(groups := _by(report, name)) > (name in {"month", "round"})
            ],
        }
    }


def _by(report: AgreementReport, name: str) -> list[WeightedGroup]:
    if name == "round":
        return [one.group for one in weighted_rounds(report)]
    return list(weighted_report(report).by(name))


def _chart(found: WeightedGroup, resampled: Bootstrap | None) -> Chart:
    intervals = resampled.intervals if resampled else {}
    ends = known((one.value, one.low, one.high) for one in found.coefficients.values())
    axis = close_axis(ends, EDGE, DRAWN - EDGE, most=4)
    rows = []
    for name, (title, hint) in WEIGHTED.items():
        one, again = found.coefficients[name], intervals.get(name)
        rows.append(
            ChartRow(
                one,
                whisker(axis, one.value, one.low, one.high),
                key=name,
                name=str(title),
                hint=str(hint),
                is_first=name == HEADLINE,
                resampled=span(again.low, again.high) if again else "",
            )
        )
    return Chart(axis, rows)


def _groups_chart(report: AgreementReport, name: str, groups: Iterable[WeightedGroup]) -> Chart:
    groups = list(groups)
    kappas = [group.coefficients[HEADLINE] for group in groups]
    axis = close_axis(known((one.value, one.low, one.high) for one in kappas), EDGE, DRAWN - EDGE, most=4)
    rows = []
    for group, kappa in zip(groups, kappas, strict=True):
        of = group.key[name]
        chip: dict[str, Any] = {"code": "", "place": -1, "name": of}
        if name == "type":
            chip = named(report, of)
        rows.append(
            ChartRow(
                kappa,
                whisker(axis, kappa.value, kappa.low, kappa.high),
                key=chip["code"],
                name=chip["name"],
                place=chip["place"],
                labels=group.issues,
            )
        )
    return Chart(axis, rows)


def _examples(report: AgreementReport, found: WeightedReport) -> Iterator[dict[str, Any]]:
    """Each weight that occurs, from 1 down, with a pair of categories that has it."""
    parts, codes = found.weights.parts, found.counted.codes
    for part in sorted(set(np.unique(parts).tolist()), reverse=True):
        one, other = np.argwhere(parts == part)[0].tolist()
        yield {
            "weight": part / found.weights.unit,
            "pair": [named(report, codes[one]), named(report, codes[other])],
        }


WEIGHTED_SECTION = Section(
    key="weighted",
    title=gettext_lazy("Agreement with partial credit"),
    columns=(
        columns.GROUP,
        columns.ISSUES,
        columns.LABELS,
        columns.Column("labels_above_the_level", ABOVE["labels_above_the_level"]),
        columns.Column("coefficient", gettext_lazy("Coefficient"), words=columns.translated(NAMES)),
        *columns.ESTIMATE,
    ),
    rows=_rows,
    note=gettext_lazy(
        "Two different categories count as partly the same, if they are near each other in the taxonomy."
        " The weight of two categories is 1 − path length / longest path, or that of the study’s own matrix."
    ),
    card=Card("reports/agreement/_weighted.html", _card, "whole"),
    json=JsonPart(
        "weighted",
        _as_dict,
        _figures,
        parts={"weighted": gettext_lazy("With partial credit, %(of)s")},
        names={
            **NAMES,
            **ABOVE,
            "matrix": gettext_lazy("Matrix of weights"),
            "longest_path": gettext_lazy("Longest path"),
            "choosable": gettext_lazy("Categories that could be chosen"),
        },
    ),
)
