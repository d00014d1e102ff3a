"""The whole agreement report of one group of issues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.coefficients import Coefficient, coefficient
from agreement.intervals.bootstrap import FROM_COUNTS
from agreement.intervals.categories import CategoryKappa, category_kappas
from agreement.pairs import PairKappa, light_kappa, pairs
from agreement.patterns import Patterns
from agreement.raters.conger import conger_kappa
from agreement.reasons import Reason
from agreement.tally import Tally


@dataclass(frozen=True)
class Agreement:
    """The agreement report of a group.

    `issues` have at least one label, `compared` of them two or more: the base of every coefficient.
    `raters` have at least one label each. `choosable` is q, the categories that they could choose.
    `left_out` counts by reason what the caller left out. `equal_labels`: each issue has the same number of
    labels, so Fleiss' kappa follows his definition of 1971. `pairs` is empty where columns are not raters.
    """

    issues: int
    compared: int
    raters: int
    labels: int
    choosable: int
    equal_labels: bool
    left_out: Mapping[str, int]
    coefficients: Mapping[str, Coefficient]
    categories: tuple[CategoryKappa, ...]
    pairs: tuple[PairKappa, ...]

    def as_dict(self) -> dict[str, Any]:
        """One element of the report's JSON, without its "group"."""
        return {
            "issues": self.issues,
            "raters": self.raters,
            "labels": self.labels,
            "left_out": dict(self.left_out),
            "coefficients": {name: found.as_dict() for name, found in self.coefficients.items()},
            "categories": [category.as_dict() for category in self.categories],
        }


def report(
    patterns: Patterns,
    codes: Sequence[str],
    *,
    columns_are_raters: bool = True,
    raters: int | None = None,
    left_out: Mapping[str, int] | None = None,
) -> Agreement:
    """Every coefficient of `patterns` with its interval, and the kappa of every category and every pair.

    `codes` names the categories by index. Where columns are slots (k-of-n rounds) pass
    `columns_are_raters=False` and the number of people in `raters`: Cohen's, Light's and Conger's kappas are
    then undefined. `left_out` is passed on. Rows of `patterns` can repeat. Nothing is resampled:
    see `bootstrap`. Cost: O(P R^2), a few milliseconds for 1,600 distinct patterns of 7 labels.
    """
    tally = Tally.of(patterns)
    raters = patterns.raters if raters is None else raters
    coefficients = {name: coefficient(name, tally) for name in FROM_COUNTS}
    categories = category_kappas(tally, codes)
    found = pairs(patterns) if columns_are_raters else ()
    coefficients["light_kappa"] = light_kappa(found)
    if not columns_are_raters:
        coefficients |= dict.fromkeys(("light_kappa", "conger_kappa"), Coefficient(None, reason=Reason.SLOTS))
    else:
        coefficients["conger_kappa"] = conger_kappa(patterns)
    if columns_are_raters and coefficients["fleiss_kappa"].value is None:
        coefficients["light_kappa"] = Coefficient(None, reason=coefficients["fleiss_kappa"].reason)
    if raters == 1:
        coefficients = {name: Coefficient(None, reason=Reason.ONE_RATER) for name in coefficients}
        categories = tuple(replace(each, reason=Reason.ONE_RATER) for each in categories)
    return Agreement(
        issues=tally.issues,
        compared=tally.compared,
        raters=raters,
        labels=int((tally.weights * tally.sizes).sum()),
        choosable=patterns.q,
        equal_labels=bool((tally.sizes == tally.sizes[:1]).all()),
        left_out=dict(left_out or {}),
        coefficients=coefficients,
        categories=categories,
        pairs=found,
    )
