"""How many volunteers differ at once and how often each differs alone, against independent labels."""

from typing import NamedTuple

import numpy as np

from agreement.patterns import Floats, Ints

SEED = 1979
DRAWS = 1_000_000
ENOUGH = 20


class Breadth(NamedTuple):
    """On `observed` issues `differing` volunteers differ at once; independent labels give `expected` or more.

    `p` is an upper bound of the probability of as few of these issues in independent labels.
    """

    differing: int
    observed: int
    expected: float
    p: float


def breadths(labels: Ints) -> tuple[Breadth, ...]:
    """Whether too few volunteers differ at once, for each number from 2 to the first without a majority.

    `labels` [N, R] are complete. Suppose that volunteers differ independently on each issue, easy or hard,
    with odds in the proportion b_1 : ... : b_R, and that d volunteers differ on n_d issues. The mean of n_d
    is then e_d(b) times a moment of how hard issues are, e_d the elementary symmetric polynomials. By the
    inequality of Cauchy and Schwarz n_(d+1) is at least e_(d-1) e_(d+1) / e_d^2 * n_d^2 / n_(d-1), and equal
    to it where all issues are equally hard. Given their sum and n_d + 2 n_(d+1), the three numbers then have
    the exact distribution of a test of Hardy-Weinberg proportions (Levene 1949, Annals of Mathematical
    Statistics 20, 91-94), with other weights. b is estimated from the volunteers who differ alone, within
    each most chosen category; then the categories are added up.
    To differ is to differ from an absolute majority. Where four of seven volunteers disagree with three,
    either side may differ: the test of three counts such an issue as three, the test of four as four, as it
    counts issues without an absolute majority. Volunteers who share a reading of a category can give a sign.
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
    """The chi-square of `counts` against equal counts, and the probability of one so small by equal chances.

    Unequal chances make the chi-square larger, so p bounds their probability too. Draws with a stored seed
    stop once 20 are as even, or after a million: p is at least 1e-6. Source: Besag and Clifford (1991),
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
    """Add the categories up: the sum of independent numbers, each given its own margins."""
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
    """The least possible third number, and the probability of each value from there on.

    Given are the sum of the three numbers and n_1 + 2 n_2: for genotypes, the number of alleles.
    """
    from scipy.special import gammaln  # noqa: PLC0415 - SciPy loads for long

    total, steps = int(issues.sum()), int(issues[1] + 2 * issues[2])
    third = np.arange(max(0, steps - total), steps // 2 + 1)
    numbers = np.column_stack([total - steps + third, steps - 2 * third, third])
    logs = (numbers * weights - gammaln(numbers + 1)).sum(axis=1)
    chances = np.exp(logs - logs.max())
    return int(third[0]), chances / chances.sum()


def _weights(alone: Ints, category: int) -> Floats:
    """[R + 1] the elementary symmetric polynomials of the raters' shares of the lone dissents."""
    dissents = (alone != category).sum(axis=0)
    found: Floats = np.poly(-dissents / max(dissents.sum(), 1)).astype(np.float64)
    return found


def plurality(labels: Ints) -> tuple[Ints, Ints, Ints]:
    """[N] the most frequent category of each issue, its labels, and the labels of the next category.

    The lowest category wins a tie; an issue without labels has category 0 with no label.
    """
    category, top, second = (np.zeros(len(labels), dtype=np.int64) for _ in range(3))
    for each in range(int(labels.max(initial=-1)) + 1):
        times = (labels == each).sum(axis=1)
        second = np.maximum(second, np.minimum(times, top))
        category[times > top] = each
        top = np.maximum(top, times)
    return category, top, second
