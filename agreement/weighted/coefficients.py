"""Percent agreement, Fleiss' kappa, Krippendorff's alpha and Gwet's AC2 with weights, and their intervals.

Notation as in agreement.coefficients, and w_kl the weight of categories k and l, T the sum of all weights.
Values and squared errors are fractions, rounded once. With the weights 1 and 0 all numbers are those of
agreement.coefficients to the last bit, and AC2 is AC1.
Sources: Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed.; Krippendorff (2019), Content Analysis, 4th
ed.; Moons and Vandervieren (2025), Behavior Research Methods 57, 287, for categories in a hierarchy.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import numpy as np

from agreement.coefficients import Coefficient, lowest, why_undefined, with_doubt
from agreement.intervals.bootstrap import Bootstrap, PercentileInterval, multinomials, percentiles
from agreement.intervals.doubts import FEWEST
from agreement.patterns import MISSING, Floats, Ints, Patterns
from agreement.reasons import Reason
from agreement.standard_errors import (
    ROOM,
    WholeNumbers,
    per_row,
    per_size,
    products,
    quadratic_form,
    standard_error,
    times,
    whole,
)
from agreement.tally import Sums, Tally
from agreement.weighted.weights import Weights

PLAIN = {
    "percent_agreement": "percent_agreement",
    "fleiss_kappa": "fleiss_kappa",
    "krippendorff_alpha": "krippendorff_alpha",
    "gwet_ac2": "gwet_ac1",
}
"""The weighted coefficients, and what each is with the weights 1 and 0."""


def weighted(patterns: Patterns, weights: Weights, *, raters: int | None = None) -> dict[str, Coefficient]:
    """Each coefficient with its linearised standard error and t interval, by name.

    `weights` are of the categories of `patterns`, which all count in q. `raters`: the people behind the
    labels, by default the columns with labels. ValueError if the numbers of categories differ.
    Cost: O(P R^2 + q^2); some milliseconds for 1,600 distinct patterns of 7 labels and 90 categories.
    """
    pairs = _Pairs.of(patterns, weights)
    raters = patterns.raters if raters is None else raters
    if raters == 1:
        return dict.fromkeys(PLAIN, Coefficient(None, reason=Reason.ONE_RATER))
    return {name: _coefficient(name, pairs) for name in PLAIN}


def weighted_bootstrap(
    patterns: Patterns, weights: Weights, *, seed: int, replicates: int = 1000
) -> Bootstrap:
    """Percentile intervals as of `bootstrap`, from the same draws of issues for the same seed."""
    pairs = _Pairs.of(patterns.as_counts(), weights)
    tally = pairs.tally
    intervals: dict[str, PercentileInterval | None] = dict.fromkeys(PLAIN)
    defined = [name for name in PLAIN if _why_undefined(name, pairs) is None]
    if tally.compared >= FEWEST:
        values: dict[str, list[Floats]] = {name: [] for name in defined}
        several = tally.sizes >= 2
        alike = np.where(several, pairs.alike, 0) / weights.unit
        between = np.where(several, tally.sizes * (tally.sizes - 1), 1)
        for draws in multinomials(tally.weights, replicates, np.random.SeedSequence(seed).spawn(2)[0]):
            drawn = draws.astype(np.float64)
            unlike = (np.where(several, between, 0) - alike) / np.maximum(tally.sizes - 1, 1)
            sums = replace(
                Sums.resampled(tally, draws), agreement=drawn @ (alike / between), unlike=drawn @ unlike
            )
            for name in defined:
                values[name].append(_estimates(name, sums, weights))
        intervals |= {name: percentiles(values[name]) for name in defined}
    return Bootstrap(seed, replicates, intervals)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """A tally with `alike` [P], the sum of weights over ordered pairs of labels of one issue, in parts."""

    tally: Tally
    alike: Ints
    weights: Weights

    @classmethod
    def of(cls, patterns: Patterns, weights: Weights) -> "_Pairs":
        if patterns.categories != weights.q:
            msg = f"{weights.q} categories have weights, {patterns.categories} have labels"
            raise ValueError(msg)
        keep = (patterns.counts > 0) & (patterns.codes != MISSING).any(axis=1)
        labelled = replace(patterns, codes=patterns.codes[keep], counts=patterns.counts[keep], choosable=None)
        # The last row and column, -1, are for missing labels.
        padded = np.zeros((weights.q + 1, weights.q + 1), dtype=np.int64)
        padded[:-1, :-1] = weights.parts
        alike = np.zeros(len(labelled.counts), dtype=np.int64)
        for one, other in combinations(range(labelled.columns), 2):
            alike += padded[labelled.codes[:, one], labelled.codes[:, other]]
        return cls(Tally.of(labelled), 2 * alike, weights)


def _why_undefined(name: str, pairs: _Pairs) -> Reason | None:
    reason = why_undefined(PLAIN[name], pairs.tally)
    if reason or name == "percent_agreement":
        return reason
    # AC2 expects by chance among all q categories, alpha among those of issues with two labels or more.
    tally = pairs.tally.several() if name == "krippendorff_alpha" else pairs.tally
    used = np.arange(pairs.weights.q) if name == "gwet_ac2" else np.unique(tally.category)
    is_same = (pairs.weights.parts[np.ix_(used, used)] == pairs.weights.unit).all()
    return Reason.WEIGHTS_ALL_ONE if is_same else None


def _coefficient(name: str, pairs: _Pairs) -> Coefficient:
    reason = _why_undefined(name, pairs)
    if reason:
        return Coefficient(None, reason=reason)
    compute = _alpha if name == "krippendorff_alpha" else _linear
    value, squares, issues = compute(name, pairs)
    if pairs.tally.compared < 2:
        return Coefficient(float(value), reason=Reason.ONE_ISSUE)
    found = Coefficient(float(value), standard_error(squares, issues))
    return with_doubt(PLAIN[name], pairs.tally, found, issues, _lowest(name, pairs))


def _linear(name: str, pairs: _Pairs) -> tuple[Fraction, Fraction, int]:
    """The coefficient, the sum over issues of its squared terms (k_i - value)^2, and N."""
    tally, weights = pairs.tally, pairs.weights
    issues, q, parts = tally.issues, weights.q, weights.unit
    unit, by_label, by_pair = per_size(tally.sizes)
    labels = whole([int(share * unit) for share in tally.sums.shares])
    near = _weigh(weights, labels)
    by_chance: WholeNumbers = labels if name == "gwet_ac2" else near
    sums = products(
        tally.weights,
        [
            times(pairs.alike, by_pair),
            (tally.sizes >= 2).astype(np.int64),
            times(per_row(tally, by_chance), by_label),
        ],
    )
    observed = Fraction(sums[0][3], unit * parts * tally.compared)
    scale = Fraction(1, issues * unit**2)
    credit = weights.total / (q * (q - 1)) if q > 1 else Fraction()
    match name:
        case "fleiss_kappa":
            expected = Fraction(_dot(labels, near), (issues * unit) ** 2 * parts)
            chance, rest = scale / parts, Fraction()
        case "gwet_ac2":
            expected = credit * (1 - Fraction(_dot(labels, labels), (issues * unit) ** 2))
            chance, rest = -scale * credit, credit
        case _:
            expected = chance = rest = Fraction()
    value = (observed - expected) / (1 - expected)
    # Issues with one label do not count in p_a: the others are weighted up to N.
    weight = Fraction(issues, tally.compared) / (1 - expected)
    by_error = -2 * (1 - value) / (1 - expected) if chance else Fraction()
    factors = [
        weight / (unit * parts),
        -weight * expected,
        by_error * chance,
        by_error * (rest - expected) - value,
    ]
    return value, quadratic_form(sums, factors), issues


def _alpha(_name: str, pairs: _Pairs) -> tuple[Fraction, Fraction, int]:
    """As `_linear`, for Krippendorff's alpha over the issues with two labels or more."""
    several, alike = pairs.tally.several(), pairs.alike[pairs.tally.sizes >= 2]
    issues, parts = several.issues, pairs.weights.unit
    unit, _by_label, by_pair = per_size(several.sizes)
    chosen = whole([int(number) for number in pairs.tally.sums.chosen])
    near = _weigh(pairs.weights, chosen)
    same = times(times(alike, by_pair), several.sizes)
    sums = products(several.weights, [same, several.sizes, per_row(several, near)])
    labels = Fraction(sums[1][3])
    mean = labels / issues
    expected = Fraction(_dot(chosen, near)) / (labels**2 * parts)
    observed = Fraction(sums[0][3]) / (unit * parts * labels)
    corrected = 1 - (labels - 1) / labels * (1 - observed)
    plain = (observed - expected) / (1 - expected)
    by_chance = -2 * (1 - plain) / (1 - expected)
    factors: list[Fraction | int] = [
        1 / (unit * parts * mean * (1 - expected)),
        -(observed / (1 - expected) + by_chance * expected) / mean,
        by_chance / (labels * parts * mean),
        0,
    ]
    return (corrected - expected) / (1 - expected), quadratic_form(sums, factors), issues


