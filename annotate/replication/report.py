"""The agreement report of a round, from its replication package: what is counted, and among what.

The files are read in package.py, and the coefficients computed in coefficients.py.
"""

from collections import Counter
from collections.abc import Iterator
from copy import copy
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from coefficients import (
    NONE,
    Number,
    category_kappa,
    change,
    coefficient,
    mean_kappa,
    mean_share,
    pair,
    rows_of,
    self_agreement,
    square,
)
from package import Package, read

NAMES = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
FREQUENT = 7
"""So many categories are tested over time by themselves, the others as one."""
TENTHS = 10
NOT_HERE = "not in this package"
"""In the place of a number that counts what the package lacks: labels of incomplete issues while the round is
open, and what is held back from who made it.
"""


def report(package: Package, stored: dict[str, Any]) -> dict[str, Any]:
    """The report in the form of `stored`, which says no more than which parts and groupings are asked for."""
    groups: list[dict[str, Any]] = []
    for names in dict.fromkeys(tuple(group["group"]) for group in stored["groups"]):
        if names == ("round",):
            groups += rounds(package)
        else:
            groups += grouped(package, list(names)) if names else [{"group": {}, **whole(package)}]
    found: dict[str, Any] = {"withheld": 0 if package.is_whole else NOT_HERE, "groups": groups}
    if "issues" in stored:
        found["issues"] = composition(package, [line["repository"] for line in stored["issues"]])
    parts = (
        distribution, over_time, splits, pairs, confusion, against_decision, volunteers, models, intra_rater,
        consensus, dissents,
    )  # fmt: skip
    found |= {part.__name__: part(package) for part in parts if part.__name__ in stored}
    return {part: content for part, content in found.items() if part in stored}


def whole(package: Package) -> dict[str, Any]:
    """All complete issues, and what of the round is left out."""
    given = package.given
    left_out = {
        "incomplete_issues": int((package.every_issue["Completed_at"] == "").sum()),
        "labels_of_incomplete_issues": len(package.incomplete),
        "surplus_labels": int((package.every_label["Surplus"] != "").sum()),
    }
    unknown: dict[str, Any] = left_out if package.is_whole else dict.fromkeys(left_out, NOT_HERE)
    open_labels = {"open_labels": int((given["Label"] == "").sum())}
    return agreement(package, package.labels.index, unknown | open_labels)


def grouped(package: Package, names: list[str]) -> Iterator[dict[str, Any]]:
    """The groups of a grouping that have an issue. Issues that may come to be in one are left out of it."""
    for values, rows in package.groups.groupby(names):
        key = dict(zip(names, values, strict=True))
        possible = pd.Series(True, index=package.groups.index)
        for name, value in key.items():
            possible &= package.groups[name].isna() | (package.groups[name] == value)
        left_out = {"undecided_issues": int(possible.sum()) - len(rows)}
        yield {"group": key, **agreement(package, rows.index, left_out)}


def rounds(package: Package) -> Iterator[dict[str, Any]]:
    """This round beside the others of the study, each in a folder of its own below rounds/."""
    folders = sorted(path.parent for path in package.folder.glob("rounds/*/manifest.json"))
    for one in (package, *(Package(folder, package.level) for folder in folders)):
        withheld = 0 if one.is_whole else NOT_HERE
        yield {"group": {"round": one.manifest["round"]}, "withheld": withheld, **whole(one)}


def agreement(package: Package, issues: pd.Index, left_out: dict[str, Any]) -> dict[str, Any]:
    """Every number of one group of issues."""
    labels, codes = package.labels.loc[issues].to_numpy(), package.codes
    given = package.given[package.given["Issue_URL"].isin(issues)]
    left_out["labels_above_the_level"] = int(((given["Label"] != "") & (given["place"] < 0)).sum())
    rows = rows_of(labels)
    found = {name: coefficient(name, rows, len(codes)) for name in NAMES}
    light = NONE
    if package.is_crossed and found["fleiss_kappa"]["value"] is not None:
        light = mean_kappa(kappa for *_who, (_issues, _same, kappa) in two_by_two(labels, len(codes)))
    raters = (labels >= 0).any(axis=0).sum() if package.is_crossed else package.given["Volunteer"].nunique()
    chosen = [int((labels == place).sum()) for place in range(len(codes))]
    return {
        "issues": sum(issues for issues, _row in rows),
        "raters": int(raters),
        "labels": sum(chosen),
        "left_out": {reason: count for reason, count in left_out.items() if count},
        "coefficients": found | {"light_kappa": light},
        "categories": [
            {"code": code, "labels": chosen[place], **category_kappa(rows, place)}
            for place, code in enumerate(codes)
        ],
    }


