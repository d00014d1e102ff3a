"""`python -m bench.coverage`: how often the 95 % intervals of the agreement report hold the true value.

Prints the Markdown tables of docs/coverage.md. Needs no database. Ten minutes of one core, less of several.
"""

import argparse
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing import Pool

import numpy as np

from agreement.intervals.bootstrap import bootstrap
from bench.samples import NAMES, Found, Population, categories, check, coefficients, patterns

SEED = 20250530
TRUTH_FROM = (200, 4000)
"""Samples, and issues of each: their mean is taken for the number of the whole population."""
CHECKED = 5
Truth = tuple[dict[str, float], list[float]]
HEADS = ("percent", "Fleiss", "alpha", "AC1", "B–P")
MIXED, SKEW = (0.45, 0.25, 0.15, 0.1, 0.05), (0.9, 0.06, 0.03, 0.01)
EVEN = Population("mixed", 3, MIXED, 0.9, 0.45, 1 / 3, guess=(0.3, 0.3, 0.2, 0.1, 0.1))
SKEWED = Population("skewed", 3, SKEW, 0.9, 0.45, 1 / 3)
HIGH = Population("high", 3, MIXED, 0.99, 0.8, 0.1)
POPULATIONS = (
    replace(EVEN, raters=2),
    EVEN,
    replace(EVEN, raters=7),
    Population("two categories", 2, (0.6, 0.4), 0.85, 0.3, 0.3),
    replace(SKEWED, raters=2),
    SKEWED,
    replace(SKEWED, raters=7),
    Population("rare", 7, (0.98, 0.02), 0.9, 0.5, 0.2),
    HIGH,
    replace(HIGH, raters=7),
    Population("low", 7, (0.4, 0.3, 0.2, 0.1), 0.3, 0.0, 0.5),
    replace(EVEN, name="30 % missing", missing=0.3),
    replace(EVEN, name="30 % missing", missing=0.3, raters=7),
)
CLUSTERED = replace(EVEN, name="11 new repositories", raters=7, repositories=11)
ISSUES = (5, 10, 20, 50, 80, 100, 200, 400)
OF_CATEGORIES = (
    (replace(EVEN, raters=2), (1, 4)),
    (replace(EVEN, raters=7), (1, 4)),
    (SKEWED, (1, 3)),
    (replace(SKEWED, raters=7), (0, 1, 3)),
    (replace(EVEN, name="30 % missing", missing=0.3, raters=7), (4,)),
)
BOOTSTRAPPED = (EVEN, replace(EVEN, raters=7), replace(SKEWED, raters=7))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000, help="per row (%(default)s)")
    parser.add_argument("--bootstrapped", type=int, default=1000, help="per row (%(default)s)")
    parser.add_argument("--replicates", type=int, default=500, help="of each bootstrap (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(%(default)s)")
    asked = parser.parse_args()
    tables = (
        (
            f"All categories, {asked.samples:,} samples a row",
            ("labels", "raters", "issues", *HEADS),
            partial(line, samples=asked.samples),
            [(one, issues) for one in (*POPULATIONS, CLUSTERED) for issues in ISSUES],
        ),
        (
            f"One category, {asked.samples:,} samples a row",
            ("labels", "raters", "share", "issues", "with it", "shown", "held", "before"),
            partial(category_lines, samples=asked.samples),
            [(*one, issues) for one in OF_CATEGORIES for issues in (20, 50, 100, 200, 400, 1000)],
        ),
        (
            f"Bootstrap, {asked.bootstrapped:,} samples a row, {asked.replicates:,} replicates",
            ("labels", "raters", "issues", *HEADS),
            partial(bootstrap_line, samples=asked.bootstrapped, replicates=asked.replicates),
            [(one, issues) for one in BOOTSTRAPPED for issues in (50, 100, 200, 400)],
        ),
    )
    everybody = {*POPULATIONS, CLUSTERED, *(one for one, _places in OF_CATEGORIES), *BOOTSTRAPPED}
    with Pool(asked.processes) as pool:
        truths = dict(zip(everybody, pool.map(truth_of, everybody), strict=True))
        for title, heads, make, rows in tables:
            print(f"\n{title}\n\n| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 1)}")
            for made in pool.imap(partial(_call, make, truths), rows):
                print(made, flush=True)


