from datetime import UTC, datetime, timedelta

import pytest

from rounds.allocation import (
    entrance,
    fair_share,
    labels_asked,
    pace,
    repository_of,
    smallest_quota,
    stretch,
    volunteer_seed,
)

NOON = datetime(2025, 4, 1, 12, tzinfo=UTC)


def test_a_seed_is_the_same_on_every_machine():
    assert [volunteer_seed(7, column) for column in (1, 2)] == [-3159004229965238754, 6335935501756667560]


def test_seeds_differ_by_round_and_column_and_fit_a_signed_64_bit_column():
    seeds = {volunteer_seed(seed, column) for seed in (-(2**63), 0, 2**63 - 1) for column in range(1, 101)}
    assert len(seeds) == 300
    assert all(-(2**63) <= seed < 2**63 for seed in seeds)


@pytest.mark.parametrize(
    ("issues", "k", "volunteers", "share"),
    [(300, 2, 8, 75), (301, 2, 8, 76), (1, 1, 8, 1), (0, 2, 8, 0), (10, 2, 0, 0), (38742, 7, 7, 38742)],
)
def test_fair_share(issues, k, volunteers, share):
    assert fair_share(issues, k, volunteers) == share


@pytest.mark.parametrize(
    ("slots", "issues", "quotas", "asked"),
    [
        (8, 4, (None, None, None), [3, 3, 3]),
        (9, 4, (None, None, None), [3, 3, 3]),  # labels per issue were raised, and one issue has all
        (100, 50, (60, 60, 60, 60), [25, 25, 25, 25]),
        (100, 50, (40, 20, 20, 20), [40, 20, 20, 20]),
        (100, 50, (10, None, None), [10, 45, 45]),
        (100, 50, (10, 20, None), [10, 20, 50]),  # 20 labels have nobody: nobody labels an issue twice
        (100, 50, (10, 20, 30), [10, 20, 30]),
        (0, 0, (None, 5), [0, 0]),
        (8, 4, (), []),
    ],
)
def test_labels_asked_of_each_volunteer(slots, issues, quotas, asked):
    assert [labels_asked(slots, issues, quotas, quota) for quota in quotas] == asked


def test_pace_is_the_median_gap_in_any_order():
    moments = [NOON + timedelta(seconds=seconds) for seconds in (40, 0, 10, 100)]
    assert pace(moments) == 30.0


def test_pace_leaves_pauses_out():
    moments = [NOON, NOON + timedelta(seconds=20), NOON + timedelta(hours=3)]
    assert pace(moments) == 20.0
    assert pace([NOON, NOON + timedelta(minutes=30)]) == 1800.0
    assert pace([NOON, NOON + timedelta(minutes=30, seconds=1)]) is None


@pytest.mark.parametrize("moments", [[], [NOON]])
def test_pace_without_a_gap_is_unknown(moments):
    assert pace(moments) is None


@pytest.mark.parametrize(
    ("issues", "k", "quotas", "smallest"),
    [
        (6, 2, [4, 4, 4], 0),
        (6, 2, [3, 4, 4], 4),
        (6, 2, [2, 3, None], 3),
        (6, 2, [3, 3, None], 0),
        (6, 2, [1, 1, 1], 4),
        (6, 3, [1, 1, 1], 6),
        (6, 2, [1, 100, 100], 0),
        (6, 3, [1, 100, 100], 6),
        (10, 2, [1] * 7, 3),
        (0, 2, [1, 1], 0),
    ],
)
def test_the_smallest_quota_that_fills_a_round(issues, k, quotas, smallest):
    assert smallest_quota(issues, k, quotas) == smallest


def test_a_repository_is_a_stretch_of_ranks_that_each_volunteer_enters_at_a_place_of_their_own():
    assert repository_of(0) == (0, 2**48 - 1)
    assert repository_of(2**48 + 5) == (2**48, 2**49 - 1)
    assert entrance(3 << 48, 2**50 + 7) == (3 << 48) + 7
    assert entrance((3 << 48) + 9, -1) == (4 << 48) - 1


@pytest.mark.parametrize(
    ("minutes_ago", "minutes"),
    [
        ([], 0),
        ([11], 0),  # at rest
        ([3], 3),
        ([70, 62, 53, 44, 35, 26, 17, 8], 70),
        ([80, 60, 53, 44, 35, 26, 17, 8], 60),  # twenty minutes' rest before
        ([8, 26, 17], 26),
    ],
)
def test_how_long_somebody_is_at_work_without_ten_minutes_rest(minutes_ago, minutes):
    now = datetime(2026, 1, 5, 20, tzinfo=UTC)
    moments = [now - timedelta(minutes=ago) for ago in minutes_ago]
    assert stretch(moments, now) == timedelta(minutes=minutes)
