"""Which issues come again, and where: the same whatever others do, and as many as were asked for."""

import pytest

from rounds.drift import comes_again, is_place_of_a_repeat


@pytest.mark.parametrize(
    ("percent", "low", "high"), [(0, 0, 0), (5, 440, 560), (10, 920, 1080), (50, 4850, 5150)]
)
def test_the_share_that_comes_again_is_what_was_asked_for(percent, low, high):
    chosen = [issue for issue in range(10_000) if comes_again(issue, seed=-77, percent=percent)]
    assert low <= len(chosen) <= high
    assert chosen == [issue for issue in range(10_000) if comes_again(issue, seed=-77, percent=percent)]


def test_each_volunteer_has_issues_of_their_own_that_come_again():
    one, other = ({issue for issue in range(2000) if comes_again(issue, seed, 10)} for seed in (1, 2))
    assert len(one & other) < len(one) / 3


@pytest.mark.parametrize(("percent", "few"), [(1, 50), (5, 10), (10, 5), (25, 2), (50, 2)])
def test_one_place_of_each_few_is_for_a_repeat(percent, few):
    places = [place for place in range(1000) if is_place_of_a_repeat(place, seed=5, percent=percent)]
    assert [place // few for place in places] == list(range(1000 // few))
    assert len({place % few for place in places}) > min(few, 20) / 2


def test_without_a_drift_check_no_place_is_for_a_repeat():
    assert not any(is_place_of_a_repeat(place, seed=5, percent=0) for place in range(1000))
