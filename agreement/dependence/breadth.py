"""How many differ at once, and who differs alone, against what independent labels give."""

from typing import NamedTuple

import numpy as np

from agreement.patterns import Floats, Ints

SEED = 1979
DRAWS = 1_000_000
ENOUGH = 20


class Breadth(NamedTuple):
    """On `observed` issues `differing` volunteers differ at once, where at least `expected` would.

    `p` is at least the probability of so few in independent labels.
    """

    differing: int
    observed: int
    expected: float
    p: float


def breadths(labels: Ints) -> tuple[Breadth, ...]:
    """Whether too few differ at once, for each number from 2 up to one that leaves no majority.

    `labels` [N, R] are complete. If volunteers differ independently of each other on each issue, easy or
    hard, with odds in the proportion b_1 : ... : b_R, then of the issues on which d differ, n_d, the mean is
    e_d(b) times a moment of how hard issues are, e_d the elementary symmetric polynomials. By the inequality
    of Cauchy and Schwarz, n_(d+1) is then at least e_(d-1) e_(d+1) / e_d^2 * n_d^2 / n_(d-1), and just that
    where all issues are equally hard: given their sum and n_d + 2 n_(d+1), the three then have the exact
    distribution of a test of Hardy-Weinberg proportions (Levene 1949, Annals of Mathematical Statistics 20,
    91-94) but for other weights. b is estimated from who differs alone, within each category that most chose,
    and the categories are added up.
    To differ is to differ from an absolute majority. Where four of seven stand against three, either side
    may be the one that differs: these count as three who differ where that is tested, and as four where that
    is, as issues without an absolute majority do. Several volunteers who differ together because they read a
    category in their own way can be taken for a sign.
    """
    raters = labels.shape[1]
    most = (raters - 1) // 2 + 1
    category, top, second = plurality(labels)
    differing = np.where(2 * top > raters, raters - top, most)
    either = (2 * top == raters + 1) & (top + second == raters)
    strata = np.unique(category)
    weights = [_weights(labels[(category == each) & (differing == 1)], each) for each in strata]
    found = []
    for number in range(2, most + 1):
        at = np.where(either, most, differing) if number == most else differing
        counts = [np.bincount(at[category == each], minlength=most + 1) for each in strata]
        found.append(_breadth(number, np.array(counts).reshape(-1, most + 1), weights))
    return tuple(found)


def evenness(counts: Ints) -> tuple[float, float]:
    """The chi-square of `counts` against equal ones, and how probable one as small is if all are equal.

    Unequal chances make it larger, so that the probability holds for them too. Drawn by a stored seed until
    20 draws are as even, a million at most: so p is 1e-6 at least. Source: Besag and Clifford (1991),
    Sequential Monte Carlo p-values, Biometrika 78, 301-304.
    """
    total, expected = int(counts.sum()), counts.sum() / len(counts)
    if not total:
        return 0.0, 1.0
    observed = float(np.square(counts - expected).sum() / expected)
    random = np.random.default_rng(SEED)
    drawn = as_even = 0
    while drawn < DRAWS and as_even < ENOUGH:
        size = min(max(drawn, 1000), DRAWS - drawn, 100_000)
        draws = random.multinomial(total, np.full(len(counts), 1 / len(counts)), size=size)
        as_even += int((np.square(draws - expected).sum(axis=1) / expected <= observed + 1e-9).sum())
        drawn += size
    return observed, (as_even + 1) / (drawn + 1)


def _breadth(number: int, counts: Ints, weights: list[Floats]) -> Breadth:
    """Adds the categories up: the sum of independent numbers, each given its own margins."""
    chances, least, observed, expected = np.ones(1), 0, 0, 0.0
    for issues, weight in zip(counts[:, number - 2 : number + 1], weights, strict=True):
        if not issues.any() or not (weight[number - 2 : number + 1] > 0).all():
            continue
        first, these = _given_margins(issues, np.log(weight[number - 2 : number + 1]))
        expected += float(np.dot(these, first + np.arange(len(these))))
        chances = np.convolve(chances, these)
        least += first
        observed += int(issues[2])
    return Breadth(number, observed, expected, min(1.0, float(chances[: observed - least + 1].sum())))


def _given_margins(issues: Ints, weights: Floats) -> tuple[int, Floats]:
    """The least possible third of three numbers, and the probabilities of it and each larger one.

    Given their sum and n_1 + 2 n_2, as of genotypes the number of alleles.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - SciPy loads for long

    total, steps = int(issues.sum()), int(issues[1] + 2 * issues[2])
    third = np.arange(max(0, steps - total), steps // 2 + 1)
    numbers = np.column_stack([total - steps + third, steps - 2 * third, third])
    logs = (numbers * weights - gammaln(numbers + 1)).sum(axis=1)
    chances = np.exp(logs - logs.max())
    return int(third[0]), chances / chances.sum()


def _weights(alone: Ints, category: int) -> Floats:
    """[R + 1] the elementary symmetric polynomials of the shares of those who differ alone."""
    dissents = (alone != category).sum(axis=0)
    found: Floats = np.poly(-dissents / max(dissents.sum(), 1)).astype(np.float64)
    return found


def plurality(labels: Ints) -> tuple[Ints, Ints, Ints]:
    """[N] the most frequent category of each issue (of several the lowest), its labels, and the next one's.

    Without a label it is category 0 with no label.
    """
    category, top, second = (np.zeros(len(labels), dtype=np.int64) for _ in range(3))
    for each in range(int(labels.max(initial=-1)) + 1):
        times = (labels == each).sum(axis=1)
        second = np.maximum(second, np.minimum(times, top))
        category[times > top] = each
        top = np.maximum(top, times)
    return category, top, second
