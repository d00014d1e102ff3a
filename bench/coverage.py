"""`python -m bench.coverage`: how often the 95 % intervals of the agreement report hold the true value.

Prints the Markdown tables of docs/coverage.md, and at the end how long that took. Needs no database.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing import Pool
from typing import Any

import numpy as np

from agreement.intervals.bootstrap import bootstrap
from bench.samples import NAMES, Found, Population, categories, check, coefficients, patterns
from bench.twice import check as check_twice
from bench.twice import tables as tables_of
from bench.twice import twice
from bench.units import Labels, Repositories, Volunteers

SEED = 20250530
TRUTH_FROM = (200, 4000)
"""Samples, and issues of each: their mean is taken for the number of the whole population."""
CHECKED = 5
Truth = tuple[dict[str, float], list[float]]
Row = tuple[Any, ...]
Lines = tuple[list[str], list[str]]
"""Rows of a table, and rows of those intervals that have no warning."""
LEAST_SHOWN = 0.4
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
ISSUES = (5, 10, 20, 50, 80, 100, 150, 200, 300, 400)
OF_CATEGORIES = (
    (replace(EVEN, raters=2), (1, 4)),
    (replace(EVEN, raters=7), (1, 4)),
    (SKEWED, (1, 3)),
    (replace(SKEWED, raters=7), (0, 1, 3)),
    (replace(EVEN, name="30 % missing", missing=0.3, raters=7), (4,)),
)
BOOTSTRAPPED = (EVEN, replace(EVEN, raters=7), replace(SKEWED, raters=7))
TWICE = tuple(dict.fromkeys(replace(one, raters=2) for one in POPULATIONS if not one.missing))
LABELS_OF_UNITS = (
    Labels("mixed", (0.4, 0.25, 0.15, 0.1, 0.06, 0.04), 1.9),
    Labels("skewed", (0.9, 0.05, 0.02, 0.01, 0.01, 0.01), 1.9),
    Labels("high", (0.4, 0.25, 0.15, 0.1, 0.06, 0.04), 3.5),
    Labels("low", (0.4, 0.25, 0.15, 0.1, 0.06, 0.04), 0.5),
)
REPOSITORIES = (
    *(Repositories(LABELS_OF_UNITS[0], spread) for spread in (0.0, 0.6, 1.0, 1.4)),
    *(Repositories(labels, spread) for labels in LABELS_OF_UNITS[1:] for spread in (0.0, 1.0)),
    *(Repositories(LABELS_OF_UNITS[0], spread, raters=2) for spread in (0.0, 1.0)),
    *(Repositories(LABELS_OF_UNITS[0], spread, differ=0.0) for spread in (0.0, 1.0)),
)
VOLUNTEERS = tuple(Volunteers(labels) for labels in LABELS_OF_UNITS)
OF_UNITS = {Repositories: (3, 4, 5, 8, 11, 20, 40), Volunteers: (3, 4, 5, 7, 10, 20)}
PARTLY = (0.05, 0.95)
"""Rows with such a share of intervals without a warning have a row of their own for these."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--samples", type=int, default=10_000, help="per row (%(default)s)")
    parser.add_argument("--replicates", type=int, default=500, help="of each bootstrap (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(%(default)s)")
    asked = parser.parse_args()
    started, samples = time.monotonic(), asked.samples
    three = ("labels", "raters", "issues")
    tables = (
        (
            "All categories", (*three, *HEADS), line,
            [(one, issues) for one in (*POPULATIONS, CLUSTERED) for issues in ISSUES],
        ),
        (
            "One category",
            ("labels", "raters", "share", "issues", "with it", "shown", "held", "before"),
            category_lines,
            [(*one, issues) for one in OF_CATEGORIES for issues in (20, 50, 100, 200, 400, 1000)],
        ),
        (
            f"Bootstrap, {asked.replicates:,} replicates",
            (*three, *HEADS),
            partial(bootstrap_line, replicates=asked.replicates),
            [(one, issues) for one in BOOTSTRAPPED for issues in (50, 100, 200, 400)],
        ),
        (
            "Labelled twice",
            ("labels", "issues", "shown", "same label", "Cohen"),
            twice_line,
            [(one, issues) for one in TWICE for issues in (30, 50, 80, 100, 200, 300, 400, 1000)],
        ),
        (
            "Repositories",
            ("labels", "raters", "sizes", "number", "shown", *HEADS),
            unit_lines,
            [(one, OF_UNITS[Repositories]) for one in REPOSITORIES],
        ),
        (
            "Volunteers",
            ("labels", "number", "shown", *HEADS),
            unit_lines,
            [(one, OF_UNITS[Volunteers]) for one in VOLUNTEERS],
        ),
    )  # fmt: skip
    everybody = {*POPULATIONS, CLUSTERED, *(one for one, _places in OF_CATEGORIES), *BOOTSTRAPPED}
    with Pool(asked.processes) as pool:
        truths = dict(zip(everybody, pool.map(truth_of, everybody), strict=True))
        for title, heads, make, rows in tables:
            head = f"| {' | '.join(heads)} |\n|---|{'---:|' * (len(heads) - 1)}"
            print(f"\n{title}, {samples:,} samples a row\n\n{head}")
            parts = []
            for lines, partly in pool.imap(partial(_call, make, truths, samples), rows):
                print("\n".join(lines), flush=True)
                parts += partly
            if parts:
                print(f"\n{title}: of those without a warning\n\n{head}\n" + "\n".join(parts), flush=True)
    print(f"\nThis took {(time.monotonic() - started) / 60:.0f} minutes on {asked.processes} cores.")


