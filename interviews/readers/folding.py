"""Texts as they are compared when names are looked for: without case, compatibility forms, invisible signs,
and kinds of spaces, hyphens and apostrophes; each letter with its place in the text.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_PLAIN = re.compile(r"[!-_a-~]+(?![^\0-\x7f])")
"""Letters and signs that are themselves in lower case, and have no accent behind them."""

MOST_MARKS = 30
"""Accents that are taken with their letter; ordering more of them takes long."""

_SAME = str.maketrans({
    "ı": "i", "\u0307": "", "\u2800": " ", **dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("’‘ʼ‛`´", "'"),
})  # fmt: skip
_UNSEEN = frozenset(map(chr, (
    0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10),
    *range(0xE0100, 0xE01F0),
)))  # fmt: skip
"""What is no letter to anybody, though Unicode says mark or letter: joiners, fillers, variation selectors."""
_SPACELESS = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1100, 0x11FF), (0x1780, 0x17FF), (0x2E80, 0xA4CF),
    (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xF900, 0xFAFF), (0x1B000, 0x1B2FF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Scripts that put no spaces between words, or none between a name and what follows it."""


class Folded(NamedTuple):
    """`starts` and `ends` are, for each letter, those of what it comes from in the text."""

    text: str
    starts: list[int]
    ends: list[int]

    def is_whole(self, first: int, last: int) -> bool:
        """Do the letters from `first` to before `last` cut no letter of the text from its accents?"""
        begins = first == 0 or self.starts[first] != self.starts[first - 1]
        return begins and (last == len(self.text) or self.starts[last] != self.starts[last - 1])

    def is_word(self, first: int, last: int) -> bool:
        """Are the letters from `first` to before `last` no part of a longer word?"""
        before = self.text[first - 1 : first]
        after = self.text[last : last + 1]
        return not (_joins(before, self.text[first]) or _joins(self.text[last - 1], after))


def fold(text: str) -> Folded:
    """The text to compare."""
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    place = 0
    while place < len(text):
        if run := _PLAIN.match(text, place):
            out.append(run[0].lower())
            starts.extend(range(place, run.end()))
            ends.extend(range(place + 1, run.end() + 1))
            place = run.end()
            continue
        end = place + 1
        while end < len(text) and end - place <= MOST_MARKS and unicodedata.combining(text[end]):
            end += 1
        for letter in _folded(text[place:end]):
            if letter == " " and out and out[-1] == " ":
                continue
            out.append(letter)
            starts.append(place)
            ends.append(end)
        place = end
    return Folded("".join(out), starts, ends)


def key(text: str) -> str:
    """The text to compare, without spaces around it."""
    return fold(text).text.strip()


@lru_cache(maxsize=8192)
def _folded(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", letter).casefold())
    shown = (sign for sign in plain if not _is_unseen(sign))
    return "".join(" " if sign.isspace() else sign for sign in shown).translate(_SAME)


def _is_unseen(sign: str) -> bool:
    """Is it invisible, or drawn around or through a letter, such as a stroke?"""
    drawn_on = unicodedata.category(sign) in {"Cf", "Me"} or unicodedata.combining(sign) == 1
    return drawn_on or sign in _UNSEEN


def _joins(before: str, after: str) -> bool:
    """Do these two neighbours belong to one word?"""
    return _is_of_word(before) and _is_of_word(after)


def _is_of_word(letter: str) -> bool:
    """Is it a letter or digit of a script that puts spaces between words?"""
    return letter.isalnum() and not any(low <= ord(letter) <= high for low, high in _SPACELESS)
