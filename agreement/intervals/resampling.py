"""Intervals and p-values by resampling few people or few interviews, the same for the same seed."""

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from agreement.coefficients import CONFIDENCE
from agreement.intervals.bootstrap import NO_WIDTH, PercentileInterval
from agreement.patterns import Floats, Ints

REPLICATES = 2000
PERMUTATIONS = 10_000
FEWEST = 5
"""Intervals need as many participants or interviews: below, none covers the truth often enough."""


def draws_of(units: int, replicates: int, random: np.random.Generator) -> Ints:
    """[replicates, units] how often each unit is drawn, `units` times with replacement."""
    return random.multinomial(units, np.full(units, 1 / units), size=replicates)


def expanded_percentiles(
    values: Floats, units: int, *, least: float = -inf, most: float = inf
) -> PercentileInterval | None:
    """The bootstrap interval of values from resampling `units` units, 2 or more; NaN are left out.

    Its bounds are inside `least` and `most`. None without values, and where it has no width: then the units
    do not vary, and an error of 0 would be claimed from them.

    Percentiles are too narrow for few units, by a factor of sqrt((n - 1) / n) and for want of Student's t.
    Their tails are therefore smaller here: the normal tail beyond sqrt(n / (n - 1)) t(n - 1).
    Source: Hesterberg (2015), The American Statistician 69(4), 371-386.
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - SciPy loads for long

    known = values[~np.isnan(values)]
    if not len(known):
        return None
    tail = float(ndtr(-sqrt(units / (units - 1)) * stdtrit(units - 1, (1 + CONFIDENCE) / 2)))
    low, high = np.quantile(known, [tail, 1 - tail]).clip(least, most).tolist()
    return PercentileInterval(low, high, len(known)) if high - low > NO_WIDTH else None


def share_as_large(observed: int, permuted: npt.ArrayLike, *, exact: bool) -> float:
    """The p-value: the share of `permuted` that is at least `observed`; whole numbers, so ties are exact.

    Random permutations count the observed order as one more, so p is never 0; all permutations (`exact`)
    contain it. Source: Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular
    Biology 9(1), article 39.
    """
    values = np.asarray(permuted)
    as_large = int((values >= observed).sum())
    return as_large / len(values) if exact else (as_large + 1) / (len(values) + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p-value adjusted for all together, in the order of the input.

    Source: Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    """
    adjusted, least = [0.0] * len(p_values), 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=lambda each: p_values[each])):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[number]))
        adjusted[number] = least
    return adjusted
