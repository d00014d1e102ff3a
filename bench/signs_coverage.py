"""`python -m bench.signs_coverage`: how often independent labels give a false sign of dependence.

Prints a Markdown table for docs/coverage.md, what it says of all reports together, and how long that took.
Needs no database.
"""

import argparse
import os
import time
from collections import Counter
from functools import partial
from itertools import product
from multiprocessing import Pool
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from agreement import signs_of_dependence
from agreement.dependence.breadth import plurality

SEED = 20250530
TYPES, THEMES = 3, 6
VOLUNTEERS = 7
PARTS = 3
HARD = 1 / 3

Ints = NDArray[np.int64]
Random = np.random.Generator


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.signs_coverage", description=__doc__)
    parser.add_argument("--reports", type=int, default=400, help="a row (%(default)s)")
    parser.add_argument("--issues", type=int, default=1000, help="of each repository (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(%(default)s)")
    asked = parser.parse_args()
    started = time.monotonic()
    print(f"{asked.reports:,} reports a row.\n")
    print("| volunteers | hard issues | reports with a sign | signs |\n|---|---|---:|---|")
    kinds, false, reports = list(product(KNOWLEDGE, (True, False))), 0, 0
    with Pool(asked.processes) as pool:
        made = pool.imap(partial(_row, asked.reports, asked.issues), kinds)
        for (knowledge, hard), row in zip(kinds, made, strict=True):
            said = ", ".join(f"`{kind}` {times}" for kind, times in sorted(row.kinds.items())) or "–"
            words = KNOWLEDGE[knowledge]
            print(f"| {words} | {'a third' if hard else 'none'} | {row.found} | {said} |", flush=True)
            if knowledge not in EXCEPTIONS:
                false, reports = false + row.found, reports + asked.reports
    most = beta.ppf(0.95, false + 1, reports - false)
    print(
        f"\nOf {reports:,} reports of volunteers who err independently in each theme, {false} have a sign:"
        f" {1000 * false / reports:.1f} in 1,000, and with 95 % certainty at most {1000 * most:.1f}."
        f"\n\nThis took {(time.monotonic() - started) / 60:.0f} minutes on {asked.processes} cores."
    )


class Row(NamedTuple):
    """How many reports have a sign, and how many have each kind."""

    found: int
    kinds: Counter[str]


def _row(reports: int, issues: int, kind: tuple[str, bool]) -> Row:
    knowledge, hard = kind
    random = np.random.default_rng([SEED, list(KNOWLEDGE).index(knowledge), hard])
    found, kinds = 0, Counter[str]()
    for _report in range(reports):
        parts = {str(part): labelled(random, issues, knowledge, hard=hard) for part in range(PARTS)}
        one = {sign.kind.name.lower() for sign in signs_of_dependence(parts)}
        found, kinds = found + bool(one), kinds + Counter(one)
    return Row(found, kinds)


KNOWLEDGE = {
    "alike": "equal in all areas",
    "skill": "of unequal skill",
    "themes": "each with weak themes of their own",
    "types": "each with weak types of their own",
    "part of theme": "each with weak areas of their own, areas within themes",
    "one area": "each weak in another one of seven areas within themes",
}
"""What volunteers know, with the words of the table."""
EXCEPTIONS = {"part of theme", "one area"}
"""Here no label and no decision tells the areas of one theme from each other."""
STRONG, WEAK = 0.03, 0.25


def labelled(random: Random, issues: int, knowledge: str, *, hard: bool) -> tuple[Ints, Ints]:
    """The labels and the majority of one repository; volunteers err independently of each other, given what
    they know of the area of an issue.
    """
    themes = TYPES * THEMES
    shares = random.dirichlet(np.full(themes, 2.0))
    truth = random.choice(themes, size=issues, p=shares)
    inside = random.integers(0, VOLUNTEERS, issues)
    area, number = {
        "themes": (truth, themes),
        "types": (truth // THEMES, TYPES),
        "part of theme": (inside, VOLUNTEERS),
        "one area": (inside, VOLUNTEERS),
    }.get(knowledge, (np.zeros(issues, dtype=int), 1))
    errs = np.where(random.random((number, VOLUNTEERS)) < 0.5, STRONG, WEAK)
    if knowledge == "one area":
        errs = np.where(np.eye(VOLUNTEERS, dtype=bool), WEAK, STRONG)
    elif knowledge == "alike":
        errs = np.full((1, VOLUNTEERS), 0.1)
    elif knowledge == "skill":
        errs = np.exp(random.uniform(np.log(0.02), np.log(0.3), (1, VOLUNTEERS)))
    chance = errs[area]
    if hard:
        is_hard = random.random(issues) < HARD
        chance = np.where(is_hard[:, np.newaxis], np.minimum(0.65, 2.5 * chance), chance)
    wrong = random.choice(themes, size=(issues, VOLUNTEERS), p=shares)
    labels = np.where(random.random(chance.shape) < chance, wrong, truth[:, np.newaxis])
    return labels, plurality(labels)[0]


if __name__ == "__main__":
    main()
