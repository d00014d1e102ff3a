"""The intervals of the coefficients over repositories and over volunteers: each is left out in turn."""

from fractions import Fraction
from math import exp, fsum, isinf, sqrt
from typing import Any

import numpy as np
from coefficients import (
    ENOUGH_DIFFERENT,
    NONE,
    Number,
    Rows,
    coefficient,
    is_defined,
    labels_of,
    lowest,
    number_of,
    rows_of,
    several,
    value_of,
)
from package import Package
from scipy import stats

NAMES = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
FEWEST, FEWEST_EQUAL = 3, 2
ENOUGH_EQUAL, DOMINANT, LOW, HIGH = 3, Fraction(2, 3), 0.2, Fraction(19, 20)
"""The bounds of an interval without a doubt, see README.md."""
FARTHEST = 500.0


def intervals(package: Package) -> dict[str, Any]:
    """The coefficients over issues, over repositories, and over volunteers."""
    labels, q = package.labels.to_numpy(), package.q
    whole = rows_of(labels)
    labelled = (labels >= 0).any(axis=1)
    where = package.groups["repository"].to_numpy()
    names = sorted(set(where[labelled]))
    sizes = [int((where[labelled] == name).sum()) for name in names]
    effective = float(Fraction(sum(sizes) ** 2, sum(size**2 for size in sizes))) if sizes else None
    enough = len(names) >= FEWEST and (effective or 0.0) >= FEWEST_EQUAL
    without_one = [rows_of(labels[where != name]) for name in names] if enough else []
    raters = np.flatnonzero((labels >= 0).any(axis=0)).tolist() if package.is_crossed else []
    alone = [rows_of(np.delete(labels, rater, axis=1)) for rater in raters] if len(raters) >= FEWEST else []
    issues = sum(issues for issues, _row in whole)
    number = len(raters) if package.is_crossed else int(package.given["Volunteer"].nunique())
    return {
        "sampled": {
            "issues": _side(issues, None, {name: coefficient(name, whole, q) for name in NAMES}),
            "repositories": _side(len(names), effective, over_repositories(whole, without_one, effective, q)),
            "volunteers": _side(number, None, over_volunteers(whole, alone, q)),
        }
    }


def _side(units: int, effective: float | None, found: dict[str, dict[str, Number]]) -> dict[str, Any]:
    return {"units": units, "effective": effective, "coefficients": found}


def over_repositories(
    whole: Rows, rests: list[Rows], effective: float | None, q: int
) -> dict[str, dict[str, Number]]:
    """Every coefficient with its error, and Student's t with `effective` - 1 degrees of freedom."""
    found = {}
    for name in NAMES:
        one = _one(name, whole, rests, effective or 0.0, 1.0, q)
        if one["low"] is not None:
            issues = coefficient(name, whole, q)
            is_narrower = _width(one) < _width(issues)
            doubtful = is_narrower or (effective or 0.0) < ENOUGH_EQUAL or _few_different(whole)
            one |= {"doubt": doubtful or _is_hard(name, whole, one["value"])}
        found[name] = one
    return found


def over_volunteers(whole: Rows, rests: list[Rows], q: int) -> dict[str, dict[str, Number]]:
    """The same with one volunteer less as degrees of freedom, and a wider error: without (C - 1) / C."""
    volunteers = len(rests)
    found = {}
    for name in NAMES:
        one = _one(name, whole, rests, volunteers, sqrt(volunteers / (volunteers - 1)) if rests else 1.0, q)
        if one["low"] is not None:
            is_high = value_of("percent_agreement", whole, q) >= HIGH
            one |= {"doubt": _few_different(whole) or is_high}
        found[name] = one
    return found


def _width(found: dict[str, Number]) -> float:
    low, high = found["low"], found["high"]
    return 0.0 if low is None or high is None else high - low


def _few_different(whole: Rows) -> bool:
    return number_of([one for one in several(whole) if len(one[1]) > 1]) < ENOUGH_DIFFERENT


def _is_hard(name: str, whole: Rows, value: Number) -> bool:
    """Of kappa and alpha: one category has most labels, or the value is low."""
    labels = labels_of(whole)
    by_shares = name in {"fleiss_kappa", "krippendorff_alpha"}
    is_dominant = max(labels.values()) >= DOMINANT * sum(labels.values())
    return by_shares and (is_dominant or (value is not None and value < LOW))


def _one(
    name: str, whole: Rows, rests: list[Rows], units: float, widened: float, q: int
) -> dict[str, Number]:
    """A coefficient with its error: (C - 1) / C times the sum of squares of kappa without one, less kappa.
    The interval is that of `widened` errors.
    """
    if not is_defined(name, whole, q):
        return NONE
    kappa = value_of(name, whole, q)
    found = NONE | {"value": float(kappa)}
    if not rests or not all(is_defined(name, rest, q) for rest in rests):
        return found
    squares = [float(value_of(name, rest, q) - kappa) ** 2 for rest in rests]
    se = sqrt(fsum(squares) * (len(squares) - 1) / len(squares))
    if not se:
        return found
    half = float(stats.t.ppf(0.975, units - 1)) * se * widened
    low, high = logit_interval(float(kappa), half, lowest(name, whole, q))
    return found | {"se": se, "low": low, "high": high}


def logit_interval(kappa: float, half: float, least: float) -> tuple[float, float]:
    """kappa -+ half on the scale ln((kappa - least) / (1 - kappa)); as it is at an end, or without least."""
    below, above = kappa - least, 1 - kappa
    if below <= 0 or above <= 0 or isinf(least):
        return max(least, kappa - half), min(1.0, kappa + half)
    moved = exp(min(half * (1 / below + 1 / above), FARTHEST))
    odds, reach = below / above, 1 - least
    return least + reach * odds / (odds + moved), least + reach * odds * moved / (1 + odds * moved)
