"""Computes every number of agreement.json anew, from the labels beside it, and says where one differs.

    pip install -r requirements.txt
    python recompute.py                    # agreement.json of this folder
    python recompute.py other-report.json  # another report of the same labels, at another level

It reads the agreement report of one level, as this folder and REST give it, and no frozen report of
reports/: these are of their own moment and of all levels. The exit status is 0 where all numbers agree, 1
where one does not, and 2 where the file is no such report. Formulas and their sources stand in
README.md. Nothing of the platform that wrote the package is used: pandas reads, statsmodels computes where it
has the coefficient, and what it does not have (unequal numbers of labels, standard errors) is written out.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats import inter_rater
from statsmodels.stats.proportion import proportion_confint

TOLERANCE = 1e-12
"""How far a number may be from the stored one, in parts of it, or of 1 where it is smaller.

Sums of thousands of numbers differ in their last digits by the order in which they are added; a single
label that is changed moves kappa by a million times as much.
"""
LEVELS = ["type", "theme", "sub-theme"]
NOT_HERE = {"withheld", "incomplete_issues", "labels_of_incomplete_issues", "surplus_labels"}
"""What counts labels that a package lacks while its round is open, or where some are held back."""
ELSEWHERE = "false_positives"
"""What another round of the study excluded is in no package of this one; nor are groups by round."""
FREQUENT = 7
"""So many categories are tested over time by themselves, the others as one."""
FEW = 30
"""Below so many issues labelled twice there is no interval."""
Number = float | int | None
NONE: dict[str, Number] = {"value": None, "se": None, "low": None, "high": None}


# --- what the files say


def read(path: Path) -> pd.DataFrame:
    """A CSV file as text. Cells that a spreadsheet would run begin with an apostrophe, which goes."""
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    inert = re.compile(r"'+[=+\-@\t\r]")
    return table.map(lambda cell: cell[1:] if inert.match(cell) else cell)


class Codebook:
    """The categories of taxonomy.csv."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.level = dict(zip(table["code"], table["level"].map(LEVELS.index), strict=True))
        by_code = (code.rpartition(".")[0] for code in table["code"])
        self.parent = dict(zip(table["code"], table.get("parent", by_code), strict=True))

    def at(self, level: int) -> list[str]:
        return [code for code, its in self.level.items() if its == level]

    def rolled_up(self, codes: pd.Series, level: int) -> pd.Series:
        """The place of each code's ancestor among the categories of a level; -1 for none."""
        places = {code: place for place, code in enumerate(self.at(level))}
        found = {}
        for code in self.level:
            ancestor = code
            while self.level.get(ancestor, -1) > level:
                ancestor = self.parent[ancestor]
            found[code] = places.get(ancestor, -1)
        return codes.map(found).fillna(-1).astype(int)


class Package:
    """Complete issues with their labels, at one level.

    `labels` has a row per issue and a column per volunteer: the place of a category, or -1 for no label.
    `groups` says of each issue its type, category, repository and month, None where it has none.
    """

    def __init__(self, folder: Path, level: int) -> None:
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        self.book, self.level = Codebook(read(folder / "taxonomy.csv")), level
        self.codes = self.book.at(level)
        self.every_issue = read(folder / "issues.csv").set_index("Issue_URL")
        self.every_label = read(folder / "labels_long.csv")
        self.twice = read(folder / "labels_twice.csv")
        self.issues = issues = self.every_issue[self.every_issue["Completed_at"] != ""]
        given = self.every_label[self.every_label["Surplus"] == ""]
        self.incomplete = given[~given["Issue_URL"].isin(issues.index)]
        self.given = given[given["Issue_URL"].isin(issues.index)].copy()
        self.given["place"] = self.book.rolled_up(self.given["Label"], level)
        wide = self.given.pivot_table(index="Issue_URL", columns="Volunteer", values="place", sort=False)
        self.labels = wide.reindex(issues.index).fillna(-1).astype(int)
        self.decided = self.book.rolled_up(issues["Final_Label"], level)
        types = self.book.rolled_up(issues["Final_Label"], 0)
        self.groups = pd.DataFrame(
            {
                "type": types.map(lambda place: self.book.at(0)[place] if place >= 0 else None),
                "category": self.decided.map(lambda place: self.codes[place] if place >= 0 else None),
                "repository": issues["Repository"],
                "month": issues["Completed_at"].str[:7],
            }
        )

    @property
    def is_crossed(self) -> bool:
        """Does every volunteer label every issue? If not, no two of them are compared."""
        return bool(self.manifest["allocation"] == "crossed")

    @property
    def is_whole(self) -> bool:
        """Are all labels of the round here?"""
        return self.manifest["closed_at"] is not None and not self.manifest["withheld_issues"]


