"""Differences of two numbers with their intervals: of the same issues (paired), or of two groups of issues.

Paired: what an issue adds to one number less what it adds to the other has a mean and a standard error like
any other number. So the error of the difference counts how the two numbers vary together: it is far smaller
than that of two groups. Source: Gwet (2016), Educational and Psychological Measurement 76(4), 609-637.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt

import numpy as np
import numpy.typing as npt

from agreement.coefficients import CONFIDENCE, Coefficient, chance, why_undefined
from agreement.intervals.doubts import Basis, doubt, doubt_of
from agreement.intervals.resampling import holm
from agreement.patterns import MISSING, Codes, Ints, Patterns
from agreement.reasons import Reason, Why
from agreement.standard_errors import WholeNumbers, columns, factors, products, quadratic_form
from agreement.tally import Tally

FEWEST = 20
"""Intervals need as many issues with different labels (paired), or as many issues in each group: below, they
cover the truth too rarely, 55 % of the time with seven volunteers, 20 issues and one dominant category."""
ENOUGH_DIFFER = 60
"""Paired intervals of fewer issues with different labels are in doubt; docs/coverage.md."""


@dataclass(frozen=True)
class Difference:
    """One number less another, with its standard error, interval, and the p-value of no difference.

    `adjusted` is Holm's p over the differences that are looked at together. Undefined numbers are None, and
    `reason` explains them. `doubt` warns of an interval as that of a `Coefficient` does: a difference is in
    doubt where one of its two numbers is, and has the doubt of the first of them; a paired one also where
    fewer than ENOUGH_DIFFER issues have different labels.
    """

    value: float | None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    reason: Why | None = None
    doubt: Reason | None = None

    def as_dict(self) -> dict[str, float | str | None]:
        """As in the JSON of reports; reason and doubt in words."""
        return vars(self) | {
            "reason": self.reason and self.reason.text,
            "doubt": self.doubt and self.doubt.text,
        }


def left_out(patterns: Patterns) -> dict[int, Difference]:
    """By column with labels: Fleiss' kappa of the other raters less that of all, over the same issues.

    SE^2 = N / (N - 1) sum_i (b_i / N_b - a_i / N)^2. `a_i` is what issue i adds to the kappa of all, less
    this kappa (k_i - kappa in `agreement.standard_errors`); `b_i` the same without the rater, 0 for an issue
    that no other rater labelled. N issues have a label, N_b of them one of another rater. Student's t with
    N - 1 degrees of freedom. Exact, rounded once. `adjusted` is Holm's p over all columns. O(P R^2).
    """
    patterns = patterns.merged()
    everybody = _fleiss(patterns.codes, patterns)
    differ = int(patterns.counts[_differ(patterns.codes)].sum())
    used = np.flatnonzero((patterns.codes != MISSING).any(axis=0)).tolist()
    found = {
        column: _less(
            _fleiss(np.delete(patterns.codes, column, axis=1), patterns), everybody, patterns.counts, differ
        )
        for column in used
    }
    return dict(zip(used, adjusted(list(found.values())), strict=True))


def beside_others(patterns: Patterns, column: npt.ArrayLike) -> Difference:
    """The mean share of the labels of `patterns` that equal one more column, less their percent agreement:
    above 0 if this rater equals the others more often than they equal each other.

    The first mean is over issues with a label of both, the second over those of them with two labels in
    `patterns`. `column` [P], -1 for a missing label; only its issues count. Paired by issue as in `left_out`;
    exact, rounded once. ValueError where the column does not fit.
    """
    own: Ints = np.asarray(column)
    if own.shape != patterns.counts.shape:
        raise ValueError(f"{own.shape} labels for {len(patterns.counts)} rows")
    present = patterns.codes != MISSING
    at = (own != MISSING) & present.any(axis=1) & (patterns.counts > 0)
    sizes, codes, weights = present[at].sum(axis=1), patterns.codes[at], patterns.counts[at]
    equal = (codes == own[at][:, np.newaxis]).sum(axis=1)
    same = ((codes[:, :, np.newaxis] == codes[:, np.newaxis, :]) & present[at][:, :, np.newaxis]).sum(
        axis=(1, 2)
    ) - sizes
    cells: Counter[tuple[int, int, int]] = Counter()
    for size, one, pairs, weight in zip(
        sizes.tolist(), equal.tolist(), same.tolist(), weights.tolist(), strict=True
    ):
        cells[size, one, pairs] += weight
    differ = int(weights[_differ(np.column_stack([codes, own[at]]))].sum())
    others = Tally.of(Patterns(codes, weights, patterns.categories))
    in_doubt = _doubt_beside(cells, others) or _few_differ(differ)
    return _mean_difference(cells, differ, in_doubt)


def between(first: Coefficient, second: Coefficient, issues: tuple[int, int]) -> Difference:
    """The first coefficient less the second, of two groups with these numbers of issues and none in common.

    Welch's standard error and degrees of freedom. Source: Welch (1947), Biometrika 34, 28-35.
    """
    if first.value is None or second.value is None:
        return Difference(None, reason=(first if first.value is None else second).reason)
    value = first.value - second.value
    if first.se is None:
        return Difference(value, reason=first.reason)
    if second.se is None:
        return Difference(value, reason=second.reason)
    if min(issues) < FEWEST:
        return Difference(value, reason=Reason.FEW_IN_GROUP)
    if first.low is None or second.low is None:
        return Difference(value, reason=(first if first.low is None else second).reason)
    one, other = first.se**2, second.se**2
    degrees = (one + other) ** 2 / (one**2 / (issues[0] - 1) + other**2 / (issues[1] - 1))
    return _with_interval(value, sqrt(one + other), degrees, 2.0, first.doubt or second.doubt)


def _few_differ(issues: int) -> Reason | None:
    """The doubt of a paired difference of which so many issues have different labels."""
    return Reason.FEW_DIFFER_PAIRED if issues < ENOUGH_DIFFER else None


def adjusted(found: Sequence[Difference]) -> list[Difference]:
    """These differences with Holm's p over all of them that have one."""
    known = [place for place, one in enumerate(found) if one.p is not None]
    values = dict(zip(known, holm([found[place].p or 0.0 for place in known]), strict=True))
    return [replace(one, adjusted=values.get(place)) for place, one in enumerate(found)]


