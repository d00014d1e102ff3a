"""The rankings of interviews: ranks, shares and Kendall's W, from the single answers.

Intervals and tests that draw at random are not computed here, only whether there is an interval.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from operator import mul
from pathlib import Path
from typing import Any

from package import read
from report import NOT_HERE
from scipy import stats

RANKINGS, ANSWERS = "interviews/rankings.csv", "interviews/ranking_answers.csv"
FEWEST = 5
"""An interval needs so many participants, and in a comparison so many in each group."""
OF_CATEGORY = (
    "participants", "ranked_by", "mean_rank", "mean_rank_given", "share", "share_low", "share_high",
)  # fmt: skip
OF_GROUPS = ("first_participants", "second_participants", "first_mean_rank", "second_mean_rank", "difference")
OF_W = ("w", "w_chi2", "w_df", "w_p")
INTERVALS = {"mean_rank": "mean_rank_has_interval", "difference": "difference_has_interval"}

Answer = dict[str, int]
"""The place of each category that a participant ranked, by its code."""


def both(folder: Path) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The stored and the recomputed numbers, by question and category; None without rankings. A question
    whose versions of the taxonomy gave one code to two categories is left out. Numbers of groups are NOT_HERE
    where no answer to the question names its group.
    """
    if not (folder / RANKINGS).exists():
        return None
    table, given = read(folder / RANKINGS), read(folder / ANSWERS)
    stored: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name, rows in table.groupby("question", sort=False):
        codes = list(rows["code"])
        if len(set(codes)) < len(codes):
            continue
        lines = rows.to_dict("records")
        stored[name] = {
            line["code"]: {key: _number(line[key]) for key in OF_CATEGORY + OF_GROUPS}
            | {key: bool(line[f"{of}_low"]) for of, key in INTERVALS.items()}
            for line in lines
        }
        stored[name]["W"] = {key: _number(lines[0][key]) for key in OF_W}
        stored[name]["W"]["w_has_interval"] = bool(lines[0]["w_low"])
        answers = list(_answers(given[given["question"] == name]))
        groups = (lines[0]["first_group"], lines[0]["second_group"])
        found[name] = dict(_categories(answers, codes, int(lines[0]["first_places"]), groups))
        found[name]["W"] = _concordance([answer for _group, answer in answers], codes)
    return stored, found


def _number(text: str) -> float | None:
    return float(text) if text else None


def _answers(given: Any) -> Iterator[tuple[str, Answer]]:
    """The group of each participant, and their answer."""
    for _nth, rows in given.groupby("answer", sort=False):
        places = {code: int(place) for code, place in zip(rows["code"], rows["place"], strict=True)}
        yield rows["group"].iloc[0], places


def doubled_ranks(answer: Answer, codes: list[str]) -> list[int]:
    """Twice the rank of each category. Equal places share the mean of their ranks, and so do the categories
    without a place, which come last.
    """
    last = max(answer.values()) + 1
    places = [answer.get(code, last) for code in codes]
    return [2 * sum(other < one for other in places) + places.count(one) + 1 for one in places]


def _mean(doubled: list[int]) -> Fraction | None:
    return Fraction(sum(doubled), 2 * len(doubled)) if doubled else None


def _categories(
    answers: list[tuple[str, Answer]], codes: list[str], top: int, groups: tuple[str, str]
) -> Iterator[tuple[str, dict[str, float | str | None]]]:
    ranks = [(group, answer, doubled_ranks(answer, codes)) for group, answer in answers]
    is_told = any(group for group, _answer in answers)
    for place, code in enumerate(codes):
        given = [doubled[place] for _group, answer, doubled in ranks if code in answer]
        first = sum(
            code in answer and sum(other < answer[code] for other in answer.values()) < top
            for _group, answer in answers
        )
        share, low, high = _wilson(first, len(answers))
        of_group = [[two[place] for group, _answer, two in ranks if group == name] for name in groups]
        numbers = {
            "participants": len(answers),
            "ranked_by": len(given),
            "mean_rank": _mean([doubled[place] for _group, _answer, doubled in ranks]),
            "mean_rank_given": _mean(given),
            "share": share,
            "share_low": low,
            "share_high": high,
            **(_of_groups(*of_group) if is_told else {}),
        }
        known = {name: None if one is None else float(one) for name, one in numbers.items()}
        intervals = {
            "mean_rank_has_interval": _has_interval([[two[place] for _group, _answer, two in ranks]]),
            "difference_has_interval": _has_interval(of_group) if is_told else NOT_HERE,
        }
        yield code, dict.fromkeys(OF_GROUPS, NOT_HERE) | known | intervals


def _has_interval(groups: list[list[int]]) -> bool:
    """Of the ranks in each group: are there enough, and do they vary in any group?"""
    return min(map(len, groups)) >= FEWEST and any(len(set(ranks)) > 1 for ranks in groups)


def _of_groups(first: list[int], second: list[int]) -> dict[str, Fraction | int | None]:
    """Of the doubled ranks in two groups. Groups have means if both have two participants or more."""
    sizes = (len(first), len(second))
    means = (_mean(first), _mean(second)) if min(sizes) > 1 else (None, None)
    difference = None if means[0] is None or means[1] is None else means[0] - means[1]
    return dict(zip(OF_GROUPS, (*sizes, *means, difference), strict=True))


def _wilson(part: int, whole: int) -> tuple[float, float, float]:
    value, z = part / whole, float(stats.norm.ppf(0.975))
    middle = (value + z * z / (2 * whole)) / (1 + z * z / whole)
    half = z / (1 + z * z / whole) * sqrt(value * (1 - value) / whole + z * z / (4 * whole * whole))
    return value, max(0.0, middle - half), min(1.0, middle + half)


def _concordance(answers: list[Answer], codes: list[str]) -> dict[str, float | bool | None]:
    """Kendall's W with ties corrected: 12 S / (m^2 (n^3 - n) - m T). None unless two participants or more
    ranked all of two categories or more, and not all as equal. It has no interval if all participants agree
    equally: the product of the ranks of two, less the mean rank, is the same for each two, and for each with
    themselves, or each two have nothing in common.
    """
    m, n = len(answers), len(codes)
    below = m * m * (n**3 - n)
    for answer in answers:
        below -= m * sum(size**3 - size for size in Counter(answer.values()).values())
    if m < 2 or any(set(answer) != set(codes) for answer in answers) or not below:
        return dict.fromkeys(OF_W) | {"w_has_interval": False}
    ranks = [doubled_ranks(answer, codes) for answer in answers]
    squares = sum((sum(column) - m * (n + 1)) ** 2 for column in zip(*ranks, strict=True))
    w = Fraction(3 * squares, below)  # 12 S, of sums that are doubled
    chi2 = float(m * (n - 1) * w)
    centred = [[rank - (n + 1) for rank in doubled] for doubled in ranks]
    alike = [[sum(map(mul, one, other)) for other in centred] for one in centred]
    own = {alike[place][place] for place in range(m)}
    others = {alike[one][other] for one in range(m) for other in range(one)}
    return {
        "w": float(w),
        "w_chi2": chi2,
        "w_df": float(n - 1),
        "w_p": float(stats.chi2.sf(chi2, n - 1)),
        "w_has_interval": m >= FEWEST and (len(others) > 1 or (len(own) > 1 and others != {0})),
    }
