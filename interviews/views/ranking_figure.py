"""Mean ranks with their intervals: as geometry for the page, and as Vega-Lite for a file."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from drawing.axes import Axis, Whisker, px, whisker
from interviews.queries.ranking_numbers import RankedQuestion, RankLine

LEFT, RIGHT, ROW, MOST_TICKS = 84.0, 548.0, 24.0, 12


@dataclass(frozen=True)
class RankMarks:
    """A category in its row: the mean rank of all with its interval, and those of the two groups."""

    code: str
    title: str
    y: str
    mark: Whisker
    first: str | None
    second: str | None


@dataclass(frozen=True)
class RankFigure:
    axis: Axis
    rows: tuple[RankMarks, ...]
    width: str
    height: str
    bottom: str
    has_groups: bool


def rank_figure(ranked: RankedQuestion) -> RankFigure:
    """The best mean rank on top; the axis goes from 1 to the number of categories, or a little beyond."""
    last = max(len(ranked.lines), 2)
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100) if (last - 1) / size <= MOST_TICKS)
    axis = Axis(1.0, 1.0 + step * -(-(last - 1) // step), step, LEFT, RIGHT)
    bottom = ROW * len(ranked.lines) + 4
    return RankFigure(
        axis=axis,
        rows=tuple(_marks(axis, line, ROW * place + ROW / 2) for place, line in enumerate(ranked.lines)),
        width="560",
        height=px(bottom + 20),
        bottom=px(bottom),
        has_groups=any(line.difference for line in ranked.lines),
    )


def _marks(axis: Axis, line: RankLine, y: float) -> RankMarks:
    interval, groups = line.numbers.interval, line.difference
    low, high = (interval.low, interval.high) if interval else (None, None)
    mark = whisker(axis, line.numbers.mean_rank, low, high)
    assert mark is not None  # noqa: S101 - a mean rank is always defined
    return RankMarks(
        code=line.state.code,
        title=line.state.title,
        y=px(y),
        mark=mark,
        first=axis.x(groups.first) if groups else None,
        second=axis.x(groups.second) if groups else None,
    )


def rank_specification(ranked: RankedQuestion) -> dict[str, Any]:
    """The mean ranks as Vega-Lite, in print colours. Names are data, never part of an expression."""
    axis = {"labelFont": "Liberation Sans", "titleFont": "Liberation Sans", "grid": False}
    values = [
        {
            "code": line.state.code,
            "mean": line.numbers.mean_rank,
            "low": line.numbers.interval.low if line.numbers.interval else line.numbers.mean_rank,
            "high": line.numbers.interval.high if line.numbers.interval else line.numbers.mean_rank,
        }
        for line in ranked.lines
    ]
    y = {
        "field": "code",
        "type": "nominal",
        "sort": [line.state.code for line in ranked.lines],
        "title": None,
        "axis": axis,
    }
    scale = {"domain": [1, max(len(ranked.lines), 2)], "zero": False}
    x = {"type": "quantitative", "title": _("Mean rank"), "axis": axis | {"tickMinStep": 1}, "scale": scale}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 400,
        "height": {"step": 18},
        "background": "white",
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "color": "#000000"},
                "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 50, "color": "#000000", "opacity": 1},
                "encoding": {"y": y, "x": x | {"field": "mean"}},
            },
        ],
    }