# --- coefficients of a table of counts: a row per issue, a column per category


def counts(labels: np.ndarray, categories: int) -> np.ndarray:
    """How many labels of each category each issue has; issues without a label are left out."""
    table = np.stack([(labels == place).sum(axis=1) for place in range(categories)], axis=1)
    return table[table.sum(axis=1) > 0]


def by_chance(name: str, n: np.ndarray) -> float:
    """Agreement expected by chance."""
    shares = (n / n.sum(axis=1, keepdims=True)).mean(axis=0)
    return {
        "percent_agreement": lambda: 0.0,
        "fleiss_kappa": lambda: float((shares**2).sum()),
        "gwet_ac1": lambda: float((shares * (1 - shares)).sum() / (n.shape[1] - 1)),
        "brennan_prediger": lambda: 1 / n.shape[1],
    }[name]()


def is_defined(name: str, n: np.ndarray) -> bool:
    """Two issues with two labels at least; two categories in use, or in the codebook."""
    several = n.sum(axis=1) >= 2
    if name == "percent_agreement" or several.sum() < 2:
        return name == "percent_agreement" and bool(several.any())
    if name in {"gwet_ac1", "brennan_prediger"}:
        return n.shape[1] > 1
    used = n[several] if name == "krippendorff_alpha" else n
    return int((used.sum(axis=0) > 0).sum()) > 1


def value_of(name: str, n: np.ndarray) -> float:
    r = n.sum(axis=1)
    if name == "krippendorff_alpha":
        n, r = n[r >= 2], r[r >= 2]
        unlike = ((r**2 - (n**2).sum(axis=1)) / (r - 1)).sum()
        return float(1 - (r.sum() - 1) * unlike / (r.sum() ** 2 - (n.sum(axis=0) ** 2).sum()))
    if name in {"fleiss_kappa", "brennan_prediger"} and (r == r[0]).all():
        method = "fleiss" if name == "fleiss_kappa" else "randolph"
        return float(inter_rater.fleiss_kappa(n, method=method))
    expected = by_chance(name, n)
    return (observed(n) - expected) / (1 - expected)


def observed(n: np.ndarray) -> float:
    """Percent agreement: the mean share of pairs of labels of an issue that are the same."""
    pairs = n.sum(axis=1)[n.sum(axis=1) >= 2]
    same = (n * (n - 1)).sum(axis=1)[n.sum(axis=1) >= 2]
    return float((same / (pairs * (pairs - 1))).mean())


def coefficient(name: str, n: np.ndarray) -> dict[str, Number]:
    """A coefficient with Gwet's linearised standard error, and Student's t."""
    if not len(n) or not is_defined(name, n):
        return NONE
    value, compared = value_of(name, n), int((n.sum(axis=1) >= 2).sum())
    if compared < 2:
        return NONE | {"value": value}
    terms = _alpha_terms(n) if name == "krippendorff_alpha" else _terms(name, n, value)
    issues = len(terms)
    return _with_interval(value, float(np.sqrt((terms**2).sum() / (issues * (issues - 1)))), issues)


def _terms(name: str, n: np.ndarray, value: float) -> np.ndarray:
    """What each issue adds to the coefficient, less the coefficient."""
    r, expected = n.sum(axis=1), by_chance(name, n)
    shares = (n / r[:, None]).mean(axis=0)
    several = r >= 2
    agreeing = (n * (n - 1)).sum(axis=1) / np.maximum(r * (r - 1), 1)
    terms = several * (len(n) / several.sum()) * (agreeing - expected) / (1 - expected)
    if name in {"fleiss_kappa", "gwet_ac1"}:
        chance = (shares * n / r[:, None]).sum(axis=1)
        if name == "gwet_ac1":
            chance = (1 - chance) / (n.shape[1] - 1)
        terms = terms - 2 * (1 - value) * (chance - expected) / (1 - expected)
    return np.asarray(terms - value)


