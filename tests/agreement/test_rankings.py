"""Rankings: by hand, against SciPy, R's printed example and printed tables, and where there is no number."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from agreement.rankings.concordance import SMALL, Concordance, Rankings, concordance, ranked_categories
from agreement.reasons import Reason

# The data `anxiety` of the R package irr: 20 subjects rated by 3 raters, with many ties.
ANXIETY = np.array(
    [
        [3, 3, 3, 4, 5, 5, 2, 3, 5, 2, 2, 6, 1, 5, 2, 2, 1, 2, 4, 3],
        [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4],
        [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2],
    ]
)


def test_places_become_ranks_by_hand():
    """Places 1, 2, 2, 4 are ranks 1, 2.5, 2.5, 4; of places 1, 2 alone, four others share rank (3 + 6) / 2."""
    assert Rankings(np.array([[1, 2, 2, 4]])).doubled.tolist() == [[2, 5, 5, 8]]
    assert Rankings(np.array([[-1, 1, -1, 2, -1, -1]])).doubled.tolist() == [[9, 2, 9, 4, 9, 9]]
    assert Rankings(np.array([[7, 7, 9]])).competition.tolist() == [[1, 1, 3]]


# Siegel and Castellan (1988), the example of Kendall's W: three people put eight reasons in order.
REASONS = np.array([[5, 6, 7, 1, 2, 4, 3, 8], [1, 7, 6, 2, 3, 5, 4, 8], [4, 5, 1, 3, 2, 7, 6, 8]])


@pytest.mark.parametrize(
    ("places", "w", "chi2", "df", "p"),
    [(ANXIETY, "0.5396569", "30.76", 19, "0.04288"), (REASONS, "0.6560847", "13.778", 7, "0.05528")],
)
def test_as_r_prints_it(places, w, chi2, df, p):
    """DescTools, KendallW(anxiety, TRUE, test = TRUE), and KendallW and friedman.test of the second example."""
    found = concordance(Rankings(places), seed=1)
    printed = f"{found.w:.7f}", f"{found.chi2:.{len(chi2) - 3}f}", found.df, f"{found.p:.5f}"
    assert printed == (w, chi2, df, p)


def test_three_participants_by_hand():
    """Totals 4, 5, 9 around 6: 4 + 1 + 9 = 14, and W = 12 x 14 / (9 x 24) = 7/9.

    Of the 36 orders of the second and third participant 7 have totals as far apart: both like the first (1),
    one of them with neighbours exchanged (4), and both with the same neighbours exchanged (2).
    """
    found = concordance(Rankings(np.array([[1, 2, 3], [2, 1, 3], [1, 2, 3]])), seed=1)
    assert (found.w, found.chi2, found.df) == (float(Fraction(7, 9)), float(Fraction(14, 3)), 2)
    assert found.p == pytest.approx(np.exp(-7 / 3))
    assert (found.permutation_p, found.exact) == (7 / 36, True)


@pytest.mark.parametrize(
    ("places", "chi2", "p"),
    [
        ([[1, 2, 3]] * 3, 6.0, 0.028),
        ([[1, 2, 3]] * 4, 8.0, 0.0046),
        ([[1, 2, 3]] * 3 + [[1, 3, 2]], 6.5, 0.042),
        ([[1, 2, 3, 4]] * 3, 9.0, 0.0017),
        ([[1, 2, 3, 4], [1, 2, 3, 4], [3, 1, 2, 4]], 6.6, 0.075),
        ([[1, 2, 3, 4]] * 2, 6.0, 0.042),
    ],
)
def test_exact_probabilities_as_in_friedmans_printed_table(places, chi2, p):
    """Friedman (1937), tables V and VI; also Siegel (1956), table N."""
    found = concordance(Rankings(np.array(places)), seed=1)
    assert (found.chi2, found.exact) == (pytest.approx(chi2), True)
    assert found.permutation_p == pytest.approx(p, abs=0.0005)


def test_ties_and_sizes_as_scipy_counts_them():
    random = np.random.default_rng(4)
    for _time in range(50):
        m, n = random.integers(2, 12), random.integers(3, 9)
        places = random.integers(1, 6, size=(m, n))
        if (places == places[:, :1]).all():
            continue
        expected = stats.friedmanchisquare(*places.T)
        found = concordance(Rankings(places), seed=1, replicates=10, permutations=10)
        assert found.chi2 == pytest.approx(expected.statistic, abs=1e-9)
        assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_random_permutations_come_close_to_all_of_them():
    places = Rankings(np.array([[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4], [4, 1, 2, 3]]))
    every = concordance(places, seed=1, permutations=24**3)
    some = concordance(places, seed=1, permutations=24**3 - 1)
    assert (every.exact, some.exact) == (True, False)
    assert some.permutation_p == pytest.approx(every.permutation_p, abs=0.02)
    assert every.w == some.w


def test_many_rankings_are_tested_by_chi_square_alone():
    places = np.tile(np.arange(1, 11), (SMALL // 10 + 1, 1))
    found = concordance(Rankings(places), seed=1, replicates=20)
    assert (found.w, found.permutation_p) == (1.0, None)
    assert found.p < 1e-9


def test_everybody_alike_is_one_without_an_interval():
    """Six equal rankings do not show an error of 0; with one other there is an interval."""
    found = concordance(Rankings(np.array([[1, 2, 3, 4]] * 6)), seed=1)
    assert (found.w, found.low, found.high, found.reason) == (1.0, None, None, Reason.RANKED_ALIKE)
    assert not found.exact
    assert found.permutation_p == pytest.approx(1 / 10_001)
    varied = concordance(Rankings(np.array([[1, 2, 3, 4]] * 5 + [[1, 2, 4, 3]])), seed=1)
    assert varied.low < varied.w < varied.high == 1.0
    assert varied.reason is None


def test_who_all_agree_equally_little_have_no_interval():
    """Each of five puts another category first and ties all others: any two are as far apart as any other two."""
    found = concordance(Rankings(np.where(np.eye(5, dtype=int) == 1, 1, 2)), seed=1)
    assert (found.w, found.low, found.high, found.reason) == (0.0, None, None, Reason.RANKED_ALIKE)


def test_the_interval_holds_w_and_is_the_same_for_the_same_seed():
    places = np.argsort(np.argsort(np.random.default_rng(8).normal(np.arange(7), 2, size=(9, 7)))) + 1
    found = concordance(Rankings(places), seed=3)
    assert 0 < found.low < found.w < found.high < 1
    assert concordance(Rankings(places), seed=3) == found
    assert concordance(Rankings(places), seed=4).low != found.low


@pytest.mark.slow
def test_the_interval_covers_the_truth_though_plain_percentiles_do_not():
    """The same participant twice is no second opinion: eleven participants, a moderate common order."""
    random, strength = np.random.default_rng(5), np.linspace(-1.5, 1.5, 10)
    many = stats.rankdata(strength + random.normal(size=(4000, 10)), axis=1) - 5.5
    own = np.square(many).sum()
    rho = (np.square(many.sum(axis=0)).sum() - own) / own / (len(many) - 1)
    truth, held = (1 + 10 * rho) / 11, 0
    for seed in range(200):
        ranks = stats.rankdata(strength + random.normal(size=(11, 10)), axis=1).astype(int)
        found = concordance(Rankings(ranks), seed=seed, replicates=500, permutations=1)
        held += found.low <= truth <= found.high
    assert 180 <= held <= 200


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        (np.empty((0, 3), dtype=int), Reason.NO_RANKING),
        (np.empty((0, 0), dtype=int), Reason.NO_RANKING),
        ([[1, 2, 3]], Reason.ONE_PARTICIPANT),
        ([[1], [1]], Reason.ONE_RANKED),
        ([[1, 2, -1], [1, 2, 3]], Reason.TOP_ONLY),
        ([[1, 1, 1], [2, 2, 2]], Reason.ALL_TIED),
    ],
)
def test_what_has_no_w_has_its_reason(places, reason):
    places = np.array(places)
    assert concordance(Rankings(places), seed=1) == Concordance(*places.shape, reason=reason)


def test_four_participants_have_a_w_and_no_interval():
    found = concordance(Rankings(np.array([[1, 2, 3]] * 4)), seed=1)
    assert (found.w, found.low, found.high, found.reason) == (1.0, None, None, Reason.FEW_PARTICIPANTS)
    five = concordance(Rankings(np.array([[1, 2, 3]] * 4 + [[1, 3, 2]])), seed=1)
    assert five.low < five.w < five.high


def test_one_who_ties_everything_counts_without_an_opinion():
    """Totals 1 + 2, 2 + 2, 3 + 2 around 4: W = 12 x 2 / (4 x 24 - 2 x 24) = 1/2."""
    assert concordance(Rankings(np.array([[1, 2, 3], [1, 1, 1]])), seed=1).w == 0.5


class TestCategories:
    def test_complete_rankings_by_hand(self):
        """Three rank four: the first has 1, 2.5, 1 and is twice among the first, once tied for the second."""
        rankings = Rankings(np.array([[1, 2, 3, 4], [2, 1, 2, 4], [1, 2, 4, 3]]))
        first, second, third, last = ranked_categories(rankings, top=2, seed=1)
        assert [one.mean_rank for one in (first, second, third, last)] == [1.5, 5 / 3, 9.5 / 3, 11 / 3]
        assert [one.mean_given for one in (first, second, third, last)] == [1.5, 5 / 3, 9.5 / 3, 11 / 3]
        assert [one.top.value for one in (first, second, third, last)] == [1.0, 1.0, 1 / 3, 0.0]
        assert {(one.ranked_by, one.interval, one.reason) for one in (first, second, third, last)} == {
            (3, None, Reason.FEW_PARTICIPANTS)
        }

    def test_the_first_three_of_six_by_hand(self):
        """The last of six categories: third for one, without a place (rank 5, of 4, 5, 6) for the other."""
        rankings = Rankings(np.array([[1, 2, -1, -1, -1, 3], [2, 1, 3, -1, -1, -1]]))
        found = ranked_categories(rankings, top=3, seed=1)
        assert (found[5].mean_rank, found[5].mean_given, found[5].ranked_by) == (4.0, 3.0, 1)
        assert (found[3].mean_rank, found[3].mean_given, found[3].ranked_by) == (5.0, None, 0)
        assert (found[3].top.value, found[5].top.value, found[0].top.value) == (0.0, 0.5, 1.0)

    def test_categories_without_a_place_are_never_among_the_first(self):
        """One of three ranked one category, and was asked for three: the others are not among the first."""
        found = ranked_categories(Rankings(np.array([[1, -1, -1]])), top=3, seed=1)
        assert [one.top.value for one in found] == [1.0, 0.0, 0.0]

    def test_shares_have_wilsons_interval(self):
        """3 of 10: Wilson's interval is 0.1078 to 0.6032."""
        places = np.array([[1, 2]] * 3 + [[2, 1]] * 7)
        top = ranked_categories(Rankings(places), top=1, seed=1)[0].top
        assert (top.value, round(top.low, 4), round(top.high, 4)) == (0.3, 0.1078, 0.6032)

    def test_intervals_hold_the_mean_and_are_missing_without_variation(self):
        places = np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]])
        first, second, _third = ranked_categories(Rankings(places), top=1, seed=1)
        assert (first.mean_rank, first.interval, first.reason) == (1.0, None, Reason.SAME_RANK)
        assert second.reason is None
        assert 2 <= second.interval.low < second.mean_rank < second.interval.high <= 3
        again = ranked_categories(Rankings(places), top=1, seed=1)
        assert again[1] == second

    def test_nobody_and_one_participant(self):
        assert ranked_categories(Rankings(np.empty((0, 3), dtype=int)), top=1, seed=1) == ()
        (only, _other) = ranked_categories(Rankings(np.array([[2, 1]])), top=1, seed=1)
        assert (only.mean_rank, only.interval, only.reason) == (2.0, None, Reason.FEW_PARTICIPANTS)

    def test_the_first_places_are_at_least_one(self):
        with pytest.raises(ValueError, match="at least one"):
            ranked_categories(Rankings(np.array([[1, 2]])), top=0, seed=1)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([[1.5, 2]], "whole numbers"),
        ([1, 2], "whole numbers"),
        ([[0, 1]], "count from 1"),
        ([[-2, 1]], "count from 1"),
        ([[1, 2], [-1, -1]], "ranked nothing"),
    ],
)
def test_what_is_not_a_ranking_is_refused(places, words):
    with pytest.raises(ValueError, match=words):
        Rankings(np.array(places))
