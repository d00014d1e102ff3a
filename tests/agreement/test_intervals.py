"""How often the intervals hold the true value in seeded samples, and which of them carry a doubt."""

import numpy as np
import pytest

from agreement import Patterns, Reason, report
from agreement.coefficients import coefficient
from agreement.intervals.categories import category_kappas
from agreement.tally import Tally
from bench.coverage import EVEN, HIGH, SKEWED, truth_of
from bench.samples import categories, check, coefficients
from tests.long import sampled


def drawn(population, issues):
    random = np.random.default_rng(7)
    return next(population.samples(sampled(3000, 600), issues, random))


@pytest.fixture(scope="module")
def truths():
    return {name: truth_of(one) for name, one in (("even", EVEN), ("skewed", SKEWED), ("high", HIGH))}


@pytest.mark.parametrize(
    ("issues", "place", "least_before"), [(100, 4, 0.85), (200, 4, 0.9), (400, 4, 0.92)], ids=str
)
def test_the_kappa_of_a_rare_category_is_held_in_93_to_97_of_100_samples(truths, issues, place, least_before):
    """The linearised interval holds it less often; shares are 5 %."""
    now, before, with_it = categories(drawn(EVEN, issues))[place]
    shown = now.is_shown & ~now.is_doubtful
    truth = truths["even"][1][place]
    held = ((now.low <= truth) & (truth <= now.high))[shown].mean()
    held_before = ((before.low <= truth) & (truth <= before.high)).mean()
    assert np.median(with_it) >= 10
    assert 0.92 <= held <= 0.98
    assert held_before < held


def test_without_a_doubt_an_interval_of_all_categories_holds_and_with_one_it_may_not(truths):
    even, skewed = coefficients(drawn(EVEN, 100)), coefficients(drawn(SKEWED, 50))
    for name, found in even.items():
        held = (found.low <= truths["even"][0][name]) & (truths["even"][0][name] <= found.high)
        assert found.is_doubtful.mean() < 0.1, name
        assert 0.92 <= held.mean() <= 0.98, name
    kappa = skewed["fleiss_kappa"]
    truth = truths["skewed"][0]["fleiss_kappa"]
    held = ((kappa.low <= truth) & (truth <= kappa.high))[kappa.is_shown].mean()
    assert kappa.is_doubtful.all()
    assert held < 0.92


@pytest.mark.parametrize("issues", [5, 30, 90])
def test_the_simulated_numbers_are_those_of_the_report(issues):
    for population in (EVEN, SKEWED, HIGH):
        check(next(population.samples(10, issues, np.random.default_rng(issues))))


def doubt_of(different, equal, name="fleiss_kappa", single=0):
    """Of issues with A B, of issues with C C, and with one label."""
    rows = [[0, 1]] * different + [[2, 2]] * equal + [[2, -1]] * single
    tally = Tally.of(Patterns(np.array(rows), np.ones(len(rows), dtype=np.int64), 3))
    return coefficient(name, tally).doubt


@pytest.mark.parametrize(
    ("found", "doubt"),
    [
        (doubt_of(39, 40), Reason.FEW_COMPARED),
        (doubt_of(40, 40), None),
        (doubt_of(19, 61, "gwet_ac1"), Reason.FEW_DIFFERENT),
        (doubt_of(20, 60, "gwet_ac1"), None),
        (doubt_of(61, 19, "percent_agreement"), Reason.FEW_DIFFERENT),
        (doubt_of(60, 20, "percent_agreement"), None),
        (doubt_of(39, 100), Reason.FEW_RARER),
        (doubt_of(39, 100, "krippendorff_alpha"), Reason.FEW_RARER),
        (doubt_of(39, 100, "brennan_prediger"), None),
        (doubt_of(50, 50, single=11), None),
        (doubt_of(50, 50, single=12), Reason.ONE_LABEL),
        (doubt_of(50, 50, "krippendorff_alpha", single=12), None),
    ],
)
def test_both_sides_of_each_bound(found, doubt):
    assert found is doubt


@pytest.mark.parametrize(
    ("with_it", "others", "reason", "doubt"),
    [
        (4, 30, Reason.FEW_OF_CATEGORY, None),
        (5, 30, None, Reason.RARE_CATEGORY),
        (9, 30, None, Reason.RARE_CATEGORY),
        (10, 30, None, None),
        (30, 9, None, Reason.RARE_CATEGORY),
    ],
)
def test_a_category_needs_issues_with_it_and_with_another(with_it, others, reason, doubt):
    rows = [[1, 1, 1]] * with_it + [[0, 0, 0]] * others
    tally = Tally.of(Patterns(np.array(rows), np.ones(len(rows), dtype=np.int64), 2))
    found = category_kappas(tally, "AB")[1]
    assert (found.issues, found.reason, found.doubt) == (with_it, reason, doubt)


def test_an_interval_of_a_category_by_hand():
    """Two raters, 20 issues: ten A A, six B B, four A B. With the two half issues of B (AB and BB) N = 21,
    p = (8 + 3/4) / 21 and u = (4 + 1/2) / 21 = 3/14: kappa is 1 - u / (2 p (1 - p)).
    """
    rows = [[0, 0]] * 10 + [[1, 1]] * 6 + [[0, 1]] * 4
    found = report(Patterns(np.array(rows), np.ones(20, dtype=np.int64), 2), "AB").categories[1]
    p, u = 8.75 / 21, 4.5 / 21
    spread = 2 * p * (1 - p)
    kappa = 1 - u / spread
    cells = [(10, 0, 0), (6.5, 0, 1), (4.5, 1, 0.5)]
    squares = sum(
        n * (-(d - u) / spread + (1 - kappa) * 2 * (1 - 2 * p) * (x - p) / spread) ** 2 for n, d, x in cells
    )
    error = (squares / (21 * 20)) ** 0.5
    y = np.arcsin(((kappa + 1) / 2) ** 0.5)
    side = 2.2281388519649385 * error / (2 * ((kappa + 1) * (1 - kappa)) ** 0.5)  # t(10)
    assert found.low == pytest.approx(2 * np.sin(y - side) ** 2 - 1, abs=1e-10)
    assert found.high == pytest.approx(2 * np.sin(y + side) ** 2 - 1, abs=1e-10)