def _alpha_terms(n: np.ndarray) -> np.ndarray:
    """The same for Krippendorff's alpha, over the issues with two labels or more."""
    n = n[n.sum(axis=1) >= 2]
    r = n.sum(axis=1)
    mean = r.mean()
    shares = n.sum(axis=0) / r.sum()
    expected = (shares**2).sum()
    excess = (r - mean) / mean
    same = (n * (n - 1)).sum(axis=1) / (mean * (r - 1))
    plain = (same.mean() - expected) / (1 - expected)
    chance = (shares * n).sum(axis=1) / mean - expected * excess
    terms = (same - same.mean() * excess - expected) / (1 - expected)
    return np.asarray(terms - 2 * (1 - plain) * (chance - expected) / (1 - expected) - plain)


def _with_interval(value: float, se: float, issues: int) -> dict[str, Number]:
    half = float(stats.t.ppf(0.975, issues - 1)) * se
    return {"value": value, "se": se, "low": value - half, "high": min(1.0, value + half)}


def category_kappa(n: np.ndarray, place: int) -> Number:
    """Fleiss' kappa of one category against all others, over the issues with two labels or more.

    Of a rare category p_e is all but 1: (p_a - p_e) / (1 - p_e) would lose the digits that this form keeps.
    """
    n = n[n.sum(axis=1) >= 2]
    r, chosen = n.sum(axis=1), n[:, place]
    if len(n) < 2 or chosen.sum() in {0, r.sum()}:
        return None
    p = (chosen / r).mean()
    return float(1 - (chosen * (r - chosen) / (r * (r - 1))).mean() / (p * (1 - p)))


# --- two by two


def pair(first: np.ndarray, second: np.ndarray, categories: int) -> tuple[int, Number, Number]:
    """The issues that both labelled, their percent agreement, and Cohen's kappa."""
    table = square(first, second, categories)
    issues = int(table.sum())
    if not issues:
        return 0, None, None
    agreement = float(np.trace(table) / issues)
    # Where both chose one and the same category throughout, kappa is 0/0.
    if issues == 1 or table.max() == issues == np.trace(table):
        return issues, agreement, None
    return issues, agreement, float(inter_rater.cohens_kappa(table, return_results=False))


def square(first: np.ndarray, second: np.ndarray, categories: int) -> np.ndarray:
    """How many issues by first and second category; those without one of them are left out."""
    both = (first >= 0) & (second >= 0)
    cells = np.bincount(first[both] * categories + second[both], minlength=categories**2)
    return np.asarray(cells.reshape(categories, categories))


def mean_kappa(kappas: list[Number]) -> dict[str, Number]:
    known = [kappa for kappa in kappas if kappa is not None]
    return NONE | {"value": float(np.mean(known))} if known else NONE


# --- the report


def report(package: Package, stored: dict[str, Any]) -> dict[str, Any]:
    """The report in the form of `stored`, which says no more than which groupings are asked for."""
    asked = (tuple(group["group"]) for group in stored["groups"] if "round" not in group["group"])
    groupings = dict.fromkeys(asked)
    groups: list[dict[str, Any]] = []
    for names in groupings:
        groups += [{"group": {}, **whole(package)}] if not names else grouped(package, list(names))
    return {
        "withheld": 0,
        "groups": groups,
        "issues": composition(package, [line["repository"] for line in stored["issues"]]),
        "distribution": distribution(package),
        "over_time": over_time(package),
        "splits": splits(package),
        "volunteers": volunteers(package) if package.is_crossed else [],
        "intra_rater": intra_rater(package),
    }


def whole(package: Package) -> dict[str, Any]:
    """All complete issues, and what of the round is left out."""
    given = package.given
    left_out = {
        "incomplete_issues": int((package.every_issue["Completed_at"] == "").sum()),
        "labels_of_incomplete_issues": len(package.incomplete),
        "surplus_labels": int((package.every_label["Surplus"] != "").sum()),
        "open_labels": int(((given["Label"] == "") & (given["Open"] != "")).sum()),
    }
    return agreement(package, package.labels.index, left_out)


def grouped(package: Package, names: list[str]) -> Iterator[dict[str, Any]]:
    """The groups of a grouping that have an issue. Issues that may come to be in one are left out of it."""
    for values, rows in package.groups.groupby(names):
        key = dict(zip(names, values, strict=True))
        possible = pd.Series(True, index=package.groups.index)
        for name, value in key.items():
            possible &= package.groups[name].isna() | (package.groups[name] == value)
        left_out = {"undecided_issues": int(possible.sum()) - len(rows)}
        yield {"group": key, **agreement(package, rows.index, left_out)}


