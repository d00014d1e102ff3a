"""Texts as they are compared: NFKC and casefold, with the way back to the places of the original.

Symbols stay as they are where folding would make letters of them: the word in `Llama™` is `llama`, not
`llamatm`.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from unicodedata import combining, is_normalized, normalize

_OTHERS = re.compile(r"[^\x00-\x7f]+")
_PIECE = 256
"""Characters folded at once: the cost of ordering combining marks grows with the square of their number."""

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
    low = text.casefold()
    if len(low) == len(text) and is_normalized("NFKC", low):
        return Folded(low)
    return _fold_runs(text)


def _fold_runs(text: str) -> Folded:
    pieces: list[str] = []
    atoms: list[Atom] = []
    done = length = 0
    for run in _OTHERS.finditer(text):
        start, end = run.span()
        # A mark belongs to the ASCII letter before it: e and U+0301 are é.
        start -= bool(start > done and combining(text[start]))
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
