"""Two groups who ranked the same categories: users and developers, beginners and experienced."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np

from agreement.coefficients import CONFIDENCE
from agreement.intervals.bootstrap import PercentileInterval
from agreement.intervals.resampling import (
    FEWEST,
    PERMUTATIONS,
    REPLICATES,
    draws_of,
    expanded_percentiles,
    holm,
    share_as_large,
)
from agreement.patterns import Floats, Ints
from agreement.rankings.concordance import Rankings
from agreement.reasons import Reason


@dataclass(frozen=True)
class RankDifference:
    """One category: the mean rank of the `first` group less that of the `second`; below 0, the first ranks it
    higher.

    `by_chance`: 95 % of the differences lie between these bounds if groups do not matter. `p` is the share of
    permutations with a difference as large, in either direction; `adjusted` (Holm) holds for all categories
    of the comparison together. `interval` is that of the difference, None below five in a group, and where
    both groups have one rank each. Undefined numbers are None, and `reason` explains them.
    """

    category: int
    first: float
    second: float
    difference: float
    interval: PercentileInterval | None
    by_chance: tuple[float, float] | None
    p: float | None
    adjusted: float | None
    reason: Reason | None = None


@dataclass(frozen=True)
class GroupComparison:
    """Numbers of participants in the `first` and `second` group, and each category.

    `p` tests all categories at once, with the sum of their squared differences. It counts all ways to form
    the groups if `exact`, else random ones. Without rankings to compare there are no categories, and `reason`
    explains it.
    """

    first: int
    second: int
    categories: tuple[RankDifference, ...] = ()
    p: float | None = None
    exact: bool = False
    reason: Reason | None = None


def compare_groups(
    first: Rankings,
    second: Rankings,
    *,
    seed: int,
    replicates: int = REPLICATES,
    permutations: int = PERMUTATIONS,
) -> GroupComparison:
    """Whether two groups rank categories differently; `first` and `second` have the same columns.

    Participants change groups, with their whole ranking: this keeps the dependence of ranks that sum up to
    the same number. The test holds for few participants, for ties, and for top-n rankings, in which the
    categories without a place share the last rank. P-values of groups that were chosen after a look at the
    rankings mean nothing. The interval resamples within each group: see `expanded_percentiles`, with the
    smaller number. ValueError if the numbers of categories differ. Source: Pitman (1937), Supplement to the
    Journal of the Royal Statistical Society 4, 119-130.
    """
    if first.categories != second.categories:
        raise ValueError("the groups have ranked different categories")
    a, b = first.participants, second.participants
    if not first.categories:
        return GroupComparison(a, b, reason=Reason.NO_RANKING)
    if not a or not b:
        return GroupComparison(a, b, reason=Reason.EMPTY_GROUP)
    if a == 1 or b == 1:
        return GroupComparison(a, b, reason=Reason.ONE_IN_GROUP)
    streams = np.random.SeedSequence(seed).spawn(2)
    ranks = np.concatenate([first.doubled, second.doubled])
    exact = comb(a + b, a) <= permutations
    groups = _all_groups(a + b, a) if exact else _random_groups(a + b, a, permutations, streams[0])
    # Whole numbers: the difference of the means, times 2 a b.
    moved = (a + b) * (groups @ ranks) - a * ranks.sum(axis=0)
    observed = (a + b) * first.doubled.sum(axis=0) - a * ranks.sum(axis=0)
    varies = (ranks != ranks[0]).any(axis=0)
    p_values = [
        share_as_large(abs(int(observed[k])), np.abs(moved[:, k]), exact=exact) if varies[k] else None
        for k in range(first.categories)
    ]
    adjusted = iter(holm([p for p in p_values if p is not None]))
    bounds = np.quantile(moved / (2 * a * b), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    intervals: list[PercentileInterval | None] = [None] * first.categories
    if min(a, b) >= FEWEST:
        resampled = _resampled(first, second, replicates, streams[1])
        intervals = [expanded_percentiles(column, min(a, b)) for column in resampled.T]
    return GroupComparison(
        first=a,
        second=b,
        categories=tuple(
            RankDifference(
                category=k,
                first=float(Fraction(int(first.doubled[:, k].sum()), 2 * a)),
                second=float(Fraction(int(second.doubled[:, k].sum()), 2 * b)),
                difference=float(Fraction(int(observed[k]), 2 * a * b)),
                interval=intervals[k],
                by_chance=(float(bounds[0, k]), float(bounds[1, k])) if varies[k] else None,
                p=p,
                adjusted=None if p is None else next(adjusted),
                reason=None if intervals[k] else _why(varies=bool(varies[k]), fewest=min(a, b)),
            )
            for k, p in enumerate(p_values)
        ),
        p=share_as_large(int(np.square(observed).sum()), np.square(moved).sum(axis=1), exact=exact)
        if varies.any()
        else None,
        exact=exact,
        reason=None if varies.any() else Reason.SAME_RANK,
    )


def _why(*, varies: bool, fewest: int) -> Reason:
    if not varies:
        return Reason.SAME_RANK
    return Reason.SAME_RANK_IN_GROUPS if fewest >= FEWEST else Reason.FEW_PARTICIPANTS


def _all_groups(people: int, size: int) -> Ints:
    """[ways, people] 1 for the members of the first group, in every way to choose them."""
    chosen = np.array(list(combinations(range(people), size)))
    groups = np.zeros((len(chosen), people), dtype=np.int64)
    np.put_along_axis(groups, chosen, 1, axis=1)
    return groups


def _random_groups(people: int, size: int, times: int, stream: np.random.SeedSequence) -> Ints:
    random = np.random.default_rng(stream)
    group = np.arange(people) < size
    return random.permuted(np.broadcast_to(group, (times, people)), axis=1).astype(np.int64)


def _resampled(first: Rankings, second: Rankings, replicates: int, stream: np.random.SeedSequence) -> Floats:
    """[replicates, n] differences of the mean ranks, participants drawn anew within each group."""
    random = np.random.default_rng(stream)
    means = [
        draws_of(group.participants, replicates, random) @ group.doubled / (2 * group.participants)
        for group in (first, second)
    ]
    found: Floats = means[0] - means[1]
    return found
