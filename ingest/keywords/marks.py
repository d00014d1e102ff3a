"""Underlines terms where an issue is read, and counts what it underlines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.keywords.folding import fold
from ingest.keywords.matcher import Matcher
from ingest.keywords.terms import ZONES, Zone

Counts = Counter[tuple[int, int, Zone]]
"""Occurrences by the place of the matcher, the index of its term, and the zone."""


@dataclass(frozen=True)
class KeywordMatch:
    """A term that occurs in an issue, with its zones and its number of occurrences."""

    word: str
    zones: tuple[Zone, ...]
    count: int


class Marks:
    """A marker for one rendered text (core.text.marking.Marker); counts its finds by term and zone."""

    def __init__(self, matchers: Sequence[Matcher], zone: Zone = "prose") -> None:
        self._matchers = matchers
        self._zone = zone
        self.counts: Counts = Counter()

    def spans(self, text: str, *, in_code: bool) -> list[tuple[int, int]]:
        """Start and end of each mark, in order; overlapping finds are one mark."""
        zone: Zone = "code" if in_code else self._zone
        found: list[tuple[int, int]] = []
        for place, matcher in enumerate(self._matchers):
            for start, end, index in matcher.finds(text):
                self.counts[place, index, zone] += 1
                found.append((start, end))
        return _united(found) if len(found) > 1 else found


def matches(matchers: Sequence[Matcher], counts: Counts) -> list[KeywordMatch]:
    """The terms with at least one occurrence, in alphabetical order. Terms of several lists, or of one, that
    differ only in case and width are one: the most that any of them found.
    """
    most: dict[str, dict[Zone, int]] = {}
    words: dict[str, str] = {}
    for place, matcher in enumerate(matchers):
        for index, term in enumerate(matcher.terms):
            zones = {zone: number for zone in ZONES if (number := counts[place, index, zone])}
            if zones:
                key = fold(term.text).text
                words.setdefault(key, term.text)
                held = most.setdefault(key, {})
                held.update({zone: max(number, held.get(zone, 0)) for zone, number in zones.items()})
    return [
        KeywordMatch(words[key], tuple(zone for zone in ZONES if zone in most[key]), sum(most[key].values()))
        for key in sorted(most)
    ]


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans.sort()
    united = [spans[0]]
    for start, end in spans[1:]:
        if start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
