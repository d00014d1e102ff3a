"""What answers an item: `CHECKS` maps the names in a set's file to functions of `Facts`. Pure."""

from collections.abc import Callable, Mapping
from types import ModuleType

from standards.checks import agreement, mining, people, sampling, science
from standards.facts import Facts
from standards.outcomes import Outcome

Check = Callable[[Facts], Outcome]


def _of(*modules: ModuleType) -> Mapping[str, Check]:
    return {
        name: one
        for module in modules
        for name, one in vars(module).items()
        if callable(one) and getattr(one, "__module__", "") == module.__name__ and not name.startswith("_")
    }


CHECKS: Mapping[str, Check] = _of(agreement, mining, sampling, science, people)
NOT_IN_PANEL = frozenset({
    "disagreements_settled", "fitting_measure", "interpretation", "anomalies", "by_discussion",
    "more_than_three", "quality_control", "no_claim_below_threshold", "no_cherry_picking",
    "criteria_validated", "agreement_assessed", "large_enough", "assumptions", "independence",
    "bias_of_steps", "why_this_measure", "interviews_described", "triangulation", "models",
    "deviations_justified",
})  # fmt: skip
"""Checks of facts that `facts_of_panel` leaves out."""