@dataclass(frozen=True, eq=False)
class _Terms:
    """Fleiss' kappa over some of the rows, and what each row adds: the sum of `factors` times `columns` is
    (k_i - kappa) / N, and 0 for the other rows.
    """

    value: float
    columns: list[WholeNumbers]
    factors: list[Fraction]
    doubt: Reason | None


def _differ(codes: Codes | Ints) -> npt.NDArray[np.bool_]:
    """[P] whether the labels of a row are not all the same."""
    high = codes.max(axis=1, keepdims=True, initial=MISSING)
    found: npt.NDArray[np.bool_] = ((codes != high) & (codes != MISSING)).any(axis=1)
    return found


def _fleiss(codes: Codes, patterns: Patterns) -> _Terms | Reason:
    tally = Tally.of(Patterns(codes, patterns.counts, patterns.categories))
    if reason := why_undefined("fleiss_kappa", tally):
        return reason
    observed, expected = (Fraction(np.asarray(part).item()) for part in chance("fleiss_kappa", tally.sums))
    kappa = (observed - expected) / (1 - expected)
    counts = (codes != MISSING).any(axis=1)
    spread = []
    for column in columns(tally)[1]:
        row = np.zeros(len(counts), dtype=column.dtype)
        row[counts] = column
        spread.append(row)
    scaled = [Fraction(factor) / tally.issues for factor in factors("fleiss_kappa", tally, kappa, expected)]
    in_doubt = doubt("fleiss_kappa", tally)
    return _Terms(float(kappa), [*spread, counts.astype(np.int64)], scaled, in_doubt)


def _less(one: _Terms | Reason, other: _Terms | Reason, counts: Ints, differ: int) -> Difference:
    if isinstance(one, Reason):
        return Difference(None, reason=one)
    if isinstance(other, Reason):
        return Difference(None, reason=other)
    sums = products(counts, [*one.columns, *other.columns])
    squares = quadratic_form(sums, [*one.factors, *(-factor for factor in other.factors), 0])
    issues, value = int(counts.sum()), one.value - other.value
    if squares and differ < FEWEST:
        return Difference(value, reason=Reason.FEW_DIFFER)
    in_doubt = one.doubt or other.doubt or _few_differ(differ)
    return _with_interval(value, sqrt(squares * issues / (issues - 1)), issues - 1, 2.0, in_doubt)


Cells = Counter[tuple[int, int, int]]
"""The issues by number of labels, of those equal to the rater's, and of ordered equal pairs."""


def _doubt_beside(cells: Cells, others: Tally) -> Reason | None:
    """The doubt of the agreement with the rater, or of the others' percent agreement on the same issues."""
    issues = cells.total()
    different = sum(count for (size, equal, _pairs), count in cells.items() if equal < size)
    same = sum(count for (_size, equal, _pairs), count in cells.items() if equal)
    return doubt_of(Basis(issues, issues, different, same, different)) or doubt("percent_agreement", others)


def _mean_difference(cells: Cells, differ: int, in_doubt: Reason | None) -> Difference:
    issues = cells.total()
    several = sum(count for (size, _equal, _pairs), count in cells.items() if size >= 2)
    if not issues:
        return Difference(None, reason=Reason.NO_OVERLAP)
    if not several:
        return Difference(None, reason=Reason.NO_TWO_VOLUNTEERS)
    shares = {cell: Fraction(cell[1], cell[0]) for cell in cells}
    among = {cell: Fraction(cell[2], cell[0] * (cell[0] - 1)) for cell in cells if cell[0] >= 2}
    one = sum((shares[cell] * count for cell, count in cells.items()), Fraction()) / issues
    other = sum((among[cell] * cells[cell] for cell in among), Fraction()) / several
    value = float(one) - float(other)
    if issues == 1:
        return Difference(value, reason=Reason.ONE_ISSUE)
    squares = Fraction()
    for cell, count in cells.items():
        term = (shares[cell] - one) / issues
        if cell in among:
            term -= (among[cell] - other) / several
        squares += count * term**2
    if squares and differ < FEWEST:
        return Difference(value, reason=Reason.FEW_DIFFER)
    return _with_interval(value, sqrt(squares * issues / (issues - 1)), issues - 1, 1.0, in_doubt)


def _with_interval(
    value: float, se: float, degrees: float, most: float, in_doubt: Reason | None
) -> Difference:
    """Interval and p by Student's t; bounds are at most `most` away from 0, which is the possible range."""
    if not se:
        return Difference(value, reason=Reason.SAME_DIFFERENCE)
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - SciPy loads for long

    half = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * se
    return Difference(
        value,
        se,
        max(-most, value - half),
        min(most, value + half),
        min(1.0, 2 * float(stdtr(degrees, -abs(value) / se))),
        doubt=in_doubt,
    )
