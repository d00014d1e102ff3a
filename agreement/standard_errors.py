"""Linearised standard errors: what each issue adds to a coefficient, less the coefficient, squared, summed.

A coefficient and its squared error are computed as fractions and rounded once, to the nearest float. So they
do not depend on the order of the issues: everybody who follows the definition gets the same digits.
Source: Gwet (2021), Handbook of Inter-Rater Reliability, 5th ed.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from agreement.patterns import Ints
from agreement.tally import Tally

WholeNumbers = npt.NDArray[Any]
"""int64 where the numbers and their products fit into 64 bits, else Python's own integers."""

ROOM = 2**62
_HALF = 31


def whole(numbers: Sequence[int]) -> WholeNumbers:
    """An array of whole numbers of any size."""
    fits = all(-ROOM < number < ROOM for number in numbers)
    return np.array(numbers, dtype=np.int64 if fits else object)


def times(one: WholeNumbers, other: WholeNumbers) -> WholeNumbers:
    """The products, row by row."""
    if max(_most(one), 1) * max(_most(other), 1) < ROOM:
        return one.astype(np.int64) * other.astype(np.int64)
    found: WholeNumbers = one.astype(object) * other.astype(object)
    return found


def _most(numbers: WholeNumbers) -> int:
    return max(abs(int(numbers.max(initial=0))), abs(int(numbers.min(initial=0))))


def sum_of_products(weights: Ints, one: WholeNumbers, other: WholeNumbers | None = None) -> int:
    """Sum over rows i of w_i x_i y_i; without y of w_i x_i."""
    product = one if other is None else times(one, other)
    if product.dtype != object and _most(product) * int(np.abs(weights).sum()) < ROOM:
        return int(np.dot(weights, product))
    if product.dtype == object or _most(weights) * len(weights) >= 2 ** (_HALF + 1):
        return int(np.dot(weights.astype(object), product.astype(object)))
    # In two halves, so that the sum of each half fits into 64 bits.
    upper, lower = product >> _HALF, product & (2**_HALF - 1)
    if _most(upper) * _most(weights) * len(weights) >= ROOM:
        return int(np.dot(weights.astype(object), product.astype(object)))
    return (int(np.dot(weights, upper)) << _HALF) + int(np.dot(weights, lower))


def products(weights: Ints, columns: Sequence[WholeNumbers | Ints]) -> list[list[int]]:
    """[m + 1, m + 1] the sums of w_i x_ij x_ik, with a last column of 1; 0 below the diagonal."""
    table = [*columns, np.ones(len(weights), dtype=np.int64)]
    most, total = [max(_most(column), 1) for column in table], int(np.abs(weights).sum())

    def added(first: int, place: int) -> int:
        one, other = table[first], table[place]
        if most[first] * most[place] * max(total, 1) < ROOM:
            return int(np.dot(weights, one.astype(np.int64, copy=False) * other.astype(np.int64, copy=False)))
        return sum_of_products(weights, one, other)

    rows = range(len(table))
    return [[added(first, place) if place >= first else 0 for place in rows] for first in rows]


