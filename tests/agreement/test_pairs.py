"""The order of raters in a heat map."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from agreement import PairKappa, clustered, order_of

# 0 and 3 agree well, so do 1 and 4; 2 agrees with nobody much, and with 1 and 4 a little more.
KAPPAS = [
    [1.00, 0.50, 0.30, 0.90, 0.52],
    [0.50, 1.00, 0.41, 0.48, 0.80],
    [0.30, 0.41, 1.00, 0.31, 0.40],
    [0.90, 0.48, 0.31, 1.00, 0.49],
    [0.52, 0.80, 0.40, 0.49, 1.00],
]


def test_those_who_agree_stand_side_by_side():
    assert order_of(KAPPAS) == [3, 0, 4, 1, 2]


def test_pairs_without_a_kappa_count_as_the_mean():
    """0 and 2 count as 0.534, so that 2 now stands beside 0."""
    table = [list(row) for row in KAPPAS]
    table[2][0] = table[0][2] = None
    assert order_of(table) == [1, 4, 3, 0, 2]
    assert sorted(order_of(np.full((3, 3), np.nan))) == [0, 1, 2]


def test_the_columns_of_pairs_are_ordered_and_one_in_no_pair_is_left_out():
    """Column 2 is in no pair; 4 and 5 have no kappa, which counts as the mean."""
    columns = [0, 1, 3, 4, 5]
    places = [(row, column) for row in range(5) for column in range(row + 1, 5)]
    pairs = [
        PairKappa(columns[a], columns[b], 9, 0, None, None if (a, b) == (3, 4) else KAPPAS[a][b])
        for a, b in places
    ]
    without = [list(row) for row in KAPPAS]
    without[3][4] = without[4][3] = None
    assert clustered(pairs) == [columns[place] for place in order_of(without)]
    assert clustered([PairKappa(1, 4, 2, 0, 1.0, 1.0)]) == [1, 4]
    assert clustered([]) == []


def test_the_order_is_the_best_that_the_tree_allows():
    def allowed(node):
        if node < raters:
            return [[node]]
        left, right = (allowed(int(child)) for child in tree[node - raters, :2])
        return [one + other for a, b in ((left, right), (right, left)) for one in a for other in b]

    rng = np.random.default_rng(12)
    for _ in range(30):
        raters = int(rng.integers(3, 8))
        apart = rng.random(raters * (raters - 1) // 2)
        tree, table = linkage(apart, "average"), squareform(apart)
        best = min(sum(table[a, b] for a, b in pairwise(order)) for order in allowed(2 * raters - 2))
        assert sum(table[a, b] for a, b in pairwise(order_of(1 - table))) == pytest.approx(best)


def test_raters_in_another_order_give_the_same_raters():
    rng = np.random.default_rng(11)
    for raters in (3, 7, 12):
        noise = rng.random((raters, raters))
        table = (noise + noise.T) / 2
        order = order_of(table)
        for _ in range(5):
            places = rng.permutation(raters)
            assert places[order_of(table[np.ix_(places, places)])].tolist() == order
        assert sorted(order) == list(range(raters))


@pytest.mark.parametrize(("table", "order"), [(np.empty((0, 0)), []), ([[1.0]], [0])])
def test_nobody_and_one(table, order):
    assert order_of(table) == order


def test_a_table_that_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"not \(2, 3\)"):
        order_of(np.ones((2, 3)))
