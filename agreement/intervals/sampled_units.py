"""Intervals of the coefficients where clusters of issues, or raters, are the sampled units: the jackknife.

The interval in `coefficients` takes issues as independent draws, and its clusters and raters as given. Here
the clusters (repositories) or the raters are a sample of others. Each of the C units is left out in turn:
SE^2 = (C - 1) / C sum_c (kappa_-c - kappa)^2. It is on average not too small: Efron and Stein (1981), Annals
of Statistics 9, 586-596. Raters are equal, and t has C - 1 degrees of freedom: Gwet (2008), British Journal
of Mathematical and Statistical Psychology 61, 29-48. Clusters are not, and count as (sum n)^2 / sum n^2 equal
ones: Kish (1965), Survey Sampling.

Few units are rarely as varied as all others, least so near a perfect agreement. The interval is therefore
made on a logit scale (`logit_interval`), and that over raters leaves out the factor (C - 1) / C: MacKinnon
and White (1985), Journal of Econometrics 29, 305-325. docs/coverage.md says how often the intervals cover.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from agreement.coefficients import Coefficient, chance, coefficient, lowest, t_quantile, why_undefined
from agreement.intervals.bootstrap import FROM_COUNTS
from agreement.intervals.doubts import doubt_over_clusters, doubt_over_raters
from agreement.patterns import MISSING, Ints, Patterns
from agreement.reasons import Reason
from agreement.tally import SizeCounts, Sums, Tally

FEWEST = 3
"""With fewer units there is no interval: it would be too wide to say anything."""
FEWEST_EQUAL = 2
"""Nor if clusters count as fewer clusters of equal size."""
FARTHEST = 500.0
"""A bound is moved no farther on the logit scale: it is at the end of the range by then."""


@dataclass(frozen=True)
class UnitIntervals:
    """The coefficients with intervals over `units` clusters, or raters; by name, those of FROM_COUNTS.

    `effective`: how many equal clusters count as much as these of unequal size; None for raters and without
    issues.
    """

    units: int
    coefficients: Mapping[str, Coefficient]
    effective: float | None = None


def over_clusters(patterns: Patterns, clusters: npt.ArrayLike) -> UnitIntervals:
    """Intervals over the clusters of issues. `clusters` [P] has a number for each row; rows with different
    clusters must stay separate. ValueError where it does not fit. Cost: O(P R), and O(C q) fractions.
    """
    found = np.asarray(clusters)
    if found.shape != patterns.counts.shape:
        raise ValueError(f"{found.shape} clusters for {len(patterns.counts)} rows")
    labelled = (patterns.counts > 0) & (patterns.codes != MISSING).any(axis=1)
    numbers, place = np.unique(found[labelled], return_inverse=True)
    whole = Tally.of(patterns)
    width = int(whole.sizes.max(initial=0)) + 1
    cell = place * width + whole.sizes
    shape = (len(numbers), width)
    issues = _table(cell, whole.weights, *shape)
    pairs = _table(cell, whole.weights * whole.same_pairs, *shape)
    at = cell[whole.row] * whole.categories + whole.category
    chosen = _table(at, whole.weights[whole.row] * whole.chosen, *shape, whole.categories)
    sizes = issues.sum(axis=1).astype(object)
    effective = float(Fraction(sizes.sum() ** 2, (sizes**2).sum())) if len(sizes) else None
    is_enough = len(sizes) >= FEWEST and (effective or 0.0) >= FEWEST_EQUAL
    units = range(len(sizes) if is_enough else 0)
    rests = [Sums.of_counts(_left(unit, issues, pairs, chosen), whole.categories, whole.q) for unit in units]
    coefficients = {}
    for name in FROM_COUNTS:
        one = _interval(name, whole, rests, effective or 0.0, Reason.FEW_CLUSTERS)
        if one.value is not None and one.low is not None:
            is_narrower = _width(one) < _width(coefficient(name, whole))
            doubt = doubt_over_clusters(name, whole, one.value, effective or 0.0, is_narrower=is_narrower)
            one = replace(one, doubt=doubt)
        coefficients[name] = one
    return UnitIntervals(len(sizes), coefficients, effective)


def _width(found: Coefficient) -> float:
    """Of the interval; 0 without one."""
    return found.high - found.low if found.low is not None and found.high is not None else 0.0


def _left(unit: int, issues: Ints, pairs: Ints, chosen: Ints) -> dict[int, SizeCounts]:
    """The counts of all units [C, ...] but one, by the number of labels of an issue."""
    left = [table.sum(axis=0) - table[unit] for table in (issues, pairs, chosen)]
    return {
        size: SizeCounts(int(left[0][size]), int(left[1][size]), left[2][size])
        for size in range(1, issues.shape[1])
        if left[0][size]
    }


def over_raters(patterns: Patterns) -> UnitIntervals:
    """Intervals over the raters; each column is a rater. Cost: O(P R^2)."""
    merged = patterns.merged()
    whole = Tally.of(merged)
    raters = np.flatnonzero((merged.codes != MISSING).any(axis=0)).tolist()
    rests = [_without(merged, whole, rater) for rater in raters if len(raters) >= FEWEST]
    widened = math.sqrt(len(raters) / (len(raters) - 1)) if rests else 1.0
    coefficients = {}
    for name in FROM_COUNTS:
        one = _interval(name, whole, rests, len(raters), Reason.FEW_RATERS, widened)
        coefficients[name] = one if one.low is None else replace(one, doubt=doubt_over_raters(whole))
    return UnitIntervals(len(raters), coefficients)


def _without(patterns: Patterns, whole: Tally, rater: int) -> Sums:
    """The sums of the labels of all raters but one; `whole` is the tally of the same rows."""
    own, weights, q = patterns.codes[:, rater], whole.weights, whole.categories
    gives = own != MISSING
    equal = (patterns.codes == own[:, np.newaxis]).sum(axis=1) - 1
    same = whole.same_pairs - np.where(gives, 2 * equal, 0)
    sizes = whole.sizes - gives
    width = int(sizes.max(initial=0)) + 1
    chosen = _table(
        sizes[whole.row] * q + whole.category, weights[whole.row] * whole.chosen, width, q
    ) - _table(sizes[gives] * q + own[gives], weights[gives], width, q)
    issues, pairs = _table(sizes, weights, width), _table(sizes, weights * same, width)
    counts = {
        size: SizeCounts(int(issues[size]), int(pairs[size]), chosen[size])
        for size in range(1, width)
        if issues[size]
    }
    return Sums.of_counts(counts, q, whole.q)


def _table(index: npt.ArrayLike, values: npt.ArrayLike, *shape: int) -> Ints:
    """Whole numbers added up by their index, exact below 2^53."""
    found = np.bincount(np.asarray(index), weights=np.asarray(values), minlength=math.prod(shape))
    return found.astype(np.int64).reshape(shape)


def _interval(
    name: str, whole: Tally, rests: list[Sums], units: float, few: Reason, widened: float = 1.0
) -> Coefficient:
    """`rests` are the sums without each unit, none if there are too few units; the units count as `units`
    equal ones. The interval is that of `widened` standard errors.
    """
    kappa = _value(name, whole.sums)
    if kappa is None:
        return Coefficient(None, reason=why_undefined(name, whole))
    if not rests:
        return Coefficient(float(kappa), reason=few)
    values = [_value(name, rest) for rest in rests]
    if None in values:
        return Coefficient(float(kappa), reason=Reason.UNIT_DECIDES)
    squares = [float(value - kappa) ** 2 for value in values if value is not None]
    se = math.sqrt(math.fsum(squares) * (len(squares) - 1) / len(squares))
    if not se:
        return Coefficient(float(kappa), reason=Reason.SAME_UNITS)
    half = t_quantile(units - 1) * se * widened
    return Coefficient(float(kappa), se, *logit_interval(float(kappa), half, lowest(name, whole)))


def logit_interval(kappa: float, half: float, least: float) -> tuple[float, float]:
    """kappa -+ `half` on the scale y = ln((kappa - least) / (1 - kappa)), carried back; `least` is its lowest
    value. At either end of the range, and without a lowest value (-inf: some issue has one label), it is
    kappa -+ `half`, cut: a scale without an end would carry the lower bound far below any agreement.
    Source: Brown, Cai and DasGupta (2001), Statistical Science 16, 101-133, section 4.
    """
    below, above = kappa - least, 1 - kappa
    if below <= 0 or above <= 0 or math.isinf(least):
        return max(least, kappa - half), min(1.0, kappa + half)
    moved = math.exp(min(half * (1 / below + 1 / above), FARTHEST))
    # In parts of the range, above least: odds divided and multiplied by `moved`.
    odds, reach = below / above, 1 - least
    return least + reach * odds / (odds + moved), least + reach * odds * moved / (1 + odds * moved)


def _value(name: str, sums: Sums) -> Fraction | None:
    """The coefficient of exact sums; None where `why_undefined` gives a reason."""
    compared = int(sums.compared.item())
    if compared < 2 and (name != "percent_agreement" or not compared):
        return None
    if name in {"gwet_ac1", "brennan_prediger"} and sums.q == 1:
        return None
    observed, expected = (Fraction(np.asarray(part).item()) for part in chance(name, sums))
    return None if expected == 1 else (observed - expected) / (1 - expected)
