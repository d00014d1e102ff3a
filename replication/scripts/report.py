"""The agreement report of a round, from its replication package: what is counted, and among what.

The files are read in package.py, what each rater did is counted in raters.py, and the coefficients are
computed in coefficients.py, their differences in differences.py.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from categories import category_kappas
from coefficients import (
    NONE,
    change,
    coefficient,
    mean_kappa,
    rows_of,
    square,
)
from differences import differences
from faults import tried
from intervals import intervals
from latent import probable
from other_libraries import within
from package import LEVELS, Package, read
from protocol import protocol
from raters import (
    conger,
    dissents,
    dissents_trend,
    intra_rater,
    models,
    pair_categories,
    pairs,
    two_by_two,
    volunteers,
    words,
)
from weighted import weighted

NAMES = ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "brennan_prediger")
FREQUENT = 7
"""So many categories are tested over time by themselves, the others as one."""
NOT_HERE = "not in this package"
"""In the place of a number that counts what the package lacks: labels of incomplete issues while the round is
open, and what is held back from who made it.
"""


def report(package: Package, stored: dict[str, Any], file: str) -> dict[str, Any]:
    """The report in the form of `stored`, which says no more than which parts and groupings are asked for. A
    part that cannot be computed is a fault of `file`, the report that is compared.
    """
    groups: list[dict[str, Any]] = []
    for names in dict.fromkeys(tuple(group["group"]) for group in stored["groups"]):
        with within("groups"), tried(file, f"computed by {', '.join(names) or 'all issues'}"):
            if names == ("round",):
                groups += rounds(package)
            else:
                groups += grouped(package, list(names)) if names else [one_group({}, package)]
    found: dict[str, Any] = {
        "withheld": 0 if package.is_whole else NOT_HERE,
        "coached": package.coached,
        "coached_left_out": package.manifest["coached_left_out"],
        "without_training": package.without_training,
        "drift_check": stored.get("drift_check") and drift_check(package),
        "groups": groups,
    }
    parts: dict[str, Callable[[], Any]] = {
        "weighted": lambda: weighted(package, stored["weighted"]),
        "issues": lambda: composition(package, [line["repository"] for line in stored["issues"]]),
        "probable": lambda: probable(package, stored["probable"]),
        "differences": lambda: differences(package, groups),
        "groups_and_whole": lambda: groups_and_whole(package, stored["groups_and_whole"]),
        "protocol": lambda: protocol(package, stored),
    }
    alone = (
        benchmark, distribution, over_time, splits, pairs, confusion, against_decision, volunteers, models,
        intra_rater, consensus, dissents, dissents_trend, pair_categories, second_look, intervals,
    )  # fmt: skip
    parts |= {part.__name__: partial(part, package) for part in alone}
    for name in (name for name in parts if name in stored):
        with within(name), tried(file, f"computed in {name}"):
            found[name] = parts[name]()
    return {part: content for part, content in found.items() if part in stored}


def groups_and_whole(package: Package, stored: dict[str, Any] | None) -> dict[str, Any] | None:
    """Fleiss' kappa of each type, of all issues, and of all issues at the level of types."""
    if stored is None:
        return None

    def kappa(of: Package, issues: pd.Index) -> dict[str, Any]:
        rows = rows_of(of.labels.loc[issues].to_numpy())
        value = coefficient("fleiss_kappa", rows, of.q)["value"]
        return {"issues": sum(number for number, _row in rows), "fleiss_kappa": value}

    every, alone = package.labels.index, Package(package.folder, 0)
    types = ((code, kappa(package, rows.index)) for code, rows in package.groups.groupby("type"))
    return {
        "whole": kappa(package, every)["fleiss_kappa"],
        "types_alone": kappa(alone, every)["fleiss_kappa"],
        "types": [{"group": {"type": code}, **of} for code, of in types if of["fleiss_kappa"] is not None],
    }


def drift_check(package: Package) -> dict[str, Any]:
    """How many issues were labelled a second time; the package has no row of those that were not."""
    return {
        "planned": NOT_HERE,
        "labelled": len(read(package.folder / "labels_twice.csv")),
        "lost": NOT_HERE,
    }


def name_of(group: dict[str, str]) -> str:
    """A group by the values that its issues share."""
    return ", ".join(f"{name} {value}" for name, value in group.items()) or "all"


def one_group(group: dict[str, str], package: Package) -> dict[str, Any]:
    """All complete issues of a package as a group."""
    with within(f"[{name_of(group)}]"):
        return {"group": group, **whole(package)}


def whole(package: Package) -> dict[str, Any]:
    """All complete issues, and what of the round is left out."""
    given = package.given
    left_out = {
        "incomplete_issues": int((package.every_issue["Completed_at"] == "").sum()),
        "labels_of_incomplete_issues": len(package.incomplete),
        "surplus_labels": int((package.every_label["Surplus"] != "").sum()),
    }
    unknown: dict[str, Any] = left_out if package.is_whole else dict.fromkeys(left_out, NOT_HERE)
    unknown["second_look_labels"] = package.again
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
        with within(f"[{name_of(key)}]"):
            found = agreement(package, rows.index, left_out)
        yield {"group": key, **found}


