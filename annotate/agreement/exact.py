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
"""Python's own integers, which do not overflow."""


def sum_of_squares(
    weights: Ints, columns: Sequence[WholeNumbers | Ints], factors: Sequence[Fraction | int]
) -> Fraction:
    """Sum over rows i of w_i (f_1 x_i1 + ... + f_m x_im + f)^2, for columns x and m + 1 factors.

    It is the quadratic form of the factors with the sums of products of the columns.
    """
    return quadratic_form(products(weights, columns), factors)


def products(weights: Ints, columns: Sequence[WholeNumbers | Ints]) -> list[list[int]]:
    """[m + 1, m + 1] the sums of w_i x_ij x_ik, the last column being 1; filled from the diagonal on."""
    w = weights.astype(object)
    table = [np.asarray(column).astype(object) for column in columns]
    table.append(np.ones(len(weights), dtype=object))
    weighted = [w * column for column in table]
    return [
        [int(np.dot(one, other)) if place >= first else 0 for place, other in enumerate(table)]
        for first, one in enumerate(weighted)
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
    distinct = np.unique(sizes).tolist()
    unit = lcm(least, *distinct, *(size * (size - 1) for size in distinct if size > 1))
    by_label = {size: unit // size for size in distinct}
    by_pair = {size: unit // (size * (size - 1)) if size > 1 else 0 for size in distinct}
    rows = sizes.tolist()
    return (
        unit,
        np.array([by_label[size] for size in rows], dtype=object),
        np.array([by_pair[size] for size in rows], dtype=object),
    )