def _call(make: Callable[..., Lines], truths: dict[Population, Truth], samples: int, row: Row) -> Lines:
    return make(truths.get(row[0]), *row, samples=samples)


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


def line(truth: Truth, population: Population, issues: int, *, samples: int) -> Lines:
    """How often each coefficient is held."""
    found = []
    for block in population.samples(samples, issues, _random(population, issues)):
        if not found:
            check(block[:CHECKED])
        found.append(coefficients(block))
    return _lines((population.name, population.raters, issues), found, truth[0])


def category_lines(
    truths: Truth, population: Population, places: tuple[int, ...], issues: int, *, samples: int
) -> Lines:
    """How often the kappas of some categories are held: by the interval of the report, and by Gwet's."""
    found, made, partly = [], [], []
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
            f"{with_it:.0f}", f"{100 * shown:.0f} %",
        )  # fmt: skip
        made.append(_row(*cells, _cell(now, truth), f"{100 * defined.mean():.1f}"))
        if rest := _partly(now, truth):
            partly.append(_row(*cells, rest, "–"))
    return made, partly


def bootstrap_line(
    truth: Truth, population: Population, issues: int, *, samples: int, replicates: int
) -> Lines:
    """As `line`, with the percentiles of the bootstrap; the warnings are those of the other interval."""
    found, seed = [], 0
    for block in population.samples(samples, issues, _random(population, issues)):
        bounds = np.full((len(NAMES), 2, len(block)), np.nan)
        for number, sample in enumerate(block):
            made = bootstrap(patterns(sample), seed=seed, replicates=replicates, columns_are_raters=False)
            seed += 1
            for place, name in enumerate(NAMES):
                if one := made.intervals[name]:
                    bounds[place, :, number] = one.low, one.high
        linear = coefficients(block)
        found.append(
            {
                name: replace(linear[name], low=bounds[place, 0], high=bounds[place, 1])
                for place, name in enumerate(NAMES)
            }
        )
    return _lines((population.name, population.raters, issues), found, truth[0])


def twice_line(_truth: object, population: Population, issues: int, *, samples: int) -> Lines:
    """How often the intervals of the drift check hold the numbers of all these samples together."""
    whole = twice(tables_of(population, *TRUTH_FROM, _random(population, 0)).sum(axis=0, keepdims=True))
    made = tables_of(population, samples, issues, _random(population, issues))
    check_twice(made[:CHECKED])
    found = twice(made)
    shown = 100 * found["cohen_kappa"].is_shown.mean()
    truth = {name: float(one.value[0]) for name, one in whole.items()}
    return _lines((population.name, issues, f"{shown:.0f} %"), [found], truth)


def unit_lines(
    _truth: object, population: Repositories | Volunteers, numbers: Sequence[int], *, samples: int
) -> Lines:
    """A line for each number of repositories, or of volunteers."""
    made, partly = [], []
    for number in numbers:
        random = np.random.default_rng([SEED, number])
        found = list(population.samples(samples, number, random))
        shown = f"{100 * np.concatenate([one['fleiss_kappa'].is_shown for one in found]).mean():.0f} %"
        cells: tuple[object, ...] = (population.labels.name, number, shown)
        if isinstance(population, Repositories):
            sizes = f"σ = {population.spread}" if population.spread else "equal"
            name = population.labels.name if population.differ else f"{population.labels.name}, the same"
            cells = (name, population.raters, sizes, number, shown)
        lines, rest = _lines(cells, found, population.truth)
        made += lines
        partly += rest
    return made, partly


def held(found: Found, truth: float) -> np.ndarray:
    return (found.low - 1e-12 <= truth) & (truth <= found.high + 1e-12)


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _lines(cells: tuple[object, ...], found: list[dict[str, Found]], truth: dict[str, float]) -> Lines:
    """The row of all intervals, and that of those without a warning, if these are only a part of them."""
    columns = {name: [one[name] for one in found] for name in truth}
    partly = [_partly(column, truth[name]) for name, column in columns.items()]
    made = _row(*cells, *(_cell(column, truth[name]) for name, column in columns.items()))
    return [made], [_row(*cells, *(one or "–" for one in partly))] if any(partly) else []


def _cell(found: list[Found], truth: float) -> str:
    """The share of shown intervals that hold the truth: – if most samples have none, * if a tenth or more
    have a warning.
    """
    shown = np.concatenate([one.is_shown for one in found])
    if shown.mean() < LEAST_SHOWN:
        return "–"
    inside = np.concatenate([held(one, truth) for one in found])[shown]
    doubtful = np.concatenate([one.is_doubtful for one in found])[shown]
    return f"{100 * inside.mean():.1f}{'*' if doubtful.mean() >= 0.1 else ''}"


def _partly(found: list[Found], truth: float) -> str:
    """The share of samples with an interval without a warning, and of these the share that holds the truth;
    "" if nearly all or hardly any samples have one.
    """
    sure = np.concatenate([one.is_shown & ~one.is_doubtful for one in found])
    if not PARTLY[0] <= sure.mean() <= PARTLY[1]:
        return ""
    inside = np.concatenate([held(one, truth) for one in found])[sure]
    return f"{100 * inside.mean():.1f} of {100 * sure.mean():.0f} %"


if __name__ == "__main__":
    main()
