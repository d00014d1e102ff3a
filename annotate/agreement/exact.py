"""Arithmetic without rounding: labels are counted in whole numbers, so coefficients are fractions.

A coefficient and its squared error are computed as fractions, and rounded once, to the nearest float. So they
do not depend on the order in which issues are added up: whoever follows the definition gets the same digits.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from annotate.agreement.patterns import Ints

WholeNumbers = npt.NDArray[Any]
"""Of 64 bits where all of them and what is made of them have room there, else Python's own integers."""

ROOM = 2**62
_HALF = 31


def whole(numbers: Sequence[int]) -> WholeNumbers:
    """An array of whole numbers of any size."""
    fits = all(-ROOM < number < ROOM for number in numbers)
    return np.array(numbers, dtype=np.int64 if fits else object)


def times(one: WholeNumbers, other: WholeNumbers) -> WholeNumbers:
    """The products, row by row."""
    if _most(one) * _most(other) < ROOM:
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
    # In two halves, neither of which has too little room when it is added up.
    upper, lower = product >> _HALF, product & (2**_HALF - 1)
    if _most(upper) * _most(weights) * len(weights) >= ROOM:
        return int(np.dot(weights.astype(object), product.astype(object)))
    return (int(np.dot(weights, upper)) << _HALF) + int(np.dot(weights, lower))


def sum_of_squares(
    weights: Ints, columns: Sequence[WholeNumbers | Ints], factors: Sequence[Fraction | int]
) -> Fraction:
    """Sum over rows i of w_i (f_1 x_i1 + ... + f_m x_im + f)^2, for columns x and m + 1 factors.

    It is the quadratic form of the factors with the sums of products of the columns.
    """
    return quadratic_form(products(weights, columns), factors)


def products(weights: Ints, columns: Sequence[WholeNumbers | Ints]) -> list[list[int]]:
    """[m + 1, m + 1] the sums of w_i x_ij x_ik, the last column being 1; filled from the diagonal on."""
    table = [*columns, np.ones(len(weights), dtype=np.int64)]
    return [
        [sum_of_products(weights, one, other) if place >= first else 0 for place, other in enumerate(table)]
        for first, one in enumerate(table)
    ]


def quadratic_form(sums: Sequence[Sequence[int]], factors: Sequence[Fraction | int]) -> Fraction:
    """The sum of f_j f_k s_jk over all j and k, for the upper half of a symmetric table s."""
    found = Fraction()
    for j, one in enumerate(factors):
        for k in range(j, len(factors)):
            found += (1 if j == k else 2) * one * factors[k] * sums[j][k]
    return found


def standard_error(squares: Fraction, issues: int) -> float:
    """The error of a mean of so many terms, from the sum of the squares of their distances from it."""
    return sqrt(squares / (issues * (issues - 1)))


def per_size(sizes: Ints, least: int = 1) -> tuple[int, WholeNumbers, WholeNumbers]:
    """A common multiple u of the r_i and of the r_i (r_i - 1), and per row the whole numbers u / r_i and
    u / (r_i (r_i - 1)); 0 for the latter where r_i is below 2.
    """
    found, places = np.unique(sizes, return_inverse=True)
    distinct = found.tolist()
    unit = lcm(least, *distinct, *(size * (size - 1) for size in distinct if size > 1))
    by_label = whole([unit // size for size in distinct])
    by_pair = whole([unit // (size * (size - 1)) if size > 1 else 0 for size in distinct])
    return unit, by_label[places], by_pair[places]