def quadratic_form(sums: Sequence[Sequence[int]], factors: Sequence[Fraction | int]) -> Fraction:
    """The sum of f_j f_k s_jk over all j and k; of a symmetric table s only the upper half is read.

    For s from `products` this is the sum over rows i of w_i (f_1 x_i1 + ... + f_m x_im + f)^2.
    """
    # Whole parts of one unit: adding fractions would look for common divisors each time.
    unit = lcm(1, *(factor.denominator for factor in factors))
    parts = [factor.numerator * (unit // factor.denominator) for factor in factors]
    found = 0
    for j, one in enumerate(parts):
        for k in range(j, len(parts)):
            found += (1 if j == k else 2) * one * parts[k] * sums[j][k]
    return Fraction(found, unit**2)


def standard_error(squares: Fraction, issues: int) -> float:
    """The error of a mean over `issues` terms; `squares` sums the squared distances from the mean."""
    return sqrt(squares / (issues * (issues - 1)))


def per_size(sizes: Ints, least: int = 1) -> tuple[int, WholeNumbers, WholeNumbers]:
    """A common multiple u of all r_i and r_i (r_i - 1); per row u / r_i, and u / (r_i (r_i - 1)) or 0."""
    found, places = np.unique(sizes, return_inverse=True)
    distinct = found.tolist()
    unit = lcm(least, *distinct, *(size * (size - 1) for size in distinct if size > 1))
    by_label = whole([unit // size for size in distinct])
    by_pair = whole([unit // (size * (size - 1)) if size > 1 else 0 for size in distinct])
    return unit, by_label[places], by_pair[places]


def linear(name: str, tally: Tally, kappa: Fraction, expected: Fraction) -> tuple[Fraction, int]:
    """The sum over issues of (k_i - kappa)^2, and N, for the coefficient `name` with the p_e `expected`."""
    return quadratic_form(_products(tally), factors(name, tally, kappa, expected)), tally.issues


def factors(name: str, tally: Tally, kappa: Fraction, expected: Fraction) -> list[Fraction | int]:
    """The factors f of `columns` x, and a constant: k_i - kappa = f_1 x_i1 + f_2 x_i2 + f_3 x_i3 + f."""
    issues, q, unit = tally.issues, tally.q, columns(tally)[0]
    # Issues with one label do not count in p_a: the others are weighted up to N.
    weight = Fraction(issues, tally.compared) / (1 - expected)
    by_chance = -2 * (1 - kappa) / (1 - expected)
    scale = Fraction(1, issues * unit**2)
    if name == "fleiss_kappa":
        chance, rest = by_chance * scale, -by_chance * expected
    elif name == "gwet_ac1":
        chance, rest = -by_chance * scale / (q - 1), by_chance * (Fraction(1, q - 1) - expected)
    else:
        chance, rest = Fraction(), Fraction()
    return [weight / unit, -weight * expected, chance, rest - kappa]


@lru_cache(maxsize=1)
def _products(tally: Tally) -> list[list[int]]:
    return products(tally.weights, columns(tally)[1])


@lru_cache(maxsize=1)
def columns(tally: Tally) -> tuple[int, list[WholeNumbers]]:
    """The unit, and three columns for all coefficients with a value per row: p_a,i in parts of the unit,
    whether there are two labels, and sum_k p_k n_ik / r_i in parts of N unit^2.
    """
    unit, by_label, by_pair = per_size(tally.sizes)
    labels = whole([int(share * unit) for share in tally.sums.shares])
    return unit, [
        times(tally.same_pairs, by_pair),
        (tally.sizes >= 2).astype(np.int64),
        times(per_row(tally, labels), by_label),
    ]


def linear_alpha(_name: str, tally: Tally, _alpha: Fraction, expected: Fraction) -> tuple[Fraction, int]:
    """As `linear`, for Krippendorff's alpha over the issues with two labels or more.

    It omits the small-sample term, as Gwet does, and has the factor 2 on the chance part that the first
    release of irrCAC lacked for count tables. For equal r_i this is the error of Fleiss' kappa.
    """
    several = tally.several()
    issues, labels = several.issues, Fraction(tally.sums.labels.item())
    mean = labels / issues
    unit, _by_label, by_pair = per_size(several.sizes)
    same = times(times(several.same_pairs, by_pair), several.sizes)
    observed = Fraction(sum_of_products(several.weights, same)) / (unit * labels)
    plain = (observed - expected) / (1 - expected)
    by_chance = -2 * (1 - plain) / (1 - expected)
    chosen = whole([int(number) for number in tally.sums.chosen])
    columns = [same, several.sizes, per_row(several, chosen)]
    factors: list[Fraction | int] = [
        1 / (unit * mean * (1 - expected)),
        -(observed / (1 - expected) + by_chance * expected) / mean,
        by_chance / (labels * mean),
        0,
    ]
    return quadratic_form(products(several.weights, columns), factors), issues


def per_row(tally: Tally, values: Any) -> Any:
    """[P] the sum over k of `values` [q], whole numbers, times n_ik."""
    if not len(tally.row):
        return np.zeros(len(tally.sizes), dtype=np.int64)
    starts = np.searchsorted(tally.row, np.arange(len(tally.sizes)))
    room = int(tally.sizes.max(initial=0)) * max(map(abs, values.tolist()), default=0)
    kind = np.int64 if room < ROOM else object
    return np.add.reduceat(values.astype(kind)[tally.category] * tally.chosen.astype(kind), starts)


@dataclass(frozen=True)
class CategorySums:
    """Sums over issues with two labels or more for one category with some but not all of their labels.

    x is n_ik / r_i, and u the share of pairs of labels with the category on one side only; both, and the sums
    `share` and `unlike` of them, are in parts of `unit`, the sums of x^2, u^2 and x u in parts of its square.
    Of the `issues`, `with_it` have the category, and `with_another` have another one.
    """

    issues: int
    with_it: int
    with_another: int
    unit: int
    unlike: int
    share: int
    unlike_squared: int
    share_squared: int
    both: int

    def estimate(self) -> tuple[Fraction, Fraction]:
        """Kappa, and the sum of its squared terms over the issues."""
        unit, issues = self.unit, self.issues
        p = Fraction(self.share, issues * unit)
        spread = 2 * p * (1 - p)
        kappa = 1 - Fraction(self.unlike, issues * unit) / spread
        factors = [
            -1 / (spread * unit),
            -2 * (1 - kappa) * (2 * p - 1) / (spread * unit),
            (1 - kappa) * (2 * p / spread - 1),
        ]
        sums = [
            [self.unlike_squared, self.both, self.unlike],
            [0, self.share_squared, self.share],
            [0, 0, issues],
        ]
        return kappa, quadratic_form(sums, factors)


def category_sums(tally: Tally) -> dict[int, CategorySums]:
    """By category with some but not all labels; every issue has two labels or more."""
    issues = tally.issues
    unit, _by_label, _by_pair = per_size(tally.sizes)
    found = {}
    for category, cells in _cells(tally).items():
        rows = [
            (2 * times * (size - times) * (unit // (size * (size - 1))), times * (unit // size))
            for size, times, _number in cells
        ]
        weights = np.array([number for _size, _times, number in cells], dtype=np.int64)
        unlike, share = (whole(column) for column in zip(*rows, strict=True))
        sums = products(weights, [unlike, share])
        if sums[1][2] == issues * unit:
            continue
        found[category] = CategorySums(
            issues=issues,
            with_it=sums[2][2],
            with_another=issues - sum(number for size, times, number in cells if times == size),
            unit=unit,
            unlike=sums[0][2],
            share=sums[1][2],
            unlike_squared=sums[0][0],
            share_squared=sums[1][1],
            both=sums[0][1],
        )
    return found


def _cells(tally: Tally) -> dict[int, list[tuple[int, int, int]]]:
    """By category: r_i, n_ik, and the number of issues with both."""
    most = int(tally.sizes.max(initial=0)) + 1
    keys = (tally.category * most + tally.sizes[tally.row]) * most + tally.chosen
    distinct, which = np.unique(keys, return_inverse=True)
    numbers = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(numbers, which, tally.weights[tally.row])
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for key, number in zip(distinct.tolist(), numbers.tolist(), strict=True):
        rest, times = divmod(key, most)
        category, size = divmod(rest, most)
        found[category].append((size, times, number))
    return found
