"""Sums of products of whole numbers: the same as Python's own, whatever their size and sign."""

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from agreement.standard_errors import per_size, products, quadratic_form, sum_of_products, times, whole

SIZES = st.sampled_from([3, 2**15, 2**31, 2**40, 2**62, 2**70])


@st.composite
def columns(draw):
    rows = draw(st.integers(1, 6))
    most = draw(SIZES), draw(SIZES)
    one, other = (draw(st.lists(st.integers(-n, n), min_size=rows, max_size=rows)) for n in most)
    weights = draw(st.lists(st.integers(1, 5000), min_size=rows, max_size=rows))
    return np.array(weights, dtype=np.int64), one, other


@given(columns())
@example((np.array([1]), [0], [2**63]))
def test_sums_of_products_are_those_of_pythons_integers(given_):
    weights, one, other = given_
    assert times(whole(one), whole(other)).tolist() == [x * y for x, y in zip(one, other, strict=True)]
    expected = sum(w * x * y for w, x, y in zip(weights.tolist(), one, other, strict=True))
    assert sum_of_products(weights, whole(one), whole(other)) == expected
    assert sum_of_products(weights, whole(one)) == sum(
        w * x for w, x in zip(weights.tolist(), one, strict=True)
    )
    table = products(weights, [whole(one), whole(other)])
    assert table[0][1] == expected
    assert table[2][2] == sum(weights.tolist())
    assert table[1][2] == sum(w * y for w, y in zip(weights.tolist(), other, strict=True))


def test_many_products_that_do_not_fit_together_are_added_up_all_the_same():
    weights = np.full(100_000, 40_000, dtype=np.int64)
    column = np.full(100_000, 2**30, dtype=np.int64)
    assert sum_of_products(weights, column, column) == 100_000 * 40_000 * 2**60
    assert sum_of_products(weights, -column, column) == -100_000 * 40_000 * 2**60


def test_a_sum_of_squares_is_that_of_the_terms():
    weights, column = np.array([2, 3]), np.array([5, -7])
    factors = [Fraction(1, 3), Fraction(-2)]
    assert (
        quadratic_form(products(weights, [column]), factors)
        == 2 * Fraction(-1, 3) ** 2 + 3 * Fraction(-13, 3) ** 2
    )


def test_units_divide_by_labels_and_by_pairs():
    unit, by_label, by_pair = per_size(np.array([1, 2, 3, 2]))
    assert unit == 6
    assert by_label.tolist() == [6, 3, 2, 3]
    assert by_pair.tolist() == [0, 3, 1, 3]
