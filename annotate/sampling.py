"""How many issues a sample needs, and which ones a seed draws: plain numbers and texts, no database.

A draw can be made again without Crosscheck, from the URLs of the issues and the seed alone:

    import hashlib
    key = lambda url: hashlib.blake2b(f"{seed}/{url}".encode()).digest()
    sample = sorted(urls, key=key)[:n]
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Literal, TypeVar

Rounding = Literal["up", "cochran"]
Stratum = TypeVar("Stratum")


def sample_size(
    population: int,
    confidence: float = 0.95,
    margin: float = 0.05,
    share: float = 0.5,
    rounding: Rounding = "up",
) -> int:
    """Issues to draw from `population` so that a share near `share` is known to `± margin`.

    n0 = z² p(1 − p) / e², for an endless population. `up` rounds n0 up first, as most calculators do, and
    n = ceil(n0 / (1 + n0/N)). `cochran` leaves n0 unrounded, and n = ceil(n0 / (1 + (n0 − 1)/N)) (Cochran
    1977, 4.2). The result is 0 for an empty population, otherwise from 1 to `population`. Raises ValueError
    unless 0 < confidence, margin, share < 1.
    """
    if population < 0 or not all(0 < number < 1 for number in (confidence, margin, share)):
        raise ValueError("population is at least 0; confidence, margin and share lie between 0 and 1")
    if not population:
        return 0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    endless = z * z * share * (1 - share) / (margin * margin)
    if rounding == "up":
        rounded = math.ceil(endless)
        return -(-rounded * population // (rounded + population))
    return min(population, max(1, math.ceil(endless / (1 + (endless - 1) / population))))


def margin_reached(
    strata: Sequence[tuple[int, int]], confidence: float = 0.95, share: float = 0.5
) -> float | None:
    """The margin of error of a share near `share`, over all strata: pairs of population and number drawn.

    e = z sqrt(sum W² p(1 − p) (N − n) / ((N − 1) n)) with W the stratum's part of the population (Cochran
    1977, 5.6), for one stratum the inverse of `sample_size` by `cochran`. 0 if everything is drawn; None if a
    stratum that has issues has none drawn, or there are no issues: the sample then says nothing of them.
    """
    strata = [(population, drawn) for population, drawn in strata if population]
    if not strata or not all(drawn for _population, drawn in strata):
        return None
    whole = sum(population for population, _drawn in strata)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    variance = sum(
        (population / whole) ** 2
        * share
        * (1 - share)
        * (population - drawn)
        / max(1, population - 1)
        / drawn
        for population, drawn in strata
    )
    return z * math.sqrt(variance)


def draw(
    urls: Mapping[Stratum, Sequence[str]], sizes: Mapping[Stratum, int], seed: int
) -> dict[Stratum, list[str]]:
    """From each stratum the `sizes` URLs with the smallest BLAKE2b of `seed/URL`, smallest first. The same
    URLs and seed give the same draw, in any order of the URLs; a stratum without a size gives no URL. A URL
    that is added later displaces at most one drawn URL. Raises ValueError if a stratum has fewer URLs than
    its size.
    """
    drawn: dict[Stratum, list[str]] = {}
    for stratum, found in urls.items():
        size = sizes.get(stratum, 0)
        once = set(found)
        if not 0 <= size <= len(once):
            raise ValueError(f"{size} of {len(once)} cannot be drawn")
        by_key = sorted(once, key=lambda url: hashlib.blake2b(f"{seed}/{url}".encode()).digest())
        drawn[stratum] = by_key[:size]
    return drawn
