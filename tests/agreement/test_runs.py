"""Runs, and how probable they are in a random order."""

import numpy as np
import pytest

from agreement.dependence.runs import Run, chance_of_run, chance_of_turns, longest_run, longest_turns


def shuffled(rng, values, strata):
    """The values in a random order within strata."""
    order = np.lexsort((rng.random(len(values)), strata))
    found = np.empty_like(values)
    found[np.argsort(strata, kind="stable")] = values[order]
    return found


@pytest.mark.parametrize(
    ("values", "run"),
    [
        ([], Run(0, 0)),
        ([4], Run(1, 0)),
        ([1, 2, 3], Run(1, 0)),
        ([1, 2, 2, 2, 1, 1, 1], Run(3, 1)),
        ([0, 1, 1, 5, 5, 5, 5], Run(4, 3)),
    ],
)
def test_longest_run(values, run):
    assert longest_run(np.array(values, dtype=int)) == run


@pytest.mark.parametrize(
    ("values", "period", "run"),
    [
        ([0, 1, 2, 0, 1, 2, 0, 3], 3, Run(7, 0)),
        ([3, 0, 1, 0, 1, 0, 2], 2, Run(5, 1)),
        ([0, 0, 0, 0, 0, 0], 2, Run(0, 0)),
        ([0, 1, 2, 3], 2, Run(0, 0)),
        ([0, 1], 3, Run(0, 0)),
    ],
)
def test_longest_turns(values, period, run):
    assert longest_turns(np.array(values), period) == run


@pytest.mark.parametrize("length", [4, 5, 6, 7, 8])
def test_the_chance_of_a_run_bounds_what_random_orders_show(length):
    rng = np.random.default_rng(3)
    strata = np.sort(rng.integers(0, 3, 120))
    values = np.where(rng.random(120) < 0.5, strata, rng.integers(0, 3, 120))
    shown = np.mean([longest_run(shuffled(rng, values, strata)).length >= length for _ in range(1500)])
    assert shown <= chance_of_run(values, strata, length) + 0.02


def test_the_chance_of_a_long_run_is_close():
    """Twenty ones and eighty zeros: windows of six ones, 95 (20)_6 / (100)_6, up to shares with replacement."""
    values = np.array([1] * 20 + [0] * 80)
    values[values == 0] = 2 + np.arange(80)
    assert chance_of_run(values, np.zeros(100, dtype=int), 6) == pytest.approx(95 * 0.2**6)


def test_a_sorted_file_is_no_wonder():
    values = strata = np.repeat([0, 1, 2], 50)
    assert chance_of_run(values, strata, 50) == 1.0
    assert chance_of_run(values, np.zeros(150, dtype=int), 50) < 1e-20


@pytest.mark.parametrize(("period", "length"), [(2, 5), (2, 7), (3, 6), (3, 7)])
def test_the_chance_of_turns_bounds_what_random_orders_show(period, length):
    rng = np.random.default_rng(4)
    strata, values = rng.integers(0, 2, 80), rng.choice(4, 80, p=[0.4, 0.3, 0.2, 0.1])
    shown = np.mean(
        [longest_turns(shuffled(rng, values, strata), period).length >= length for _ in range(1500)]
    )
    assert shown <= chance_of_turns(values, strata, period, length) + 0.02


def test_turns_that_go_on_are_improbable():
    values = np.tile([0, 1, 2], 40)
    assert chance_of_turns(values, np.zeros(120, dtype=int), 3, 120) < 1e-17
    assert chance_of_turns(values, np.zeros(120, dtype=int), 3, 3) == 1.0
