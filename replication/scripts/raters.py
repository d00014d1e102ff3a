"""The raters of a package: two by two, each beside the others and the decision, and each over time."""

from collections import Counter
from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from itertools import combinations
from math import inf, sqrt
from typing import Any

import numpy as np
import pandas as pd
from coefficients import (
    NONE,
    Number,
    agreeing,
    coefficient,
    is_defined,
    lowest,
    mean_kappa,
    mean_share,
    number_of,
    pair,
    rows_of,
    self_agreement,
    several,
    square,
    with_doubt,
)
from differences import beside_others, corrected
from other_libraries import within
from package import Package, read
from scipy import stats

TENTHS = 10
WORDS = [
    (-1.0, "poor"), (0.0, "slight"), (0.2, "fair"), (0.4, "moderate"), (0.6, "substantial"),
    (0.8, "almost_perfect"),
]  # fmt: skip
"""The words of Landis and Koch with the values above which they begin."""


def two_by_two(labels: np.ndarray, categories: int) -> Iterator[tuple[int, int, tuple[int, Number, Number]]]:
    """Every two columns that have labels."""
    for one, other in combinations(np.flatnonzero((labels >= 0).any(axis=0)).tolist(), 2):
        with within(f"columns {one + 1} and {other + 1}"):
            found = pair(labels[:, one], labels[:, other], categories)
        yield one, other, found


def pairs(package: Package) -> list[dict[str, Any]]:
    """Cohen's kappa of every two volunteers."""
    if not package.is_crossed:
        return []
    names, labels = package.labels.columns, package.labels.to_numpy()
    return [
        {
            "first": names[one],
            "second": names[other],
            "issues": issues,
            "differ": different(labels[:, one], labels[:, other]),
            "percent_agreement": same,
            "cohen_kappa": kappa,
        }
        for one, other, (issues, same, kappa) in two_by_two(labels, len(package.codes))
    ]


def different(first: np.ndarray, second: np.ndarray) -> int:
    """The issues that both labelled, each with another category."""
    return int(((first >= 0) & (second >= 0) & (first != second)).sum())


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
        with within(f"[{name}]"):
            without = coefficient("fleiss_kappa", rows_of(others), categories)
            beside_others, beside_decision = beside(own, others, categories), decision(package, own)
        effect = None
        if without["value"] is not None and everybody is not None:
            effect = without["value"] - everybody
        base, alone = stood_alone(own, others)
        found.append(
            {
                "volunteer": name,
                "labels": int((own >= 0).sum()),
                **beside_others,
                "decision": beside_decision,
                "without": without,
                "effect": effect,
                "alone": int(alone.sum()),
                "others_agree": int(base.sum()),
            }
        )
    return found


def conger(labels: np.ndarray, categories: int) -> dict[str, Number]:
    """Conger's kappa of the columns, with Gwet's linearised standard error."""
    labels = labels[(labels >= 0).any(axis=1)][:, (labels >= 0).any(axis=0)]
    rows = rows_of(labels)
    if not is_defined("fleiss_kappa", rows, categories):
        return NONE
    issues, raters = labels.shape
    pairs, compared = raters * (raters - 1), number_of(several(rows))
    given = [int((column >= 0).sum()) for column in labels.T]
    shares = [
        [Fraction(int(times), n) for times in np.bincount(column[column >= 0], minlength=categories)]
        for column, n in zip(labels.T, given, strict=True)
    ]
    of_all = [sum(column) for column in zip(*shares, strict=True)]
    # By rater and category the sum of the others' shares, and its mean over the rater's labels.
    others = [[all_ - own for all_, own in zip(of_all, mine, strict=True)] for mine in shares]
    means = [sum(a * b for a, b in zip(*both, strict=True)) for both in zip(shares, others, strict=True)]
    expected = Fraction(sum(means), pairs)
    observed = sum(times * agreeing(row) for times, row in several(rows)) / Fraction(compared)
    value = (observed - expected) / (1 - expected)
    terms = Fraction()
    for line, times in Counter(map(tuple, labels.tolist())).items():
        chosen = Counter(place for place in line if place >= 0)
        at = [rater for rater in range(raters) if line[rater] >= 0]
        term = Fraction()
        if len(at) >= 2:
            term = Fraction(issues, compared) * (agreeing(chosen) - expected)
        chance = sum((others[rater][line[rater]] - means[rater]) / given[rater] for rater in at)
        term -= 2 * (1 - value) * chance * Fraction(issues, pairs)
        terms += times * (term / (1 - expected) - value) ** 2
    least = lowest("fleiss_kappa", rows, categories) if (labels >= 0).all() else -inf
    return with_doubt("fleiss_kappa", rows, value, terms / (issues * (issues - 1)), issues, least)


def words(value: float, se: float) -> dict[str, Any]:
    """The word of a value, the probability of it or a higher one, and the highest word with 95 %."""
    above = [float(stats.norm.cdf((value - low) / se)) for low in (*(low for low, _word in WORDS), 1.0)]
    room = above[0] - above[-1]
    at_least = {word: (one - above[-1]) / room for (_low, word), one in zip(WORDS, above, strict=False)}
    word = [word for low, word in WORDS if value > low or low == -1 or value == low == 0][-1]
    sure = [word for _low, word in WORDS if at_least[word] >= 0.95][-1]
    return {
        "word": word,
        "word_probability": at_least[word],
        "sure_word": sure,
        "sure_probability": at_least[sure],
    }


