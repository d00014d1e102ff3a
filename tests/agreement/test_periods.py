"""Labels over time."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from scipy.stats.contingency import association

from agreement import Drift, Reason, Trend, by_period, drift, trend


def test_equals_scipy_on_more_periods():
    counts = np.random.default_rng(2).integers(1, 60, (6, 5))
    found = drift(counts)
    expected = chi2_contingency(counts, correction=False)
    assert (found.labels, found.periods, found.categories) == (counts.sum(), 6, 5)
    assert found.smallest == pytest.approx(expected.expected_freq.min())
    assert (found.chi2, found.p, found.df) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.dof)
    )
    assert found.cramers_v == pytest.approx(association(counts, method="cramer"))


def test_periods_and_categories_without_a_label_do_not_count():
    bare = drift([[20, 20], [10, 30]])
    assert drift([[20, 0, 20], [0, 0, 0], [10, 0, 30]]) == bare


def test_the_same_shares_and_shares_apart():
    same, apart = drift([[10, 20], [30, 60]]), drift([[10, 0], [0, 30]])
    assert (same.chi2, same.p, same.cramers_v) == pytest.approx((0, 1, 0))
    assert apart.cramers_v == pytest.approx(1)


@pytest.mark.parametrize(
    ("counts", "undefined"),
    [
        (np.zeros((0, 0), dtype=int), Drift(0, 0, 0, reason=Reason.NO_LABELS)),
        ([[0, 0], [0, 0]], Drift(0, 0, 0, reason=Reason.NO_LABELS)),
        ([[3, 4], [0, 0]], Drift(7, 1, 2, reason=Reason.ONE_PERIOD)),
        ([[3, 0], [4, 0]], Drift(7, 2, 1, reason=Reason.ONE_CATEGORY)),
    ],
)
def test_undefined_is_none_with_a_reason(counts, undefined):
    assert drift(counts) == undefined


@pytest.mark.parametrize("counts", [[[1, -1]], [[0.5, 1]], [1, 2]])
def test_what_is_no_table_of_counts_is_refused(counts):
    with pytest.raises(ValueError, match="a table"):
        drift(counts)


def test_labels_without_drift_are_called_drifting_as_often_as_chance():
    rng = np.random.default_rng(8)
    drifting = sum(drift(rng.multinomial(200, [0.5, 0.3, 0.2], size=6)).p < 0.05 for _ in range(1000))
    # 5 % of 1,000, give or take three standard errors of 0.7 %.
    assert 29 <= drifting <= 71


# Two periods given out of order: rows of two labels with their decision and how many issues are such.
PERIODS = np.array(["b", "a", "b", "a"])
CODES = np.array([[0, 0], [0, 1], [1, 2], [2, -1]])
DECIDED = np.array([0, 0, -1, 2])
COUNTS = np.array([3, 2, 1, 1])


def test_labels_and_decisions_are_counted_by_period():
    found = by_period(PERIODS, CODES, DECIDED, COUNTS, 4)
    assert found.names == ("a", "b")
    assert found.issues.tolist() == [3, 4]
    assert found.labels.tolist() == [[2, 2, 1, 0], [6, 1, 1, 0]]
    assert found.decided.tolist() == [[2, 0, 1, 0], [3, 0, 0, 0]]
    assert found.change == drift([[2, 1], [3, 0]])


def test_without_rows_there_is_no_period():
    none = np.empty((0, 2), dtype=np.int32)
    found = by_period(np.array([], dtype=str), none, none[:, 0], np.array([], dtype=np.int64), 3)
    assert (found.names, found.labels.shape, found.frequent) == ((), (0, 3), ())
    assert found.change.reason is Reason.NO_LABELS


def test_the_frequent_categories_stand_alone_and_the_others_together():
    """Nine categories with 1 to 9 labels: the two rarest are the rest."""
    codes = np.arange(9)[:, np.newaxis]
    found = by_period(np.array(["a"] * 9), codes, codes[:, 0], np.arange(1, 10), 9)
    assert found.frequent == (2, 3, 4, 5, 6, 7, 8)
    assert found.shown(found.labels).tolist() == [[3, 4, 5, 6, 7, 8, 9, 1 + 2]]


class TestTrend:
    def test_armitages_own_example(self):
        """Armitage (1955), table 1: carriers of a bacillus by size of tonsils, chi-square of the trend 7.19."""
        found = trend([[(516, 19), (589, 29), (293, 24)]])
        n, x = 1398, 72
        # His variance divides by N, the one here by N - 1.
        assert found.z**2 * n / (n - 1) == pytest.approx(7.19, abs=0.01)
        assert found.p == pytest.approx(0.0073, abs=2e-4)
        assert x == 19 + 29 + 24

    def test_by_hand(self):
        # T = 2 * 2 + 1 - 3 * 6 / 4 = 0.5, variance 3 * 1 * (4 * 10 - 36) / (16 * 3) = 0.25.
        assert trend([[(2, 1), (2, 2)]]).z == pytest.approx(1.0)
        assert trend([[(2, 1), (2, 2)]]).p == pytest.approx(0.3173, abs=1e-4)

    def test_strata_are_compared_with_themselves(self):
        """One rater always, one never: no trend, though the first labelled more of the last part."""
        steady = [[(10, 10), (90, 90)], [(90, 0), (10, 0)]]
        assert trend(steady) == Trend(None, None, Reason.NO_TREND)
        rising = [[(2, 1), (2, 2)], [(2, 1), (2, 2)]]
        assert trend(rising).z == pytest.approx(1 / 0.5**0.5, abs=1e-9)

    def test_the_other_direction_is_the_same_below_zero(self):
        up, down = trend([[(5, 0), (5, 1), (5, 4)]]), trend([[(5, 4), (5, 1), (5, 0)]])
        assert (up.z, up.p) == pytest.approx((-down.z, down.p))
        assert up.z > 0

    def test_parts_without_issues_count_their_place_only(self):
        assert trend([[(5, 1), (0, 0), (5, 4)]]).z == pytest.approx(trend([[(5, 1), (5, 4)]]).z)

    @pytest.mark.parametrize("strata", [[], [[(0, 0)]], [[(5, 5), (5, 5)]], [[(5, 2), (0, 0)]], [[(1, 1)]]])
    def test_undefined_is_none_with_a_reason(self, strata):
        assert trend(strata) == Trend(None, None, Reason.NO_TREND)
