import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing.axes import Axis, Bar, Whisker, bands, bars, close_axis, heat_step, px, whisker, whole_axis

KAPPAS = st.lists(st.floats(-1, 1), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("value", "text"), [(12.34, "12.3"), (12.0, "12"), (-0.01, "0"), (0.05, "0.1"), (1234.5, "1234.5")]
)
def test_coordinates_have_one_decimal_at_most(value, text):
    assert px(value) == text


def test_axis_places_values_between_its_ends():
    axis = Axis(0.0, 1.0, 0.2, 10, 110)

    assert [axis.x(value) for value in (0, 0.25, 1)] == ["10", "35", "110"]
    assert [axis.x(value) for value in (-3, 7)] == ["10", "110"]
    assert [(tick.x, tick.text) for tick in axis.ticks] == [
        ("10", "0"), ("30", "0.2"), ("50", "0.4"), ("70", "0.6"), ("90", "0.8"), ("110", "1"),
    ]  # fmt: skip


def test_ticks_have_as_many_digits_as_their_step():
    assert [tick.text for tick in close_axis([0.7838, 0.7892], 0, 100).ticks] == [
        "0.782", "0.784", "0.786", "0.788", "0.790",
    ]  # fmt: skip
    assert [tick.text for tick in close_axis([0.61, 0.98], 0, 100, most=4).ticks] == [
        "0.6", "0.7", "0.8", "0.9", "1",
    ]  # fmt: skip


@given(KAPPAS, st.integers(2, 8))
def test_a_close_axis_holds_its_values_in_few_round_steps(values, most):
    axis = close_axis(values, 0, 100, most=most)

    assert axis.low <= min(values) + 1e-9
    assert axis.high >= max(values) - 1e-9
    assert 2 <= len(axis.ticks) <= most + 1
    assert len({tick.text for tick in axis.ticks}) == len(axis.ticks)


def test_a_close_axis_of_one_value_is_not_a_point():
    axis = close_axis([1.0, 1.0], 0, 100)

    assert axis.low < 1.0 <= axis.high
    assert close_axis([], 0, 100).ticks[-1].text == "1"


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([], "0 0.2 0.4 0.6 0.8 1"),
        ([0.3, 0.9], "0 0.2 0.4 0.6 0.8 1"),
        ([-0.02, 0.9], "-0.2 0 0.2 0.4 0.6 0.8 1"),
        ([-0.7], "-1 -0.5 0 0.5 1"),
        ([-5.2], "-1 -0.5 0 0.5 1"),
    ],
)
def test_the_whole_axis_begins_where_the_values_do(values, ticks):
    assert " ".join(tick.text for tick in whole_axis(values, 0, 100).ticks) == ticks


def test_whiskers_are_cut_at_the_axis_and_say_if_the_value_is_off_it():
    axis = Axis(0.0, 1.0, 0.2, 0, 100)

    assert whisker(axis, 0.5, 0.25, 0.75) == Whisker("50", "25", "75")
    assert whisker(axis, 0.1, -0.3, 0.5) == Whisker("10", "0", "50")
    assert whisker(axis, -0.3, -0.5, 0.5) == Whisker("0", "0", "50", is_off=True)
    assert whisker(axis, 0.5, None, None) == Whisker("50", None, None)
    assert whisker(axis, None, None, None) is None


def test_bands_end_at_their_bounds_and_one_is_on():
    made = bands(Axis(0.0, 1.0, 0.2, 0, 100), [(0.2, "slight"), (0.6, "more"), (1.0, "most")], "more")

    assert [(band.x, band.width, band.middle, band.word, band.on) for band in made] == [
        ("0.5", "19", "10", "slight", False), ("20.5", "39", "40", "more", True), ("60.5", "39", "80", "most", False),
    ]  # fmt: skip


def test_bars_are_as_high_as_their_share_of_the_most():
    assert bars([0, 10, 5], 10, width=12, height=20) == (
        Bar("0", "19", "1", 0),
        Bar("12", "0", "20", 10),
        Bar("24", "10", "10", 5),
    )
    assert [bar.height for bar in bars([0, 0], 0, width=12, height=20)] == ["1", "1"]


def test_heat_has_seven_even_steps():
    assert [heat_step(value, 0.0, 0.7) for value in (0.0, 0.05, 0.15, 0.35, 0.65, 0.7)] == [1, 1, 2, 4, 7, 7]
    assert heat_step(0.5, 0.5, 0.5) == 4