def rounds(package: Package) -> Iterator[dict[str, Any]]:
    """This round beside the others of the study, each in a folder of its own below rounds/."""
    folders = sorted(path.parent for path in package.folder.glob("rounds/*/manifest.json"))
    for one in (package, *(Package(folder, package.level) for folder in folders)):
        withheld = 0 if one.is_whole else NOT_HERE
        yield {**one_group({"round": one.manifest["round"]}, one), "withheld": withheld}


def agreement(package: Package, issues: pd.Index, left_out: dict[str, Any]) -> dict[str, Any]:
    """Every number of one group of issues."""
    labels, codes = package.labels.loc[issues].to_numpy(), package.codes
    given = package.given[package.given["Issue_URL"].isin(issues)]
    left_out["labels_above_the_level"] = int(((given["Label"] != "") & (given["place"] < 0)).sum())
    rows = rows_of(labels)
    with within("coefficients"):
        found = {name: coefficient(name, rows, package.q) for name in NAMES}
        light = NONE
        if package.is_crossed and found["fleiss_kappa"]["value"] is not None:
            light = mean_kappa(found for *_who, found in two_by_two(labels, len(codes)))
    of_raters = conger(labels, len(codes)) if package.is_crossed else NONE
    raters = (labels >= 0).any(axis=0).sum() if package.is_crossed else package.given["Volunteer"].nunique()
    chosen = [int((labels == place).sum()) for place in range(len(codes))]
    return {
        "issues": sum(issues for issues, _row in rows),
        "raters": int(raters),
        "labels": sum(chosen),
        "left_out": {reason: count for reason, count in left_out.items() if count},
        "coefficients": found | {"light_kappa": light, "conger_kappa": of_raters},
        "categories": [
            {"code": code, "labels": chosen[place], **kappa}
            for place, (code, kappa) in enumerate(category_kappas(rows, codes))
        ],
    }


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


def benchmark(package: Package) -> list[dict[str, Any]]:
    """The word of Landis and Koch for each coefficient, and Gwet's probability of it or a higher one."""
    found = whole(package)["coefficients"]
    return [
        {"coefficient": name, **words(one["value"], one["se"])}
        for name, one in found.items()
        if name != "percent_agreement" and one["low"] is not None
    ]


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
        codes.map(lambda code: package.book.above(code, package.level))
        for codes in (labels_then(package, both[voted]), both.loc[voted, "Ballot"])
    )
    replaced = copy(package)
    if could_be := package.manifest.get("choosable"):
        name = LEVELS[package.level]
        voted_for = {package.book.above(code, package.level) for code in both.loc[voted, "Ballot"]}
        at_level = {code for code in voted_for if package.book.level[code] == package.level}
        widened = could_be | {name: sorted({*could_be[name], *at_level})}
        replaced.manifest = package.manifest | {"choosable": widened}
    replaced.count(both.assign(Label=both["Label"].mask(voted, both["Ballot"])))
    with within("before"):
        as_labelled = whole(package)
    with within("after"):
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
        "before": as_labelled,
        "after": found,
    }


def labels_then(package: Package, cast: pd.DataFrame) -> pd.Series:
    """The label of each ballot's author as it was when the vote was closed: the first label, or one that a
    second look had given by then.
    """
    second = package.second.assign(
        given_at=pd.to_datetime(package.second["Submitted_at"], format="ISO8601", utc=True)
    )
    closed = pd.to_datetime(cast["Closed_at"], format="ISO8601", utc=True)
    found = []
    for url, name, label, at in zip(cast["Issue_URL"], cast["Volunteer"], cast["Label"], closed, strict=True):
        own = second[
            (second["Issue_URL"] == url) & (second["Volunteer"] == name) & (second["given_at"] <= at)
        ]
        found.append(own["Label"].iloc[-1] if len(own) else label)
    return pd.Series(found, index=cast.index, dtype=str)


def second_look(package: Package) -> dict[str, Any] | None:
    """Agreement of the labels as they are after second looks, which are not independent: no intervals."""
    if not len(package.second):
        return None
    last = package.second.drop_duplicates(["Issue_URL", "Volunteer"], keep="last")
    both = package.given.merge(
        last[["Issue_URL", "Volunteer", "Label"]],
        on=["Issue_URL", "Volunteer"],
        how="left",
        suffixes=("", "_now"),
    )
    now = both["Label_now"].fillna(both["Label"])
    # Who was not asked, or did not answer, has no category any more.
    now = now.mask(now.isin(package.book.former), "")
    replaced = copy(package)
    replaced.book = copy(package.book)
    replaced.book.used = set()
    replaced.manifest = package.manifest | {"choosable": None}
    replaced.count(both.assign(Label=now).drop(columns="Label_now"))
    return {
        "labels": package.again,
        "issues": int(last["Issue_URL"].nunique()),
        "coefficients": {
            name: {"value": one["value"], "reason": "undefined" if None in one.values() else None}
            for name, one in whole(replaced)["coefficients"].items()
        },
    }
