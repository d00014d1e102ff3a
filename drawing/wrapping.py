"""Texts cut into lines that fit a width, in any script. Pure."""

import re
from collections.abc import Callable, Iterable
from unicodedata import category, east_asian_width

Measure = Callable[[str], float]
"""The width of a text: the sum of those of its letters."""

_NEVER_FIRST = "、。，．：；！？」』）】》〉・ー”’"
_JOINER = "\u200d"


def drawable(text: str) -> str:
    """The text in one line, without what XML has no place for and no font draws."""
    kept = (letter for letter in text if letter.isspace() or category(letter) not in {"Cc", "Cs", "Cn", "Co"})
    return " ".join("".join(kept).split())


def wrapped(text: str, width: float, measure: Measure) -> list[str]:
    """The text in as few lines as fit `width`; at least one.

    A line ends at a blank, after a slash, a hyphen or an underscore, beside a letter of Chinese, Japanese or
    Korean; within a word only where the word alone is wider than a line.
    """
    if measure(text) <= width:
        return [text.rstrip()]
    lines, so_far = [""], 0.0
    for piece in _cut(_pieces(text), width, measure):
        if lines[-1] and so_far + measure(piece.rstrip()) > width:
            lines.append("")
            so_far = 0.0
        lines[-1] += piece
        so_far += measure(piece)
    return [line.rstrip() for line in lines]


def _cut(pieces: Iterable[str], width: float, measure: Measure) -> Iterable[str]:
    """The pieces, those that are wider than a line cut between their letters."""
    for piece in pieces:
        if measure(piece.rstrip()) <= width:
            yield piece
            continue
        part = ""
        for letter in _letters(piece):
            if part and measure((part + letter).rstrip()) > width:
                yield part
                part = ""
            part += letter
        yield part


def _pieces(text: str) -> Iterable[str]:
    """What stays together, with the blank that may follow it."""
    for word in re.findall(r"[^ /_\-–—]*(?:[/_\-–—]+ *| +|$)", text):
        piece = ""
        for letter in _letters(word):
            if piece and _may_part(piece, letter):
                yield piece
                piece = ""
            piece += letter
        if piece:
            yield piece


def _may_part(before: str, letter: str) -> bool:
    if letter[0].isspace() or letter[0] in _NEVER_FIRST:
        return False
    return _is_wide(letter) or _is_wide(before[-1])


def _is_wide(letter: str) -> bool:
    return east_asian_width(letter[0]) in {"W", "F"}


def _letters(word: str) -> Iterable[str]:
    """Letters with the marks that stand on them, and what is joined to one picture."""
    made = ""
    for letter in word:
        if made and category(letter) not in {"Mn", "Me", "Mc", "Cf"} and not made.endswith(_JOINER):
            yield made
            made = ""
        made += letter
    if made:
        yield made
