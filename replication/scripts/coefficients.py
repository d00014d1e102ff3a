"""The coefficients, by their definitions in README.md.

Labels are counted in whole numbers, so a coefficient and its squared error are fractions. They are computed
as such, and rounded once: so they do not depend on the order in which issues are added up, and two who follow
the definition get the same digits. What statsmodels and SciPy have too is computed by them as well, and
confirmed in other_libraries.py.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import fsum, inf, sqrt
from typing import Any

import numpy as np
from other_libraries import confirm, kappa_rounding, steps_of, within
from scipy import stats
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

FEW = 30
"""Below so many issues labelled twice there is no interval."""
FEWEST = 10
"""Below so many issues with two labels there is no interval."""
ENOUGH, ENOUGH_DIFFERENT, ENOUGH_RARER, ONE_LABEL_SHARE = 80, 20, 40, 0.1
"""The bounds of an interval without a doubt, see README.md."""
Number = float | int | None
NONE: dict[str, Number] = {"value": None, "se": None, "low": None, "high": None, "doubt": None}
Rows = list[tuple[int, dict[int, int]]]
"""So many issues have these labels: how many of each category, of those that occur."""


# --- all volunteers together


def rows_of(labels: np.ndarray) -> Rows:
    """Of labels (an issue per row, -1 for none): the distinct ones, whoever gave them, with their issues."""
    found = Counter(map(tuple, np.sort(labels, axis=1).tolist()))
    counted = ((issues, Counter(place for place in row if place >= 0)) for row, issues in found.items())
    return [(issues, dict(row)) for issues, row in counted if row]


def several(rows: Rows) -> Rows:
    """The issues with two labels or more."""
    return [(issues, row) for issues, row in rows if sum(row.values()) >= 2]


def number_of(rows: Rows) -> int:
    return sum(issues for issues, _row in rows)


def labels_of(rows: Rows) -> Counter[int]:
    """How many labels of each category."""
    found: Counter[int] = Counter()
    for issues, row in rows:
        for place, labels in row.items():
            found[place] += issues * labels
    return found


def mean_shares(rows: Rows) -> dict[int, Fraction]:
    """p_k, the mean over issues of n_ik / r_i."""
    found: dict[int, Fraction] = {}
    for issues, row in rows:
        labels = sum(row.values())
        for place, chosen in row.items():
            found[place] = found.get(place, Fraction()) + Fraction(issues * chosen, labels)
    return {place: share / number_of(rows) for place, share in found.items()}


def agreeing(row: dict[int, int]) -> Fraction:
    """p_a,i, the share of pairs of labels of an issue that are the same; 0 where it has one."""
    labels = sum(row.values())
    same = sum(chosen * (chosen - 1) for chosen in row.values())
    return Fraction(same, max(1, labels * (labels - 1)))


def by_chance(name: str, rows: Rows, categories: int) -> Fraction:
    """p_e, agreement expected by chance."""
    if name == "percent_agreement":
        return Fraction()
    if name == "brennan_prediger":
        return Fraction(1, categories)
    shares = mean_shares(rows).values()
    if name == "gwet_ac1":
        return sum(share * (1 - share) for share in shares) / Fraction(categories - 1)
    return sum((share**2 for share in shares), Fraction())


def is_defined(name: str, rows: Rows, categories: int) -> bool:
    """Two issues with two labels at least; two categories in use, or in the codebook."""
    compared = several(rows)
    if name == "percent_agreement" or number_of(compared) < 2:
        return name == "percent_agreement" and bool(compared)
    if name in {"gwet_ac1", "brennan_prediger"}:
        return categories > 1
    return len(labels_of(compared if name == "krippendorff_alpha" else rows)) > 1


def coefficient(name: str, rows: Rows, categories: int) -> dict[str, Number]:
    """A coefficient with Gwet's linearised standard error, and Student's t."""
    if not is_defined(name, rows, categories):
        return NONE
    compared, value = several(rows), value_of(name, rows, categories)
    if name == "krippendorff_alpha":
        terms = alpha_terms(compared)
    else:
        terms = linear_terms(name, rows, categories, value)
        _confirm(name, rows, categories, value, by_chance(name, rows, categories))
    if number_of(compared) < 2:
        return NONE | {"value": float(value)}
    issues = sum(times for times, _term in terms)
    squares = sum(times * term**2 for times, term in terms)
    variance = squares / Fraction(issues * (issues - 1))
    return with_doubt(name, rows, value, variance, issues, lowest(name, rows, categories))


def with_doubt(
    name: str, rows: Rows, value: Fraction, variance: Fraction, issues: int, least: float
) -> dict[str, Number]:
    """`with_interval`, with a doubt where it may not hold; none for few issues."""
    if number_of(several(rows)) < FEWEST:
        return NONE | {"value": float(value), "se": sqrt(variance) or None}
    found = with_interval(value, variance, issues, least)
    return found | {"doubt": doubt(name, rows) if variance else None}


def doubt(name: str, rows: Rows) -> bool:
    """Does the interval hold the true value in fewer than 93 of 100 samples, or in more than 97?"""
    compared, chosen = several(rows), labels_of(rows)
    most = min(chosen, key=lambda place: (-chosen[place], place))
    different = number_of([one for one in compared if len(one[1]) > 1])
    equal = number_of([one for one in compared if max(one[1].values()) > 1])
    rarer = number_of([one for one in compared if set(one[1]) != {most}])
    issues = number_of(compared) if name == "krippendorff_alpha" else number_of(rows)
    by_shares = name in {"fleiss_kappa", "krippendorff_alpha"}
    return is_doubtful(issues, number_of(compared), different, equal) or (by_shares and rarer < ENOUGH_RARER)


def is_doubtful(issues: int, compared: int, different: int, equal: int) -> bool:
    """Few issues are compared, few of these have different labels or equal ones, or many have one label."""
    few = compared < ENOUGH or min(different, equal) < ENOUGH_DIFFERENT
    return few or issues - compared >= ONE_LABEL_SHARE * issues


def value_of(name: str, rows: Rows, categories: int) -> Fraction:
    """The coefficient alone, where `is_defined`."""
    compared = several(rows)
    if name == "krippendorff_alpha":
        return alpha(compared)
    expected = by_chance(name, rows, categories)
    observed = sum(issues * agreeing(row) for issues, row in compared) / Fraction(number_of(compared))
    return (observed - expected) / (1 - expected)


def lowest(name: str, rows: Rows, categories: int) -> float:
    """The lowest value that the coefficient can have with so many labels on each issue."""
    sizes = {sum(row.values()) for _issues, row in rows}
    fewest = min(size for size in sizes if size >= 2)
    if name == "percent_agreement":
        return 0.0
    if name in {"gwet_ac1", "brennan_prediger"}:
        return -1 / (max(categories, fewest) - 1)
    if name == "fleiss_kappa" and 1 in sizes:
        return -inf
    return -1 / (fewest - 1)


def linear_terms(name: str, rows: Rows, categories: int, value: Fraction) -> list[tuple[int, Fraction]]:
    """What each issue adds to the coefficient, less the coefficient."""
    expected, shares = by_chance(name, rows, categories), mean_shares(rows)
    # Issues with one label weigh nothing in p_a: the rest stand for all of them.
    weight = Fraction(number_of(rows), number_of(several(rows)))
    terms = []
    for issues, row in rows:
        labels = sum(row.values())
        term = weight * (agreeing(row) - expected) if labels >= 2 else Fraction()
        if name in {"fleiss_kappa", "gwet_ac1"}:
            chance = sum(shares[place] * chosen for place, chosen in row.items()) / Fraction(labels)
            if name == "gwet_ac1":
                chance = (1 - chance) / (categories - 1)
            term -= 2 * (1 - value) * (chance - expected)
        terms.append((issues, term / (1 - expected) - value))
    return terms


def alpha(rows: Rows) -> Fraction:
    """Krippendorff's alpha of issues with two labels or more."""
    chosen = labels_of(rows).values()
    n, unlike = sum(chosen), Fraction()
    for issues, row in rows:
        labels = sum(row.values())
        unlike += Fraction(issues * (labels**2 - sum(times**2 for times in row.values())), labels - 1)
    return 1 - (n - 1) * unlike / (n**2 - sum(times**2 for times in chosen))


