"""Percentile intervals by resampling issues."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from agreement.coefficients import CONFIDENCE, chance, why_undefined
from agreement.intervals.doubts import FEWEST
from agreement.pairs import light_kappa, pairs
from agreement.patterns import MISSING, Floats, Ints, Patterns
from agreement.raters.conger import resampled as resampled_conger
from agreement.tally import Sums, Tally

FROM_COUNTS = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
OF_RATERS = ("light_kappa", "conger_kappa")
CELLS_AT_ONCE = 4_000_000
NO_WIDTH = 1e-12
"""Values that differ by no more are equal but for rounding."""


@dataclass(frozen=True)
class PercentileInterval:
    """The bounds of the middle 95 % of the `replicates` in which the coefficient is defined."""

    low: float
    high: float
    replicates: int


@dataclass(frozen=True)
class Bootstrap:
    """Intervals by name of coefficient (None if undefined), and the seed and replicates to repeat them."""

    seed: int
    replicates: int
    intervals: Mapping[str, PercentileInterval | None]


def bootstrap(
    patterns: Patterns, *, seed: int, replicates: int = 1000, columns_are_raters: bool = True
) -> Bootstrap:
    """Percentile intervals from resampling the issues with replacement.

    A replicate is one multinomial draw over the distinct patterns: the same distribution as N single issues.
    Coefficients that ignore raters draw count vectors; Light's and Conger's kappas (None if columns are
    slots) draw label tuples. The same seed gives the same intervals in any order of rows. There is no
    interval below ten issues with two labels, nor for an undefined value, nor if all replicates are equal.
    Cost: O(replicates * patterns * categories); 1,000 replicates of 25,790 issues of 7 labels take 0.7 s.
    """
    unordered = patterns.as_counts()
    tally = Tally.of(unordered)
    streams = np.random.SeedSequence(seed).spawn(2)
    intervals: dict[str, PercentileInterval | None] = dict.fromkeys((*FROM_COUNTS, *OF_RATERS))
    if tally.compared >= FEWEST:
        defined = [name for name in FROM_COUNTS if why_undefined(name, tally) is None]
        values: dict[str, list[Floats]] = {name: [] for name in defined}
        for draws in multinomials(tally.weights, replicates, streams[0]):
            sums = Sums.resampled(tally, draws)
            for name in defined:
                values[name].append(estimates(name, sums))
        for name in defined:
            intervals[name] = percentiles(values[name])
        if columns_are_raters:
            tuples = patterns.merged()
            light, conger = [], []
            for draws in multinomials(tuples.counts, replicates, streams[1]):
                light.append(_light(tuples, draws))
                conger.append(resampled_conger(tuples, draws))
            intervals["conger_kappa"] = percentiles(conger)
            if light_kappa(pairs(patterns)).value is not None:
                intervals["light_kappa"] = percentiles(light)
    return Bootstrap(seed, replicates, intervals)


def multinomials(counts: Ints, replicates: int, stream: np.random.SeedSequence) -> Iterator[Ints]:
    """[b, P] issues per pattern, in blocks that keep memory flat; blocks add up to `replicates` rows."""
    random = np.random.Generator(np.random.PCG64(stream))
    issues = int(counts.sum())
    shares = counts / issues
    block = max(1, CELLS_AT_ONCE // len(counts))
    for start in range(0, replicates, block):
        yield random.multinomial(issues, shares, size=min(block, replicates - start))


def estimates(name: str, sums: Sums) -> Floats:
    """[b] the coefficient in each replicate, NaN where the replicate does not define it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed, expected = chance(name, sums)
        usable = (sums.compared >= 2) & (expected < 1)
        return np.where(usable, (observed - expected) / (1 - expected), np.nan)


def _light(patterns: Patterns, draws: Ints) -> Floats:
    """[b] Light's kappa in each replicate, NaN where a pair has no kappa."""
    weights = draws.astype(np.float64)
    present = patterns.codes != MISSING
    # The last row of the indicators, -1, is for missing labels: all zero.
    indicators = np.vstack([np.eye(patterns.categories), np.zeros(patterns.categories)])

    @cache
    def marginals(column: int, beside: int | None) -> Floats:
        """[b, q] labels of `column` per category, on the issues that `beside` labelled (None: on all)."""
        chosen = indicators[patterns.codes[:, column]]
        return weights @ (chosen if beside is None else chosen * present[:, [beside]])

    total, defined = np.zeros(len(draws)), np.ones(len(draws), dtype=np.bool_)
    columns = np.flatnonzero(present.any(axis=0)).tolist()
    for first, second in combinations(columns, 2):
        one = marginals(first, None if present[:, second].all() else second)
        other = marginals(second, None if present[:, first].all() else first)
        issues = one.sum(axis=1)
        joint = (one * other).sum(axis=1)
        alike = present[:, first] & (patterns.codes[:, first] == patterns.codes[:, second])
        same = weights @ alike.astype(np.float64)
        usable = joint < issues * issues
        issues = np.where(usable, issues, 1.0)
        expected = np.where(usable, joint, 0.0) / (issues * issues)
        total += np.where(usable, (same / issues - expected) / (1 - expected), 0.0)
        defined &= usable
    return np.where(defined, total / max(1, comb(len(columns), 2)), np.nan)


def percentiles(blocks: list[Floats]) -> PercentileInterval | None:
    values = np.concatenate(blocks) if blocks else np.empty(0)
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    if values.max() - values.min() < NO_WIDTH:
        return None
    low, high = np.quantile(values, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]).tolist()
    return PercentileInterval(low, min(1.0, high), len(values))
