"""Texts as they are compared: NFKC and casefold, with the way back to the places of the original.

Symbols stay as they are where folding would make letters of them: the word in `Llama™` is `llama`, not
`llamatm`.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from unicodedata import combining, is_normalized, normalize

_OTHERS = re.compile(r"[^\x00-\x7f]+")
_WIDE = {0x3000: " "} | {wide: chr(wide - 0xFEE0).lower() for wide in range(0xFF01, 0xFF5F)}
_ALONE = (
    "\u2013\u2014\u2018\u2019\u201c\u201d\u3000-\u3003\u3008-\u3011\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff5e"
)
"""Most of what Chinese is written with. Each of these folds into one by `_WIDE`, or stays, and never together
with the one before it.
"""
_PIECE = 256
"""Characters folded at once: the cost of ordering combining marks grows with the square of their number."""

_DENSE = 1.25
"""Bytes a character, above which a text is first tried as a whole; others are read by their runs."""
_LONE = re.compile(f"[{_ALONE}]+(?=[{_ALONE}]|\\Z)")

Atom = tuple[int, int, int, int]
"""Start and end in the folded text, start and end in the original, of characters that fold as a whole into
another number of characters.
"""


@dataclass(slots=True)
class Folded:
    """A folded text; `span` leads from its places to those of the original."""

    text: str
    atoms: list[Atom] = field(default_factory=list)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The span in the original; None if it ends inside of characters that only fold as a whole."""
        if not self.atoms:
            return start, end
        from_, to = self._back(start), self._back(end)
        return (from_, to) if from_ >= 0 <= to else None

    def _back(self, place: int) -> int:
        found = bisect_right(self.atoms, place, key=_start) - 1
        if found < 0:
            return place
        start, end, from_, to = self.atoms[found]
        if place == start:
            return from_
        return to + place - end if place >= end else -1


def fold(text: str) -> Folded:
    """The text after NFKC and casefold."""
    if text.isascii():
        return Folded(text.lower())
    if len(text.encode("utf-8", "surrogatepass")) > _DENSE * len(text):
        low = text.casefold()
        if len(low) == len(text) and is_normalized("NFKC", low):
            return Folded(low)
    return _fold_runs(text)


def _fold_runs(text: str) -> Folded:
    pieces: list[str] = []
    atoms: list[Atom] = []
    done = length = 0
    for run, end in _runs_of_others(text):
        # A mark belongs to the ASCII letter before it: e and U+0301 are é.
        start = run - 1 if run > done and combining(text[run]) else run
        plain = text[done:start].lower()
        pieces.append(plain)
        length += len(plain)
        while start < end:
            stop = _cut(text, start, end)
            low, inner = _fold_piece(text[start:stop])
            atoms += [(length + a, length + b, start + c, start + d) for a, b, c, d in inner]
            pieces.append(low)
            length += len(low)
            start = stop
        done = end
    pieces.append(text[done:].lower())
    return Folded("".join(pieces), atoms)


def _runs_of_others(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each run of characters that are not ASCII."""
    place = 0
    while place < len(text):
        # To cut such a piece is faster than to search it.
        if text[place : place + _PIECE].isascii():
            place += _PIECE
        elif run := _OTHERS.search(text, place):
            yield run.span()
            place = run.end()


def _cut(text: str, start: int, end: int) -> int:
    """The end of the next piece: not between characters that fold together, if that is near."""
    if end - start <= _PIECE:
        return end
    for stop in range(start + _PIECE, min(start + 2 * _PIECE, end)):
        if not _together(text[stop - 1], text[stop]):
            return stop
    return min(start + 2 * _PIECE, end)


@lru_cache(maxsize=8192)
def _fold_piece(piece: str) -> tuple[str, tuple[Atom, ...]]:
    low = piece.casefold()
    if len(low) == len(piece) and is_normalized("NFKC", low):
        return low, ()
    pieces: list[str] = []
    atoms: list[Atom] = []
    length = start = 0
    while start < len(piece):
        if alone := _LONE.match(piece, start):
            pieces.append(alone.group().translate(_WIDE))
            length += alone.end() - start
            start = alone.end()
            continue
        end = start + 1
        while end < len(piece) and _together(piece[end - 1], piece[end]):
            end += 1
        low = _fold_together(piece[start:end])
        if len(low) != end - start or (len(low) > 1 and low != piece[start:end].casefold()):
            atoms.append((length, length + len(low), start, end))
        pieces.append(low)
        length += len(low)
        start = end
    return "".join(pieces), tuple(atoms)


def _fold_together(characters: str) -> str:
    low = normalize("NFKC", normalize("NFKC", characters).casefold())
    return characters if any(map(str.isalnum, low)) and not characters[0].isalnum() else low


def _together(first: str, second: str) -> bool:
    """Can the second character fold together with the first one?"""
    if combining(second):
        return True
    return normalize("NFKC", first + second) != normalize("NFKC", first) + normalize("NFKC", second)


def _start(atom: Atom) -> int:
    return atom[0]
