"""How alike cards were sorted: by hand, by another library, and where there is no number."""

import random

import pytest
from sklearn.metrics import adjusted_rand_score, pair_confusion_matrix

from agreement.sortings import (
    NO_CHOICE,
    NO_PAIR,
    NOBODY,
    put_together_by_all,
    sorted_alike,
    sorting_agreement,
)
from tests.long import only_long


def test_six_cards_by_hand():
    """Piles of 3 and 3 against 2, 2 and 2: 2 of 15 pairs together in both, 4 and 1 in one, 8 in neither.

    By chance 6 x 3 / 15 = 1.2 together, at most (6 + 3) / 2 = 4.5: (2 - 1.2) / (4.5 - 1.2) = 8/33.
    """
    found = sorted_alike("aaabbb", "xxyyzz")
    assert (found.together, found.first, found.second, found.apart) == (2, 4, 1, 8)
    assert found.adjusted_rand == pytest.approx(8 / 33, abs=0)
    assert found.shared == 2 / 7
    assert (found.cards, found.reason) == (6, "")


def test_four_cards_sorted_across_are_below_chance_by_hand():
    """12 | 34 against 13 | 24: none of 6 pairs together in both, 2 x 2 / 6 by chance: (0 - 2/3) / (2 - 2/3)."""
    found = sorted_alike([1, 1, 2, 2], [1, 2, 1, 2])
    assert (found.adjusted_rand, found.shared) == (-0.5, 0.0)


def test_one_pile_against_each_card_alone_is_what_chance_gives():
    found = sorted_alike("aaa", "xyz")
    assert (found.adjusted_rand, found.together, found.first, found.second) == (0.0, 0, 3, 0)


def test_the_same_piles_are_1_whatever_they_are_called():
    assert sorted_alike("aabbc", [9, 9, 4, 4, 7]).adjusted_rand == 1.0


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [("", "", NO_PAIR), ("a", "x", NO_PAIR), ("aaa", "xxx", NO_CHOICE), ("abc", "xyz", NO_CHOICE)],
)
def test_what_is_0_of_0_has_a_reason_and_no_number(one, other, reason):
    found = sorted_alike(one, other)
    assert (found.adjusted_rand, found.reason) == (None, reason)
    assert found.shared == (1.0 if one == "aaa" else None)


@only_long
def test_as_scikit_learn_counts():
    chance = random.Random(5)
    for _time in range(200):
        n, piles = chance.randint(3, 40), chance.randint(2, 6)
        one, other = ([chance.randrange(piles) for _card in range(n)] for _who in range(2))
        found = sorted_alike(one, other)
        # Theirs counts ordered pairs: each twice.
        (apart, second), (first, together) = pair_confusion_matrix(one, other) // 2
        assert (found.together, found.first, found.second, found.apart) == (together, first, second, apart)
        if found.adjusted_rand is not None:
            assert found.adjusted_rand == pytest.approx(adjusted_rand_score(one, other), abs=1e-12)


def test_people_are_compared_over_the_cards_that_both_sorted():
    """R1 and R2 over cards 1 to 4: -1/2, as above; R1 and R3 over 1 and 2, which are one pile for both."""
    found = sorting_agreement(
        [{1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}, {1: "a", 3: "a", 2: "b", 4: "b"}, {1: "x", 2: "x"}]
    )
    assert [(pair.one, pair.other) for pair in found.pairs] == [(0, 1), (0, 2), (1, 2)]
    first, second, third = (pair.alike for pair in found.pairs)
    assert (first.cards, first.left_out, first.adjusted_rand) == (4, 1, -0.5)
    assert (second.cards, second.left_out, second.reason) == (2, 3, NO_CHOICE)
    assert (third.adjusted_rand, third.left_out) == (0.0, 2)
    assert (found.mean, found.defined) == (-0.25, 2)


def test_without_a_number_there_is_no_mean():
    found = sorting_agreement([{1: "a"}, {}])
    assert (found.mean, found.defined, found.reason) == (None, 0, NOBODY)
    assert sorting_agreement([]).pairs == ()


def test_what_all_put_together_is_where_their_piles_meet():
    one = {1: "a", 2: "a", 3: "a", 4: "b", 5: "b"}
    other = {1: "x", 2: "x", 3: "y", 4: "z", 5: "z", 6: "z"}
    assert put_together_by_all([one, other]) == [[1, 2], [4, 5]]
    assert put_together_by_all([one]) == [[1, 2, 3], [4, 5]]
    assert put_together_by_all([one, {}]) == []
    assert put_together_by_all([]) == []
