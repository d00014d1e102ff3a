"""Labels over time: whether categories have the same shares in every period, and shares a trend."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt

import numpy as np
import numpy.typing as npt

from agreement.patterns import MISSING, Ints
from agreement.reasons import Reason

Codes = npt.NDArray[np.integer]

FREQUENT = 7
"""The number of categories with shares of their own over time; all others are one share."""


@dataclass(frozen=True)
class Periods:
    """Per period the number of `issues` [T], and of `labels` and decisions (`decided`) by category [T, q]."""

    names: tuple[str, ...]
    issues: Ints
    labels: Ints
    decided: Ints

    @cached_property
    def frequent(self) -> tuple[int, ...]:
        """The categories with the most labels, `FREQUENT` of them at most, in their order."""
        totals = self.labels.sum(axis=0)
        most = sorted(np.flatnonzero(totals).tolist(), key=lambda place: -totals[place])[:FREQUENT]
        return tuple(sorted(most))

    def shown(self, counts: Ints) -> Ints:
        """[T, f + 1] of `labels` or `decided`: the frequent categories, and all others together."""
        some = counts[:, list(self.frequent)]
        return np.column_stack([some, counts.sum(axis=1) - some.sum(axis=1)])

    @cached_property
    def change(self) -> "Drift":
        """Whether the decisions, one label per issue, differ between the periods by more than chance."""
        return drift(self.shown(self.decided))


def by_period(periods: npt.ArrayLike, codes: Codes, decided: Codes, counts: Ints, categories: int) -> Periods:
    """The `Periods` of rows: period [P], labels [P, R], decision [P] and number of issues [P].

    Periods are texts or moments, sorted in the answer; -1 is a missing label or decision.
    """
    names, at = np.unique(np.asarray(periods), return_inverse=True)
    shape = (len(names), categories)
    labels, decisions = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    row, column = np.nonzero(codes != MISSING)
    np.add.at(labels, (at[row], codes[row, column]), counts[row])
    known = decided != MISSING
    np.add.at(decisions, (at[known], decided[known]), counts[known])
    issues = np.bincount(at, weights=counts, minlength=len(names)).astype(np.int64)
    return Periods(tuple(names.astype(np.str_).tolist()), issues, labels, decisions)


@dataclass(frozen=True)
class Drift:
    """Pearson's chi-square test that categories have the same shares in every period, and Cramer's V.

    It counts the `periods` and `categories` with a label; `df` = (periods - 1)(categories - 1).
    `cramers_v` is 0 if the shares are the same, and 1 if each period has categories of its own.
    `smallest` is the smallest expected number in a cell: below 5 the p-value is rough.
    Undefined numbers are None, and `reason` explains them.
    """

    labels: int
    periods: int
    categories: int
    chi2: float | None = None
    df: int | None = None
    p: float | None = None
    cramers_v: float | None = None
    smallest: float | None = None
    reason: Reason | None = None


def drift(counts: npt.ArrayLike) -> Drift:
    """Whether the labels of periods differ by more than chance; `counts` [T, q] by period and category.

    The p-value assumes independent labels. Labels of one issue are not independent: count one per issue (the
    decision), or one volunteer's labels alone. Cramer's V and the shares hold for any labels.
    Raises ValueError unless counts are whole numbers from 0. Sources: Pearson (1900), Philosophical
    Magazine 50, 157-175; Cramer (1946), Mathematical Methods of Statistics, section 21.9.
    """
    table = np.asarray(counts)
    if table.ndim != 2 or (table.size and (table.dtype.kind not in "iu" or table.min() < 0)):
        raise ValueError("a table [periods, categories] of label counts is expected")
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    labels, (periods, categories) = int(table.sum()), table.shape
    if reason := _why_undefined(labels, periods, categories):
        return Drift(labels, periods, categories, reason=reason)
    from scipy.special import chdtrc  # noqa: PLC0415 - SciPy loads for long

    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    # Sum of (observed - expected)^2 / expected, multiplied out.
    squares = sum(
        (sum(Fraction(n**2, column) for n, column in zip(line, columns, strict=True)) / row)
        for line, row in zip(table.tolist(), rows, strict=True)
    )
    chi2 = float(labels * (squares - 1))
    df = (periods - 1) * (categories - 1)
    return Drift(
        labels=labels,
        periods=periods,
        categories=categories,
        chi2=chi2,
        df=df,
        p=float(chdtrc(df, chi2)),
        cramers_v=sqrt(chi2 / (labels * min(periods - 1, categories - 1))),
        smallest=min(rows) * min(columns) / labels,
    )


def _why_undefined(labels: int, periods: int, categories: int) -> Reason | None:
    if not labels:
        return Reason.NO_LABELS
    if periods < 2:
        return Reason.ONE_PERIOD
    return Reason.ONE_CATEGORY if categories < 2 else None


@dataclass(frozen=True)
class Trend:
    """Whether a share rises or falls over parts in order: `z` above 0 is a rise, `p` is two-sided.

    Both are None, with a `reason`, if the share cannot change: all or none have the property, or one part
    has all.
    """

    z: float | None
    p: float | None
    reason: Reason | None = None


def trend(strata: Sequence[Sequence[tuple[int, int]]]) -> Trend:
    """One test for a linear trend in all `strata`, such as raters; each lists (number, number of these with
    the property) for parts 1, 2, ... in order.

    In a stratum T = sum s (x_s - n_s X / N), s the number of the part, has the variance
    X (N - X) (N sum n_s s^2 - (sum n_s s)^2) / (N^2 (N - 1)) if the X of N are in a random order. z is the
    sum of T over the root of the sum of the variances, so each stratum is compared with itself. With one
    stratum this is the Cochran-Armitage test. The p-value is that of the normal distribution.
    Sources: Cochran (1954), Biometrics 10, 417-451; Armitage (1955), Biometrics 11, 375-386; for strata
    Mantel (1963), Journal of the American Statistical Association 58, 690-700.
    """
    total, variance = Fraction(), Fraction()
    for parts in strata:
        n, x = sum(number for number, _with in parts), sum(with_it for _number, with_it in parts)
        if n < 2:
            continue
        first = sum(place * number for place, (number, _with) in enumerate(parts, start=1))
        second = sum(place**2 * number for place, (number, _with) in enumerate(parts, start=1))
        total += sum(place * with_it for place, (_number, with_it) in enumerate(parts, start=1))
        total -= Fraction(x * first, n)
        variance += Fraction(x * (n - x) * (n * second - first**2), n**2 * (n - 1))
    if not variance:
        return Trend(None, None, Reason.NO_TREND)
    from scipy.special import ndtr  # noqa: PLC0415 - SciPy loads for long

    z = float(total) / sqrt(variance)
    return Trend(z, 2 * float(ndtr(-abs(z))))
