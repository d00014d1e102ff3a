"""The curve of codes so far, by interview: as points for the page, and as Vega-Lite for a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

LEFT, RIGHT, TOP, BOTTOM = 44.0, 552.0, 12.0, 168.0


@dataclass(frozen=True)
class Curve:
    """`points` for an SVG polyline; `dots` with their numbers; `ticks` of the axis, as (y, text)."""

    points: str
    dots: tuple[tuple[float, float, int], ...]
    ticks: tuple[tuple[float, str], ...]


def curve(numbers: Sequence[int]) -> Curve | None:
    """The curve of these numbers, one for each interview; None below two."""
    if len(numbers) < 2:
        return None
    most = float(max(*numbers, 1))

    def y(number: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * number / most, 1)

    step = (RIGHT - LEFT) / (len(numbers) - 1)
    dots = tuple((round(LEFT + step * place, 1), y(number), number) for place, number in enumerate(numbers))
    ticks = tuple((y(number), str(number)) for number in sorted({0, int(most) // 2, int(most)}))
    return Curve(" ".join(f"{across},{down}" for across, down, _n in dots), dots, ticks)


def specification(rows: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """The same curve as Vega-Lite, in print colours. Names are data, never part of an expression."""
    axis = {"labelFont": "Liberation Sans", "titleFont": "Liberation Sans", "grid": False}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": 400,
        "height": 180,
        "background": "white",
        "data": {
            "values": [
                {"order": place, "interview": name, "codes": number}
                for place, (name, number) in enumerate(rows, 1)
            ]
        },
        "mark": {"type": "line", "point": True, "color": "#000000"},
        "encoding": {
            "x": {
                "field": "order",
                "type": "ordinal",
                "title": _("Interviews in their order"),
                "axis": axis | {"labelAngle": 0},
            },
            "y": {
                "field": "codes",
                "type": "quantitative",
                "title": _("Codes so far"),
                "axis": axis | {"tickMinStep": 1},
            },
        },
    }
