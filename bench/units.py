"""Samples of repositories and of volunteers, thousands at once, with their intervals.

A large population is made once. A sample is some of its repositories, or of its volunteers, and the true
value is that of all. A repository only needs the sums of its issues; a volunteer only needs the shares of
issues on which they agree with each other one, and the shares of their labels. The numbers are those of
`agreement`, written for arrays: each class compares the two for a sample.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isinf

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from agreement import Coefficient, Patterns, over_clusters, over_raters
from agreement.coefficients import CONFIDENCE
from agreement.intervals.doubts import DOMINANT, ENOUGH_DIFFERENT, ENOUGH_EQUAL, HIGH, LOW
from agreement.intervals.sampled_units import FEWEST_EQUAL
from agreement.patterns import Floats, Ints
from bench.samples import NAMES, Found, agrees

Random = np.random.Generator
GUESS = (0.3, 0.3, 0.2, 0.1, 0.05, 0.05)
HARD, HARDER = 1 / 3, 1.7
"""The share of hard issues, and how much less the logit of a right label is on them."""
AT_ONCE = 300_000
QUANTILE = (1 + CONFIDENCE) / 2
Codes = NDArray[np.int8]


@dataclass(frozen=True)
class Labels:
    """Issues of categories with these `shares`. A volunteer is right with a chance whose logit is `skill` on
    average, less on hard issues, and guesses otherwise.
    """

    name: str
    shares: tuple[float, ...]
    skill: float

    def given(self, truth: Ints, skill: Floats, random: Random) -> Codes:
        """[N, R] the labels of issues of these categories, by the logits [N, R]."""
        hard = HARDER * (random.random(len(truth)) < HARD)
        right = 1 / (1 + np.exp(hard[:, np.newaxis] - skill))
        guess = np.searchsorted(np.cumsum(GUESS)[:-1], random.random(right.shape))
        known = random.random(right.shape) < right
        return np.where(known, truth[:, np.newaxis], guess).astype(np.int8)


@dataclass(frozen=True)
class Repositories:
    """A population of `number` repositories whose sizes are lognormal around 150 issues with this `spread`.

    With `differ` 1, their shares of categories and their difficulty differ; with 0 they are the same.
    """

    labels: Labels
    spread: float = 0.0
    differ: float = 1.0
    raters: int = 7
    number: int = 6000
    seed: int = 0

    @cached_property
    def _made(self) -> tuple[Ints, Codes, Floats, Floats]:
        """The first issue of each and the end of the last, labels, sums of products, issues that differ."""
        random = np.random.default_rng([self.seed, *map(ord, repr(self))])
        sizes = np.clip(random.lognormal(0.0, self.spread, self.number) * 150, 20, 3000).astype(int)
        shares = np.tile(self.labels.shares, (self.number, 1))
        if self.differ:
            shares = random.dirichlet(12 * np.array(self.labels.shares) / self.differ**2, self.number)
        easier = random.normal(0.0, 0.6 * self.differ, self.number)
        skill = random.normal(self.labels.skill, 0.4, self.raters)
        ends = np.concatenate([[0], np.cumsum(sizes)])
        codes, sums, different = [], [], []
        for first in range(0, self.number, 200):
            block = slice(first, first + 200)
            where = np.repeat(np.arange(len(sizes[block])), sizes[block])
            below = shares[block].cumsum(axis=1)[where, :-1]
            truth = (random.random((len(where), 1)) > below).sum(axis=1)
            labels = self.labels.given(truth, skill + easier[block][where, np.newaxis], random)
            chosen = (labels[..., np.newaxis] == np.arange(len(GUESS))).sum(axis=1)
            terms = _terms(chosen, self.raters)
            starts = ends[block] - ends[first]
            sums.append(np.add.reduceat(terms[:, :, np.newaxis] * terms[:, np.newaxis], starts))
            different.append(np.add.reduceat((chosen.max(axis=1) < self.raters).astype(int), starts))
            codes.append(labels)
        return ends, np.concatenate(codes), np.concatenate(sums), np.concatenate(different)

    @cached_property
    def truth(self) -> dict[str, float]:
        sums = self._made[2].sum(axis=0)[-1]
        return {name: float(_value(name, sums, self.raters)[0]) for name in NAMES}

    def samples(self, number: int, units: int, random: Random) -> Iterator[dict[str, Found]]:
        """The intervals of `number` samples of so many repositories."""
        block = max(1, AT_ONCE // (units * (len(GUESS) + 2) ** 2))
        for start in range(0, number, block):
            drawn = random.integers(0, self.number, (min(block, number - start), units))
            found = self._found(drawn)
            if not start:
                self._check(drawn[:3], found)
            yield found

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def _found(self, drawn: Ints) -> dict[str, Found]:
        _ends, _codes, sums, different = self._made
        products = sums[drawn]
        each, whole = products[..., -1, :], products.sum(axis=1)
        total, sizes = whole[:, -1], each[..., -1]
        effective = sizes.sum(axis=1) ** 2 / np.square(sizes).sum(axis=1)
        units = drawn.shape[1]
        few = different[drawn].sum(axis=1) < ENOUGH_DIFFERENT
        dominant = total[:, 1:-1].max(axis=1) >= float(DOMINANT) * total[:, -1] - 1e-9
        found = {}
        for name in NAMES:
            value, expected = _value(name, total, self.raters)
            rests = _value(name, total[:, np.newaxis] - each, self.raters)[0]
            least = _least(name, self.raters)
            square = np.square(rests - value[:, np.newaxis]).sum(axis=1) * (units - 1) / units
            half = stdtrit(np.maximum(effective - 1, 1e-9), QUANTILE) * np.sqrt(square)
            low, high = logit(value, np.where(effective >= FEWEST_EQUAL, half, np.nan), least)
            issues = stdtrit(total[:, -1] - 1, QUANTILE) * _linear(name, whole, value, expected)
            wide = np.minimum(1.0, value + issues) - np.maximum(least, value - issues)
            doubtful = (high - low < wide) | (effective < ENOUGH_EQUAL - 1e-9) | few
            if name in {"fleiss_kappa", "krippendorff_alpha"}:
                doubtful |= dominant | (value < LOW)
            found[name] = Found(value, low, high, doubtful)
        return found

    def _check(self, drawn: Ints, found: dict[str, Found]) -> None:
        ends, codes, _sums, _different = self._made
        for number, one in enumerate(drawn):
            rows = np.concatenate([np.arange(ends[place], ends[place + 1]) for place in one])
            clusters = np.repeat(np.arange(len(one)), ends[one + 1] - ends[one])
            patterns = Patterns(codes[rows].astype(np.int32), np.ones(len(rows), dtype=int), len(GUESS))
            _compare(over_clusters(patterns, clusters).coefficients, found, number)


@dataclass(frozen=True)
class Volunteers:
    """A population of `number` volunteers with a skill of their own, in general and by category, who all
    labelled the same `issues`.
    """

    labels: Labels
    spread: float = 0.8
    by_category: float = 0.8
    issues: int = 1000
    number: int = 1500
    seed: int = 0

    @cached_property
    def _made(self) -> tuple[Codes, Floats, Floats]:
        """The labels, the share of equal labels of each two volunteers, the shares of their categories."""
        random = np.random.default_rng([self.seed, *map(ord, repr(self))])
        truth = random.choice(len(GUESS), size=self.issues, p=self.labels.shares)
        skill = random.normal(self.labels.skill, self.spread, self.number)
        skill = skill + random.normal(0.0, self.by_category, (len(GUESS), self.number))[truth]
        codes = self.labels.given(truth, skill, random)
        of = [(codes == place).astype(np.float32) for place in range(len(GUESS))]
        equal = sum(one.T @ one for one in of) / np.float64(self.issues)
        return codes, equal, np.stack([one.mean(axis=0, dtype=np.float64) for one in of], axis=1)

    @cached_property
    def truth(self) -> dict[str, float]:
        """Alpha's, like Fleiss' kappa: so many volunteers leave no difference."""
        _codes, equal, shares = self._made
        pairs = (equal.sum() - np.trace(equal)) / (self.number * (self.number - 1))
        sums = np.concatenate([[pairs], shares.mean(axis=0), [1.0]]) * self.issues
        return {name: float(_value(name, sums, self.number)[0]) for name in NAMES}

    def samples(self, number: int, units: int, random: Random) -> Iterator[dict[str, Found]]:
        """The intervals of `number` samples of so many volunteers."""
        block = max(1, AT_ONCE // self.number)
        for start in range(0, number, block):
            order = random.random((min(block, number - start), self.number)).argpartition(units, axis=1)
            found = self._found(order[:, :units])
            if not start:
                self._check(order[:3, :units], found)
            yield found

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")
    def _found(self, drawn: Ints) -> dict[str, Found]:
        codes, equal, shares = self._made
        units = drawn.shape[1]
        between = equal[drawn[:, :, np.newaxis], drawn[:, np.newaxis]] * (1 - np.eye(units))
        with_each = between.sum(axis=2)
        total, own = with_each.sum(axis=1), shares[drawn]
        whole = _of_shares(total / (units * (units - 1)), own.mean(axis=1), self.issues)
        pairs = (total[:, np.newaxis] - 2 * with_each) / ((units - 1) * (units - 2))
        rest = _of_shares(pairs, (own.sum(axis=1, keepdims=True) - own) / (units - 1), self.issues)
        labels = codes[:, drawn]
        different = (labels != labels[..., :1]).any(axis=2).sum(axis=0)
        doubtful = (different < ENOUGH_DIFFERENT) | (whole[:, 0] / whole[:, -1] >= float(HIGH) - 1e-12)
        found = {}
        for name in NAMES:
            value = _value(name, whole, units)[0]
            square = np.square(_value(name, rest, units - 1)[0] - value[:, np.newaxis]).sum(axis=1)
            half = stdtrit(units - 1, QUANTILE) * np.sqrt(square)
            low, high = logit(value, np.where(half > 1e-9, half, np.nan), _least(name, units))
            found[name] = Found(value, low, high, doubtful)
        return found

    def _check(self, drawn: Ints, found: dict[str, Found]) -> None:
        codes = self._made[0]
        for number, one in enumerate(drawn):
            patterns = Patterns(codes[:, one].astype(np.int32), np.ones(len(codes), dtype=int), len(GUESS))
            _compare(over_raters(patterns).coefficients, found, number)


def _terms(chosen: Ints, raters: int) -> Floats:
    """[N, q + 2] of each issue: its agreement, the shares of its categories, and 1."""
    same = (chosen * (chosen - 1)).sum(axis=1) / (raters * (raters - 1))
    return np.column_stack([same, chosen / raters, np.ones(len(chosen))])


def _of_shares(agreement: Floats, shares: Floats, issues: int) -> Floats:
    table = np.concatenate([agreement[..., np.newaxis], shares, np.ones((*agreement.shape, 1))], axis=-1)
    return table * issues


def _value(name: str, sums: Floats, raters: int) -> tuple[Floats, Floats]:
    """The coefficient and its chance agreement, of sums [..., q + 2] of `_terms`."""
    issues, q = sums[..., -1], sums.shape[-1] - 2
    observed, shares = sums[..., 0] / issues, sums[..., 1:-1] / issues[..., np.newaxis]
    square = np.square(shares).sum(axis=-1)
    expected = {
        "percent_agreement": np.zeros_like(observed),
        "fleiss_kappa": square,
        "krippendorff_alpha": square,
        "gwet_ac1": (1 - square) / (q - 1),
        "brennan_prediger": np.full_like(observed, 1 / q),
    }[name]
    if name == "krippendorff_alpha":
        labels = issues * raters
        observed = 1 - (labels - 1) / labels * (1 - observed)
    return (observed - expected) / (1 - expected), expected


def _linear(name: str, products: Floats, value: Floats, expected: Floats) -> Floats:
    """The linearised standard error of each sample, from its sums of products of `_terms`."""
    total = products[:, -1]
    issues, q = total[:, -1], total.shape[1] - 2
    if name == "krippendorff_alpha":
        value = (total[:, 0] / issues - expected) / (1 - expected)
    factors = np.zeros_like(total)
    factors[:, 0] = 1 / (1 - expected)
    factors[:, -1] = -expected / (1 - expected) - value
    by_chance = -2 * (1 - value) / (1 - expected)
    shares = total[:, 1:-1] / issues[:, np.newaxis]
    if name in {"fleiss_kappa", "krippendorff_alpha"}:
        factors[:, 1:-1] = by_chance[:, np.newaxis] * shares
        factors[:, -1] -= by_chance * expected
    elif name == "gwet_ac1":
        factors[:, 1:-1] = -by_chance[:, np.newaxis] * shares / (q - 1)
        factors[:, -1] += by_chance * (1 / (q - 1) - expected)
    squares = np.einsum("si,sij,sj->s", factors, products, factors)
    found: Floats = np.sqrt(np.maximum(squares, 0) / (issues * (issues - 1)))
    return found


def _least(name: str, raters: int) -> float:
    if name == "percent_agreement":
        return 0.0
    is_of_codes = name in {"gwet_ac1", "brennan_prediger"}
    return -1 / (max(len(GUESS), raters) - 1 if is_of_codes else raters - 1)


def logit(value: Floats, half: Floats, least: float) -> tuple[Floats, Floats]:
    """`logit_interval` for arrays."""
    below, above = value - least, 1 - value
    moved = np.exp(half / above) if isinf(least) else np.exp(half * (1 / below + 1 / above))
    odds = below / above
    return least + (1 - least) * odds / (odds + moved), 1 - (1 - least) / (1 + odds * moved)


def _compare(report: dict[str, Coefficient], found: dict[str, Found], number: int) -> None:
    """RuntimeError where the numbers of a sample are not those of the report."""
    for name in NAMES:
        if not agrees(report[name], found[name], number):
            raise RuntimeError(f"sample {number}, {name}: {report[name]} is not {found[name]}")
