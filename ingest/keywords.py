"""Finds keywords in a text, in one pass. Pure: no Django.

A keyword matches in any case, as a whole word; with a final `*` also at the beginning of a word. Words are
letters and digits, and all else separates them: `llama` matches in `llama_index`. Scripts without spaces
(Chinese, Japanese, Thai …) have no such borders: there a keyword matches anywhere.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from unicodedata import normalize

import ahocorasick

Zone = Literal["title", "text", "code"]
ZONES: tuple[Zone, ...] = ("title", "text", "code")

MOST_WORDS = 500
LONGEST_WORD = 100

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff]"
)
_WORD = re.compile(rf"(?:(?!{_UNSPACED.pattern})[^\W_])+")


@dataclass(frozen=True)
class KeywordMatch:
    """A keyword of the study that occurs in an issue, with its zones and its number of occurrences."""

    word: str
    zones: tuple[Zone, ...]
    count: int


def lowered(text: str) -> str:
    """The text in lower case, with every character at its place: the result has the length of the text."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


@dataclass(frozen=True)
class Problem:
    """A line that cannot be a keyword, and why: long, star, empty (no letter); many (line 0: the list)."""

    line: int
    word: str
    cause: Literal["long", "star", "empty", "many"]


def parsed(text: str) -> tuple[list[str], list[str], list[Problem]]:
    """The words of a list, one a line, its repeated words, and the lines that cannot be taken. Several spaces
    inside a keyword count as one; empty lines are skipped.
    """
    words: dict[str, str] = {}
    repeated: list[str] = []
    problems: list[Problem] = []
    for number, line in enumerate(normalize("NFC", text).splitlines(), start=1):
        word = " ".join(line.replace("\0", "").split())
        if not word:
            continue
        stem = word.removesuffix("*")
        if len(word) > LONGEST_WORD:
            problems.append(Problem(number, word, "long"))
        elif "*" in stem:
            problems.append(Problem(number, word, "star"))
        elif not any(map(str.isalnum, stem)):
            problems.append(Problem(number, word, "empty"))
        elif lowered(word) in words:
            repeated.append(word)
        else:
            words[lowered(word)] = word
    return list(words.values()), repeated, problems


def pattern(word: str) -> str:
    """The keyword as a case-insensitive regular expression of PostgreSQL that matches where Matcher does."""
    stem = lowered(word).removesuffix("*").strip()
    before = f"(^|[^[:alnum:]]|{_UNSPACED.pattern})" if stem and _in_word(stem[0]) else ""
    after = f"($|[^[:alnum:]]|{_UNSPACED.pattern})" if stem and _in_word(stem[-1]) else ""
    return before + re.escape(stem) + ("" if word.endswith("*") else after)


class Matcher:
    """The compiled keywords; `finds` yields every occurrence of each."""

    def __init__(self, words: Sequence[str]) -> None:
        self._automaton = ahocorasick.Automaton()
        held: dict[str, list[tuple[str, bool]]] = {}
        for word in words:
            stem = lowered(word.rstrip("*").strip())
            if stem:
                held.setdefault(stem, []).append((word, word.endswith("*")))
        for stem, entries in held.items():
            self._automaton.add_word(stem, (len(stem), _in_word(stem[0]), _in_word(stem[-1]), entries))
        self._is_empty = not held
        if held:
            self._automaton.make_automaton()

    def finds(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start, end and keyword of each occurrence; that of a `*` keyword reaches to the end of its word."""
        if self._is_empty:
            return
        low = lowered(text)
        for last, (length, borders_left, borders_right, entries) in self._automaton.iter(low):
            start, end = last + 1 - length, last + 1
            if borders_left and start and _in_word(low[start - 1]):
                continue
            runs_on = borders_right and end < len(low) and _in_word(low[end])
            for word, is_open in entries:
                if not runs_on:
                    yield start, end, word
                elif is_open:
                    rest = _WORD.match(low, end)
                    yield start, rest.end() if rest else end, word


class Marks:
    """A marker for one rendered text (core.text.marking.Marker); counts its finds by keyword and zone."""

    def __init__(self, matcher: Matcher, zone: Zone = "text") -> None:
        self._matcher = matcher
        self._zone = zone
        self.counts: Counter[tuple[str, Zone]] = Counter()

    def spans(self, text: str, *, in_code: bool) -> list[tuple[int, int]]:
        """Start and end of each mark, in order; overlapping finds are one mark."""
        zone: Zone = "code" if in_code else self._zone
        found: list[tuple[int, int]] = []
        for start, end, word in self._matcher.finds(text):
            self.counts[word, zone] += 1
            found.append((start, end))
        return _united(found) if len(found) > 1 else found


def matches(words: Sequence[str], counts: Counter[tuple[str, Zone]]) -> list[KeywordMatch]:
    """The keywords with at least one occurrence, in the order of `words`."""
    found = []
    for word in words:
        zones = tuple(zone for zone in ZONES if counts[word, zone])
        if zones:
            found.append(KeywordMatch(word, zones, sum(counts[word, zone] for zone in zones)))
    return found


@lru_cache(maxsize=32)
def matcher_of(words: tuple[str, ...]) -> Matcher:
    """The compiled keywords, cached: every issue of a study has the same words."""
    return Matcher(words)


def _in_word(letter: str) -> bool:
    """Is this a letter or a digit of a script that separates its words?"""
    if letter.isascii():
        return letter.isalnum()
    return letter.isalnum() and not _UNSPACED.match(letter)


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans.sort()
    united = [spans[0]]
    for start, end in spans[1:]:
        if start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