def agreement(package: Package, issues: pd.Index, left_out: dict[str, int]) -> dict[str, Any]:
    """Every number of one group of issues."""
    labels, codes = package.labels.loc[issues].to_numpy(), package.codes
    given = package.given[package.given["Issue_URL"].isin(issues)]
    left_out["labels_above_the_level"] = int(((given["Label"] != "") & (given["place"] < 0)).sum())
    n = counts(labels, len(codes))
    names = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
    found = {name: coefficient(name, n) for name in names}
    light = NONE
    if package.is_crossed and found["fleiss_kappa"]["value"] is not None:
        used = np.flatnonzero((labels >= 0).any(axis=0))
        two = [pair(labels[:, one], labels[:, other], len(codes)) for one, other in combinations(used, 2)]
        light = mean_kappa([kappa for _issues, _agreement, kappa in two])
    raters = (labels >= 0).any(axis=0).sum() if package.is_crossed else package.given["Volunteer"].nunique()
    return {
        "issues": len(n),
        "raters": int(raters),
        "labels": int(n.sum()),
        "left_out": {reason: count for reason, count in left_out.items() if count},
        "coefficients": found | {"light_kappa": light},
        "categories": [
            {"code": code, "labels": int(n[:, place].sum()), "kappa": category_kappa(n, place)}
            for place, code in enumerate(codes)
        ],
    }


def composition(package: Package, repositories: list[str]) -> list[dict[str, Any]]:
    """The complete issues of each repository by year and decided type; `repositories` need not have any."""
    issues, types = package.issues, package.groups["type"]
    years = issues["Year"].replace("", "unknown")
    lines = []
    for path in dict.fromkeys([*repositories, *issues["Repository"]]):
        rows = issues["Repository"].eq(path) | (path == "all")
        lines.append(
            {
                "repository": path,
                "issues": int(rows.sum()),
                "years": {year: int((years[rows] == year).sum()) for year in years.unique()},
                "types": {code: int((types[rows] == code).sum()) for code in types.dropna().unique()},
                "undecided": int(types[rows].isna().sum()),
                ELSEWHERE: None,
            }
        )
    return lines


def distribution(package: Package) -> list[dict[str, Any]]:
    """How many of the issues decided at a level, type or theme, were decided as each of its categories."""
    found = []
    for level in (0, 1):
        places = package.book.rolled_up(package.issues["Final_Label"], level)
        base = int((places >= 0).sum())
        for place, code in enumerate(package.book.at(level)):
            if count := int((places == place).sum()):
                found.append({"code": code, "issues": count, "base": base, "share": count / base})
    return found


def over_time(package: Package) -> dict[str, Any]:
    """Labels and decisions by the month of the last label; whether the decisions changed, by chi-square."""
    months, q = package.groups["month"], len(package.codes)
    names = sorted(months.unique())
    labels, decided = (
        np.array([_tally(places[(months == name).to_numpy()], q) for name in names]).reshape(-1, q)
        for places in (package.labels.to_numpy(), package.decided.to_numpy())
    )
    totals = labels.sum(axis=0)
    used = [place for place in range(q) if totals[place]]
    frequent = sorted(used, key=lambda place: (-totals[place], place))[:FREQUENT]
    rest = np.delete(decided, frequent, axis=1).sum(axis=1)
    return {
        "months": [
            {
                "month": name,
                "issues": int((months == name).sum()),
                "labels": int(labels[at].sum()),
                "categories": {
                    package.codes[place]: {
                        "labels": int(labels[at, place]),
                        "decided": int(decided[at, place]),
                    }
                    for place in used
                },
            }
            for at, name in enumerate(names)
        ],
        "change": change(np.column_stack([decided[:, frequent], rest])),
    }


def _tally(places: np.ndarray, q: int) -> np.ndarray:
    return np.bincount(places[places >= 0], minlength=q)


