"""The sums that every coefficient is computed from are exact, however they are added up."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from agreement.patterns import MISSING, Patterns
from agreement.standard_errors import products, quadratic_form
from agreement.tally import Tally

ROWS = st.lists(
    st.tuples(st.lists(st.sampled_from([MISSING, 0, 1, 2]), min_size=4, max_size=4), st.integers(0, 5)),
    min_size=1,
    max_size=8,
)


@given(ROWS)
def test_shares_and_their_squares_follow_their_definitions(rows):
    codes = np.array([codes for codes, _count in rows], dtype=np.int32)
    tally = Tally.of(Patterns(codes, np.array([count for _codes, count in rows]), 3))
    said = [
        ([code for code in codes if code != MISSING], count)
        for codes, count in rows
        if count and set(codes) != {MISSING}
    ]
    assert tally.sizes.tolist() == [len(labels) for labels, _count in said]
    assert tally.weights.tolist() == [count for _labels, count in said]
    issues = sum(count for _labels, count in said)
    if not issues:
        return
    shares = [
        sum((Fraction(labels.count(k), len(labels)) * count for labels, count in said), Fraction())
        for k in range(3)
    ]
    sums = tally.sums
    assert sums.shares.tolist() == shares
    assert sums.squared_shares.item() == sum((share / issues) ** 2 for share in shares)
    assert sums.mixed_shares.item() == sum(share / issues * (1 - share / issues) for share in shares)
    several = [(labels, count) for labels, count in said if len(labels) > 1]
    total = sum(len(labels) * count for labels, count in several)
    if total:
        chosen = [sum(labels.count(k) * count for labels, count in several) for k in range(3)]
        assert sums.squared_chosen.item() == sum(Fraction(number, total) ** 2 for number in chosen)


FACTORS = st.one_of(st.integers(-9, 9), st.fractions(-9, 9, max_denominator=99))
NUMBERS = st.integers(-(2**40), 2**40)


@given(
    st.lists(st.tuples(st.integers(0, 9), NUMBERS, NUMBERS), min_size=1, max_size=6),
    FACTORS,
    FACTORS,
    FACTORS,
)
def test_a_quadratic_form_is_the_sum_of_its_squares(rows, first, second, rest):
    weights = np.array([weight for weight, _one, _other in rows])
    columns = [np.array([row[place] for row in rows], dtype=np.int64) for place in (1, 2)]

    found = quadratic_form(products(weights, columns), [first, second, rest])

    assert found == sum(weight * (first * one + second * other + rest) ** 2 for weight, one, other in rows)
