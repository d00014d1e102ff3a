"""How participants ranked categories: mean ranks, shares in the first places, and Kendall's W.

m participants rank n categories, all of them or their first few. The best rank is 1. Categories at the same
place share the mean of their ranks: 1, 2.5, 2.5, 4. Categories without a place come after all others and
share the mean of the ranks that are left, so every category has a rank in every ranking.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations as orders
from math import factorial

import numpy as np

from agreement.coefficients import Coefficient
from agreement.intervals.bootstrap import PercentileInterval
from agreement.intervals.resampling import (
    FEWEST,
    PERMUTATIONS,
    REPLICATES,
    draws_of,
    expanded_percentiles,
    share_as_large,
)
from agreement.patterns import MISSING, Floats, Ints
from agreement.reasons import Reason
from agreement.shares import share

SMALL = 2000
"""The largest m n with a permutation test: beyond, chi-square is good, and the permutations take long."""

_CELLS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class Rankings:
    """`places` [m, n]: the place that a participant gave a category, from 1, or -1 for none.

    Only the order of the places counts: 1, 1, 2 and 1, 1, 3 are the same ranking. ValueError unless places
    are whole numbers in two dimensions, and everybody ranked at least one category.
    """

    places: Ints

    def __post_init__(self) -> None:
        places = np.asarray(self.places)
        if places.ndim != 2 or (places.size and places.dtype.kind not in "iu"):
            raise ValueError("whole numbers [participants, categories] are expected")
        if ((places < 1) & (places != MISSING)).any():
            raise ValueError("places count from 1, and -1 is no place")
        if not (places != MISSING).any(axis=1).all():
            raise ValueError("a participant has ranked nothing")
        object.__setattr__(self, "places", places.astype(np.int64))

    @property
    def participants(self) -> int:
        return int(self.places.shape[0])

    @property
    def categories(self) -> int:
        return int(self.places.shape[1])

    @property
    def complete(self) -> bool:
        """Whether everybody ranked all categories; ties do not matter."""
        return bool((self.places != MISSING).all())

    @cached_property
    def doubled(self) -> Ints:
        """[m, n] twice the ranks, which are whole numbers also where categories are tied."""
        before, beside = self._compared
        return 2 * before + beside + 1

    @cached_property
    def competition(self) -> Ints:
        """[m, n] the places as in a competition, 1, 1, 3; categories without a place come last."""
        return self._compared[0] + 1

    @cached_property
    def _compared(self) -> tuple[Ints, Ints]:
        """[m, n] how many categories come before each, and how many share its place, itself included."""
        last = int(self.places.max(initial=0)) + 1
        order = np.where(self.places == MISSING, last, self.places)
        one, other = order[:, :, np.newaxis], order[:, np.newaxis, :]
        return (other < one).sum(axis=2), (other == one).sum(axis=2)


@dataclass(frozen=True)
class RankedCategory:
    """One category in all rankings.

    `mean_rank` is over all participants, `mean_given` only over the `ranked_by` that gave it a place (None
    without any): the two are the same for complete rankings. `interval` is that of `mean_rank`, and `reason`
    tells why there is none. `top` is the share of participants with the category in their first places; its
    interval is Wilson's.
    """

    category: int
    ranked_by: int
    mean_rank: float
    mean_given: float | None
    interval: PercentileInterval | None
    top: Coefficient
    reason: Reason | None = None


def ranked_categories(
    rankings: Rankings, *, top: int, seed: int, replicates: int = REPLICATES
) -> tuple[RankedCategory, ...]:
    """Each category, in the order of the columns; () without participants.

    A category is among the first `top` if fewer than `top` others come before it, as in a competition: ties
    at the last of these places all count, categories without a place never. ValueError if `top` is below 1.
    Read mean ranks of top-n rankings beside `ranked_by`: nobody was asked about the categories without a
    place. The interval resamples participants: see `expanded_percentiles`.
    """
    if top < 1:
        raise ValueError("the first places are at least one")
    m = rankings.participants
    if not m:
        return ()
    given = rankings.places != MISSING
    inside = given & (rankings.competition <= top)
    intervals: list[PercentileInterval | None] = [None] * rankings.categories
    if m >= FEWEST:
        means = draws_of(m, replicates, np.random.default_rng(seed)) @ rankings.doubled / (2 * m)
        intervals = [expanded_percentiles(column, m) for column in means.T]
    return tuple(
        RankedCategory(
            category=k,
            ranked_by=int(given[:, k].sum()),
            mean_rank=_half(rankings.doubled[:, k]),
            mean_given=_half(rankings.doubled[given[:, k], k]) if given[:, k].any() else None,
            interval=interval,
            top=share(int(inside[:, k].sum()), m),
            reason=None if interval else Reason.SAME_RANK if m >= FEWEST else Reason.FEW_PARTICIPANTS,
        )
        for k, interval in enumerate(intervals)
    )


def _half(doubled: Ints) -> float:
    """The mean of ranks that are given doubled."""
    return float(Fraction(int(doubled.sum()), 2 * len(doubled)))


@dataclass(frozen=True)
class Concordance:
    """Kendall's W of m `participants` who ranked n `categories`: 0 no common order, 1 the same order.

    `chi2` = m (n - 1) W with `df` = n - 1 is Friedman's statistic, and `p` its p-value for large m n.
    `permutation_p` needs no large numbers: report it where it is not None. It counts all orders if `exact`.
    Undefined numbers are None, and `reason` explains them; it can explain the missing interval of a W.
    """

    participants: int
    categories: int
    w: float | None = None
    low: float | None = None
    high: float | None = None
    chi2: float | None = None
    df: int | None = None
    p: float | None = None
    permutation_p: float | None = None
    exact: bool = False
    reason: Reason | None = None


def concordance(
    rankings: Rankings, *, seed: int, replicates: int = REPLICATES, permutations: int = PERMUTATIONS
) -> Concordance:
    """Kendall's W with ties corrected, its tests, and an interval from resampling participants.

    With R_k the sum of the ranks of category k less its mean m (n + 1) / 2, and t the size of each group of
    ties: W = 12 sum R_k^2 / (m^2 (n^3 - n) - m sum (t^3 - t)). Sources: Kendall and Babington Smith (1939),
    Annals of Mathematical Statistics 10, 275-287; Friedman (1937), JASA 32, 675-701; for the permutation of
    each participant's ranks Legendre (2005), Journal of Agricultural, Biological, and Environmental
    Statistics 10, 226-245.

    Top-n rankings have no W. Not the participants but the question ties the categories without a place, and
    their common rank is a convention. W would tell mainly which categories are named at all, change with the
    length of the list, and look like the W of complete rankings without being comparable.

    A sample with replacement holds the same participant twice, who agrees with themselves: plain percentiles
    of W are far too high, and cover the truth in 65 to 90 %. So pairs of a participant with themselves are
    left out, and the mean of the other pairs is put back for the m of the study. In simulations of 5 to 19
    participants and ten categories these intervals cover the truth in 93 to 99 %, and in nearly all samples
    where there is no common order: then W is 1 / m in the mean. There is no interval below five, nor where
    each two participants are as similar as any other two.
    """
    m, n = rankings.participants, rankings.categories
    reason = _why_no_w(rankings)
    if reason:
        return Concordance(m, n, reason=reason)
    from scipy.special import chdtrc  # noqa: PLC0415 - SciPy loads for long

    centred = rankings.doubled - (n + 1)
    alike = centred @ centred.T
    w = Fraction(int(alike.sum()), m * int(np.trace(alike)))
    chi2 = float(m * (n - 1) * w)
    streams = np.random.SeedSequence(seed).spawn(2)
    found, exact = None, False
    if m * n <= SMALL:
        exact = factorial(n) ** (m - 1) <= permutations
        drawn = _all_orders(centred) if exact else _random_orders(centred, permutations, streams[0])
        found = share_as_large(int(np.square(centred.sum(axis=0)).sum()), drawn, exact=exact)
    interval = None
    if m >= FEWEST:
        draws = draws_of(m, replicates, np.random.default_rng(streams[1]))
        interval = expanded_percentiles(_resampled(alike, draws), m, least=0.0, most=1.0)
    return Concordance(
        participants=m,
        categories=n,
        w=float(w),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        chi2=chi2,
        df=n - 1,
        p=float(chdtrc(n - 1, chi2)),
        permutation_p=found,
        exact=exact,
        reason=None if interval else Reason.RANKED_ALIKE if m >= FEWEST else Reason.FEW_PARTICIPANTS,
    )


def _why_no_w(rankings: Rankings) -> Reason | None:
    if not rankings.participants or not rankings.categories:
        return Reason.NO_RANKING
    if not rankings.complete:
        return Reason.TOP_ONLY
    if rankings.participants == 1:
        return Reason.ONE_PARTICIPANT
    if rankings.categories == 1:
        return Reason.ONE_RANKED
    tied = (rankings.doubled == rankings.doubled[:, :1]).all()
    return Reason.ALL_TIED if tied else None


def _all_orders(centred: Ints) -> Ints:
    """The sum of squares of the totals in every order of each participant's ranks but the first's.

    To move all participants' ranks together changes nothing, so the first can stay.
    """
    every = np.array(list(orders(range(centred.shape[1]))))
    totals = centred[:1]
    for ranks in centred[1:]:
        totals = (totals[:, np.newaxis, :] + ranks[every][np.newaxis]).reshape(-1, centred.shape[1])
    found: Ints = np.square(totals).sum(axis=1)
    return found


def _random_orders(centred: Ints, times: int, stream: np.random.SeedSequence) -> Ints:
    """[times] the sum of squares of the totals, each participant's ranks in a random order."""
    random = np.random.default_rng(stream)
    block = max(1, _CELLS_AT_ONCE // centred.size)
    found = []
    for start in range(0, times, block):
        many = np.broadcast_to(centred, (min(block, times - start), *centred.shape))
        found.append(np.square(random.permuted(many, axis=2).sum(axis=1)).sum(axis=1))
    return np.concatenate(found)


def _resampled(alike: Ints, draws: Ints) -> Floats:
    """[replicates] W of the m drawn participants, as `concordance` says; NaN if one was drawn m times.

    `alike` [m, m] are the products of the centred ranks of each two participants.
    """
    m, own = len(alike), np.diag(alike)
    among_others = ((draws @ alike) * draws).sum(axis=1) - np.square(draws) @ own
    pairs = m * m - np.square(draws).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        like = (among_others / pairs) / (draws @ own / m)
    found: Floats = np.where(np.isfinite(like), (1 + (m - 1) * like) / m, np.nan)
    return found
