"""Differences of two numbers: of the same issues, paired, and of two groups of issues."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, pairwise
from math import sqrt
from typing import Any

import numpy as np
from coefficients import (
    Number,
    agreeing,
    by_chance,
    coefficient,
    doubt,
    is_defined,
    is_doubtful,
    linear_terms,
    number_of,
    rows_of,
    several,
)
from package import Package
from scipy import stats

ENOUGH_DIFFER = 60
"""Below so many issues with different labels, a paired difference is in doubt."""
FEWEST = 20
"""Below so many issues with different labels, or issues of a group, a difference has no interval."""
MOST = 20
"""So many repositories, those with the most issues, are compared with each other."""
NOTHING: dict[str, Number] = dict.fromkeys(("value", "se", "low", "high", "p", "adjusted", "doubt"))


def differences(package: Package, groups: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each volunteer left out, repositories two by two, this round against others; `groups` as in JSON."""
    groups = list(groups)
    return [
        *_volunteers(package),
        *_repositories(groups),
        *_rounds(groups),
        *_guidelines(package),
    ]


def _volunteers(package: Package) -> list[dict[str, Any]]:
    if not package.is_crossed:
        return []
    labels, categories = package.labels.to_numpy(), len(package.codes)
    issues = int((labels >= 0).any(axis=1).sum())
    columns = np.flatnonzero((labels >= 0).any(axis=0)).tolist()
    found = corrected([left_out(labels, column, categories) for column in columns])
    names = package.labels.columns
    return [
        _named("volunteers", (names[column], "all"), (issues, issues), one)
        for column, one in zip(columns, found, strict=True)
    ]


