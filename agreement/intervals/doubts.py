"""Which 95 % intervals hold the true value less often than they should, or more often; docs/coverage.md."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

import numpy as np

from agreement.reasons import Reason
from agreement.tally import Tally

FEWEST = 10
"""Below so many compared issues there is no interval."""
ENOUGH = 80
ENOUGH_DIFFERENT = 20
ENOUGH_RARER = 40
ONE_LABEL_SHARE = 0.1
CORRECTED_FOR_SHARES = frozenset({"fleiss_kappa", "krippendorff_alpha"})
"""Their chance follows the shares of the categories, so issues with a rarer category weigh most."""

FEWEST_OF_CATEGORY = 5
"""Below so many issues with a category, or with another one, its kappa has no interval."""
ENOUGH_OF_CATEGORY = 10

ENOUGH_EQUAL = 3
"""Clusters that count as fewer of equal size have too wide an interval."""
DOMINANT = Fraction(2, 3)
"""With such a share of the labels in one category, or more, kappa and alpha over clusters are in doubt."""
LOW = 0.2
"""So are kappa and alpha below this value."""
HIGH = Fraction(19, 20)
"""With such a percent agreement, or more, the intervals over raters are in doubt."""


@dataclass(frozen=True)
class Basis:
    """What an interval rests on: of the `issues`, `compared` have two labels or more. Of these, `different`
    have two labels that differ, `equal` two that do not, and `rarer` a label that is not the most frequent.
    """

    issues: int
    compared: int
    different: int
    equal: int
    rarer: int

    @classmethod
    def of(cls, tally: Tally) -> Self:
        """Of two categories with as many labels, the first counts as the most frequent one."""
        weights = np.where(tally.sizes >= 2, tally.weights, 0)
        kinds = np.bincount(tally.row, minlength=len(weights))
        of_most = (tally.category == int(tally.labels_per_category.argmax())) if len(tally.row) else False
        most = np.zeros(len(weights), dtype=np.int64)
        np.add.at(most, tally.row, tally.chosen * of_most)
        return cls(
            issues=tally.issues,
            compared=int(weights.sum()),
            different=int(weights[kinds > 1].sum()),
            equal=int(weights[tally.same_pairs > 0].sum()),
            rarer=int(weights[most < tally.sizes].sum()),
        )


@lru_cache(maxsize=1)
def _basis(tally: Tally) -> Basis:
    return Basis.of(tally)


def doubt(name: str, tally: Tally) -> Reason | None:
    """Why the interval of coefficient `name` is not to be trusted, or None if it is."""
    return doubt_of(
        _basis(tally), by_shares=name in CORRECTED_FOR_SHARES, is_alpha=name == "krippendorff_alpha"
    )


def doubt_of(found: Basis, *, by_shares: bool = False, is_alpha: bool = False) -> Reason | None:
    """The same for an estimate with this basis. Alpha leaves out issues with one label."""
    if found.compared < ENOUGH:
        return Reason.FEW_COMPARED
    if min(found.different, found.equal) < ENOUGH_DIFFERENT:
        return Reason.FEW_DIFFERENT
    if by_shares and found.rarer < ENOUGH_RARER:
        return Reason.FEW_RARER
    if not is_alpha and found.issues - found.compared >= ONE_LABEL_SHARE * found.issues:
        return Reason.ONE_LABEL
    return None


def doubt_of_category(issues: int) -> Reason | None:
    """The same for the kappa of a category: `issues` have it, or another one, whichever is less."""
    return Reason.RARE_CATEGORY if issues < ENOUGH_OF_CATEGORY else None


def doubt_over_clusters(
    name: str, tally: Tally, value: float, effective: float, *, is_narrower: bool
) -> Reason | None:
    """The same for the interval of a `value` over clusters, which count as `effective` ones of equal size.

    `is_narrower`: than that over issues. Clusters differ by chance alone at least as much as their issues
    make them, so such a small difference was drawn by luck.
    """
    if is_narrower:
        return Reason.NARROWER
    if effective < ENOUGH_EQUAL:
        return Reason.UNEQUAL_CLUSTERS
    if _basis(tally).different < ENOUGH_DIFFERENT:
        return Reason.FEW_DIFFERENT
    if name not in CORRECTED_FOR_SHARES:
        return None
    labels = tally.labels_per_category
    if int(labels.max()) >= DOMINANT * int(labels.sum()):
        return Reason.DOMINANT_CATEGORY
    return Reason.LOW_KAPPA if value < LOW else None


def doubt_over_raters(tally: Tally) -> Reason | None:
    """The same for an interval over raters."""
    if _basis(tally).different < ENOUGH_DIFFERENT:
        return Reason.FEW_DIFFERENT
    sums = tally.sums
    return Reason.HIGH_AGREEMENT if sums.agreement >= HIGH * sums.compared else None
