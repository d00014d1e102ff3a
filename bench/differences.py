"""`python -m bench.differences`: how often the 95 % intervals of differences hold the true difference.

Prints the last tables of docs/coverage.md. Needs no database. Five minutes of one core.
"""

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import Pool

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from agreement import Difference, Patterns, beside_others, between, left_out
from agreement.coefficients import CONFIDENCE, coefficient
from agreement.differences import ENOUGH_DIFFER, FEWEST
from agreement.intervals.doubts import ENOUGH, ENOUGH_DIFFERENT, ONE_LABEL_SHARE
from agreement.patterns import MISSING, Floats
from agreement.tally import Tally
from bench.coverage import EVEN, HIGH, SEED, SKEW
from bench.samples import AT_ONCE, Counts, Found, Population, coefficients, patterns

KAPPA = "fleiss_kappa"
CHECKED = 5
TRUTH_FROM = (200, 4000)
SEVEN, HIGH7 = replace(EVEN, raters=7), replace(HIGH, raters=7)
SKEWED = Population("skewed", 7, SKEW, 0.9, 0.45, 1 / 3)
TWO, MISSED = replace(EVEN, raters=2), replace(EVEN, name="30 % missing", missing=0.3)
GROUPS = (
    (TWO, TWO), (EVEN, EVEN), (SEVEN, SEVEN), (SEVEN, HIGH7), (HIGH7, HIGH7), (SKEWED, SKEWED),
    (SKEWED, SEVEN), (MISSED, MISSED),
)  # fmt: skip
ISSUES_OF_GROUPS = ((20, 20), (50, 50), (100, 100), (50, 400), (100, 400), (400, 400))
ISSUES = (50, 100, 200, 400)
Labels = NDArray[np.int8]


