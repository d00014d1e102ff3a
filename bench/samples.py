"""Samples of labels of made populations, thousands at once, and the numbers of the agreement report for each.

The numbers are those of `agreement`, written for arrays: `check` compares the two.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from agreement.coefficients import CONFIDENCE, Coefficient, coefficient
from agreement.intervals.categories import CategoryKappa, category_kappas
from agreement.intervals.doubts import (
    CORRECTED_FOR_SHARES,
    ENOUGH,
    ENOUGH_DIFFERENT,
    ENOUGH_OF_CATEGORY,
    ENOUGH_RARER,
    FEWEST,
    FEWEST_OF_CATEGORY,
    ONE_LABEL_SHARE,
)
from agreement.patterns import MISSING, Floats, Ints, Patterns
from agreement.tally import Tally

NAMES = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
AT_ONCE = 150_000
Counts = NDArray[np.int16]


@dataclass(frozen=True)
class Population:
    """Issues of categories with these `shares`; each rater recognises an easy issue's with the chance `easy`,
    a hard one's with `hard`, and guesses by `guess` (the shares, if not given) where not. A label is missing
    with the chance `missing`. With `repositories`, each sample has that many, drawn anew: the shares of the
    categories and the chance to recognise one differ from repository to repository.
    """

    name: str
    raters: int
    shares: tuple[float, ...]
    easy: float
    hard: float = 0.0
    hard_share: float = 0.0
    guess: tuple[float, ...] = ()
    missing: float = 0.0
    repositories: int = 0

    def samples(self, number: int, issues: int, random: np.random.Generator) -> Iterator[Counts]:
        """Blocks [S, N, K] of how often each category was chosen on each issue, `number` samples in all."""
        block = max(1, AT_ONCE // issues)
        for start in range(0, number, block):
            yield self._block(min(block, number - start), issues, random)

    def _block(self, samples: int, issues: int, random: np.random.Generator) -> Counts:
        chosen = np.zeros((samples, issues, len(self.shares)), dtype=np.int16)
        for label in self.labels((samples, issues), random):
            for place in range(len(self.shares)):
                chosen[..., place] += label == place
        return chosen

    def labels(self, shape: tuple[int, int], random: np.random.Generator) -> Iterator[Ints]:
        """[S, N] the labels of each rater; MISSING for none."""
        if self.repositories:
            of = random.integers(0, self.repositories, shape)
            shares = random.dirichlet(8 * np.array(self.shares), (shape[0], self.repositories))
            ends = np.take_along_axis(shares.cumsum(axis=-1), of[..., np.newaxis], axis=1)
            truth = (random.random((*shape, 1)) > ends).sum(axis=-1)
            known = np.take_along_axis(random.beta(6, 2, (shape[0], self.repositories)), of, axis=1)
        else:
            truth = np.searchsorted(np.cumsum(self.shares), random.random(shape))
            known = np.where(random.random(shape) < self.hard_share, self.hard, self.easy)
        last = len(self.shares) - 1
        ends = np.cumsum(self.guess or self.shares)
        for _rater in range(self.raters):
            guessed = np.searchsorted(ends, random.random(shape))
            label = np.minimum(np.where(random.random(shape) < known, truth, guessed), last)
            is_there = random.random(shape) >= self.missing if self.missing else True
            yield np.where(is_there, label, MISSING)


@dataclass(frozen=True)
class Found:
    """Of each of S samples: a number, its interval, NaN for none, and whether the interval has a warning."""

    value: Floats
    low: Floats
    high: Floats
    is_doubtful: NDArray[np.bool_]

    @property
    def is_shown(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.low)


@np.errstate(divide="ignore", invalid="ignore")
def coefficients(chosen: Counts) -> dict[str, Found]:
    """The coefficients of each sample [S, N, K]; q is K."""
    n = chosen.astype(np.float64)
    r = n.sum(axis=-1)
    q = n.shape[-1]
    labelled, several = r > 0, r >= 2
    issues, compared = labelled.sum(axis=1), several.sum(axis=1)
    same = (n * (n - 1)).sum(axis=-1)
    agreeing = np.where(several, same / (r * (r - 1)), 0)
    observed = agreeing.sum(axis=1) / compared
    share = np.where(labelled[..., np.newaxis], n / r[..., np.newaxis], 0)
    p = share.sum(axis=1) / issues[:, np.newaxis]
    by_chance = {
        "percent_agreement": (np.zeros(len(n)), None),
        "fleiss_kappa": (np.square(p).sum(axis=1), np.einsum("snk,sk->sn", share, p)),
        "gwet_ac1": (
            (p * (1 - p)).sum(axis=1) / (q - 1),
            np.einsum("snk,sk->sn", share, 1 - p) / (q - 1),
        ),
        "brennan_prediger": (np.full(len(n), 1 / q), None),
    }
    doubtful = _doubtful(n, r)
    found = {}
    for name, (expected, of_issue) in by_chance.items():
        value = (observed - expected) / (1 - expected)
        terms = (issues / compared)[:, np.newaxis] * several * (agreeing - expected[:, np.newaxis])
        if of_issue is not None:
            terms -= 2 * (1 - value)[:, np.newaxis] * (of_issue - expected[:, np.newaxis])
        terms = (terms / (1 - expected)[:, np.newaxis] - value[:, np.newaxis]) * labelled
        found[name] = _found(value, terms, issues, compared, doubtful[name])
    found["krippendorff_alpha"] = _alpha(n, several, doubtful["krippendorff_alpha"])
    return found


@np.errstate(divide="ignore", invalid="ignore")
def _alpha(n: Floats, several: NDArray[np.bool_], doubtful: NDArray[np.bool_]) -> Found:
    n = n * several[..., np.newaxis]
    r, compared = n.sum(axis=-1), several.sum(axis=1)
    labels = r.sum(axis=1)
    mean = (labels / compared)[:, np.newaxis]
    shares = n.sum(axis=1) / labels[:, np.newaxis]
    expected = np.square(shares).sum(axis=1)
    excess = (r - mean) / mean
    same = (n * (n - 1)).sum(axis=-1) / (mean * np.maximum(r - 1, 1))
    chance = np.einsum("snk,sk->sn", n, shares) / mean - expected[:, np.newaxis] * excess
    observed = same.sum(axis=1) / compared
    plain = (observed - expected) / (1 - expected)
    terms = same - observed[:, np.newaxis] * excess - expected[:, np.newaxis]
    terms -= 2 * (1 - plain)[:, np.newaxis] * (chance - expected[:, np.newaxis])
    terms = (terms / (1 - expected)[:, np.newaxis] - plain[:, np.newaxis]) * several
    unlike = ((r**2 - np.square(n).sum(axis=-1)) / np.maximum(r - 1, 1)).sum(axis=1)
    value = 1 - (labels - 1) * unlike / (labels**2 - np.square(n.sum(axis=1)).sum(axis=1))
    return _found(value, terms, compared, compared, doubtful)


def _found(value: Floats, terms: Floats, issues: Ints, compared: Ints, doubtful: NDArray[np.bool_]) -> Found:
    """The bounds are not cut to the possible range, which changes nothing in what they hold."""
    error = np.sqrt(np.square(terms).sum(axis=1) / (issues * (issues - 1)))
    half = stdtrit(np.maximum(issues - 1, 1), (1 + CONFIDENCE) / 2) * error
    half = np.where((error > 1e-9) & (compared >= FEWEST), half, np.nan)
    return Found(value, value - half, value + half, doubtful)


def _doubtful(n: Floats, r: Floats) -> dict[str, NDArray[np.bool_]]:
    several = r >= 2
    compared = several.sum(axis=1)
    most = n.sum(axis=1).argmax(axis=1)
    of_most = np.take_along_axis(n, most[:, np.newaxis, np.newaxis], axis=2)[..., 0]
    different = (several & (n.max(axis=-1) < r)).sum(axis=1)
    equal = (several & (n.max(axis=-1) > 1)).sum(axis=1)
    rarer = (several & (of_most < r)).sum(axis=1)
    issues = (r > 0).sum(axis=1)
    few = (compared < ENOUGH) | (np.minimum(different, equal) < ENOUGH_DIFFERENT)
    single = issues - compared >= ONE_LABEL_SHARE * issues
    return {
        name: few
        | (single if name != "krippendorff_alpha" else False)
        | ((rarer < ENOUGH_RARER) if name in CORRECTED_FOR_SHARES else False)
        for name in NAMES
    }


@np.errstate(divide="ignore", invalid="ignore")
def categories(chosen: Counts) -> list[tuple[Found, Found, Ints]]:
    """By category: its kappa with the interval of the report, with the linearised one that the report had
    before, and the issues with the category. Every issue has labels.
    """
    n = chosen.astype(np.float64)
    r = n.sum(axis=-1)
    several = r >= 2
    issues = several.sum(axis=1)
    least = -1 / (np.where(several, r, np.inf).min(axis=1) - 1)
    most = r.max(axis=1)
    found = []
    for place in range(n.shape[-1]):
        of = n[..., place]
        u = np.where(several, 2 * of * (r - of) / (r * (r - 1)), 0)
        x = np.where(several, of / r, 0)
        sums = [part.sum(axis=1) for part in (u, x, u * u, x * x, u * x)]
        with_it = (several & (of > 0)).sum(axis=1)
        fewer = np.minimum(with_it, (several & (of < r)).sum(axis=1))
        kappa, error, _rest = _kappa_of(sums, issues)
        half = stdtrit(np.maximum(issues - 1, 1), (1 + CONFIDENCE) / 2) * error
        before = Found(kappa, kappa - half, kappa + half, np.zeros(len(n), dtype=np.bool_))
        low, high = _arcsine(sums, issues, fewer, least, most)
        is_shown = (fewer >= FEWEST_OF_CATEGORY) & ~np.isnan(kappa)
        low = np.where(is_shown, np.minimum(low, kappa), np.nan)
        high = np.where(is_shown, np.maximum(high, kappa), np.nan)
        found.append((Found(kappa, low, high, fewer < ENOUGH_OF_CATEGORY), before, with_it))
    return found


def _kappa_of(sums: list[Floats], issues: Ints) -> tuple[Floats, Floats, Floats]:
    u, x, uu, xx, ux = sums
    p = x / issues
    spread = 2 * p * (1 - p)
    distance = u / issues / spread
    by_u, by_x = -1 / spread, 2 * distance * (1 - 2 * p) / spread
    rest = distance - by_x * p
    squares = by_u**2 * uu + by_x**2 * xx + rest**2 * issues
    squares += 2 * (by_u * by_x * ux + by_u * rest * u + by_x * rest * x)
    return 1 - distance, np.sqrt(np.maximum(squares, 0) / (issues * (issues - 1))), p


def _arcsine(
    sums: list[Floats], issues: Ints, fewer: Ints, least: Floats, most: Floats
) -> tuple[Floats, Floats]:
    u, x, uu, xx, ux = sums
    swap = x > issues / 2
    xx, ux, x = (
        np.where(swap, xx + issues - 2 * x, xx), np.where(swap, u - ux, ux), np.where(swap, issues - x, x),
    )  # fmt: skip
    one, odd = 1 / most, 2 / most
    more = [u + odd / 2, x + (one + 1) / 2, uu + odd**2 / 2, xx + (one**2 + 1) / 2, ux + one * odd / 2]
    kappa, error, _p = _kappa_of(more, issues + 1)
    place = np.clip((kappa - least) / (1 - least), 0, 1)
    half = stdtrit(np.maximum(fewer, 1), (1 + CONFIDENCE) / 2) * error
    half = half / (2 * np.sqrt(place * (1 - place)) * (1 - least))
    low, high = (
        least + (1 - least) * np.sin(np.clip(np.arcsin(np.sqrt(place)) + side, 0, np.pi / 2)) ** 2
        for side in (-half, half)
    )
    return low, high


def check(chosen: Counts) -> None:
    """RuntimeError where the numbers of these samples are not those of the agreement report."""
    found, by_category = coefficients(chosen), categories(chosen)
    for number, sample in enumerate(chosen):
        tally = Tally.of(patterns(sample))
        pairs = [(coefficient(name, tally), found[name]) for name in NAMES]
        if (sample.sum(axis=1) > 0).all():
            kappas = category_kappas(tally, [str(place) for place in range(sample.shape[1])])
            pairs += [
                (one, other[0])
                for one, other in zip(kappas, by_category, strict=True)
                if one.kappa is not None
            ]
        for one, many in pairs:
            if not agrees(one, many, number):
                raise RuntimeError(f"sample {number}: {one} is not {many}")


def agrees(one: Coefficient | CategoryKappa, many: Found, number: int) -> bool:
    """Whether the interval of the report and its doubt are those of this sample."""
    if one.low is None or one.high is None:
        return not many.is_shown[number]
    return bool(
        bool(one.doubt) == many.is_doubtful[number]
        and abs(one.high - min(1.0, many.high[number])) < 1e-9
        and one.low >= many.low[number] - 1e-9
    )


def patterns(sample: NDArray[np.int16]) -> Patterns:
    """[N, K] the counts of one sample as rows of labels."""
    most = int(sample.sum(axis=1).max())
    rows = np.full((len(sample), most), MISSING, dtype=np.int32)
    for row, chosen in zip(rows, sample, strict=True):
        labels = np.repeat(np.arange(len(chosen)), chosen)
        row[: len(labels)] = labels
    return Patterns(rows, np.ones(len(sample), dtype=np.int64), sample.shape[1])
