"""What models of erring raters make of the labels: beside the decisions, and never instead of them."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from numpy.typing import NDArray

from agreement import MISSING
from consensus.queries.probable import MODELS, Posteriors, posteriors
from reports.agreement_report import AgreementReport, computed_once
from reports.sections import columns
from reports.sections.section import Card, PageQuery, Section
from reports.sentences.numbers import percent

NAMES = {"dawid_skene": "Dawid–Skene", "mace": "MACE"}
SHOWN = 3
"""Confusions of a volunteer on the page, the most issues first."""
LEAST = 0.5
"""A confusion is listed if it is expected on so many issues."""


@computed_once
def probable(report: AgreementReport) -> Posteriors:
    """Both models at the level of the report, over the issues that it counts, without those of second looks.
    Half a second for a full study, so the page shows it on request. Two queries.
    """
    return posteriors(report.round, report.level, report.blind)


def decisions_apart(found: Posteriors, model: str) -> tuple[int, int]:
    """The issues for which another category is more probable than the decision, and all decided issues."""
    counts, fitted = found.patterns.counts, found.models[model]
    decided = (found.decided != MISSING) & (fitted.likely != MISSING)
    return int(counts[fitted.differs(found.decided)].sum()), int(counts[decided].sum())


def confusions(found: Posteriors) -> Iterator[tuple[int, int, int, float, float]]:
    """(column, right category, label, probability, expected issues) of Dawid–Skene, where the label is
    another category and at least `LEAST` issues are expected: by volunteer, most issues first.
    """
    fitted = found.models["dawid_skene"]
    if fitted.confusion is None:
        return
    weighted = fitted.probabilities * found.patterns.counts[:, np.newaxis]
    for column, table in enumerate(fitted.confusion):
        labelled: NDArray[np.bool_] = found.patterns.codes[:, column] != MISSING
        if not labelled.any():
            continue
        issues = table * weighted[labelled].sum(axis=0)[:, np.newaxis]
        np.fill_diagonal(issues, 0.0)
        cells = np.argwhere(issues >= LEAST).tolist()
        for right, label in sorted(cells, key=lambda cell: -issues[cell[0], cell[1]]):
            probability, expected = float(table[right, label]), float(issues[right, label])
            yield (
                column,
                int(fitted.categories[right]),
                int(fitted.categories[label]),
                probability,
                expected,
            )


def probable_as_dict(report: AgreementReport) -> dict[str, Any]:
    """As in the JSON of REST, by model."""
    found = probable(report)
    told: dict[str, Any] = {}
    for name, fitted in found.models.items():
        apart, decided = decisions_apart(found, name)
        told[name] = {
            "converged": fitted.is_converged,
            "iterations": fitted.iterations,
            "log_likelihood": fitted.log_likelihood,
            "decided": decided,
            "apart": apart,
            "volunteers": [
                {"volunteer": volunteer, "skill": None if np.isnan(skill) else skill}
                for volunteer, skill in zip(found.names, fitted.skill.tolist(), strict=True)
            ],
        }
    told["dawid_skene"]["confusion"] = [
        {
            "volunteer": found.names[column],
            "right": found.states[right].code,
            "label": found.states[label].code,
            "probability": probability,
            "issues": issues,
        }
        for column, right, label, probability, issues in confusions(found)
    ]
    return told


def _labels(found: Posteriors) -> list[int]:
    present = found.patterns.codes != MISSING
    return [int(count) for count in (present * found.patterns.counts[:, np.newaxis]).sum(axis=0)]


def _rows(report: AgreementReport) -> Iterator[list[object]]:
    found = probable(report)
    for column, (name, labels) in enumerate(zip(found.names, _labels(found), strict=True)):
        if labels:
            yield [name, labels, *(float(found.models[model].skill[column]) for model in MODELS)]


def _confusion_rows(report: AgreementReport) -> Iterator[list[object]]:
    found = probable(report)
    for column, right, label, probability, issues in confusions(found):
        yield [found.names[column], found.states[right].code, found.states[label].code, probability, issues]


def _decision_rows(report: AgreementReport) -> Iterator[list[object]]:
    """A row per model, decision and more probable category, most issues first."""
    found = probable(report)
    for name in MODELS:
        fitted, counted = found.models[name], Counter[tuple[int, int]]()
        for row in np.flatnonzero(fitted.differs(found.decided)).tolist():
            pair = int(found.decided[row]), int(fitted.likely[row])
            counted[pair] += int(found.patterns.counts[row])
        for (decision, likely), issues in sorted(counted.items(), key=lambda one: (-one[1], one[0])):
            yield [name, found.states[decision].code, found.states[likely].code, issues]


def _card(report: AgreementReport, asked: PageQuery) -> dict[str, Any]:
    """`probable`: the models and the volunteers; None unless the address requests them."""
    if asked.get("probable") != "yes":
        return {"probable": None}
    found = probable(report)
    page = reverse("disagreements", args=[report.round.pk])
    own: dict[int, list[str]] = {}
    for column, right, label, probability, _issues in confusions(found):
        said = {
            "right": found.states[right].code,
            "label": found.states[label].code,
            "share": percent(probability),
        }
        own.setdefault(column, []).append(_("%(right)s as %(label)s: %(share)s") % said)
    models = []
    for name, fitted in found.models.items():
        apart, decided = decisions_apart(found, name)
        models.append(
            {
                "name": NAMES[name],
                "apart": apart,
                "decided": decided,
                "iterations": fitted.iterations,
                "is_converged": fitted.is_converged,
                "url": f"{page}?posterior={name}" if report.level == report.round.depth else "",
            }
        )
    volunteers = [
        {
            "name": found.names[column],
            "labels": labels,
            "skills": [percent(float(found.models[model].skill[column])) for model in MODELS],
            "confusions": own.get(column, [])[:SHOWN],
        }
        for column, labels in enumerate(_labels(found))
        if labels
    ]
    return {"probable": {"models": models, "volunteers": volunteers}}


_MODEL = columns.translated(dict(NAMES))
RATERS = Section(
    key="skill",
    title=gettext_lazy("Skill of volunteers, by models of erring raters"),
    columns=(
        columns.VOLUNTEER,
        columns.LABELS,
        columns.Column("dawid_skene", "Dawid–Skene"),
        columns.Column("mace", "MACE"),
    ),
    rows=_rows,
    note=gettext_lazy(
        "Dawid–Skene: the probability that the volunteer gives the right label. MACE: the probability that"
        " the volunteer knows the category instead of choosing by habit."
    ),
    card=Card("reports/agreement/_probable.html", _card),
)
CONFUSION = Section(
    key="volunteer-confusion",
    title=gettext_lazy("Confusions of each volunteer, by Dawid–Skene"),
    columns=(
        columns.VOLUNTEER,
        columns.Column("right", gettext_lazy("Probable category")),
        columns.Column("label", gettext_lazy("Label")),
        columns.Column("probability", gettext_lazy("Probability")),
        columns.Column("expected_issues", gettext_lazy("Expected issues")),
    ),
    rows=_confusion_rows,
)
DECISIONS = Section(
    key="shaky-decisions",
    title=gettext_lazy("Decisions that another category outweighs"),
    columns=(
        columns.Column("rater_model", gettext_lazy("Model of raters"), words=_MODEL),
        columns.Column("decision", gettext_lazy("Decision")),
        columns.Column("right", gettext_lazy("Probable category")),
        columns.ISSUES,
    ),
    rows=_decision_rows,
)
