"""The widths of pictures, the room at each width, and the fonts, inks and greys of print."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Width:
    """A width to draw for, in `points` in print or pixels on a screen, and the room at this width.

    `is_print`: for a file, which itself states what it leaves out; a page states it beside the picture.
    `names` is the largest width of a row's name; `beside` is the same for a heat map, 0 for codes only.
    """

    points: int
    font: float
    step: float
    names: int
    beside: int
    raters: int
    categories: int
    months: int
    is_print: bool = False


WIDTHS = {
    "column": Width(
        241, font=7, step=11, names=84, beside=0, raters=14, categories=10, months=15, is_print=True
    ),
    "page": Width(
        496, font=8, step=13, names=210, beside=126, raters=28, categories=18, months=24, is_print=True
    ),
    "screen": Width(560, font=12, step=24, names=230, beside=200, raters=28, categories=18, months=24),
    "phone": Width(330, font=12, step=24, names=110, beside=0, raters=28, categories=18, months=24),
}
"""8.5 cm, a column of a two-column paper; 17.5 cm, both columns; and two widths that the page stretches."""

ROWS = 55
"""The number of rows that fit on a sheet."""

GREYS = ("#f4f4f4", "#dedede", "#c6c6c6", "#a8a8a8", "#616161", "#404040", "#1f1f1f")
INKS = ("#000000",) * 4 + ("#ffffff",) * 3
"""Steps of heat, and the readable ink for each step."""

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK, GRID = "#000000", "#d9d9d9"
