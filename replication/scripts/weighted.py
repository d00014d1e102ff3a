"""Agreement with partial credit: two different categories can be nearly the same.

Categories here are those of the level, and those above it where a label can stop: it counts there as itself.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pandas as pd
from coefficients import (
    NONE,
    Number,
    Rows,
    is_defined,
    labels_of,
    lowest,
    mean_shares,
    number_of,
    rows_of,
    several,
    with_doubt,
)
from other_libraries import within
from package import LEVELS, Package, read

PLAIN = {
    "percent_agreement": "percent_agreement",
    "fleiss_kappa": "fleiss_kappa",
    "krippendorff_alpha": "krippendorff_alpha",
    "gwet_ac2": "gwet_ac1",
}
"""The coefficients, and what each is if different categories have no weight."""


class Weights:
    """The weights of categories by their places."""

    def __init__(self, table: list[list[Fraction]], longest: int | None) -> None:
        self.of, self.longest, self.q = table, longest, len(table)
        self.total = sum((sum(row, Fraction()) for row in table), Fraction())
        others = [weight for one, row in enumerate(table) for weight in row[:one]]
        self.least = min(others, default=Fraction())


def weighted(package: Package, stored: dict[str, Any]) -> dict[str, Any]:
    """The weighted coefficients of all issues and of each grouping that is in `stored`."""
    weights, given, labels = counting(package, stored.get("matrix"))
    groups: list[dict[str, Any]] = []
    for names in dict.fromkeys(tuple(group["group"]) for group in stored["groups"]):
        if names == ("round",):
            groups += rounds(package, [one for one in stored["groups"] if "round" in one["group"]])
            continue
        for key, issues in grouped(package, list(names)):
            with within(str(key)):
                groups.append({"group": key, **one_group(given, labels, issues, weights)})
    return {
        "matrix": stored.get("matrix"),
        "longest_path": weights.longest,
        "choosable": weights.q,
        "groups": groups,
    }


def rounds(package: Package, stored: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """This round and the others of the study, each with the weights of its own version."""
    matrices = {one["group"]["round"]: one.get("matrix") for one in stored}
    folders = sorted(path.parent for path in package.folder.glob("rounds/*/manifest.json"))
    for one in (package, *(Package(folder, package.level) for folder in folders)):
        name = one.manifest["round"]
        with within(f"round {name}"):
            weights, given, labels = counting(one, matrices.get(name))
            found = one_group(given, labels, one.labels.index, weights)
        yield {
            "group": {"round": name},
            **found,
            "matrix": matrices.get(name),
            "longest_path": weights.longest,
        }


def counting(package: Package, matrix: int | None) -> tuple[Weights, pd.DataFrame, pd.DataFrame]:
    """The weights, and the labels as they count with them: a row per label, and one per issue."""
    codes = counted(package)
    weights = tree_weights(package, codes) if matrix is None else matrix_weights(package, codes, matrix)
    at = {code: place for place, code in enumerate(codes)}
    places = [at.get(package.book.above(code, package.level), -1) for code in package.given["Label"]]
    is_above = [place >= 0 and package.book.level[codes[place]] < package.level for place in places]
    given = package.given.assign(place=np.array(places, dtype=int), is_above=np.array(is_above, dtype=bool))
    return weights, given, package.wide("Volunteer", given)


def grouped(package: Package, names: list[str]) -> Iterator[tuple[dict[str, str], pd.Index]]:
    """The groups of a grouping with their issues; all issues for no names."""
    if not names:
        yield {}, package.labels.index
        return
    for values, rows in package.groups.groupby(names):
        yield dict(zip(names, values, strict=True)), rows.index


def one_group(
    given: pd.DataFrame, labels: pd.DataFrame, issues: pd.Index, weights: Weights
) -> dict[str, Any]:
    rows = rows_of(labels.loc[issues].to_numpy())
    above = given[given["Issue_URL"].isin(issues) & given["is_above"]]
    return {
        "issues": number_of(rows),
        "labels": sum(labels_of(rows).values()),
        "labels_above_the_level": len(above),
        "issues_with_labels_above": int(above["Issue_URL"].nunique()),
        "coefficients": {name: coefficient(name, rows, weights) for name in PLAIN},
    }


def counted(package: Package) -> list[str]:
    """The categories of the level, and those above it that a label of the round could be, or is."""
    book, level = package.book, package.level
    every = [code for its in range(len(LEVELS)) for code in book.at(its)]
    by_level = package.manifest.get("choosable")
    could_be = {code for codes in by_level.values() for code in codes} if by_level else set(every)
    parents = {book.parent.get(code) for code in could_be}
    used = {book.above(code, level) for code in package.given["Label"] if code}
    deepest = min(level + 1, package.manifest["depth"])
    return [
        code
        for code in every
        if book.level[code] <= level
        and (code in used or (code in could_be and (book.level[code] + 1 >= deepest or code not in parents)))
    ]


def tree_weights(package: Package, codes: list[str]) -> Weights:
    """1 - path / longest path."""
    lines = [set(line(package, code)) for code in codes]
    paths = [[len(one ^ other) for other in lines] for one in lines]
    longest = max((path for row in paths for path in row), default=0)
    return Weights([[1 - Fraction(path, max(longest, 1)) for path in row] for row in paths], longest)


def matrix_weights(package: Package, codes: list[str], number: int) -> Weights:
    """The weights that the study made, in the matrix of this number."""
    table = read(package.folder / f"weights/weights-{number}.csv").set_index("Unnamed: 0")
    return Weights([[Fraction(table.loc[one, other]) for other in codes] for one in codes], None)


def line(package: Package, code: str) -> Iterator[str]:
    """The category and all above it."""
    while code:
        yield code
        code = package.book.parent[code] if package.book.level[code] else ""


def coefficient(name: str, rows: Rows, weights: Weights) -> dict[str, Number]:
    """A coefficient with Gwet's linearised standard error, and Student's t."""
    if not is_defined(PLAIN[name], rows, weights.q):
        return NONE
    compared = several(rows)
    # AC2 expects by chance among all categories, alpha among those of issues with two labels or more.
    used: Iterable[int] = range(weights.q)
    if name != "gwet_ac2":
        used = labels_of(compared if name == "krippendorff_alpha" else rows)
    if name != "percent_agreement" and all(weights.of[one][other] == 1 for one in used for other in used):
        return NONE
    value, terms = alpha(compared, weights) if name == "krippendorff_alpha" else linear(name, rows, weights)
    if number_of(compared) < 2:
        return NONE | {"value": float(value)}
    issues = sum(times for times, _term in terms)
    squares = sum((times * term**2 for times, term in terms), Fraction())
    variance = squares / (issues * (issues - 1))
    return with_doubt(PLAIN[name], rows, value, variance, issues, least(name, rows, weights))


def least(name: str, rows: Rows, weights: Weights) -> float:
    """The lowest value that the coefficient can have; no bound for kappa and alpha by a matrix."""
    if name in {"fleiss_kappa", "krippendorff_alpha"}:
        return -inf if weights.longest is None else lowest(name, rows, weights.q)
    if name == "percent_agreement":
        return float(weights.least)
    fewest = min(sum(row.values()) for _issues, row in several(rows))
    observed = max(weights.least, Fraction(fewest - weights.q, weights.q * (fewest - 1)))
    expected = weights.total / weights.q**2
    return float((observed - expected) / (1 - expected)) if expected < 1 else -inf


def near(shares: dict[int, Fraction], weights: Weights) -> list[Fraction]:
    """Of each category the sum of its weights times these shares."""
    return [sum((row[other] * share for other, share in shares.items()), Fraction()) for row in weights.of]


def over(row: dict[int, int], values: Any) -> Fraction:
    """The sum of the values of an issue's labels."""
    return sum((chosen * values[place] for place, chosen in row.items()), Fraction())


