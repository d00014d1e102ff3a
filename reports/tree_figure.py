"""A taxonomy drawn as a tree, from its name down to the sub-themes: SVG, two columns of a paper wide. Pure.

Points are the unit. Texts wrap at their measured widths and each box is as high as its text, so nothing is
cut and nothing overlaps; a larger taxonomy is higher. Colours repeat the information of codes. They are
attributes for print; a page that shows the tree overrides them by class.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from drawing.text_width import Ruler
from drawing.wrapping import wrapped

WIDTH = 504.0
"""17.8 cm."""
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK, SECOND, RULE = "#000000", "#434c59", "#8d96a3"
ROOT, SMALL = 9.0, 6.5
TRUNK, GAP = 4.0, 13.0
"""The place of the vertical line below the name, and the gap between two columns of boxes."""
LEADING, SHARE_GAP = 1.14, 5.0
FRAMED = 2
"""Boxes of types and themes have a frame, boxes of sub-themes have none."""
HANG = 0.36
"""The largest share of a box for a code beside its name; a longer code is above the name."""


class Hue(NamedTuple):
    """The class of a type's elements, and its colours in print: for lines and letters, and for fillings."""

    css: str
    line: str
    fill: str


HUES = (Hue("ta", "#0b4f9e", "#e6effb"), Hue("tb", "#00775a", "#e3f6ef"), Hue("tc", "#a23c00", "#fdeee4"))
NO_HUE = Hue("", "#434c59", "#f1f3f6")
"""Only the first three types have a hue, as everywhere: not everybody can tell a fourth hue apart."""


class TreeColumn(NamedTuple):
    """The layout of a level: size of letters, space beside and above them, and space to the next box."""

    size: float
    inside: float
    above: float
    space: float


COLUMNS = (TreeColumn(8.0, 4.0, 3.5, 5.0), TreeColumn(7.0, 4.0, 1.5, 2.7), TreeColumn(6.6, 0.0, 0.0, 0.3))
SHARES = {1: (1.0,), 2: (0.4, 0.6), 3: (0.165, 0.365, 0.47)}
"""The columns' shares of the width, by the depth of the tree."""


@dataclass
class Leaf:
    """A category to draw with the categories `below` it; `share` is a text, "" for none. `hue`, for a type:
    its place in HUES, None to use its place in the tree.
    """

    code: str
    name: str
    share: str = ""
    below: list["Leaf"] = field(default_factory=list)
    hue: int | None = None


class Run(NamedTuple):
    """A piece of a line: its start in its box, its base line, and its style."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    is_code: bool = False
    at_end: bool = False


@dataclass
class Box:
    """A category with its layout; `_place` sets `top`. `span` is the height including all boxes below it."""

    level: int
    hue: Hue
    runs: list[Run]
    height: float
    below: list["Box"]
    top: float = 0.0

    @property
    def span(self) -> float:
        return max(self.height, _stacked(self.below))

    @property
    def middle(self) -> float:
        """The height where lines meet the box: its middle, or the first line of text without a frame."""
        return self.top + (self.height / 2 if self.level < FRAMED else COLUMNS[self.level].size * 0.6)


@dataclass(frozen=True)
class Sheet:
    """The sheet of a tree: the left and right edges of each column, and the start of names beside codes."""

    ruler: Ruler
    edges: list[tuple[float, float]]
    hang: list[float]


def tree_figure(name: str, version: str, types: Sequence[Leaf], notes: Sequence[str], ruler: Ruler) -> str:
    """The SVG of these types below the name of their taxonomy, with `notes` as paragraphs at the end.

    The ruler must know the letters of all texts, and the blank.
    """
    edges = _edges(_depth(types))
    hang = [_hang(types, level, edges[level], ruler) for level in range(len(edges))]
    sheet = Sheet(ruler, edges, hang)
    boxes = [
        _box(one, 0, _hue(place if one.hue is None else one.hue), sheet) for place, one in enumerate(types)
    ]
    head, top = _head(name, version, ruler)
    _place(boxes, top)
    foot, height = _foot(notes, top + _stacked(boxes), ruler)
    elements = [*head, *_trunk(boxes, sheet, top), *_boxes(boxes, sheet), *foot]
    title = f"{name}, {version}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{px(WIDTH)}pt" height="{px(height)}pt"'
        f' viewBox="0 0 {px(WIDTH)} {px(height)}" font-family="{FONT}"><title>{escape(title)}</title>'
        + "".join(elements)
        + "</svg>"
    )


def px(value: float) -> str:
    """A coordinate to a hundredth."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


