"""Underlines terms where an issue is read, and counts what it underlines."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ingest.keywords.matcher import Matcher
from ingest.keywords.terms import ZONES, Switches, Term, Zone

PLAIN = Switches(joins=False, version_tails=False)
"""How the keywords of a study match: as they are written, in any case."""


@dataclass(frozen=True)
class KeywordMatch:
    """A keyword of the study that occurs in an issue, with its zones and its number of occurrences."""

    word: str
    zones: tuple[Zone, ...]
    count: int


class Marks:
    """A marker for one rendered text (core.text.marking.Marker); counts its finds by keyword and zone."""

    def __init__(self, matcher: Matcher, zone: Zone = "prose") -> None:
        self._matcher = matcher
        self._zone = zone
        self.counts: Counter[tuple[str, Zone]] = Counter()

    def spans(self, text: str, *, in_code: bool) -> list[tuple[int, int]]:
        """Start and end of each mark, in order; overlapping finds are one mark."""
        zone: Zone = "code" if in_code else self._zone
        found: list[tuple[int, int]] = []
        for start, end, index in self._matcher.finds(text):
            self.counts[self._matcher.terms[index].text, zone] += 1
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
def matcher_of(words: tuple[str | Term, ...], switches: Switches = PLAIN) -> Matcher:
    """The compiled keywords, cached: every issue of a study has the same words."""
    return Matcher([word if isinstance(word, Term) else Term(word) for word in words], switches)


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    spans.sort()
    united = [spans[0]]
    for start, end in spans[1:]:
        if start <= united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