def alpha_terms(rows: Rows) -> list[tuple[int, Fraction]]:
    """The same as `linear_terms` for Krippendorff's alpha, without its correction for few labels."""
    chosen, issues = labels_of(rows), number_of(rows)
    n = sum(chosen.values())
    mean, shares = Fraction(n, issues), {place: Fraction(times, n) for place, times in chosen.items()}
    expected = sum(share**2 for share in shares.values())
    of_rows = []
    for times, row in rows:
        labels = sum(row.values())
        excess = (labels - mean) / mean
        same = sum(number * (number - 1) for number in row.values()) / (mean * (labels - 1))
        chance = sum(shares[place] * number for place, number in row.items()) / mean - expected * excess
        of_rows.append((times, same, excess, chance))
    observed = sum(times * same for times, same, _excess, _chance in of_rows) / Fraction(issues)
    plain = (observed - expected) / (1 - expected)
    return [
        (
            times,
            (same - observed * excess - expected - 2 * (1 - plain) * (chance - expected)) / (1 - expected)
            - plain,
        )
        for times, same, excess, chance in of_rows
    ]


def _confirm(name: str, rows: Rows, categories: int, value: Fraction, expected: Fraction) -> None:
    """statsmodels has Fleiss' kappa, and Randolph's, for equal numbers of labels."""
    method = {"fleiss_kappa": "fleiss", "brennan_prediger": "randolph"}.get(name)
    if method is None or len({sum(row.values()) for _issues, row in rows}) > 1:
        return
    # Not every category of the tree could be chosen, so a place may be beyond the columns.
    columns = {place: column for column, place in enumerate(sorted(labels_of(rows)))}
    table = np.zeros((len(rows), categories), dtype=np.int64)
    for line, (_issues, row) in zip(table, rows, strict=True):
        line[[columns[place] for place in row]] = list(row.values())
    table = np.repeat(table, [issues for issues, _row in rows], axis=0)
    theirs = float(inter_rater.fleiss_kappa(table, method=method))
    rounding = kappa_rounding(value, expected, len(table), categories)
    with within(name):
        confirm("statsmodels fleiss_kappa", value, theirs, rounding)


