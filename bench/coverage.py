"""`python -m bench.coverage`: how often the 95 % intervals of the agreement report hold the true value.

Prints a Markdown table for docs/coverage.md. Needs no database. Three minutes of one core.
"""

import argparse
from collections.abc import Iterator
from itertools import product

import numpy as np

from agreement.bootstrap import FROM_COUNTS, PercentileInterval, bootstrap
from agreement.coefficients import Coefficient, coefficient
from agreement.patterns import MISSING, Codes, Patterns
from agreement.tally import Tally

SEED = 20250530
CATEGORIES = 5
TRUTH_FROM = 1_000_000
HEADS = ("percent", "Fleiss", "alpha", "AC1", "B–P")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    parser.add_argument("--samples", type=int, default=4000, help="per row, linearised (%(default)s)")
    parser.add_argument("--bootstrapped", type=int, default=750, help="of these, bootstrapped (%(default)s)")
    parser.add_argument("--replicates", type=int, default=500, help="of each bootstrap (%(default)s)")
    asked = parser.parse_args()
    times = f"{asked.bootstrapped:,} bootstrapped ({asked.replicates:,} times)"
    print(f"{asked.samples:,} samples a row, {times}.\n")
    print("| raters | labels | issues | interval | " + " | ".join(HEADS) + " |")
    print("|---:|---|---:|---|" + "---:|" * len(HEADS))
    for line in lines(asked.samples, asked.bootstrapped, asked.replicates):
        print(line, flush=True)


def lines(samples: int, bootstrapped: int, replicates: int) -> Iterator[str]:
    """Two rows of the table for each number of raters, kind of labels, and number of issues."""
    for raters, incomplete in product((3, 7), (False, True)):
        random = np.random.default_rng([SEED, raters, incomplete])
        whole = Tally.of(population(random, TRUTH_FROM, raters, incomplete=incomplete))
        truth = {name: coefficient(name, whole).value for name in FROM_COUNTS}
        for issues in (50, 100, 200, 400):
            linear, drawn = np.zeros(len(FROM_COUNTS)), np.zeros(len(FROM_COUNTS))
            for number in range(samples):
                sample = population(random, issues, raters, incomplete=incomplete)
                tally = Tally.of(sample)
                found = [coefficient(name, tally) for name in FROM_COUNTS]
                linear += [holds(one, truth[name]) for one, name in zip(found, FROM_COUNTS, strict=True)]
                if number < bootstrapped:
                    intervals = bootstrap(
                        sample, seed=number, replicates=replicates, columns_are_raters=False
                    ).intervals
                    drawn += [holds(intervals[name], truth[name]) for name in FROM_COUNTS]
            kind = "30 % missing" if incomplete else "complete"
            for name, share in (("linearised", linear / samples), ("bootstrap", drawn / bootstrapped)):
                cells = " | ".join(f"{100 * value:.1f}" for value in share)
                yield f"| {raters} | {kind} | {issues} | {name} | {cells} |"


def population(random: np.random.Generator, issues: int, raters: int, *, incomplete: bool) -> Patterns:
    """Labels of a skewed population with five categories; a third of the issues are hard."""
    truth = random.choice(CATEGORIES, size=issues, p=[0.45, 0.25, 0.15, 0.1, 0.05])
    right = np.where(random.random(issues) < 1 / 3, 0.45, 0.9)
    guess = random.choice(CATEGORIES, size=(issues, raters), p=[0.3, 0.3, 0.2, 0.1, 0.1])
    rows: Codes = np.where(
        random.random((issues, raters)) < right[:, np.newaxis], truth[:, np.newaxis], guess
    )
    if incomplete:
        rows[random.random(rows.shape) < 0.3] = MISSING
    return Patterns(rows.astype(np.int32), np.ones(issues, dtype=np.int64), CATEGORIES)


def holds(found: Coefficient | PercentileInterval | None, truth: float | None) -> bool:
    """Is the truth within the interval? False for an undefined interval."""
    if found is None or found.low is None or found.high is None or truth is None:
        return False
    return found.low <= truth <= found.high


if __name__ == "__main__":
    main()
