"""Models beside the volunteers of an agreement report: in none of its other numbers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from annotate.agreement import MISSING, ModelRater, Patterns, model_rater
from annotate.queries.model_labels import beside_models

if TYPE_CHECKING:
    from annotate.reports import AgreementReport

COLUMNS = (
    "model", "labels", "compared", "agreement", "low", "high", "mean_kappa",
    "volunteers_agreement", "volunteers_kappa", "decided_issues", "decision_agreement", "decision_kappa",
    "reason",
)  # fmt: skip


@dataclass(frozen=True)
class ModelLine:
    """One model by its pseudonym, and what came out of its comparison."""

    model: str
    found: ModelRater

    def as_dict(self) -> dict[str, Any]:
        found = self.found
        return {
            "model": self.model,
            "labels": found.labels,
            "compared": found.compared,
            "agreement": found.agreement.as_dict(),
            "mean_kappa": found.kappa.as_dict(),
            "volunteers": {
                "percent_agreement": found.among_agreement.as_dict(),
                "light_kappa": found.among_kappa.as_dict(),
            },
            "decision": {
                "issues": found.decision.issues,
                "percent_agreement": found.decision.agreement,
                "cohen_kappa": found.decision.kappa,
                "reason": found.decision.reason and found.decision.reason.text,
            },
        }


def model_lines(report: "AgreementReport", rolled: NDArray[np.int32]) -> tuple[ModelLine, ...]:
    """Every model with a label on an issue of the report, in the order in which they joined the study.

    `rolled`: for each category's place in the codebook its place at the report's level, or -1. One query, and
    two more where there is such a model.
    """
    found = beside_models(report.round, report.codebook, report.held)
    if found is None:
        return ()
    places = np.append(rolled, np.int32(MISSING))
    categories = len(report.codebook.at_level(report.level))
    patterns = Patterns(places[found.codes], found.counts, categories)
    decided = places[found.decided]
    return tuple(
        ModelLine(
            name,
            model_rater(patterns, places[said], decided, columns_are_raters=bool(report.columns)),
        )
        for name, said in zip(found.names, found.models.T, strict=True)
    )


def rows(report: "AgreementReport") -> Iterator[tuple[object, ...]]:
    """The table of models, under COLUMNS; `reason` says why values are undefined, each reason once."""
    for line in report.models:
        found = line.found
        values = (
            (found.agreement.value, found.agreement.reason),
            (found.kappa.value, found.kappa.reason),
            (found.among_agreement.value, found.among_agreement.reason),
            (found.among_kappa.value, found.among_kappa.reason),
            (found.decision.kappa, found.decision.reason),
        )
        undefined = dict.fromkeys(why.text for value, why in values if value is None and why)
        yield (
            line.model,
            found.labels,
            found.compared,
            found.agreement.value,
            found.agreement.low,
            found.agreement.high,
            found.kappa.value,
            found.among_agreement.value,
            found.among_kappa.value,
            found.decision.issues,
            found.decision.agreement,
            found.decision.kappa,
            "; ".join(undefined) or None,
        )
