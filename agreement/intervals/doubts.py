"""Which 95 % intervals hold the true value less often than they should, or more often; docs/coverage.md."""

from dataclasses import dataclass
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
