"""The kappa of each category against all others, with an interval that holds for few issues: README.md."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import asin, pi, sin, sqrt

from coefficients import Number, Rows, coefficient, lowest, number_of, several
from other_libraries import within
from scipy import stats

FEWEST, ENOUGH = 5, 10
"""Of issues with the category, and of those with another one: below the first there is no interval, below the
second it carries a doubt.
"""


def category_kappas(rows: Rows, codes: list[str]) -> Iterator[tuple[str, dict[str, Number]]]:
    for place, code in enumerate(codes):
        with within(f"categories [{code}]"):
            found = category_kappa(rows, place)
        yield code, found


def category_kappa(rows: Rows, place: int) -> dict[str, Number]:
    """Fleiss' kappa of one category against all others, over the issues with two labels or more."""
    compared = several(rows)
    classes: Counter[tuple[int, int]] = Counter()
    for issues, row in compared:
        classes[row.get(place, 0), sum(row.values()) - row.get(place, 0)] += issues
    two = [
        (issues, {side: labels for side, labels in enumerate(sides) if labels})
        for sides, issues in classes.items()
    ]
    found = coefficient("fleiss_kappa", two, 2)
    with_it, with_another = (number_of([one for one in two if side in one[1]]) for side in (0, 1))
    numbers: dict[str, Number] = {
        "issues": with_it,
        "kappa": found["value"],
        "se": found["se"],
        **dict.fromkeys(("low", "high", "doubt")),
    }
    fewer = min(with_it, with_another)
    if found["value"] is None or fewer < FEWEST:
        return numbers
    low, high = interval(two, float(found["value"]), fewer)
    return numbers | {"low": low, "high": high, "doubt": fewer < ENOUGH}


def interval(two: Rows, kappa: float, fewer: int) -> tuple[float, float]:
    """With half an issue on which one label is of the rarer side, and half an issue on which all are: kappa
    and its error on the scale of asin sqrt, from the lowest possible kappa to 1, and back.

    Sums are exact, and rounded before anything else is done with them.
    """
    cells = []
    for issues, row in two:
        labels, chosen = sum(row.values()), row.get(0, 0)
        unlike_pairs = Fraction(2 * chosen * (labels - chosen), labels * (labels - 1))
        cells.append((issues, unlike_pairs, Fraction(chosen, labels)))
    unlike, share, unlike_squared, share_squared, both = (
        float(sum(times * of(u, x) for times, u, x in cells))
        for of in (
            lambda u, _x: u, lambda _u, x: x, lambda u, _x: u * u, lambda _u, x: x * x, lambda u, x: u * x,
        )
    )  # fmt: skip
    issues = number_of(two)
    if share > issues / 2:
        share_squared += issues - 2 * share
        both = unlike - both
        share = issues - share
    most = max(sum(row.values()) for _issues, row in two)
    one, odd = 1 / most, 2 / most
    unlike, share = unlike + odd / 2, share + (one + 1) / 2
    unlike_squared, share_squared = unlike_squared + odd**2 / 2, share_squared + (one**2 + 1) / 2
    both += one * odd / 2
    issues += 1
    p = share / issues
    spread = 2 * p * (1 - p)
    distance = unlike / issues / spread
    by_unlike, by_share = -1 / spread, 2 * distance * (1 - 2 * p) / spread
    rest = distance - by_share * p
    squares = (
        by_unlike**2 * unlike_squared
        + by_share**2 * share_squared
        + rest**2 * issues
        + 2 * (by_unlike * by_share * both + by_unlike * rest * unlike + by_share * rest * share)
    )
    error = sqrt(max(0.0, squares) / (issues * (issues - 1)))
    least = lowest("fleiss_kappa", two, 2)
    place = min(max((1 - distance - least) / (1 - least), 0.0), 1.0)
    slope = 2 * sqrt(place * (1 - place)) * (1 - least)
    half = float(stats.t.ppf(0.975, fewer)) * error / slope if slope else pi / 2
    low, high = (
        least + (1 - least) * sin(min(max(asin(sqrt(place)) + side, 0.0), pi / 2)) ** 2
        for side in (-half, half)
    )
    return min(low, kappa), max(high, kappa)
