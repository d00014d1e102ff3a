"""Models compared with the volunteers of a report; no other number of the report counts their labels."""

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
from django.utils.translation import gettext_lazy

from agreement import MISSING, ModelRater, Patterns, adjusted, model_rater
from annotate.queries.model_labels import beside_models
from reports.agreement_report import AgreementReport, computed_once
from reports.frozen.figures import KeyedFigures, decision_figures, estimate, plain
from reports.level_agreement import places_at
from reports.pictures.dots import draw_models
from reports.pictures.kind import PictureKind, columns_of, heaviest
from reports.sections import columns
from reports.sections.section import Card, JsonPart, PageQuery, Section
from reports.sections.volunteers import DECISION_NAMES


@computed_once
def model_comparisons(report: AgreementReport) -> tuple[tuple[str, ModelRater], ...]:
    """The pseudonym and comparison of every model with a label on an issue of the report, in the order in
    which the models joined the study. One query, and two more if there is such a model.
    """
    found = beside_models(report.round, report.codebook, report.blind, had_looks=report.had_looks)
    if found is None:
        return ()
    places = np.append(places_at(found.book, report.level), np.int32(MISSING))
    patterns = Patterns(places[found.codes], found.counts, len(found.book.at_level(report.level)))
    decided = places[found.decided]
    models = [
        model_rater(patterns, places[codes], decided, columns_are_raters=bool(report.columns))
        for codes in found.models.T
    ]
    corrected = adjusted([one.difference for one in models])
    return tuple(
        (name, replace(one, difference=difference))
        for name, one, difference in zip(found.names, models, corrected, strict=True)
    )


_cells = attrgetter(
    "labels", "compared", "agreement.value", "agreement.low", "agreement.high", "kappa.value",
    "among_agreement.value", "among_kappa.value", "difference.value", "difference.low", "difference.high",
    "difference.adjusted", "decision.issues", "decision.agreement", "decision.kappa",
)  # fmt: skip


def _rows(report: AgreementReport) -> Iterator[tuple[object, ...]]:
    """A row per model."""
    for model, found in model_comparisons(report):
        values = (found.kappa, found.among_agreement, found.among_kappa, found.decision)
        yield model, *_cells(found), columns.reasons_cell([found.agreement, found.difference], values)


def _as_list(report: AgreementReport) -> list[dict[str, Any]]:
    return [
        {
            "model": model,
            "labels": found.labels,
            "compared": found.compared,
            "agreement": found.agreement.as_dict(),
            "mean_kappa": found.kappa.as_dict(),
            "volunteers": {
                "percent_agreement": found.among_agreement.as_dict(),
                "light_kappa": found.among_kappa.as_dict(),
            },
            "difference": found.difference.as_dict(),
            "decision": found.decision.as_dict(),
        }
        for model, found in model_comparisons(report)
    ]


def _figures(found: list[dict[str, Any]]) -> KeyedFigures:
    for one in found:
        of = one["model"]
        yield from plain("models", of, one, "labels", "compared")
        for name in ("agreement", "mean_kappa"):
            yield estimate("models", of, name, one[name])
        for name, figure in one["volunteers"].items():
            yield estimate("models", of, f"volunteers_{name}", figure)
        if "difference" in one:
            yield estimate("models", of, "difference", one["difference"])
        yield from decision_figures("models", of, one["decision"])


def _card(report: AgreementReport, _asked: PageQuery) -> dict[str, Any] | None:
    found = model_comparisons(report)
    return {"models": found} if found else None


MODELS = Section(
    key="models",
    title=gettext_lazy("Models compared with volunteers"),
    columns=(
        columns.Column("model", gettext_lazy("Model")),
        columns.LABELS,
        columns.Column("compared", gettext_lazy("Compared issues")),
        columns.AGREEMENT,
        columns.LOW,
        columns.HIGH,
        columns.MEAN_KAPPA,
        columns.Column("volunteers_agreement", gettext_lazy("Between volunteers")),
        columns.Column("volunteers_kappa", gettext_lazy("Mean κ between volunteers")),
        columns.Column("agreement_difference", gettext_lazy("Difference of agreement")),
        columns.Column("agreement_difference_low", gettext_lazy("Difference from")),
        columns.Column("agreement_difference_high", gettext_lazy("Difference to")),
        columns.ADJUSTED,
        columns.DECIDED_ISSUES,
        columns.DECISION_AGREEMENT,
        columns.DECISION_KAPPA,
        columns.REASON,
    ),
    rows=_rows,
    card=Card("reports/agreement/_models.html", _card),
    picture=PictureKind(
        title=gettext_lazy("Models against volunteers"),
        value="agreement",
        caption=gettext_lazy(
            "Dots: share of the volunteers’ labels that equal the label of the model, with its 95 %"
            " interval. Open diamonds: share of equal labels between volunteers, on the same issues."
        ),
        part=columns_of("model", "labels", "agreement", "low", "high", "volunteers_agreement", "reason"),
        choose=heaviest("labels"),
        draw=draw_models,
    ),
    json=JsonPart(
        "models",
        _as_list,
        _figures,
        parts={"models": gettext_lazy("Model %(of)s")},
        names={
            "compared": gettext_lazy("Issues compared"),
            "volunteers_percent_agreement": gettext_lazy("Between volunteers"),
            "volunteers_light_kappa": gettext_lazy("κ between volunteers"),
            "difference": gettext_lazy("Difference of agreement"),
            **DECISION_NAMES,
        },
    ),
)
