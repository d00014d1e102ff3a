"""Each volunteer compared with the others and with the decision, and the kappa without this volunteer."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from django.utils.translation import gettext_lazy

from agreement import Difference, Rater, left_out, raters
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.frozen.figures import KeyedFigures, decision_figures, estimate, plain
from reports.sections import columns
from reports.sections.section import Card, JsonPart, PageQuery, Section


@computed_of_labels
def volunteers(report: AgreementReport) -> tuple[Rater, ...]:
    """The statistics of each volunteer with a label; () if columns are not volunteers."""
    return raters(report.numbers.patterns, report.numbers.decided) if report.columns else ()


@computed_of_labels
def effects(report: AgreementReport) -> dict[int, Difference]:
    """By column: the kappa of the others less that of all; {} if columns are not volunteers."""
    return left_out(report.numbers.patterns) if report.columns else {}


_cells = attrgetter(
    "labels", "agreement.value", "agreement.low", "agreement.high", "kappa.value", "decision.issues",
    "decision.agreement", "decision.kappa", "without.value",
)  # fmt: skip
_effect = attrgetter("value", "low", "high", "adjusted")


def _rows(report: AgreementReport) -> Iterator[tuple[object, ...]]:
    for one in volunteers(report):
        effect = effects(report)[one.column]
        reason = columns.reasons_cell([one.agreement, effect], [one.kappa, one.decision, one.without])
        cells = (*_cells(one), *_effect(effect), one.others_agree, one.alone, reason)
        yield report.columns[one.column], *cells


def _as_list(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        {
            "volunteer": report.columns[one.column],
            "labels": one.labels,
            "compared": one.compared,
            "agreement": one.agreement.as_dict(),
            "mean_kappa": one.kappa.as_dict(),
            "decision": one.decision.as_dict(),
            "without": one.without.as_dict(),
            "effect": one.effect,
            "alone": one.alone,
            "others_agree": one.others_agree,
        }
        for one in volunteers(report)
    ]


def _figures(found: list[dict[str, Any]]) -> KeyedFigures:
    for one in found:
        of = one["volunteer"]
        yield from plain("volunteers", of, one, "labels", "alone", "others_agree", "effect")
        for name in ("agreement", "mean_kappa", "without"):
            yield estimate("volunteers", of, name, one[name])
        yield from decision_figures("volunteers", of, one["decision"])


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    found = effects(report)
    rows = [(report.columns[one.column], one, found[one.column]) for one in volunteers(report)]
    return {"volunteers": rows} if rows else None


DECISION_NAMES = {
    "decision_issues": gettext_lazy("Decided issues"),
    "decision_percent_agreement": gettext_lazy("Equal to the decision"),
    "decision_cohen_kappa": gettext_lazy("κ with the decision"),
}
VOLUNTEERS = Section(
    key="volunteers",
    title=gettext_lazy("By volunteer"),
    columns=(
        columns.VOLUNTEER,
        columns.LABELS,
        columns.AGREEMENT,
        columns.LOW,
        columns.HIGH,
        columns.MEAN_KAPPA,
        columns.DECIDED_ISSUES,
        columns.DECISION_AGREEMENT,
        columns.DECISION_KAPPA,
        columns.Column("kappa_without", gettext_lazy("κ without this volunteer")),
        columns.Column("effect", gettext_lazy("Effect on κ")),
        columns.Column("effect_low", gettext_lazy("Effect from")),
        columns.Column("effect_high", gettext_lazy("Effect to")),
        columns.ADJUSTED,
        columns.Column("others_agree", gettext_lazy("Others all agree")),
        columns.Column("alone", gettext_lazy("Alone")),
        columns.REASON,
    ),
    rows=_rows,
    card=Card("reports/agreement/_volunteers.html", _card),
    json=JsonPart(
        "volunteers",
        _as_list,
        _figures,
        parts={"volunteers": gettext_lazy("Volunteer %(of)s")},
        names={"without": gettext_lazy("κ without this volunteer"), **DECISION_NAMES},
    ),
)