def change(table: np.ndarray) -> dict[str, Number]:
    """Pearson's chi-square test of issues by month and decision, and Cramer's V."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    (months, categories), n = table.shape, int(table.sum())
    base: dict[str, Number] = {"decided_issues": n, "months": months, "categories": categories}
    if min(months, categories) < 2:
        return base | dict.fromkeys(("chi2", "df", "p", "cramers_v", "smallest_expected"))
    found = stats.chi2_contingency(table, correction=False)
    return base | {
        "chi2": float(found.statistic),
        "df": int(found.dof),
        "p": float(found.pvalue),
        "cramers_v": float(np.sqrt(found.statistic / (n * (min(months, categories) - 1)))),
        "smallest_expected": float(found.expected_freq.min()),
    }


def splits(package: Package) -> list[dict[str, Any]]:
    """How many issues with two labels or more have which sizes of groups of equal labels."""
    n = counts(package.labels.to_numpy(), len(package.codes))
    n = n[n.sum(axis=1) >= 2]
    found = Counter(tuple(sorted((int(size) for size in row if size), reverse=True)) for row in n)
    return [
        {"sizes": list(sizes), "issues": issues, "share": issues / len(n)} for sizes, issues in found.items()
    ]


def volunteers(package: Package) -> list[dict[str, Any]]:
    """Each volunteer beside the others, beside the decision, and left out."""
    labels, categories = package.labels.to_numpy(), len(package.codes)
    decided = package.decided.to_numpy()
    everybody = coefficient("fleiss_kappa", counts(labels, categories))["value"]
    found = []
    for column, name in enumerate(package.labels.columns):
        own = labels[:, column]
        if not (own >= 0).any():
            continue
        others = np.delete(labels, column, axis=1)
        present = (others >= 0).sum(axis=1)
        beside = (own >= 0) & (present > 0)
        kappas = [pair(own, other, categories)[2] for other in others.T]
        issues, same, kappa = pair(own, decided, categories)
        without = coefficient("fleiss_kappa", counts(others, categories))
        highest = others.max(axis=1, initial=-1)
        agreed = (own >= 0) & (present >= 2) & ((others == highest[:, None]).sum(axis=1) == present)
        found.append(
            {
                "volunteer": name,
                "labels": int((own >= 0).sum()),
                "compared": int(beside.sum()),
                "agreement": mean((others == own[:, None]).sum(axis=1)[beside] / present[beside]),
                "mean_kappa": mean_kappa(kappas),
                "decision": {"issues": issues, "percent_agreement": same, "cohen_kappa": kappa},
                "without": without,
                "effect": None
                if without["value"] is None or everybody is None
                else without["value"] - everybody,
                "alone": int((agreed & (own != highest)).sum()),
                "others_agree": int(agreed.sum()),
            }
        )
    return found


def mean(shares: np.ndarray) -> dict[str, Number]:
    if len(shares) < 2:
        return NONE | ({"value": float(shares.mean())} if len(shares) else {})
    return _with_interval(float(shares.mean()), float(shares.std(ddof=1) / np.sqrt(len(shares))), len(shares))


def intra_rater(package: Package) -> dict[str, Any] | None:
    """The issues that came to a volunteer twice: first label against second; by volunteer, and pooled."""
    twice = package.twice
    if twice.empty:
        return None
    first, second = (
        package.book.rolled_up(twice[name], package.level) for name in ("First_Label", "Second_Label")
    )
    is_open = (twice["First_Open"] != "") | (twice["Second_Open"] != "")
    above = ~is_open & ((first < 0) | (second < 0))
    left_out = {"open_labels": int(is_open.sum()), "labels_above_the_level": int(above.sum())}

    def of(rows: pd.Series) -> dict[str, Any]:
        return self_agreement(square(first[rows].to_numpy(), second[rows].to_numpy(), len(package.codes)))

    return {
        "pooled": of(twice["Volunteer"].notna()),
        "volunteers": [
            {"volunteer": name, **of(twice["Volunteer"] == name)} for name in twice["Volunteer"].unique()
        ],
        "left_out": {reason: count for reason, count in left_out.items() if count},
    }


def self_agreement(table: np.ndarray) -> dict[str, Any]:
    """The share of equal labels with Wilson's interval, and Cohen's kappa with its large-sample error."""
    issues, same = int(table.sum()), int(np.trace(table))
    if not issues:
        return {"issues": 0, "percent_agreement": NONE, "cohen_kappa": NONE}
    share = same / issues
    low, high = proportion_confint(same, issues, method="wilson")
    agreement: dict[str, Number] = {
        "value": share,
        "se": float(np.sqrt(share * (1 - share) / issues)),
        "low": low,
        "high": high,
    }
    kappa = NONE
    if issues > 1 and not table.max() == issues == same:
        if issues < FEW:
            kappa = NONE | {"value": float(inter_rater.cohens_kappa(table, return_results=False))}
        else:
            with np.errstate(invalid="ignore"):
                found = inter_rater.cohens_kappa(table)
            # The variance of a perfect agreement is 0, and may come out a little below.
            kappa = _with_interval(float(found.kappa), float(np.nan_to_num(found.std_kappa)), issues)
    return {"issues": issues, "percent_agreement": agreement, "cohen_kappa": kappa}


# --- the comparison


NAMES = {
    "study",
    "round",
    "level",
    "as_of",
    "group",
    "code",
    "volunteer",
    "repository",
    "sizes",
    "month",
    "reason",
    "models",  # The labels of models are not in the package: they are in no other number.
}


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Each number with its path; and of each place where one may be undefined, whether there is a reason."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key not in NAMES:
                yield from leaves(value, f"{path} {key}".strip())
        if "reason" in part:
            yield f"{path} has a reason", part["reason"] is not None
    elif isinstance(part, list):
        for item in part:
            yield from leaves(item, f"{path} [{_name(item)}]")
    else:
        yield path, part


def _name(item: dict[str, Any]) -> str:
    for key in ("code", "volunteer", "repository", "month"):
        if key in item:
            return str(item[key])
    if "sizes" in item:
        return ":".join(map(str, item["sizes"]))
    return ", ".join(f"{name} {value}" for name, value in item["group"].items()) or "all"


def with_reasons(part: Any) -> Any:
    """The recomputed report with a reason wherever a number is undefined, as the stored one has them."""
    if isinstance(part, list):
        return [with_reasons(item) for item in part]
    if not isinstance(part, dict):
        return part
    made = {key: with_reasons(value) for key, value in part.items()}
    if {"se", "kappa", "cohen_kappa", "chi2"} & {
        key for key, value in part.items() if not isinstance(value, dict)
    }:
        made["reason"] = "undefined" if None in part.values() else None
    return made


def differs(stored: Any, found: Any) -> float | None:
    """How far apart two numbers are, as a share of the stored one or of 1; None: one alone is undefined."""
    if stored is None or found is None or isinstance(stored, bool) or isinstance(found, bool):
        return 0.0 if stored is found else None
    return abs(stored - found) / max(1.0, abs(stored))


def main(arguments: list[str]) -> int:
    folder = Path(__file__).resolve().parent
    stored = json.loads(Path(arguments[0] if arguments else folder / "agreement.json").read_text("utf-8"))
    if stored.get("level") not in LEVELS:
        print(
            f"{arguments[0] if arguments else 'agreement.json'} is no agreement report of one level:"
            " frozen reports (reports/) are of their own moment and of all levels.",
            file=sys.stderr,
        )
        return 2
    package = Package(folder, LEVELS.index(stored["level"]))
    before, after = dict(leaves(stored)), dict(leaves(with_reasons(report(package, stored))))
    wrong = alike = skipped = 0
    print(f"{'':58} {'stored':>24} {'recomputed':>24} {'difference':>10}")
    for path in dict.fromkeys([*before, *after]):
        name = path.rpartition(" ")[2]
        is_elsewhere = name == ELSEWHERE and before.get(path) is not None
        is_elsewhere = is_elsewhere or path.startswith("groups [round ")
        if is_elsewhere or (name in NOT_HERE and not package.is_whole):
            print(f"{path:58} {before.get(path)!s:>24} {'not in this package':>24}")
            skipped += 1
            continue
        one, other = before.get(path, "missing"), after.get(path, "missing")
        apart = None if "missing" in (one, other) else differs(one, other)
        is_wrong = apart is None or apart > TOLERANCE
        said = "?" if apart is None else f"{apart:.1e}" if apart else "0"
        print(f"{path:58} {one!s:>24} {other!s:>24} {said:>10}{'  DIFFERS' if is_wrong else ''}")
        wrong += is_wrong
        alike += one == other
    numbers = len({*before, *after}) - skipped
    near = numbers - alike - wrong
    print(f"\n{numbers} numbers: {alike} equal to the last digit, {near} within {TOLERANCE}, {wrong} differ.")
    print(f"{skipped} more count what is not in this package.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
