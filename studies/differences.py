"""What changed between two texts, as prose: paragraphs, and in a changed one its words.

Pure: strings in, strings out. `as_html` escapes every character that came from the texts.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from typing import Literal

Kind = Literal["same", "ins", "del"]

_WORDS = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"  # scripts without spaces: each its own
    "|[^\\W\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+|\\s+|[^\\w\\s]"
)
_HEADING = re.compile(r"#{1,6}[ \t]+")
_POINT = re.compile(r"[ \t]*[-*+][ \t]+")
_RULE = re.compile(r"[\s|:-]*-{3}[\s|:-]*|\s*`{3}\w*\s*")

LONGEST_ALIGNED = 4000
"""Words of two paragraphs that are compared one by one; longer ones are shown whole, as old and new."""
WINDOW = 12
"""New lines among which a changed line is looked for."""


@dataclass(frozen=True)
class Piece:
    """A stretch of text: in both texts, only in the new one (ins), or only in the old one (del)."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Line:
    """One line of the texts in pieces. An unchanged line is one piece, `same`."""

    pieces: tuple[Piece, ...]

    @property
    def kind(self) -> Literal["same", "ins", "del", "changed"]:
        kinds = {piece.kind for piece in self.pieces}
        return next(iter(kinds)) if len(kinds) == 1 else "changed"


def difference(old: str, new: str) -> list[Line]:
    """The lines of `old` and `new` in one order. Line ends are compared as one kind; equal texts: all same.

    Joined again, the pieces without `ins` are the old text, those without `del` the new one.
    """
    before, after = _lines(old), _lines(new)
    found: list[Line] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [Line((Piece("same", line),)) for line in before[a:b]]
        else:
            found += _replaced(before[a:b], after[c:d])
    return found


def as_html(lines: Sequence[Line], *, around: int | None = 2) -> str:
    """The difference as paragraphs with <ins> and <del>; "" where nothing differs.

    `around`: how many unchanged lines stand beside each change, None for all. What is left out between
    changes is one paragraph of class `gap`.
    """
    near = {
        near
        for place, line in enumerate(lines)
        if line.kind != "same"
        for near in range(place - (around or 0), place + (around or 0) + 1)
    }
    if not near:
        return ""
    written: list[str] = []
    last = -1
    for place, line in enumerate(lines):
        if around is not None and place not in near:
            continue
        if place > last + 1:
            written.append('<p class="gap">⋯</p>')
        last = place
        if any(piece.text.strip() for piece in line.pieces) and not _is_rule(line):
            written.append(_paragraph(line))
    if last < len(lines) - 1:
        written.append('<p class="gap">⋯</p>')
    return "\n".join(written)


def _is_rule(line: Line) -> bool:
    """Is this line only Markdown's drawing, such as the line below a table's head?"""
    return all(_RULE.fullmatch(piece.text) for piece in line.pieces)


def _paragraph(line: Line) -> str:
    """The line as a reader takes it: a heading without its signs, a point of a list with its dot."""
    first, *others = line.pieces
    css, text = "", first.text
    if found := _HEADING.match(text):
        css, text = ' class="h"', text[found.end() :]
    elif found := _POINT.match(text):
        text = f"• {text[found.end() :]}"
    return f'<p{css} dir="auto">{"".join(map(_marked, (Piece(first.kind, text), *others)))}</p>'


def _marked(piece: Piece) -> str:
    text = escape(piece.text)
    return text if piece.kind == "same" else f"<{piece.kind}>{text}</{piece.kind}>"


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if text else []


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    """Changed lines: each beside the one it resembles, in order, and the others gone or new."""
    place = 0
    for line in old:
        near = range(place, min(place + WINDOW, len(new)))
        match = next((n for n in near if _alike(line, new[n])), None)
        if match is None:
            yield Line((Piece("del", line),))
            continue
        yield from (Line((Piece("ins", added),)) for added in new[place:match])
        yield Line(tuple(_words(line, new[match])))
        place = match + 1
    yield from (Line((Piece("ins", added),)) for added in new[place:])


def _alike(old: str, new: str) -> bool:
    """Is the new line the old one, changed? Then most of its words are the same."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if not old.strip() or not new.strip() or len(before) + len(after) > LONGEST_ALIGNED:
        return False
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return matcher.quick_ratio() >= 0.5 and matcher.ratio() >= 0.5


def _words(old: str, new: str) -> Iterator[Piece]:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("same", "".join(before[a:b]))
            continue
        if b > a:
            yield Piece("del", "".join(before[a:b]))
        if d > c:
            yield Piece("ins", "".join(after[c:d]))