def alike(row: dict[int, int], weights: Weights) -> Fraction:
    """The sum of weights over ordered pairs of labels of one issue."""
    pairs = sum(
        (a * b * weights.of[one][other] for one, a in row.items() for other, b in row.items()), Fraction()
    )
    return pairs - sum(row.values())


def linear(name: str, rows: Rows, weights: Weights) -> tuple[Fraction, list[tuple[int, Fraction]]]:
    """The coefficient, and what each issue adds to it, less the coefficient."""
    shares, q = mean_shares(rows), weights.q
    compared = Fraction(number_of(several(rows)))
    weighed = near(shares, weights)
    found = []
    for issues, row in rows:
        labels = sum(row.values())
        chance = Fraction()
        if name == "fleiss_kappa":
            chance = over(row, weighed) / labels
        elif name == "gwet_ac2":
            chance = weights.total / (q * (q - 1)) * (1 - over(row, shares) / labels)
        agreed = alike(row, weights) / (labels * (labels - 1)) if labels > 1 else None
        found.append((issues, agreed, chance))
    # The mean over issues of their chance is the chance of all.
    expected = sum((issues * chance for issues, _agreed, chance in found), Fraction()) / number_of(rows)
    observed = sum((issues * (agreed or 0) for issues, agreed, _chance in found), Fraction()) / compared
    value = (observed - expected) / (1 - expected)
    weight = number_of(rows) / compared
    terms = []
    for issues, agreed, chance in found:
        term = Fraction() if agreed is None else weight * (agreed - expected)
        terms.append((issues, (term - 2 * (1 - value) * (chance - expected)) / (1 - expected) - value))
    return value, terms


def alpha(rows: Rows, weights: Weights) -> tuple[Fraction, list[tuple[int, Fraction]]]:
    """Krippendorff's alpha of issues with two labels or more; its terms do not correct for few labels."""
    issues, chosen = number_of(rows), labels_of(rows)
    n = sum(chosen.values())
    mean, shares = Fraction(n, issues), {place: Fraction(times, n) for place, times in chosen.items()}
    weighed = near(shares, weights)
    expected = sum((share * weighed[one] for one, share in shares.items()), Fraction())
    of_rows = []
    for times, row in rows:
        labels = sum(row.values())
        excess = (labels - mean) / mean
        same = alike(row, weights) / (mean * (labels - 1))
        of_rows.append((times, same, excess, over(row, weighed) / mean - expected * excess))
    observed = sum((times * same for times, same, _excess, _chance in of_rows), Fraction()) / issues
    corrected = 1 - Fraction(n - 1, n) * (1 - observed)
    plain = (observed - expected) / (1 - expected)
    terms = [
        (
            times,
            (same - observed * excess - expected - 2 * (1 - plain) * (chance - expected)) / (1 - expected)
            - plain,
        )
        for times, same, excess, chance in of_rows
    ]
    return (corrected - expected) / (1 - expected), terms
