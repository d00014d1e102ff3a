"""Differences between two texts as prose: by paragraph, and by word within a changed paragraph. Pure: takes
strings, returns pieces of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from studies.markdown_signs import signs

Kind = Literal["same", "ins", "del"]

_WORDS = re.compile(
    "[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]"  # scripts without spaces: each its own
    "|[^\\W\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]+|\\s+|[^\\w\\s]"
)
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+")
_FENCE = re.compile(r"[ \t]*`{3}")
_RULE = re.compile(r"[\s|:-]*-{3}[\s|:-]*|\s*`{3}\w*\s*")

LONGEST_ALIGNED = 4000
"""The most words of two paragraphs together that are compared; longer ones are shown as old and new."""
WINDOW = 12
"""The number of new lines that are searched for the match of a changed line."""


@dataclass(frozen=True)
class Piece:
    """A piece of text: in both texts (same), only in the new one (ins), or only in the old one (del)."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class DiffLine:
    """One line of the texts in pieces. An unchanged line is one piece of the kind `same`."""

    pieces: tuple[Piece, ...]

    @property
    def kind(self) -> Literal["same", "ins", "del", "changed"]:
        kinds = {piece.kind for piece in self.pieces}
        return next(iter(kinds)) if len(kinds) == 1 else "changed"


def difference(old: str, new: str) -> list[DiffLine]:
    """The lines of both texts in one order; all line ends count as equal. Joined again, the pieces without
    `ins` are the old text, and the pieces without `del` the new one.
    """
    before, after = _lines(old), _lines(new)
    found: list[DiffLine] = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [DiffLine((Piece("same", line),)) for line in before[a:b]]
        else:
            found += _replaced(before[a:b], after[c:d])
    return found


@dataclass(frozen=True)
class Paragraph:
    """A line for display: without the signs of Markdown, a list item with a bullet. The signs stay in code,
    and where nothing else differs. Without pieces it marks unchanged lines that are left out between two
    changes.
    """

    pieces: tuple[Piece, ...] = ()
    is_heading: bool = False


def paragraphs(lines: Sequence[DiffLine], *, around: int | None = 2) -> list[Paragraph]:
    """The difference for templates/studies/_changes.html; empty for equal texts. `around` is the number of
    unchanged lines shown beside each change, None for all.
    """
    near = {
        near
        for place, line in enumerate(lines)
        if line.kind != "same"
        for near in range(place - (around or 0), place + (around or 0) + 1)
    }
    if not near:
        return []
    shown: list[Paragraph] = []
    last = -1
    for place, (line, is_code) in enumerate(zip(lines, _in_code(lines), strict=True)):
        if around is not None and place not in near:
            continue
        if place > last + 1:
            shown.append(Paragraph())
        last = place
        if any(piece.text.strip() for piece in line.pieces) and not _is_rule(line):
            shown.append(Paragraph(line.pieces) if is_code else _paragraph(line))
    if last < len(lines) - 1:
        shown.append(Paragraph())
    return shown


def _is_rule(line: DiffLine) -> bool:
    """Is this line only Markdown syntax, such as the line below a table's header?"""
    return all(_RULE.fullmatch(piece.text) for piece in line.pieces)


def _in_code(lines: Sequence[DiffLine]) -> Iterator[bool]:
    """For each line: does it stand between fences, in the old or in the new text?"""
    old = new = False
    for line in lines:
        yield old or new
        if _FENCE.match(line.pieces[0].text):
            old ^= line.kind != "ins"
            new ^= line.kind != "del"


def _paragraph(line: DiffLine) -> Paragraph:
    plain = _without_signs(line.pieces)
    if not plain or (line.kind != "same" and all(piece.kind == "same" for piece in plain)):
        plain = line.pieces
    return Paragraph(plain, is_heading=bool(_HEADING.match(line.pieces[0].text)))


def _without_signs(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    texts = [list(piece.text) for piece in pieces]
    for other in ("ins", "del"):
        own = [
            (n, at) for n, piece in enumerate(pieces) if piece.kind != other for at in range(len(piece.text))
        ]
        found = signs("".join(pieces[n].text[at] for n, at in own))
        for place, shown in found.items():
            n, at = own[place]
            texts[n][at] = shown
    plain = (Piece(piece.kind, "".join(text)) for piece, text in zip(pieces, texts, strict=True))
    return tuple(piece for piece in plain if piece.text)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if text else []


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """Changed lines: each beside the first new line that resembles it; the others removed or added."""
    place = 0
    for line in old:
        near = range(place, min(place + WINDOW, len(new)))
        match = next((n for n in near if _alike(line, new[n])), None)
        if match is None:
            yield DiffLine((Piece("del", line),))
            continue
        yield from (DiffLine((Piece("ins", added),)) for added in new[place:match])
        yield DiffLine(tuple(_words(line, new[match])))
        place = match + 1
    yield from (DiffLine((Piece("ins", added),)) for added in new[place:])


def _alike(old: str, new: str) -> bool:
    """Is the new line a changed form of the old one: at least half of the words in common?"""
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