# --- how wide


def _depth(types: Sequence[Leaf]) -> int:
    return 1 + max((_depth(one.below) for one in types if one.below), default=0) if types else 1


def _edges(depth: int) -> list[tuple[float, float]]:
    left = TRUNK + GAP
    room = WIDTH - left - GAP * (depth - 1) - 0.5
    edges = []
    for share in SHARES[depth]:
        edges.append((left, left + share * room))
        left += share * room + GAP
    return edges


def _hang(types: Sequence[Leaf], level: int, edges: tuple[float, float], ruler: Ruler) -> float:
    """The start of a level's names beside their codes: after the widest code that leaves enough room."""
    column, (left, right) = COLUMNS[level], edges
    codes = [ruler(f"{one.code}  ", column.size, bold=True) for one in _at(types, level)]
    return max((code for code in codes if code <= HANG * (right - left)), default=0.0)


def _at(leaves: Sequence[Leaf], level: int) -> Iterator[Leaf]:
    for one in leaves:
        if level:
            yield from _at(one.below, level - 1)
        else:
            yield one


# --- how high


def _hue(place: int) -> Hue:
    return HUES[place] if place < len(HUES) else NO_HUE


def _box(leaf: Leaf, level: int, hue: Hue, sheet: Sheet) -> Box:
    runs, height = _runs(leaf, level, sheet)
    below = [_box(one, level + 1, hue, sheet) for one in leaf.below]
    return Box(level, hue, runs, height + 2 * COLUMNS[level].above, below)


def _runs(leaf: Leaf, level: int, sheet: Sheet) -> tuple[list[Run], float]:
    ruler, hang, column, is_bold = sheet.ruler, sheet.hang[level], COLUMNS[level], level == 0
    left, right = sheet.edges[level]
    room = right - left - 2 * column.inside
    size, line = column.size, column.size * LEADING
    code_lines = [leaf.code]
    if beside := ruler(f"{leaf.code}  ", size, bold=True) <= hang:
        name_lines = wrapped(leaf.name, room - hang, lambda text: ruler(text, size, bold=is_bold))
    else:
        code_lines = wrapped(leaf.code, room, lambda text: ruler(text, size, bold=True))
        name_lines = wrapped(leaf.name, room, lambda text: ruler(text, size, bold=is_bold))
    x, first = (hang, 0) if beside else (0.0, len(code_lines))
    base = size * 0.95
    runs = [Run(0, base + line * at, text, size, True, is_code=True) for at, text in enumerate(code_lines)]
    runs += [Run(x, base + line * at, text, size, is_bold) for at, text in enumerate(name_lines, start=first)]
    height = line * (first + len(name_lines))
    if leaf.share:
        end = x + ruler(name_lines[-1], size, bold=is_bold) + SHARE_GAP
        if not is_bold and end + ruler(leaf.share, SMALL) <= room:
            last = base + line * (first + len(name_lines) - 1)
            runs.append(Run(room, last, leaf.share, SMALL, at_end=True))
        else:
            for text in wrapped(leaf.share, room - (0 if is_bold else x), lambda text: ruler(text, SMALL)):
                runs.append(Run(0 if is_bold else x, height + SMALL * 0.95, text, SMALL, False))
                height += SMALL * LEADING
    return runs, height


def _stacked(boxes: Sequence[Box]) -> float:
    return sum(box.span for box in boxes) + sum(COLUMNS[box.level].space for box in boxes[1:])


def _place(boxes: Sequence[Box], top: float) -> None:
    """Centre each box on the boxes below it, or those boxes on a higher box."""
    for box in boxes:
        box.top = top + (box.span - box.height) / 2
        _place(box.below, top + (box.span - _stacked(box.below)) / 2)
        top += box.span + COLUMNS[box.level].space


# --- what is drawn