@dataclass(frozen=True)
class Team:
    """Volunteers as in `Population`, but the last one knows a category `skill` times as often."""

    of: Population
    skill: float

    @property
    def name(self) -> str:
        return self.of.name

    def samples(self, number: int, issues: int, random: np.random.Generator) -> Iterator[Labels]:
        """Blocks [S, N, R] of labels, -1 for a missing one."""
        block = max(1, AT_ONCE // issues)
        for start in range(0, number, block):
            yield self._block((min(block, number - start), issues), random)

    def _block(self, shape: tuple[int, int], random: np.random.Generator) -> Labels:
        of, last = self.of, len(self.of.shares) - 1
        truth = np.searchsorted(np.cumsum(of.shares), random.random(shape))
        known = np.where(random.random(shape) < of.hard_share, of.hard, of.easy)
        ends = np.cumsum(of.guess or of.shares)
        found = np.full((*shape, of.raters), MISSING, dtype=np.int8)
        for rater in range(of.raters):
            guessed = np.searchsorted(ends, random.random(shape))
            knows = known * (self.skill if rater == of.raters - 1 else 1.0)
            label = np.minimum(np.where(random.random(shape) < knows, truth, guessed), last)
            found[..., rater] = np.where(random.random(shape) >= of.missing, label, MISSING)
        return found


PAIRED = (EVEN, SEVEN, HIGH7, SKEWED, replace(HIGH, raters=3), replace(SKEWED, raters=3), MISSED,
          replace(MISSED, raters=7))  # fmt: skip
TEAMS = tuple(Team(of, skill) for of in PAIRED for skill in (1.0, 0.6))


def counts(labels: Labels, categories: int) -> Counts:
    return np.stack([(labels == place).sum(axis=-1) for place in range(categories)], axis=-1).astype(np.int16)


def groups(first: Counts, second: Counts) -> Found:
    """`between` of Fleiss' kappas for arrays."""
    one, other = (coefficients(chosen)[KAPPA] for chosen in (first, second))
    sizes = [(chosen.sum(axis=-1) > 0).sum(axis=1) for chosen in (first, second)]
    a, b = (
        np.square((found.high - found.value) / stdtrit(size - 1, (1 + CONFIDENCE) / 2))
        for found, size in zip((one, other), sizes, strict=True)
    )
    degrees = (a + b) ** 2 / (a**2 / (sizes[0] - 1) + b**2 / (sizes[1] - 1))
    half = stdtrit(degrees, (1 + CONFIDENCE) / 2) * np.sqrt(a + b)
    half = np.where(np.minimum(*sizes) < FEWEST, np.nan, half)
    value = one.value - other.value
    return Found(value, value - half, value + half, one.is_doubtful | other.is_doubtful)


@np.errstate(divide="ignore", invalid="ignore")
def kappa_terms(n: Floats) -> tuple[Floats, Floats]:
    """Fleiss' kappa of each sample of counts [S, N, K], and what each issue adds, over N."""
    r = n.sum(axis=-1)
    labelled, several = r > 0, r >= 2
    issues, compared = labelled.sum(axis=1), several.sum(axis=1)
    agreeing = np.where(several, (n * (n - 1)).sum(axis=-1) / np.maximum(r * (r - 1), 1), 0)
    share = n / np.maximum(r, 1)[..., np.newaxis]
    p = share.sum(axis=1) / issues[:, np.newaxis]
    expected = np.square(p).sum(axis=1)
    kappa = (agreeing.sum(axis=1) / compared - expected) / (1 - expected)
    terms = (issues / compared)[:, np.newaxis] * several * (agreeing - expected[:, np.newaxis])
    of_issue = np.einsum("snk,sk->sn", share, p)
    terms -= 2 * (1 - kappa)[:, np.newaxis] * (of_issue - expected[:, np.newaxis])
    terms = (terms / (1 - expected)[:, np.newaxis] - kappa[:, np.newaxis]) * labelled
    return kappa, terms / issues[:, np.newaxis]


def differ(labels: Labels) -> NDArray[np.bool_]:
    """[S, N] whether the labels of an issue are not all the same."""
    low = np.where(labels == MISSING, labels.max(axis=-1, keepdims=True), labels).min(axis=-1)
    return labels.max(axis=-1) > low


def without_last(labels: Labels, categories: int) -> Found:
    """`left_out` of the last column for arrays."""
    whole, rest = (counts(part, categories).astype(np.float64) for part in (labels, labels[..., :-1]))
    (all_, of_all), (others, of_others) = kappa_terms(whole), kappa_terms(rest)
    issues = (whole.sum(axis=-1) > 0).sum(axis=1)
    doubtful = coefficients(whole)[KAPPA].is_doubtful | coefficients(rest)[KAPPA].is_doubtful
    return _paired(others - all_, of_others - of_all, issues, differ(labels).sum(axis=1), doubtful)


@np.errstate(divide="ignore", invalid="ignore")
def model_beside(labels: Labels, categories: int) -> Found:
    """`beside_others` of the last column for arrays."""
    own, rest = labels[..., -1:], labels[..., :-1]
    there = (own[..., 0] != MISSING) & (rest != MISSING).any(axis=-1)
    size = (rest != MISSING).sum(axis=-1)
    equal = (rest == own).sum(axis=-1)
    n = counts(rest, categories).astype(np.float64)
    share = np.where(there, equal / np.maximum(size, 1), 0)
    two = there & (size >= 2)
    among = np.where(two, (n * (n - 1)).sum(axis=-1) / np.maximum(size * (size - 1), 1), 0)
    issues, several = there.sum(axis=1), two.sum(axis=1)
    one, other = share.sum(axis=1) / issues, among.sum(axis=1) / several
    terms = np.where(there, share - one[:, np.newaxis], 0) / issues[:, np.newaxis]
    terms -= np.where(two, among - other[:, np.newaxis], 0) / several[:, np.newaxis]
    number = (differ(labels) & there).sum(axis=1)
    doubtful = _model_doubt(there, size, equal, n)
    return _paired(one - other, terms, issues, number, doubtful)


def _model_doubt(
    there: NDArray[np.bool_], size: NDArray[np.int64], equal: NDArray[np.int64], n: Floats
) -> NDArray[np.bool_]:
    """Of the agreement with the model, or of the percent agreement of the others on the same issues."""
    issues = there.sum(axis=1)
    different, same = ((there & part).sum(axis=1) for part in (equal < size, equal > 0))
    of_model = (issues < ENOUGH) | (np.minimum(different, same) < ENOUGH_DIFFERENT)
    two = there & (size >= 2)
    compared = two.sum(axis=1)
    most = n.max(axis=-1)
    different, same = ((two & part).sum(axis=1) for part in (most < size, most > 1))
    among = (compared < ENOUGH) | (np.minimum(different, same) < ENOUGH_DIFFERENT)
    return of_model | among | (issues - compared >= ONE_LABEL_SHARE * issues)


def _paired(
    value: Floats, terms: Floats, issues: NDArray[np.int64], number: NDArray[np.int64],
    doubtful: NDArray[np.bool_],
) -> Found:  # fmt: skip
    error = np.sqrt(np.square(terms).sum(axis=1) * issues / np.maximum(issues - 1, 1))
    half = stdtrit(np.maximum(issues - 1, 1), (1 + CONFIDENCE) / 2) * error
    half = np.where((error > 1e-12) & (number >= FEWEST) & ~np.isnan(value), half, np.nan)
    return Found(value, value - half, value + half, doubtful | (number < ENOUGH_DIFFER))


def check_groups(first: Counts, second: Counts, found: Found) -> None:
    for number, pair in enumerate(zip(first, second, strict=True)):
        one, other = (Tally.of(patterns(each)) for each in pair)
        difference = between(coefficient(KAPPA, one), coefficient(KAPPA, other), (one.issues, other.issues))
        _same(number, difference, found)


def check_paired(labels: Labels, found: Found, categories: int, *, is_model: bool) -> None:
    for number, sample in enumerate(labels):
        ones = np.ones(len(sample), dtype=np.int64)
        if is_model:
            rest = Patterns(sample[:, :-1].astype(np.int32), ones, categories)
            one = beside_others(rest, sample[:, -1].astype(np.int32))
        else:
            one = left_out(Patterns(sample.astype(np.int32), ones, categories))[sample.shape[1] - 1]
        _same(number, one, found)


def _same(number: int, one: Difference, found: Found) -> None:
    """RuntimeError where the numbers of a sample are not those of the agreement report."""
    is_same = (one.low is not None) == found.is_shown[number]
    if one.low is not None and one.high is not None:
        is_same &= abs(one.low - found.low[number]) < 1e-9 and abs(one.high - found.high[number]) < 1e-9
        is_same &= bool(one.doubt) == found.is_doubtful[number]
    if not is_same:
        raise RuntimeError(f"sample {number}: {one} is not {found}")


def _random(*said: object) -> np.random.Generator:
    return np.random.default_rng([SEED, *(ord(letter) for letter in repr(said))])


def truth_of(population: Population) -> float:
    blocks = population.samples(*TRUTH_FROM, _random(population, 0))
    return float(np.mean(np.concatenate([coefficients(block)[KAPPA].value for block in blocks])))


def group_line(pair: tuple[Population, Population], issues: tuple[int, int], samples: int) -> str:
    random, found = _random(pair, issues), []
    truth = truth_of(pair[0]) - truth_of(pair[1]) if pair[0] != pair[1] else 0.0
    block = max(1, AT_ONCE // max(issues))
    for start in range(0, samples, block):
        number = min(block, samples - start)
        one, other = (
            next(iter(each.samples(number, size, random))) for each, size in zip(pair, issues, strict=True)
        )
        made = groups(one, other)
        if not found:
            check_groups(one[:CHECKED], other[:CHECKED], made)
        found.append(made)
    names = " and ".join(f"{one.name} ({one.raters})" for one in pair)
    return f"| {names} | {issues[0]} and {issues[1]} | {_cells(found, truth)} |"


def paired_line(team: Team, issues: int, samples: int) -> str:
    cells = []
    for is_model in (False, True):
        compute: Callable[[Labels, int], Found] = model_beside if is_model else without_last
        k = len(team.of.shares)
        large = team.samples(*TRUTH_FROM, _random(team, 0))
        truth = float(np.mean(np.concatenate([compute(block, k).value for block in large])))
        found: list[Found] = []
        for block in team.samples(samples, issues, _random(team, issues)):
            made = compute(block, k)
            if not found:
                check_paired(block[:CHECKED], made, k, is_model=is_model)
            found.append(made)
        cells.append(_cells(found, truth))
    skill = "as the others" if team.skill == 1 else "worse"
    return f"| {team.name} | {team.of.raters} | {skill} | {issues} | {' | '.join(cells)} |"


def _cells(found: list[Found], truth: float) -> str:
    """How many samples have an interval; how many of these hold the truth; and of those without a star, if
    they are a tenth of the samples or more.
    """
    shown, low, high, doubtful = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("is_shown", "low", "high", "is_doubtful")
    )
    inside = (low - 1e-12 <= truth) & (truth <= high + 1e-12)
    plain = shown & ~doubtful
    held = f"{100 * inside[shown].mean():.1f}" if shown.mean() >= 0.1 else "–"
    trusted = f"{100 * inside[plain].mean():.1f}" if plain.mean() >= 0.1 else "–"
    return f"{100 * shown.mean():.0f} % | {held} | {trusted}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.differences", description=__doc__)
    parser.add_argument("--samples", type=int, default=5000, help="per row (%(default)s)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="(%(default)s)")
    asked = parser.parse_args()
    three = ("with an interval", "held", "held, without a star")
    tables = (
        (
            ("labels (raters)", "issues", *three),
            partial(group_line, samples=asked.samples),
            [(pair, issues) for pair in GROUPS for issues in ISSUES_OF_GROUPS],
        ),
        (
            (
                "labels",
                "raters",
                "last one",
                "issues",
                *(f"{of}: {one}" for of in ("κ", "model") for one in three),
            ),
            partial(paired_line, samples=asked.samples),
            [(team, issues) for team in TEAMS for issues in ISSUES],
        ),
    )
    with Pool(asked.processes) as pool:
        for heads, make, rows in tables:
            print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
            for made in pool.imap(partial(_call, make), rows):
                print(made, flush=True)


def _call(make: Callable[..., str], row: tuple[object, ...]) -> str:
    return make(*row)


if __name__ == "__main__":
    main()