def _call(make: Callable[..., str], truths: dict[Population, Truth], row: tuple[Population, object]) -> str:
    return make(truths[row[0]], *row)


def _random(population: Population, issues: int) -> np.random.Generator:
    said = (population.name, population.raters, issues)
    return np.random.default_rng([SEED, *(ord(letter) for letter in repr(said))])


def truth_of(population: Population) -> Truth:
    """The coefficients of the population, and the kappas of its categories."""
    blocks = list(population.samples(*TRUTH_FROM, _random(population, 0)))
    found, by_category = [coefficients(block) for block in blocks], [categories(block) for block in blocks]
    return (
        {name: float(np.nanmean(np.concatenate([one[name].value for one in found]))) for name in NAMES},
        [
            float(np.nanmean(np.concatenate([one[place][0].value for one in by_category])))
            for place in range(len(population.shares))
        ],
    )


def line(truth: Truth, population: Population, issues: int, samples: int) -> str:
    """How often each coefficient is held."""
    found = []
    for block in population.samples(samples, issues, _random(population, issues)):
        if not found:
            check(block[:CHECKED])
        found.append(coefficients(block))
    cells = [_cell([one[name] for one in found], truth[0][name]) for name in NAMES]
    return f"| {population.name} | {population.raters} | {issues} | {' | '.join(cells)} |"


def category_lines(
    truths: Truth, population: Population, places: tuple[int, ...], issues: int, samples: int
) -> str:
    """How often the kappas of some categories are held: by the interval of the report, and by Gwet's."""
    found, made = [], []
    for block in population.samples(samples, issues, _random(population, issues)):
        if not found:
            check(block[:CHECKED])
        found.append(categories(block))
    for place in places:
        truth = truths[1][place]
        now, before = ([one[place][kind] for one in found] for kind in (0, 1))
        with_it = np.median(np.concatenate([one[place][2] for one in found]))
        shown = np.concatenate([one.is_shown for one in now]).mean()
        defined = np.concatenate([held(one, truth)[~np.isnan(one.value)] for one in before])
        cells = (
            population.name, population.raters, f"{100 * population.shares[place]:.0f} %", issues,
            f"{with_it:.0f}", f"{100 * shown:.0f} %", _cell(now, truth), f"{100 * defined.mean():.1f}",
        )  # fmt: skip
        made.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(made)


def bootstrap_line(truths: Truth, population: Population, issues: int, samples: int, replicates: int) -> str:
    truth = truths[0]
    inside = dict.fromkeys(NAMES, 0)
    drawn = (
        one for block in population.samples(samples, issues, _random(population, issues)) for one in block
    )
    for seed, sample in enumerate(drawn):
        found = bootstrap(
            patterns(sample), seed=seed, replicates=replicates, columns_are_raters=False
        ).intervals
        for name in NAMES:
            one = found[name]
            inside[name] += one is not None and one.low <= truth[name] <= one.high
    cells = " | ".join(f"{100 * inside[name] / samples:.1f}" for name in NAMES)
    return f"| {population.name} | {population.raters} | {issues} | {cells} |"


def held(found: Found, truth: float) -> np.ndarray:
    return (found.low - 1e-12 <= truth) & (truth <= found.high + 1e-12)


def _cell(found: list[Found], truth: float) -> str:
    """The share of shown intervals that hold the truth: – if most samples have none, * if a tenth or more
    have a warning.
    """
    shown = np.concatenate([one.is_shown for one in found])
    if shown.mean() < 0.5:
        return "–"
    inside = np.concatenate([held(one, truth) for one in found])[shown]
    doubtful = np.concatenate([one.is_doubtful for one in found])[shown]
    return f"{100 * inside.mean():.1f}{'*' if doubtful.mean() >= 0.1 else ''}"


if __name__ == "__main__":
    main()
