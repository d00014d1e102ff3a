"""The intervals of the coefficients over repositories and over volunteers: each is left out in turn."""

from fractions import Fraction
from math import fsum, sqrt
from typing import Any

import numpy as np
from coefficients import NONE, Number, Rows, coefficient, is_defined, lowest, rows_of, value_of, within_range
from package import Package
from scipy import stats

NAMES = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
FEWEST, FEWEST_EQUAL = 3, 2


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
            "repositories": _side(len(names), effective, jackknife(whole, without_one, effective, q)),
            "volunteers": _side(number, None, jackknife(whole, alone, len(raters), q)),
        }
    }


def _side(units: int, effective: float | None, found: dict[str, dict[str, Number]]) -> dict[str, Any]:
    return {"units": units, "effective": effective, "coefficients": found}


def jackknife(whole: Rows, rests: list[Rows], units: float | None, q: int) -> dict[str, dict[str, Number]]:
    """Every coefficient with its error: (C - 1) / C times the sum of the squares of kappa without one, less
    kappa; Student's t with `units` - 1 degrees of freedom.
    """
    return {name: _one(name, whole, rests, units or 0.0, q) for name in NAMES}


def _one(name: str, whole: Rows, rests: list[Rows], units: float, q: int) -> dict[str, Number]:
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
    return within_range(float(kappa), se, float(stats.t.ppf(0.975, units - 1)), lowest(name, whole, q))