def _repositories(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    named = [(one["group"]["repository"], one) for one in groups if list(one["group"]) == ["repository"]]
    most = sorted(named, key=lambda each: (-each[1]["issues"], each[0]))[:MOST]
    return _apart("repositories", list(combinations(most, 2)))


def _rounds(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    named = [(one["group"]["round"], one) for one in groups if list(one["group"]) == ["round"]]
    return _apart("rounds", [(named[0], other) for other in named[1:]])


def _guidelines(package: Package) -> list[dict[str, Any]]:
    """Issues whose labels were all given by one version of the guideline, and by the version before."""
    of_issue = package.given.groupby("Issue_URL")["Guideline"].agg(["nunique", "first"])
    of_issue = of_issue[(of_issue["nunique"] == 1) & (of_issue["first"] != "")]["first"].astype(int)
    found = []
    for number in sorted(of_issue.unique().tolist()):
        labels = package.labels.loc[package.labels.index.isin(of_issue.index[of_issue == number])]
        rows = rows_of(labels.to_numpy())
        kappa = coefficient("fleiss_kappa", rows, len(package.codes))
        found.append((f"v{number}", {"issues": number_of(rows), "coefficients": {"fleiss_kappa": kappa}}))
    return _apart("guidelines", [(after, before) for before, after in pairwise(found)])


def _apart(kind: str, pairs: list[Any]) -> list[dict[str, Any]]:
    found = corrected([between(one, other) for (_first, one), (_second, other) in pairs])
    return [
        _named(kind, (first, second), (one["issues"], other["issues"]), difference)
        for ((first, one), (second, other)), difference in zip(pairs, found, strict=True)
    ]


def _named(
    kind: str, names: tuple[str, str], issues: tuple[int, int], found: dict[str, Number]
) -> dict[str, Any]:
    return {
        "comparison": kind,
        "first": names[0],
        "second": names[1],
        "first_issues": issues[0],
        "second_issues": issues[1],
        **found,
    }


def left_out(labels: np.ndarray, column: int, categories: int) -> dict[str, Number]:
    """Fleiss' kappa without one column, less that of all columns, over the same issues."""
    whole, others, rests = [], [], []
    for row, issues in Counter(map(tuple, labels.tolist())).items():
        chosen = Counter(place for place in row if place >= 0)
        rest = chosen - Counter(place for place in row[column : column + 1] if place >= 0)
        if not chosen:
            continue
        whole.append((issues, dict(chosen)))
        rests.append(bool(rest))
        if rest:
            others.append((issues, dict(rest)))
    if not (is_defined("fleiss_kappa", whole, categories) and is_defined("fleiss_kappa", others, categories)):
        return NOTHING
    everybody, without = _kappa(whole, categories), _kappa(others, categories)
    of_others = iter(linear_terms("fleiss_kappa", others, categories, without))
    squares = Fraction()
    for (issues, term), has_rest in zip(
        linear_terms("fleiss_kappa", whole, categories, everybody), rests, strict=True
    ):
        own = next(of_others)[1] / number_of(others) if has_rest else Fraction()
        squares += issues * (own - term / number_of(whole)) ** 2
    issues = number_of(whole)
    differ = sum(number for number, row in whole if len(row) > 1)
    se = sqrt(squares * issues / Fraction(issues - 1))
    doubtful = any(doubt("fleiss_kappa", rows) for rows in (whole, others)) or differ < ENOUGH_DIFFER
    found = _with_interval(float(without) - float(everybody), se, issues - 1, differ, 2.0)
    return found | _doubt(doubtful, found)


def _kappa(rows: list[tuple[int, dict[int, int]]], categories: int) -> Fraction:
    expected = by_chance("fleiss_kappa", rows, categories)
    compared = several(rows)
    observed = sum(issues * agreeing(row) for issues, row in compared) / Fraction(number_of(compared))
    return (observed - expected) / (1 - expected)


def beside_others(own: np.ndarray, labels: np.ndarray) -> dict[str, Number]:
    """The mean share of labels that equal one column, less the percent agreement of these labels."""
    cells: Counter[tuple[int, int, int]] = Counter()
    differ = 0
    for row, mine in zip(labels.tolist(), own.tolist(), strict=True):
        chosen = Counter(place for place in row if place >= 0)
        if mine >= 0 and chosen:
            same = sum(number * (number - 1) for number in chosen.values())
            cells[chosen.total(), chosen[mine], same] += 1
            differ += set(chosen) != {mine}
    issues = cells.total()
    compared = sum(number for (size, _equal, _same), number in cells.items() if size >= 2)
    if not compared:
        return NOTHING
    share = {cell: Fraction(cell[1], cell[0]) for cell in cells}
    among = {cell: Fraction(cell[2], cell[0] * (cell[0] - 1)) for cell in cells if cell[0] >= 2}
    one = sum(share[cell] * number for cell, number in cells.items()) / Fraction(issues)
    other = sum(among[cell] * cells[cell] for cell in among) / Fraction(compared)
    value = float(one) - float(other)
    if issues < 2:
        return NOTHING | {"value": value}
    squares = sum(
        number
        * ((share[cell] - one) / issues - ((among[cell] - other) / compared if cell in among else 0)) ** 2
        for cell, number in cells.items()
    )
    equal = sum(number for (_size, same, _pairs), number in cells.items() if same)
    different = sum(number for (size, same, _pairs), number in cells.items() if same < size)
    doubtful = (
        is_doubtful(issues, issues, different, equal)
        or doubt("percent_agreement", rows_of(labels[(own >= 0) & (labels >= 0).any(axis=1)]))
        or differ < ENOUGH_DIFFER
    )
    found = _with_interval(value, sqrt(squares * issues / (issues - 1)), issues - 1, differ, 1.0)
    return found | _doubt(doubtful, found)


def between(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Number]:
    """Fleiss' kappa of one group less that of another, by Welch."""
    first, second = (group["coefficients"]["fleiss_kappa"] for group in (one, other))
    if first["value"] is None or second["value"] is None:
        return NOTHING
    value = first["value"] - second["value"]
    if first["low"] is None or second["low"] is None:
        return NOTHING | {"value": value}
    a, b = first["se"] ** 2, second["se"] ** 2
    degrees = (a + b) ** 2 / (a**2 / (one["issues"] - 1) + b**2 / (other["issues"] - 1))
    found = _with_interval(value, sqrt(a + b), degrees, min(one["issues"], other["issues"]), 2.0)
    return found | _doubt(bool(first["doubt"] or second["doubt"]), found)


def _doubt(doubtful: Number, found: dict[str, Number]) -> dict[str, Number]:
    """Of an interval; none without one."""
    return {"doubt": bool(doubtful) if found["low"] is not None else None}


def corrected(found: list[dict[str, Number]]) -> list[dict[str, Number]]:
    """With Holm's p over all that have one."""
    known = sorted((one["p"], place) for place, one in enumerate(found) if one["p"] is not None)
    made, least = list(found), 0.0
    for rank, (p, place) in enumerate(known):
        least = max(least, min(1.0, (len(known) - rank) * p))
        made[place] = made[place] | {"adjusted": least}
    return made


def _with_interval(value: float, se: float, degrees: float, enough: int, most: float) -> dict[str, Number]:
    if not se or enough < FEWEST:
        return NOTHING | {"value": value}
    half = float(stats.t.ppf(0.975, degrees)) * se
    return NOTHING | {
        "value": value,
        "se": se,
        "low": max(-most, value - half),
        "high": min(most, value + half),
        "p": min(1.0, 2 * float(stats.t.sf(abs(value) / se, degrees))),
    }