def beside(own: np.ndarray, others: np.ndarray, categories: int) -> dict[str, Any]:
    """One column beside others: the mean share of theirs that equal it, and the mean of Cohen's kappas with
    those who labelled anything.
    """
    present = (others >= 0).sum(axis=1)
    at = (own >= 0) & (present > 0)
    same = (others == own[:, None]).sum(axis=1)
    return {
        "compared": int(at.sum()),
        "agreement": mean_share(same[at], present[at]),
        "mean_kappa": mean_kappa(pair(own, other, categories) for other in others.T if (other >= 0).any()),
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
    package = copy(package)
    package.book = package.book.using(said["Label"].unique())
    package.count(package.given)
    said["place"] = package.book.rolled_up(said["Label"], package.level)
    labels, q = package.labels.to_numpy(), len(package.codes)
    found = []
    for name, column in package.wide("Model", said).items() if len(said) else ():
        own = column.to_numpy()
        among = labels[own >= 0]
        with within(f"[{name}]"):
            # Volunteers without an issue of the model are no pair with it.
            sharing = labels[:, (among >= 0).any(axis=0)]
            numbers, beside_decision = beside(own, sharing, q), decision(package, own)
            light = mean_kappa(found for *_who, found in two_by_two(among, q))
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
                "difference": beside_others(own, labels),
                "decision": beside_decision,
            }
        )
    for one, difference in zip(found, corrected([one["difference"] for one in found]), strict=True):
        one["difference"] = difference
    return found


def intra_rater(package: Package) -> dict[str, Any] | None:
    """The issues that came to a volunteer twice: first label against second; by volunteer, and pooled."""
    twice = read(package.folder / "labels_twice.csv")
    if twice.empty:
        return None
    book = package.book.using([*twice["First_Label"], *twice["Second_Label"]])
    first, second = (book.rolled_up(twice[name], package.level) for name in ("First_Label", "Second_Label"))
    is_open = (twice["First_Label"] == "") | (twice["Second_Label"] == "")
    above = ~is_open & ((first < 0) | (second < 0))
    left_out = {"open_labels": int(is_open.sum()), "labels_above_the_level": int(above.sum())}

    def of(who: str, rows: pd.Series) -> dict[str, Any]:
        with within(who):
            return self_agreement(
                square(first[rows].to_numpy(), second[rows].to_numpy(), len(book.at(package.level)))
            )

    return {
        "pooled": of("pooled", twice["Volunteer"].notna()),
        "volunteers": [
            {"volunteer": name, **of(f"[{name}]", twice["Volunteer"] == name)}
            for name in twice["Volunteer"].unique()
        ],
        "left_out": {reason: count for reason, count in left_out.items() if count},
    }


def dissents(package: Package) -> list[dict[str, Any]]:
    """How often each volunteer, and all, stood alone in each tenth of their own way through the round.

    A way is the order in which they submitted; labels of one moment are in the order of the issues. Nobody
    has a way whose labels were imported (`forge_labels` is empty): the order of a file is not time.
    """
    if package.manifest.get("forge_labels") == "":
        return []
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


def dissents_trend(package: Package) -> list[dict[str, Any]]:
    """The test of Cochran and Armitage for each volunteer, and one for all of them by Mantel."""
    ways = dissents(package)
    each = [[(one["issues"], one["alone"]) for one in way["tenths"]] for way in ways[:-1]]
    found = corrected([trend([parts]) for parts in each])
    return [
        {
            "volunteer": way["volunteer"],
            "issues": sum(one["issues"] for one in way["tenths"]),
            "alone": sum(one["alone"] for one in way["tenths"]),
            **test,
            "reason": None if test["p"] is not None else "undefined",
        }
        for way, test in zip(ways, [*found, trend(each)], strict=bool(ways))
    ]


def trend(strata: list[list[tuple[int, int]]]) -> dict[str, Number]:
    """z of the number of the part times the dissents in it, added up over strata, and its two-sided p."""
    total = variance = Fraction()
    for parts in strata:
        n, x = sum(number for number, _alone in parts), sum(alone for _number, alone in parts)
        if n < 2:
            continue
        mean = Fraction(sum(place * number for place, (number, _alone) in enumerate(parts, 1)), n)
        squares = sum(number * (place - mean) ** 2 for place, (number, _alone) in enumerate(parts, 1))
        total += sum(place * alone for place, (_number, alone) in enumerate(parts, 1)) - x * mean
        variance += Fraction(x * (n - x), n * (n - 1)) * squares
    if not variance:
        return {"z": None, "p": None, "adjusted": None}
    z = float(total) / sqrt(variance)
    return {"z": z, "p": 2 * float(stats.norm.sf(abs(z))), "adjusted": None}


def pair_categories(package: Package) -> list[dict[str, Any]]:
    """How many issues two volunteers labelled with which two categories."""
    if not package.is_crossed:
        return []
    labels, codes, names = package.labels.to_numpy(), package.codes, package.labels.columns
    return [
        {
            "first": names[one],
            "second": names[other],
            "first_label": codes[row],
            "second_label": codes[column],
            "issues": int(table[row, column]),
        }
        for one, other in combinations(range(len(names)), 2)
        for table in [square(labels[:, one], labels[:, other], len(codes))]
        for row, column in np.argwhere(table).tolist()
        if row != column
    ]


def _way(name: str, labels: int, tenths: np.ndarray) -> dict[str, Any]:
    return {
        "volunteer": name,
        "labels": labels,
        "tenths": [{"issues": issues, "alone": alone} for issues, alone in tenths.T.tolist()],
    }
