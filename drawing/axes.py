"""The positions of marks in a figure: scales, ticks, whiskers, bars, steps of heat. Geometry only.

Coordinates are text with a full stop in every language, ready for an SVG attribute.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

HOTTEST = 7


def px(value: float) -> str:
    """A coordinate to a tenth: "12.3", "12"."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: its coordinate and its text."""

    x: str
    text: str


@dataclass(frozen=True)
class Axis:
    """A linear scale: the values `low` to `high` lie between the coordinates `left` and `right`."""

    low: float
    high: float
    step: float
    left: float
    right: float

    def x(self, value: float) -> str:
        """The coordinate of a value; values off the axis are put at its end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return px(self.left + share * (self.right - self.left))

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """A tick at every step and at both ends, with enough digits to tell ticks apart."""
        digits = max(0, -math.floor(math.log10(self.step) + 1e-9))
        values = [self.low + at * self.step for at in range(round((self.high - self.low) / self.step) + 1)]
        return tuple(Tick(self.x(value), _plain(f"{value:.{digits}f}")) for value in values)


def _plain(text: str) -> str:
    """Whole numbers without decimals, and a zero without a sign."""
    return str(int(float(text))) if float(text).is_integer() else text


def whole_axis(values: Iterable[float], left: float, right: float) -> Axis:
    """An axis from 0 to 1 for kappas; negative values move its start down, to -1 at most."""
    lowest = max(min(values, default=0.0), -1.0)
    step = 0.2 if lowest >= -0.4 else 0.5
    return Axis(min(0.0, math.floor(lowest / step + 1e-9) * step), 1.0, step, left, right)


def close_axis(values: Iterable[float], left: float, right: float, *, most: int = 5) -> Axis:
    """An axis just wide enough for the values, with round ends and at most `most` steps of 1, 2 or 5.

    It stays within -1 to 1, the range of agreement; without values it is 0 to 1.
    """
    found = sorted(min(max(value, -1.0), 1.0) for value in values)
    if not found:
        return Axis(0.0, 1.0, 0.2, left, right)
    first, last = found[0], found[-1]
    if last - first < 0.004:
        middle = min((first + last) / 2, 0.998)
        first, last = middle - 0.002, middle + 0.002
    step = _round_step((last - first) / most)
    while True:
        low, high = math.floor(first / step + 1e-9), math.ceil(last / step - 1e-9)
        if high - low <= most:
            return Axis(low * step, max(high, low + 1) * step, step, left, right)
        step = _round_step(step * 1.01)


def _round_step(least: float) -> float:
    """The smallest of …, 0.01, 0.02, 0.05, 0.1, … that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))


@dataclass(frozen=True)
class Whisker:
    """A value as a mark at `x`, its interval as a line from `low` to `high`; both None without an interval.

    `is_off`: the value is off the axis, so the mark is at the end of the axis and points there.
    """

    x: str
    low: str | None
    high: str | None
    is_off: bool = False


def whisker(axis: Axis, value: float | None, low: float | None, high: float | None) -> Whisker | None:
    """The marks of a value with its interval; None where the value is undefined."""
    if value is None:
        return None
    is_off = not axis.low - 1e-9 <= value <= axis.high + 1e-9
    if low is None or high is None:
        return Whisker(axis.x(value), None, None, is_off)
    return Whisker(axis.x(value), axis.x(low), axis.x(high), is_off)


@dataclass(frozen=True)
class Band:
    """A stretch of an axis with a word above it."""

    x: str
    width: str
    middle: str
    word: str
    on: bool


def bands(axis: Axis, bounds: Sequence[tuple[float, str]], word: str) -> tuple[Band, ...]:
    """The stretches from 0 that end at `bounds`, with gaps of one unit; `on` is true for that of `word`."""
    made, start = [], 0.0
    for end, name in bounds:
        left, right = float(axis.x(start)), float(axis.x(end))
        made.append(Band(px(left + 0.5), px(right - left - 1), px((left + right) / 2), name, on=name == word))
        start = end
    return tuple(made)


@dataclass(frozen=True)
class Bar:
    x: str
    y: str
    height: str
    count: int


def bars(counts: Sequence[int], most: int, *, width: float, height: float) -> tuple[Bar, ...]:
    """A bar per count, `width` apart; a count of `most` is as high as the drawing, 0 is one unit high."""
    tall = [max(1.0, count / most * height) if most else 1.0 for count in counts]
    return tuple(
        Bar(px(at * width), px(height - tall[at]), px(tall[at]), count) for at, count in enumerate(counts)
    )


def heat_step(value: float, low: float, high: float) -> int:
    """1 to 7: the seventh of low to high that contains the value; 4 if low and high are equal."""
    if high <= low:
        return 4
    return min(HOTTEST, max(1, 1 + math.floor((value - low) / (high - low) * HOTTEST)))