def two_by_two(labels: np.ndarray, categories: int) -> Iterator[tuple[int, int, tuple[int, Number, Number]]]:
    """Every two columns that have labels."""
    for one, other in combinations(np.flatnonzero((labels >= 0).any(axis=0)).tolist(), 2):
        yield one, other, pair(labels[:, one], labels[:, other], categories)


def composition(package: Package, repositories: list[str]) -> list[dict[str, Any]]:
    """The complete issues of each repository by year and decided type; `repositories` need not have any.

    False positives are further issues, which a screening excluded; None where the study has no screening.
    """
    issues, types = package.issues, package.groups["type"]
    years = issues["Year"].replace("", "unknown")
    path = package.folder / "false_positives.csv"
    excluded = read(path).drop_duplicates("Issue_URL")["Repository"] if path.exists() else None
    lines = []
    for repository in dict.fromkeys([*repositories, *issues["Repository"]]):
        rows = issues["Repository"].eq(repository) | (repository == "all")
        lines.append(
            {
                "repository": repository,
                "issues": int(rows.sum()),
                "years": {year: int((years[rows] == year).sum()) for year in years.unique()},
                "types": {code: int((types[rows] == code).sum()) for code in types.dropna().unique()},
                "undecided": int(types[rows].isna().sum()),
                "false_positives": None
                if excluded is None
                else int((excluded.eq(repository) | (repository == "all")).sum()),
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


def splits(package: Package) -> list[dict[str, Any]]:
    """How many issues with two labels or more have which sizes of groups of equal labels."""
    found: Counter[tuple[int, ...]] = Counter()
    for issues, row in rows_of(package.labels.to_numpy()):
        if sum(row.values()) >= 2:
            found[tuple(sorted(row.values(), reverse=True))] += issues
    return [
        {"sizes": list(sizes), "issues": issues, "share": issues / found.total()}
        for sizes, issues in found.items()
    ]


def pairs(package: Package) -> list[dict[str, Any]]:
    """Cohen's kappa of every two volunteers."""
    if not package.is_crossed:
        return []
    names = package.labels.columns
    return [
        {
            "first": names[one],
            "second": names[other],
            "issues": issues,
            "percent_agreement": same,
            "cohen_kappa": kappa,
        }
        for one, other, (issues, same, kappa) in two_by_two(package.labels.to_numpy(), len(package.codes))
    ]


def confusion(package: Package) -> list[dict[str, Any]]:
    """In how many issues two categories were both chosen."""
    codes, labels = package.codes, package.labels.to_numpy()
    chosen = np.stack([(labels == place).any(axis=1) for place in range(len(codes))], axis=1).astype(int)
    together = chosen.T @ chosen
    return [
        {"first": codes[one], "second": codes[other], "issues": int(together[one, other])}
        for one, other in combinations(range(len(codes)), 2)
        if together[one, other]
    ]


def against_decision(package: Package) -> list[dict[str, Any]]:
    """How many labels of one category lie on issues decided as another."""
    codes, decided = package.codes, package.decided.to_numpy()
    table = sum(square(own, decided, len(codes)) for own in package.labels.to_numpy().T)
    return [
        {"label": codes[one], "decision": codes[other], "labels": int(table[one, other])}
        for one, other in np.argwhere(table).tolist()
        if one != other
    ]


def volunteers(package: Package) -> list[dict[str, Any]]:
    """Each volunteer beside the others, beside the decision, and left out."""
    if not package.is_crossed:
        return []
    labels, categories = package.labels.to_numpy(), len(package.codes)
    everybody = coefficient("fleiss_kappa", rows_of(labels), categories)["value"]
    found = []
    for column, name in enumerate(package.labels.columns):
        own, others = labels[:, column], np.delete(labels, column, axis=1)
        if not (own >= 0).any():
            continue
        without = coefficient("fleiss_kappa", rows_of(others), categories)
        effect = None
        if without["value"] is not None and everybody is not None:
            effect = without["value"] - everybody
        base, alone = stood_alone(own, others)
        found.append(
            {
                "volunteer": name,
                "labels": int((own >= 0).sum()),
                **beside(own, others, categories),
                "decision": decision(package, own),
                "without": without,
                "effect": effect,
                "alone": int(alone.sum()),
                "others_agree": int(base.sum()),
            }
        )
    return found


def beside(own: np.ndarray, others: np.ndarray, categories: int) -> dict[str, Any]:
    """One column beside others: the mean share of theirs that equal it, and the mean of Cohen's kappas."""
    present = (others >= 0).sum(axis=1)
    at = (own >= 0) & (present > 0)
    same = (others == own[:, None]).sum(axis=1)
    return {
        "compared": int(at.sum()),
        "agreement": mean_share(same[at], present[at]),
        "mean_kappa": mean_kappa(pair(own, other, categories)[2] for other in others.T),
    }


def decision(package: Package, own: np.ndarray) -> dict[str, Any]:
    """One column beside the decision."""
    issues, same, kappa = pair(own, package.decided.to_numpy(), len(package.codes))
    return {"issues": issues, "percent_agreement": same, "cohen_kappa": kappa}


def stood_alone(own: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where two others or more all chose one category, and this one some; and where it was another."""
    present, highest = (others >= 0).sum(axis=1), others.max(axis=1, initial=-1)
    base = (own >= 0) & (present >= 2) & ((others == highest[:, None]).sum(axis=1) == present)
    return base, base & (own != highest)


def models(package: Package) -> list[dict[str, Any]]:
    """Each model beside the volunteers and the decision, and these volunteers among themselves."""
    said = read(package.folder / "labels_of_models.csv", ("Issue_URL", "Model", "Label"))
    said["place"] = package.book.rolled_up(said["Label"], package.level)
    labels, q = package.labels.to_numpy(), len(package.codes)
    found = []
    for name, column in package.wide("Model", said).items() if len(said) else ():
        own = column.to_numpy()
        among = labels[own >= 0]
        numbers = beside(own, labels, q)
        light = mean_kappa(kappa for *_who, (_issues, _same, kappa) in two_by_two(among, q))
        if not package.is_crossed:
            numbers["mean_kappa"] = light = NONE
        found.append(
            {
                "model": name,
                "labels": int((own >= 0).sum()),
                **numbers,
                "volunteers": {
                    "percent_agreement": coefficient("percent_agreement", rows_of(among), q),
                    "light_kappa": light,
                },
                "decision": decision(package, own),
            }
        )
    return found


def intra_rater(package: Package) -> dict[str, Any] | None:
    """The issues that came to a volunteer twice: first label against second; by volunteer, and pooled."""
    twice = read(package.folder / "labels_twice.csv")
    if twice.empty:
        return None
    first, second = (
        package.book.rolled_up(twice[name], package.level) for name in ("First_Label", "Second_Label")
    )
    is_open = (twice["First_Label"] == "") | (twice["Second_Label"] == "")
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


def consensus(package: Package) -> dict[str, Any] | None:
    """Agreement of the labels, and with the last ballot of their author, if any, in the place of each."""
    path = package.folder / "ballots.csv"
    if not path.exists() or package.level >= package.manifest["depth"]:
        return None
    cast = read(path)
    cast = cast[cast["Ballot"] != ""]
    both = package.given.merge(cast, on=["Issue_URL", "Volunteer"], how="left").fillna({"Ballot": ""})
    voted = both["Ballot"] != ""
    before, after = (
        both.loc[voted, name].map(lambda code: package.book.above(code, package.level))
        for name in ("Label", "Ballot")
    )
    replaced = copy(package)
    replaced.count(both.assign(Label=both["Label"].mask(voted, both["Ballot"])))
    found = whole(replaced)
    # Labels that know of each other are no sample of independent ones: their spread means nothing.
    found["coefficients"] = {
        name: NONE | {"value": one["value"], "reason": "undefined" if None in one.values() else None}
        for name, one in found["coefficients"].items()
    }
    return {
        "voted_issues": cast["Issue_URL"].nunique(),
        "replaced_labels": len(cast),
        "changed_labels": int((before != after).sum()),
        "before": whole(package),
        "after": found,
    }


def dissents(package: Package) -> list[dict[str, Any]]:
    """How often each volunteer, and all, stood alone in each tenth of their own way through the round.

    A way is the order in which they submitted; labels of one moment are in the order of the issues.
    """
    given, labels = package.given, package.labels
    at = {url: place for place, url in enumerate(package.issues.index)}
    moments = pd.to_datetime(given["Submitted_at"], format="ISO8601")
    way = given.assign(moment=moments, at=given["Issue_URL"].map(at)).sort_values(["moment", "at"])
    way["order"] = way.groupby("Volunteer").cumcount()
    found, total = [], np.zeros((2, TENTHS), dtype=int)
    for column, name in enumerate(labels.columns):
        own, others = labels.iloc[:, column].to_numpy(), np.delete(labels.to_numpy(), column, axis=1)
        mine = way[way["Volunteer"] == name]
        order = mine.set_index("at")["order"].reindex(range(len(labels))).fillna(0).to_numpy().astype(int)
        tenths = np.array(
            [
                np.bincount(order[rows] * TENTHS // len(mine), minlength=TENTHS)
                for rows in stood_alone(own, others)
            ]
        )
        total += tenths
        found.append(_way(name, len(mine), tenths))
    return [*found, _way("all", len(way), total)] if found else []


def _way(name: str, labels: int, tenths: np.ndarray) -> dict[str, Any]:
    return {
        "volunteer": name,
        "labels": labels,
        "tenths": [{"issues": issues, "alone": alone} for issues, alone in tenths.T.tolist()],
    }
