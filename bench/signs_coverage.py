"""`python -m bench.signs_coverage`: false signs of dependence; intervals over repositories and volunteers.

Prints two Markdown tables for docs/coverage.md. Needs no database.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement import Patterns, over_clusters, over_raters, signs_of_dependence
from agreement.dependence.breadth import plurality

SEED = 20250530
TYPES, THEMES = 3, 6
VOLUNTEERS = 7
PARTS, ISSUES = 3, 4000
SHARES = np.array([0.4, 0.25, 0.15, 0.1, 0.06, 0.04])
HARD, HARDER = 1 / 3, 1.7

Ints = NDArray[np.int64]
Random = np.random.Generator


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.signs_coverage", description=__doc__)
    parser.add_argument("--reports", type=int, default=12, help="of each kind of volunteers (%(default)s)")
    parser.add_argument("--samples", type=int, default=400, help="of each interval (%(default)s)")
    asked = parser.parse_args()
    print(f"{asked.reports} reports a row.\n")
    print("| volunteers | hard issues | reports with a sign | signs |")
    print("|---|---|---:|---|")
    for line in signs(asked.reports):
        print(line, flush=True)
    print(f"\n{asked.samples:,} samples a row.\n")
    print("| sample of | number | sizes | with an interval | κ | AC1 |")
    print("|---|---:|---|---:|---:|---:|")
    for line in intervals(asked.samples):
        print(line, flush=True)


# --- signs


def signs(reports: int) -> Iterator[str]:
    """A row for each kind of volunteers: how many reports have a sign, and of which kinds."""
    for (knowledge, words), hard in product(KNOWLEDGE.items(), (True, False)):
        random = np.random.default_rng([SEED, list(KNOWLEDGE).index(knowledge), hard])
        found, kinds = 0, Counter[str]()
        for _report in range(reports):
            parts = {str(part): labelled(random, ISSUES, knowledge, hard=hard) for part in range(PARTS)}
            one = {sign.kind.name.lower() for sign in signs_of_dependence(parts)}
            found, kinds = found + bool(one), kinds + Counter(one)
        said = ", ".join(f"`{kind}` {times}" for kind, times in sorted(kinds.items())) or "–"
        yield f"| {words} | {'a third' if hard else 'none'} | {found} | {said} |"


KNOWLEDGE = {
    "alike": "equal in all areas",
    "skill": "of unequal skill",
    "themes": "each with weak themes of their own",
    "types": "each with weak types of their own",
    "part of theme": "each with weak areas of their own, areas within themes",
    "one area": "each weak in another one of seven areas within themes",
}
"""What volunteers know, with the words of the table."""
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


# --- intervals


def intervals(samples: int) -> Iterator[str]:
    """A row for each number of repositories and each number of volunteers."""
    for spread, number in product((0.0, 0.6, 1.0, 1.4), (3, 5, 8, 11, 20, 40)):
        random = np.random.default_rng([SEED, 1, number, int(10 * spread)])
        fixed = random.normal(1.9, 0.4, VOLUNTEERS)
        truth = over_raters(_repositories(random, 6000, spread, fixed)[0]).coefficients
        made = (_repositories(random, number, spread, fixed) for _sample in range(samples))
        found = [over_clusters(patterns, clusters).coefficients for patterns, clusters in made]
        sizes = f"σ = {spread} of their logarithms" if spread else "equal"
        yield _row("repositories", number, sizes, found, truth)
    for number in (3, 4, 5, 7, 10):
        random = np.random.default_rng([SEED, 2, number])
        truth = over_raters(_volunteers(random, 20_000, 300)).coefficients
        found = [over_raters(_volunteers(random, 300, number)).coefficients for _sample in range(samples)]
        yield _row("volunteers", number, "–", found, truth)


def _row(of: str, number: int, sizes: str, found: list[Any], truth: Any) -> str:
    cells = []
    for name in ("fleiss_kappa", "gwet_ac1"):
        known = [one[name] for one in found if one[name].low is not None]
        held = sum(one.low <= truth[name].value <= one.high for one in known)
        cells.append(f"{100 * held / len(known):.1f}" if known else "–")
    shown = sum(one["fleiss_kappa"].low is not None for one in found)
    return f"| {of} | {number} | {sizes} | {100 * shown / len(found):.0f} % | {cells[0]} | {cells[1]} |"


def _repositories(random: Random, number: int, spread: float, skill: Any) -> tuple[Patterns, Ints]:
    """Repositories with shares of categories and a difficulty of their own, and sizes around 150 issues."""
    sizes = np.clip(random.lognormal(0.0, spread, number) * 150, 20, 3000).astype(int)
    where = np.repeat(np.arange(number), sizes)
    shares = random.dirichlet(SHARES * 12, size=number).cumsum(axis=1)
    truth = (random.random(len(where))[:, np.newaxis] > shares[where]).sum(axis=1).clip(0, len(SHARES) - 1)
    easier = random.normal(0.0, 0.6, number)[where]
    labels = _labels(random, truth, skill[np.newaxis] + easier[:, np.newaxis])
    return Patterns(labels, np.ones(len(where), dtype=np.int64), len(SHARES)), where


def _volunteers(random: Random, issues: int, number: int) -> Patterns:
    """Volunteers with a skill of their own, in general and by category."""
    truth = random.choice(len(SHARES), size=issues, p=SHARES)
    skill = random.normal(1.9, 0.8, number) + random.normal(0.0, 0.8, (len(SHARES), number))[truth]
    return Patterns(_labels(random, truth, skill), np.ones(issues, dtype=np.int64), len(SHARES))


def _labels(random: Random, truth: Any, skill: Any) -> NDArray[np.int32]:
    """[N, R] labels: right with the logit `skill` [N, R], less on hard issues, else a guess."""
    hard = HARDER * (random.random(len(truth)) < HARD)
    right = 1 / (1 + np.exp(hard[:, np.newaxis] - skill))
    guess = random.choice(len(SHARES), size=right.shape, p=[0.3, 0.3, 0.2, 0.1, 0.05, 0.05])
    return np.where(random.random(right.shape) < right, truth[:, np.newaxis], guess).astype(np.int32)


if __name__ == "__main__":
    main()
