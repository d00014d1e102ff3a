"""The weight of two categories: 1 for the same category, less for others, 0 for no credit."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from agreement.patterns import Ints


@dataclass(frozen=True, eq=False)
class Weights:
    """The weights of q categories, exact.

    `parts` [q, q] has them in parts of `unit`: whole numbers from 0 to `unit`, symmetric, `unit` on the
    diagonal. `longest` is the longest path between two of the categories, None for weights of a matrix.
    """

    parts: Ints
    unit: int
    longest: int | None = None

    @property
    def q(self) -> int:
        return len(self.parts)

    @property
    def total(self) -> Fraction:
        """T: the sum of all weights, the diagonal included."""
        return Fraction(int(self.parts.sum()), self.unit)

    @property
    def least(self) -> Fraction:
        """The lowest weight; 0 without two categories."""
        return Fraction(int(self.parts.min()), self.unit) if self.q > 1 else Fraction()

    def of(self, one: int, other: int) -> Fraction:
        return Fraction(int(self.parts[one, other]), self.unit)


def tree_weights(lines: Sequence[Sequence[Hashable]]) -> Weights:
    """1 - path / longest path: the path of two categories is the number of steps between them in the tree.

    `lines[k]` names category k and all above it, from the top. Two tops are two steps apart, by the root
    above them; a category is one step from the one above it. The longest path is that of these categories.
    Categories without any above or below each other get the weights 1 and 0.
    """
    names = {name: place for place, name in enumerate(dict.fromkeys(name for line in lines for name in line))}
    is_in = np.zeros((len(lines), len(names)), dtype=np.int64)
    for row, line in enumerate(lines):
        is_in[row, [names[name] for name in line]] = 1
    depth = is_in.sum(axis=1)
    paths = depth[:, np.newaxis] + depth - 2 * is_in @ is_in.T
    longest = int(paths.max(initial=0))
    return Weights(max(longest, 1) - paths, max(longest, 1), longest)


def matrix_weights(rows: Sequence[Sequence[Fraction]]) -> Weights:
    """The weights of a matrix. ValueError unless it is square and symmetric, with 1 on the diagonal and
    weights from 0 to 1.
    """
    places = range(len(rows))
    if any(len(row) != len(rows) for row in rows):
        raise ValueError("a matrix of weights has as many columns as rows")
    if any(rows[k][k] != 1 for k in places) or any(not 0 <= one <= 1 for row in rows for one in row):
        raise ValueError("weights are from 0 to 1, and 1 on the diagonal")
    if any(rows[k][m] != rows[m][k] for k in places for m in range(k)):
        raise ValueError("a matrix of weights is symmetric")
    unit = lcm(1, *(one.denominator for row in rows for one in row))
    parts = [[one.numerator * (unit // one.denominator) for one in row] for row in rows]
    return Weights(np.array(parts, dtype=np.int64).reshape(len(rows), len(rows)), unit)