def _weigh(weights: Weights, numbers: WholeNumbers) -> WholeNumbers:
    """[q] the sum over l of w_kl x_l, in parts."""
    most = sum(abs(number) for number in numbers.tolist()) * weights.unit
    kind: Any = np.int64 if most < ROOM else object
    found: WholeNumbers = weights.parts.astype(kind) @ numbers.astype(kind)
    return found


def _dot(one: WholeNumbers, other: WholeNumbers) -> int:
    return sum(a * b for a, b in zip(one.tolist(), other.tolist(), strict=True))


def _lowest(name: str, pairs: _Pairs) -> float:
    """The lowest value that the coefficient can have with this number of labels on each issue.

    For weights of a tree, kappa and alpha have the bound of `agreement.coefficients.lowest`: path lengths are
    sums over the categories of whether exactly one of two labels is at or below it, so that the disagreement
    of two draws is concave in the shares. A matrix need not be so, and gives no bound: -inf. The p_e of AC2
    is at most T / q^2, and the observed agreement at least the lowest weight, and at least that of r labels
    spread evenly over q categories without any credit.
    """
    weights, tally = pairs.weights, pairs.tally
    if name in {"fleiss_kappa", "krippendorff_alpha"}:
        return -inf if weights.longest is None else lowest(name, tally)
    if name == "percent_agreement":
        return float(weights.least)
    fewest = int(tally.sizes[tally.sizes >= 2].min())
    observed = max(weights.least, Fraction(fewest - weights.q, weights.q * (fewest - 1)))
    expected = weights.total / weights.q**2
    return float((observed - expected) / (1 - expected)) if expected < 1 else -inf


def _estimates(name: str, sums: Sums, weights: Weights) -> Floats:
    """[b] the coefficient in each replicate, NaN where the replicate does not define it."""
    table = weights.parts / weights.unit
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "krippendorff_alpha":
            shares = sums.chosen / sums.labels[..., np.newaxis]
            observed = 1 - (sums.labels - 1) / sums.labels * (sums.unlike / sums.labels)
        else:
            shares = sums.shares / sums.issues[..., np.newaxis]
            observed = sums.agreement / sums.compared
        if name == "percent_agreement":
            expected = np.zeros_like(observed)
        elif name == "gwet_ac2":
            spread = (shares * (1 - shares)).sum(axis=-1)
            expected = float(weights.total) / (weights.q * (weights.q - 1)) * spread
        else:
            expected = ((shares @ table) * shares).sum(axis=-1)
        usable = (sums.compared >= 2) & (expected < 1)
        return np.where(usable, (observed - expected) / (1 - expected), np.nan)
