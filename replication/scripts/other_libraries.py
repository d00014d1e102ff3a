"""What statsmodels and SciPy say of the same numbers: it must be the same but for their rounding.

What they say otherwise is noted with how far rounding can carry them, and nothing stops.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import NamedTuple

TOLERANCE = 1e-12
"""How far a number of another library may be from ours, in parts of it, or of 1 where it is smaller."""
UNIT = Fraction(1, 2**53)
"""How far rounding carries the result of one operation of floats at most, in parts of the result."""
STEPS = 32
"""NumPy adds up n numbers in blocks, and the blocks in pairs: in log2(n) and so many steps at most, with all
else that a formula of kappa does.
"""


class Miss(NamedTuple):
    """A number of another library that is further from ours than TOLERANCE.

    `of` is the part of the report that it is in. `rounding` is how far rounding can carry their formula.
    """

    by: str
    of: str
    ours: float
    theirs: float
    rounding: float

    @property
    def apart(self) -> float:
        return abs(self.ours - self.theirs)

    @property
    def is_explained(self) -> bool:
        """Does rounding explain it? If not, it counts as a difference."""
        return self.apart <= self.rounding


confirmed: Counter[str] = Counter()
"""How many numbers each function of another library gave too."""
misses: list[Miss] = []
"""What it gave otherwise, in the order in which it was found."""
_parts: list[str] = []


@contextmanager
def within(part: str) -> Iterator[None]:
    """Name the part of the report whose numbers this block computes."""
    _parts.append(part)
    try:
        yield
    finally:
        _parts.pop()


def confirm(by: str, ours: Fraction | float, theirs: float, rounding: float = 0.0) -> None:
    """Count a number of another library as the same as ours, or note the miss."""
    found = Miss(by, " ".join(_parts), float(ours), theirs, rounding)
    if found.apart <= TOLERANCE * max(1.0, abs(found.ours)):
        confirmed[by] += 1
    else:
        misses.append(found)


def steps_of(issues: int, categories: int) -> Fraction:
    """How far rounding can carry a sum of shares, 1 at most, over issues and categories."""
    return (STEPS + issues.bit_length() + categories) * UNIT


def kappa_rounding(value: Fraction, expected: Fraction, issues: int, categories: int) -> float:
    """How far rounding can carry (p_a - p_e) / (1 - p_e) where floats compute it.

    It is divided by 1 - p_e, which is next to nothing where nearly all labels are of one category.
    """
    return float(steps_of(issues, categories) * (1 + abs(value)) / (1 - expected))
