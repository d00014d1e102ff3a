"""The positions of boxes and arrows in a flow figure, of a harvest or a screening. Geometry only, as in
drawing.axes.

The steps go down on the left: identified, screened, included. On the right are the issues that leave, or
join later.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from drawing.axes import px

WIDTH = 720
BOX = 296
RIGHT = WIDTH - BOX
PADDING = 14
LINE = 19
GAP = 30
LONGEST = 32


@dataclass(frozen=True)
class FlowLine:
    """A line of a box: words at its left end, a number at its right end, "" for no number."""

    y: str
    text: str
    number: str
    strong: bool


@dataclass(frozen=True)
class FlowBox:
    """A box with its lines; words start at `left`, numbers end at `end`. `tone`: the kind of box, for CSS."""

    x: str
    y: str
    width: str
    height: str
    left: str
    end: str
    tone: str
    lines: tuple[FlowLine, ...]


@dataclass(frozen=True)
class Arrow:
    x1: str
    y1: str
    x2: str
    y2: str
    head: str


@dataclass(frozen=True)
class Flow:
    width: str
    height: str
    boxes: tuple[FlowBox, ...]
    arrows: tuple[Arrow, ...]


Words = Sequence[tuple[str, str]]
"""The lines of a box: words and a number each. The first line is the title."""


def flow(steps: Sequence[tuple[Words, Sequence[tuple[str, Words]]]]) -> Flow:
    """The figure of these steps, from top to bottom. A step has the words of its box, and the tone and words
    of each box to its right: what leaves the step, or joins it if the tone is "in". There is at least one.

    Words longer than LONGEST characters are cut with an ellipsis.
    """
    boxes: list[FlowBox] = []
    arrows: list[Arrow] = []
    y, before = 1.0, 0.0
    for number, (words, leaving) in enumerate(steps):
        tone = "end" if number == len(steps) - 1 else "step"
        height = _height(words)
        side = sum(_height(one) for _tone, one in leaving) + GAP / 2 * max(0, len(leaving) - 1)
        boxes.append(_box(1, y, words, tone))
        if number:
            arrows.append(_down(1 + BOX / 2, before, y))
        top = y
        for kind, one in leaving:
            boxes.append(_box(RIGHT - 1, top, one, kind))
            middle = min(top + _height(one) / 2, y + height - LINE / 2) if top < y + height else None
            # Without a middle the box is below the bottom of its step: its arrow is at the line below it.
            left = BOX + 1 if middle is not None else 1 + BOX / 2
            between = _left if kind == "in" else _right
            arrows.append(between(left, top + _height(one) / 2 if middle is None else middle, RIGHT - 1))
            top += _height(one) + GAP / 2
        before = y + height
        y += max(height, side) + GAP
    return Flow(px(WIDTH), px(y - GAP + 1), tuple(boxes), tuple(arrows))


def _height(words: Words) -> float:
    return 2 * PADDING + LINE * len(words) - 5


def _box(x: float, y: float, words: Words, tone: str) -> FlowBox:
    lines = tuple(
        FlowLine(px(y + PADDING + LINE * place + 9), _short(text), number, strong=place == 0)
        for place, (text, number) in enumerate(words)
    )
    return FlowBox(
        px(x), px(y), px(BOX), px(_height(words)), px(x + PADDING), px(x + BOX - PADDING), tone, lines
    )


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _down(x: float, top: float, bottom: float) -> Arrow:
    head = f"M{px(x - 4)} {px(bottom - 7)}L{px(x)} {px(bottom)}L{px(x + 4)} {px(bottom - 7)}Z"
    return Arrow(px(x), px(top), px(x), px(bottom - 7), head)


def _right(left: float, y: float, right: float) -> Arrow:
    head = f"M{px(right - 7)} {px(y - 4)}L{px(right)} {px(y)}L{px(right - 7)} {px(y + 4)}Z"
    return Arrow(px(left), px(y), px(right - 7), px(y), head)


def _left(left: float, y: float, right: float) -> Arrow:
    head = f"M{px(left + 7)} {px(y - 4)}L{px(left)} {px(y)}L{px(left + 7)} {px(y + 4)}Z"
    return Arrow(px(left + 7), px(y), px(right), px(y), head)