def _head(name: str, version: str, ruler: Ruler) -> tuple[list[str], float]:
    lines = wrapped(name, WIDTH, lambda text: ruler(text, ROOT, bold=True))
    end = ruler(lines[-1], ROOT, bold=True) + SHARE_GAP
    step = ROOT * LEADING
    bases = [ROOT * 0.95 + step * at for at in range(len(lines) + 1)]
    elements = [
        _text(Run(0, base, text, ROOT, True), INK, "ink", ruler)
        for base, text in zip(bases, lines, strict=False)
    ]
    if end + ruler(version, SMALL) > WIDTH:
        lines.append(version)
        end = 0.0
    elements.append(_text(Run(end, bases[len(lines) - 1], version, SMALL), SECOND, "second", ruler))
    return elements, step * len(lines) + 5


def _foot(notes: Sequence[str], bottom: float, ruler: Ruler) -> tuple[list[str], float]:
    lines = [line for note in notes for line in wrapped(note, WIDTH, lambda text: ruler(text, SMALL))]
    step, top = SMALL * 1.25, bottom + (7 if lines else 1)
    elements = [
        _text(Run(0, top + SMALL * 0.95 + step * at, line, SMALL), SECOND, "second", ruler)
        for at, line in enumerate(lines)
    ]
    return elements, top + step * len(lines)


def _trunk(boxes: Sequence[Box], sheet: Sheet, top: float) -> Iterator[str]:
    if not boxes:
        return
    yield _path(f"M{px(TRUNK)} {px(top - 4)}V{px(boxes[-1].middle)}", RULE, "rule")
    for box in boxes:
        yield _path(f"M{px(TRUNK)} {px(box.middle)}H{px(sheet.edges[0][0])}", RULE, "rule")


def _boxes(boxes: Sequence[Box], sheet: Sheet) -> Iterator[str]:
    for box in boxes:
        yield f'<g class="{box.hue.css}">' if box.hue.css else "<g>"
        yield from _drawn(box, sheet)
        yield "</g>"


def _drawn(box: Box, sheet: Sheet) -> Iterator[str]:
    """A box with its text, the lines to the boxes below it, and these boxes."""
    (left, right), column, hue = sheet.edges[box.level], COLUMNS[box.level], box.hue
    if box.below:
        middle = right + GAP / 2
        across = sheet.edges[box.level + 1][0] - (2 if box.level + 1 == FRAMED else 0)
        ends = [one.middle for one in box.below]
        first, last = min(box.middle, *ends), max(box.middle, *ends)
        lines = f"M{px(right)} {px(box.middle)}H{px(middle)}"
        if last - first > 0.01:
            lines += f"M{px(middle)} {px(first)}V{px(last)}"
        lines += "".join(f"M{px(middle)} {px(end)}H{px(across)}" for end in ends)
        yield _path(lines, hue.line, "line")
    is_type = box.level == 0
    if box.level < FRAMED:
        fill, css = (hue.line, "solid") if is_type else (hue.fill, "box")
        yield (
            f'<rect class="{css}" x="{px(left)}" y="{px(box.top)}" width="{px(right - left)}"'
            f' height="{px(box.height)}" rx="2" fill="{fill}" stroke="{hue.line}" stroke-width="0.5"/>'
        )
    for run in box.runs:
        ink, css = ("#ffffff", "on") if is_type else (hue.line, "mark") if run.is_code else (INK, "ink")
        yield _text(run, ink, css, sheet.ruler, left + column.inside, box.top + column.above)
    for one in box.below:
        yield from _drawn(one, sheet)


def _text(run: Run, ink: str, css: str, ruler: Ruler, left: float = 0.0, top: float = 0.0) -> str:
    """A text with its exact width, if the ruler knows it, so that it also fits in a viewer's own font."""
    more = ' font-weight="700"' * run.bold + ' text-anchor="end"' * run.at_end
    if ruler.knows(run.text):
        width = ruler(run.text, run.size, bold=run.bold)
        more += f' textLength="{px(width)}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text class="{css}" x="{px(left + run.x)}" y="{px(top + run.y)}" font-size="{px(run.size)}"'
        f' fill="{ink}"{more}>{escape(run.text)}</text>'
    )


def _path(steps: str, ink: str, css: str) -> str:
    return f'<path class="{css}" d="{steps}" fill="none" stroke="{ink}" stroke-width="0.6"/>'
