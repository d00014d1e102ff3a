"""Texts cut into lines that fit a width, in any script. Pure."""

import re
from collections.abc import Callable, Iterable
from unicodedata import category, east_asian_width

Measure = Callable[[str], float]
"""The width of a text: the sum of the widths of its letters."""

_NEVER_FIRST = "、。，．：；！？」』）】》〉・ー”’"
_JOINER = "\u200d"


def drawable(text: str) -> str:
    """The text in one line, without characters that XML forbids or no font draws."""
    kept = (letter for letter in text if letter.isspace() or category(letter) not in {"Cc", "Cs", "Cn", "Co"})
    return " ".join("".join(kept).split())


def wrapped(text: str, width: float, measure: Measure) -> list[str]:
    """The text in as few lines as fit `width`; at least one.

    A line can end at a blank, after a slash, hyphen, dash or underscore, and beside a wide letter (Chinese,
    Japanese, Korean); within a word only if the word alone is wider than a line.
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
    """The pieces; a piece wider than a line is cut between its letters."""
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
    """The parts of the text that stay on one line, each with the blank after it."""
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
    """Letters with their combining marks; letters joined into one picture stay together."""
    made = ""
    for letter in word:
        if made and category(letter) not in {"Mn", "Me", "Mc", "Cf"} and not made.endswith(_JOINER):
            yield made
            made = ""
        made += letter
    if made:
        yield made