def with_interval(value: Fraction, variance: Fraction, issues: int, least: float) -> dict[str, Number]:
    """Student's t with N - 1 degrees of freedom; at least the lowest possible value, and at most 1. No
    interval where no issue varies.
    """
    estimate, se = float(value), sqrt(variance)
    if not variance:
        return NONE | {"value": estimate}
    half = float(stats.t.ppf(0.975, issues - 1)) * se
    return NONE | {
        "value": estimate,
        "se": se,
        "low": max(least, estimate - half),
        "high": min(1.0, estimate + half),
    }


# --- two by two


def square(first: np.ndarray, second: np.ndarray, categories: int) -> np.ndarray:
    """How many issues by first and second category; those without one of them are left out."""
    both = (first >= 0) & (second >= 0)
    cells = np.bincount(first[both] * categories + second[both], minlength=categories**2)
    return np.asarray(cells.reshape(categories, categories))


def cohen(table: np.ndarray) -> Fraction | None:
    """Cohen's kappa; None without issues, and where both chose one and the same category throughout."""
    issues, same = int(table.sum()), int(np.trace(table))
    expected = sum(a * b for a, b in zip(table.sum(axis=1).tolist(), table.sum(axis=0).tolist(), strict=True))
    if expected == issues**2:
        return None
    kappa = Fraction(issues * same - expected, issues**2 - expected)
    theirs = float(inter_rater.cohens_kappa(table, return_results=False))
    rounding = kappa_rounding(kappa, Fraction(expected, issues**2), issues, len(table))
    confirm("statsmodels cohens_kappa", kappa, theirs, rounding)
    return kappa


def pair(first: np.ndarray, second: np.ndarray, categories: int) -> tuple[int, Number, Number]:
    """The issues that both labelled, their percent agreement, and Cohen's kappa."""
    table = square(first, second, categories)
    issues, kappa = int(table.sum()), cohen(table)
    return issues, int(np.trace(table)) / issues if issues else None, None if kappa is None else float(kappa)


def mean_kappa(found: Iterable[tuple[int, Number, Number]]) -> dict[str, Number]:
    """Of so many pairs: none where one of them has no kappa."""
    kappas = [kappa for _issues, _same, kappa in found]
    if not kappas or None in kappas:
        return NONE
    return NONE | {"value": fsum(kappa for kappa in kappas if kappa is not None) / len(kappas)}


def mean_share(same: np.ndarray, of: np.ndarray) -> dict[str, Number]:
    """The mean over issues of so many of so many, with the error of a mean."""
    cells = [
        (Fraction(part, whole), issues)
        for (part, whole), issues in Counter(zip(same.tolist(), of.tolist(), strict=True)).items()
    ]
    issues = len(same)
    if not issues:
        return NONE
    mean = sum(share * times for share, times in cells) / Fraction(issues)
    if issues < 2:
        return NONE | {"value": float(mean)}
    variance = sum((share - mean) ** 2 * times for share, times in cells) / Fraction(issues * (issues - 1))
    if issues < FEWEST:
        return NONE | {"value": float(mean), "se": sqrt(variance) or None}
    different, equal = int((same < of).sum()), int((same > 0).sum())
    doubtful = is_doubtful(issues, issues, different, equal)
    return with_interval(mean, variance, issues, 0.0) | {"doubt": doubtful if variance else None}


