"""Two groups of participants: by hand, against SciPy, and where there is no number."""

import numpy as np
import pytest
from scipy import stats

from agreement.intervals.resampling import holm
from agreement.rankings.concordance import Rankings
from agreement.rankings.groups import GroupComparison, compare_groups
from agreement.reasons import Reason


def of(*places):
    return Rankings(np.array(places))


def test_three_against_three_by_hand():
    """The first category is 1, 1, 1 against 2, 2, 2: of 20 ways to form groups, 2 are as far apart."""
    found = compare_groups(of([1, 2, 3], [1, 3, 2], [1, 2, 3]), of([2, 1, 3], [2, 3, 1], [2, 1, 3]), seed=1)
    first = found.categories[0]
    assert (first.first, first.second, first.difference, first.p) == (1.0, 2.0, -1.0, 0.1)
    assert (found.first, found.second, found.exact) == (3, 3, True)
    assert (first.interval, first.reason) == (None, Reason.FEW_PARTICIPANTS)


def test_permutations_as_scipy_counts_them():
    random = np.random.default_rng(2)
    one, other = (random.permuted(np.tile(np.arange(1, 6), (size, 1)), axis=1) for size in (5, 6))
    found = compare_groups(Rankings(one), Rankings(other), seed=1)
    assert found.exact
    for k, each in enumerate(found.categories):
        expected = stats.permutation_test(
            (one[:, k], other[:, k]),
            lambda x, y: abs(x.mean() - y.mean()),
            alternative="greater",
            n_resamples=np.inf,
        )
        assert each.p == pytest.approx(expected.pvalue, abs=1e-12)
        assert each.difference == pytest.approx(one[:, k].mean() - other[:, k].mean(), abs=1e-12)
        assert each.by_chance[0] <= 0 <= each.by_chance[1]


def test_random_groups_come_close_to_all_of_them():
    random = np.random.default_rng(3)
    one, other = (Rankings(random.permuted(np.tile(np.arange(1, 6), (6, 1)), axis=1)) for _group in range(2))
    every = compare_groups(one, other, seed=1)
    some = compare_groups(one, other, seed=1, permutations=923)
    assert (every.exact, some.exact) == (True, False)
    assert some.p == pytest.approx(every.p, abs=0.06)
    assert [each.difference for each in some.categories] == [each.difference for each in every.categories]
    assert compare_groups(one, other, seed=1, permutations=923) == some


def test_groups_that_rank_in_opposite_orders_differ():
    one, other = [[1, 2, 3, 4]] * 6, [[4, 3, 2, 1]] * 6
    found = compare_groups(of(*one), of(*other), seed=1)
    assert [each.difference for each in found.categories] == [-3.0, -1.0, 1.0, 3.0]
    assert {each.p for each in found.categories} == {2 / 924}
    assert {each.adjusted for each in found.categories} == {4 * 2 / 924}
    assert found.p == 2 / 924
    # Nobody in a group has another rank, so these differences do not show an error of 0.
    assert {(each.interval, each.reason) for each in found.categories} == {(None, Reason.SAME_RANK_IN_GROUPS)}
    one[0] = [2, 1, 3, 4]
    first, _second, third, _last = compare_groups(of(*one), of(*other), seed=1).categories
    assert first.interval.low < first.difference < first.interval.high
    assert (first.reason, third.interval, third.reason) == (None, None, Reason.SAME_RANK_IN_GROUPS)


def test_intervals_hold_the_difference():
    random = np.random.default_rng(6)
    one, other = (random.permuted(np.tile(np.arange(1, 5), (size, 1)), axis=1) for size in (8, 11))
    found = compare_groups(Rankings(one), Rankings(other), seed=1)
    assert not found.exact
    for each in found.categories:
        assert each.interval.low < each.difference < each.interval.high
        assert (each.interval.replicates, each.reason) == (2000, None)


def test_top_rankings_are_compared_by_the_last_rank_that_is_shared():
    """Of four categories the third has no place for the first group: rank 3.5; it is first for the other."""
    found = compare_groups(of([1, 2, -1, -1], [2, 1, -1, -1]), of([-1, -1, 1, 2], [-1, -1, 1, 2]), seed=1)
    assert (found.categories[2].first, found.categories[2].second) == (3.5, 1.0)
    assert found.categories[2].p == 2 / 6


def test_a_category_with_one_rank_is_named_and_others_are_tested():
    found = compare_groups(of([1, 2, 3], [1, 3, 2]), of([1, 3, 2], [1, 2, 3]), seed=1)
    same = found.categories[0]
    assert (same.difference, same.p, same.adjusted, same.by_chance) == (0.0, None, None, None)
    assert same.reason is Reason.SAME_RANK
    assert [each.p for each in found.categories[1:]] == [1.0, 1.0]
    assert (found.p, found.reason) == (1.0, None)


def test_everybody_alike_has_no_p():
    found = compare_groups(of([1, 2], [1, 2]), of([1, 2], [1, 2]), seed=1)
    assert (found.p, found.reason) == (None, Reason.SAME_RANK)


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        (np.empty((0, 2), dtype=int), [[1, 2], [2, 1]], Reason.EMPTY_GROUP),
        ([[1, 2], [2, 1]], np.empty((0, 2), dtype=int), Reason.EMPTY_GROUP),
        ([[1, 2]], [[1, 2], [2, 1]], Reason.ONE_IN_GROUP),
        ([[1, 2], [2, 1]], [[1, 2]], Reason.ONE_IN_GROUP),
        (np.empty((0, 0), dtype=int), np.empty((0, 0), dtype=int), Reason.NO_RANKING),
    ],
)
def test_groups_that_cannot_be_compared_say_why(first, second, reason):
    first, second = np.array(first), np.array(second)
    expected = GroupComparison(len(first), len(second), reason=reason)
    assert compare_groups(Rankings(first), Rankings(second), seed=1) == expected


def test_groups_rank_the_same_categories():
    with pytest.raises(ValueError, match="different categories"):
        compare_groups(of([1, 2]), of([1, 2, 3]), seed=1)


def test_holm_by_hand():
    """0.01 x 3, then 0.02 x 2 = 0.04, then 0.03, which may not be below 0.04."""
    assert holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
