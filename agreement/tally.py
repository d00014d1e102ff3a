"""Counts n_ik in sparse form, and the sums over issues that every coefficient is computed from."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from agreement.patterns import MISSING, Floats, Ints, Patterns

Values = npt.NDArray[Any]
"""Floats, or fractions: numbers that are exact."""


@dataclass(frozen=True, eq=False)
class Tally:
    """How often each category was chosen, per distinct pattern of labels.

    `q` is how many categories could be chosen (`Patterns.choosable`), `categories` how many have a place.
    `weights` [P]: issues with the pattern; `sizes` [P]: its number of labels r_i, at least 1.
    The entries n_ik > 0 are in `row`, `category`, `chosen` (equal lengths, ordered by row and category).
    """

    categories: int
    q: int
    weights: Ints
    sizes: Ints
    row: Ints
    category: Ints
    chosen: Ints

    @classmethod
    def of(cls, patterns: Patterns) -> Self:
        """The tally of label tuples. O(P R log R)."""
        ordered = np.sort(patterns.codes, axis=1)
        # Missing labels sort first: the last one of a row tells whether it has a label.
        keep = (patterns.counts > 0) & (ordered[:, -1:] != MISSING).any(axis=1)
        ordered = ordered[keep]
        starts = ordered != MISSING
        # NumPy adds up short rows ten times slower than it adds columns.
        sizes = np.zeros(len(ordered), dtype=np.int64)
        for column in starts.T:
            sizes += column
        starts[:, 1:] &= ordered[:, 1:] != ordered[:, :-1]
        first = np.flatnonzero(starts)
        columns = max(patterns.columns, 1)
        row = first // columns
        # Missing labels sort first, so a run ends where the next one starts or its row ends.
        end = np.minimum(np.append(first[1:], ordered.size), (row + 1) * columns)
        return cls(
            categories=patterns.categories,
            q=patterns.q,
            weights=patterns.counts[keep],
            sizes=sizes,
            row=row,
            category=ordered.ravel()[first].astype(np.int64),
            chosen=end - first,
        )

    @property
    def issues(self) -> int:
        """N: issues with at least one label."""
        return int(self.weights.sum())

    @property
    def compared(self) -> int:
        """Issues with two labels or more: the base of the percent agreement."""
        return int(self.weights[self.sizes >= 2].sum())

    def several(self) -> Self:
        """The tally of only the issues with two labels or more, which can be compared."""
        keep = self.sizes >= 2
        entries = keep[self.row]
        return type(self)(
            categories=self.categories,
            q=self.q,
            weights=self.weights[keep],
            sizes=self.sizes[keep],
            row=(np.cumsum(keep) - 1)[self.row[entries]],
            category=self.category[entries],
            chosen=self.chosen[entries],
        )

    @property
    def labels_per_category(self) -> Ints:
        return self.per_category(self.weights[self.row] * self.chosen).astype(np.int64)

    @property
    def same_pairs(self) -> Ints:
        """[P] ordered pairs of equal labels of one issue: the sum over k of n_ik (n_ik - 1)."""
        pairs = self.chosen * (self.chosen - 1)
        return _bincount(self.row, pairs, len(self.sizes)).astype(np.int64)

    @cached_property
    def sums(self) -> "Sums":
        """The sums over the issues as they are, exact."""
        return Sums.of(self)

    def per_category(self, values: npt.ArrayLike) -> Floats:
        """[q] the sum of an entry-wise quantity over the patterns, for each category."""
        return _bincount(self.category, values, self.categories)


class SizeCounts(NamedTuple):
    """Of the issues with one number of labels: how many, their ordered pairs of equal labels, and the labels
    of each category, `chosen` [categories].
    """

    issues: int
    same_pairs: int
    chosen: Ints


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums over issues that define the coefficients: fractions, or floats with a leading axis of replicates.

    `issues` N, `compared` issues with r_i >= 2, `agreement` the sum of p_a,i over these,
    `q` choosable categories, `shares` [..., categories] the sum of n_ik / r_i. Over the issues with r_i >= 2
    only: `labels` n, `chosen` [..., categories] n_k, `unlike` the sum of (r_i^2 - sum_k n_ik^2) / (r_i - 1).
    """

    issues: Values
    compared: Values
    agreement: Values
    q: int
    shares: Values
    labels: Values
    chosen: Values
    unlike: Values

    @classmethod
    def of(cls, tally: Tally) -> Self:
        """The exact sums: whole numbers for each number of labels per issue, then fractions."""
        counts = {}
        for size in np.unique(tally.sizes).tolist():
            rows = tally.sizes == size
            weights = np.where(rows[tally.row], tally.weights[tally.row], 0)
            counts[size] = SizeCounts(
                int(tally.weights[rows].sum()),
                int(np.dot(weights, tally.chosen * (tally.chosen - 1))),
                tally.per_category(weights * tally.chosen).astype(np.int64),
            )
        return cls.of_counts(counts, tally.categories, tally.q)

    @classmethod
    def of_counts(cls, counts: Mapping[int, SizeCounts], categories: int, q: int) -> Self:
        """The exact sums of whole numbers, by the number of labels of an issue."""
        issues, compared, labels = 0, 0, 0
        agreement, unlike = Fraction(), Fraction()
        # Whole parts of one unit: adding fractions would look for common divisors each time.
        unit = lcm(1, *counts)
        parts, chosen = (np.zeros(categories, dtype=object) for _ in range(2))
        for size, found in counts.items():
            times = found.chosen.astype(object)
            issues += found.issues
            parts += times * (unit // size)
            if size > 1:
                pairs = size * (size - 1)
                compared += found.issues
                agreement += Fraction(found.same_pairs, pairs)
                unlike += Fraction(found.issues * pairs - found.same_pairs, size - 1)
                labels += found.issues * size
                chosen += times
        return cls(
            issues=_exact(issues),
            compared=_exact(compared),
            agreement=_exact(agreement),
            q=q,
            shares=_fractions(parts, unit),
            labels=_exact(labels),
            chosen=_fractions(chosen, 1),
            unlike=_exact(unlike),
        )

    @cached_property
    def squared_shares(self) -> Values:
        """The sum of p_k^2 over the categories, p_k = `shares` / `issues`."""
        return _squares(self.shares, self.issues)

    @cached_property
    def mixed_shares(self) -> Values:
        """The sum of p_k (1 - p_k) over the categories, p_k = `shares` / `issues`."""
        if self.shares.dtype == object:
            unit, parts = _whole(self.shares)
            return _exact(Fraction(sum(parts), unit) / self.issues.item() - self.squared_shares.item())
        shares = self.shares / self.issues[..., np.newaxis]
        found: Values = (shares * (1 - shares)).sum(axis=-1)
        return found

    @cached_property
    def squared_chosen(self) -> Values:
        """The sum of p_k^2 over the categories, p_k = `chosen` / `labels`."""
        return _squares(self.chosen, self.labels)

    @classmethod
    def resampled(cls, tally: Tally, draws: Ints) -> Self:
        """The sums over resampled issues: `draws` [B, P] issues of each pattern in each replicate."""
        weights = draws.astype(np.float64)
        shape = (len(tally.sizes), tally.categories)
        several, pairs = tally.sizes >= 2, tally.sizes * (tally.sizes - 1)
        shares, chosen = np.zeros(shape), np.zeros(shape)
        shares[tally.row, tally.category] = tally.chosen / tally.sizes[tally.row]
        chosen[tally.row, tally.category] = tally.chosen * several[tally.row]
        return cls(
            issues=weights.sum(axis=1),
            compared=weights @ several,
            agreement=weights @ (tally.same_pairs / np.where(pairs == 0, 1, pairs)),
            q=tally.q,
            shares=weights @ shares,
            labels=weights @ (tally.sizes * several),
            chosen=weights @ chosen,
            unlike=weights @ ((pairs - tally.same_pairs) / np.maximum(tally.sizes - 1, 1)),
        )


def _squares(of: Values, total: Values) -> Values:
    if of.dtype != object:
        found: Values = np.square(of / total[..., np.newaxis]).sum(axis=-1)
        return found
    unit, parts = _whole(of)
    return _exact(Fraction(sum(part**2 for part in parts)) / (unit * total.item()) ** 2)


def _whole(of: Values) -> tuple[int, list[int]]:
    """A unit, and these fractions as whole parts of it."""
    unit = lcm(1, *(one.denominator for one in of.tolist()))
    return unit, [one.numerator * (unit // one.denominator) for one in of.tolist()]


def _fractions(parts: Values, unit: int) -> Values:
    found = np.empty(len(parts), dtype=object)
    found[:] = [Fraction(part, unit) for part in parts.tolist()]
    return found


def _exact(value: Fraction | int) -> Values:
    return np.array(Fraction(value), dtype=object)


def _bincount(index: Ints, values: npt.ArrayLike, length: int) -> Floats:
    weights = np.asarray(values, dtype=np.float64)
    return np.bincount(index, weights=weights, minlength=length).astype(np.float64, copy=False)