def self_agreement(table: np.ndarray) -> dict[str, Any]:
    """The share of equal labels with Wilson's interval, and Cohen's kappa with its large-sample error."""
    issues, same = int(table.sum()), int(np.trace(table))
    if not issues:
        return {"issues": 0, "percent_agreement": NONE, "cohen_kappa": NONE}
    share, z = same / issues, float(stats.norm.ppf(0.975))
    middle = (share + z * z / (2 * issues)) / (1 + z * z / issues)
    half = z / (1 + z * z / issues) * sqrt(share * (1 - share) / issues + z * z / (4 * issues * issues))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    for ours, theirs in zip((low, high), proportion_confint(same, issues, method="wilson"), strict=True):
        confirm("statsmodels proportion_confint", ours, float(theirs))
    return {
        "issues": issues,
        "percent_agreement": {
            "value": share,
            "se": sqrt(share * (1 - share) / issues),
            "low": low,
            "high": high,
            "doubt": None,
        },
        "cohen_kappa": _kappa_with_its_own(table),
    }


def _kappa_with_its_own(table: np.ndarray) -> dict[str, Number]:
    """Cohen's kappa with the error of Fleiss, Cohen and Everitt (1969), from thirty issues on."""
    issues, kappa = int(table.sum()), cohen(table)
    if kappa is None:
        return NONE
    if issues < FEW:
        return NONE | {"value": float(kappa)}
    p = {(i, j): Fraction(int(table[i, j]), issues) for i, j in np.argwhere(table).tolist()}
    first, second = (
        [Fraction(number, issues) for number in table.sum(axis=axis).tolist()] for axis in (1, 0)
    )
    expected = sum(a * b for a, b in zip(first, second, strict=True))
    on = sum(share * (1 - (first[i] + second[i]) * (1 - kappa)) ** 2 for (i, j), share in p.items() if i == j)
    off = sum(share * (second[i] + first[j]) ** 2 for (i, j), share in p.items() if i != j)
    chance = (kappa - expected * (1 - kappa)) ** 2
    scale = issues * (1 - expected) ** 2
    variance = (on + (1 - kappa) ** 2 * off - chance) / scale
    with np.errstate(invalid="ignore"):
        theirs = inter_rater.cohens_kappa(table).std_kappa
    # Theirs may come out as the root of a little less than 0, where it is 0.
    theirs = float(np.nan_to_num(theirs)) ** 2
    # A difference of squares of 1 + 2(1 - kappa) at most; kappa, rounded too, adds as much a few times.
    size = 4 * (1 + 2 * (1 - kappa)) ** 2
    rounding = float(steps_of(issues, len(table)) * size / scale)
    confirm("statsmodels cohens_kappa, error squared", variance, theirs, rounding)
    same, most = int(np.trace(table)), int((table.sum(axis=0) + table.sum(axis=1)).argmax())
    doubtful = is_doubtful(issues, issues, issues - same, same) or issues - table[most, most] < ENOUGH_RARER
    return with_interval(kappa, variance, issues, -1.0) | {"doubt": bool(doubtful) if variance else None}


# --- over time


def change(table: np.ndarray) -> dict[str, Number]:
    """Pearson's chi-square test of issues by month and decision, and Cramer's V."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    (months, categories), n = table.shape, int(table.sum())
    base: dict[str, Number] = {"decided_issues": n, "months": months, "categories": categories}
    if min(months, categories) < 2:
        return base | dict.fromkeys(("chi2", "df", "p", "cramers_v", "smallest_expected"))
    rows, columns = table.sum(axis=1).tolist(), table.sum(axis=0).tolist()
    exact = Fraction()
    for line, row in zip(table.tolist(), rows, strict=True):
        for number, column in zip(line, columns, strict=True):
            expected = Fraction(row * column, n)
            exact += (number - expected) ** 2 / expected
    confirm("scipy chi2_contingency", exact, float(stats.chi2_contingency(table, correction=False).statistic))
    chi2, df = float(exact), (months - 1) * (categories - 1)
    return base | {
        "chi2": chi2,
        "df": df,
        "p": float(stats.chi2.sf(chi2, df)),
        "cramers_v": sqrt(chi2 / (n * min(months - 1, categories - 1))),
        "smallest_expected": min(rows) * min(columns) / n,
    }
