"""Names in transcripts: replaced by stand-ins, and looked for in what leaves the study. They are found as
whole words in any case, with accents written either way; ordinary words only with a capital.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from ahocorasick_rs import AhoCorasick

from interviews.readers.folding import fold, key
from interviews.readers.ordinary import may_be_a_word
from interviews.readers.suspects import Suspect, missed

__all__ = [
    "Former",
    "Found",
    "Names",
    "Place",
    "Pseudonymised",
    "Replacement",
    "Suspect",
    "missed",
    "names_in",
    "parts_of_name",
    "pseudonymise",
]

_NAME_PART = re.compile(r"[^\W\d_][\w’'-]+")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{3,4}")
_NO_NAME = frozenset(
    """
    interviewer interviewee interviewers participant participants speaker speakers moderator researcher host
    guest user users developer developers respondent subject person question answer unknown narrator
    采访者 访谈者 受访者 被访者 主持人 研究者 参与者 发言人 问 答
    """.split()
)
"""How transcripts call speakers without naming them."""

AROUND = 60
"""Characters that a preview shows before and after a place."""


@dataclass(frozen=True, slots=True, repr=False)
class Replacement:
    original: str
    stand_in: str


@dataclass(frozen=True, slots=True, repr=False)
class Place:
    """A place that gets a stand-in: `turn` counts texts from 1, `start` and `end` are in the former text."""

    turn: int
    start: int
    end: int
    original: str
    stand_in: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, repr=False)
class Pseudonymised:
    """The texts with all stand-ins, and the places that got one, in their order."""

    texts: tuple[str, ...]
    places: tuple[Place, ...]


class Former:
    """Where places of texts with stand-ins were in the former texts. A stand-in that a place meets was the
    whole name, so that a list with the former words replaces them.
    """

    def __init__(self, made: Pseudonymised) -> None:
        self._of: dict[int, list[tuple[int, int, int, int]]] = {}
        turn = grown = 0
        for place in made.places:
            if place.turn != turn:
                turn, grown = place.turn, 0
            at = place.start + grown
            to = at + len(place.stand_in)
            grown = to - place.end
            self._of.setdefault(turn - 1, []).append((at, to, place.start, place.end))

    def place(self, turn: int, start: int, end: int) -> tuple[int, int]:
        """`turn` counts from 0."""
        return self._moved(turn, start, 0), self._moved(turn, end, 1)

    def _moved(self, turn: int, sign: int, is_end: int) -> int:
        """A place between two letters; at a stand-in it is the end of what came before, if it `is_end`."""
        known = self._of.get(turn, [])
        before = bisect_right(known, sign - is_end, key=itemgetter(0)) - 1
        if before < 0:
            return sign
        _at, to, start, end = known[before]
        if sign - is_end < to:
            return end if is_end else start
        return sign - to + end


class Found(NamedTuple):
    """A name in a text: the places of both in their lists, and where it is in the text."""

    text: int
    name: int
    start: int
    end: int


class _Hit(NamedTuple):
    start: int
    end: int
    name: int


class Names:
    """Finds these names in texts. Built once, asked often."""

    def __init__(self, originals: Sequence[str]) -> None:
        self.originals = originals
        self._by_key: dict[str, list[int]] = {}
        for place, original in enumerate(originals):
            if found := key(original):
                self._by_key.setdefault(found, []).append(place)
        self._keys = list(self._by_key)
        self._automaton = AhoCorasick(self._keys)

    def hits(self, text: str) -> list[_Hit]:
        """The places of names in a text, in their order. Names that overlap are one place, of the first and
        longest of them, so that no rest of a name is left.
        """
        found: list[_Hit] = []
        for hit in sorted(self._all(text), key=lambda hit: (hit.start, -hit.end)):
            if found and hit.start < found[-1].end:
                found[-1] = found[-1]._replace(end=max(found[-1].end, hit.end))
            else:
                found.append(hit)
        return found

    def _all(self, text: str) -> Iterator[_Hit]:
        folded = fold(text)
        for at, first, last in self._automaton.find_matches_as_indexes(folded.text, overlapping=True):
            if not (folded.is_word(first, last) and folded.is_whole(first, last)):
                continue
            start, end = folded.starts[first], folded.ends[last - 1]
            name = self._name(self._keys[at], text[start:end])
            if name is not None:
                yield _Hit(start, end, name)

    def _name(self, found: str, said: str) -> int | None:
        """Which name a place has: the one that is written so, else the first that compares equal. None for
        an ordinary word.
        """
        places = self._by_key[found]
        exact = next((place for place in places if _plain(self.originals[place]) == _plain(said)), None)
        if exact is None and said.islower() and all(may_be_a_word(self.originals[at]) for at in places):
            return None
        return places[0] if exact is None else exact


def pseudonymise(texts: Iterable[str], replacements: Sequence[Replacement]) -> Pseudonymised:
    """The texts of turns with a stand-in at each place of a listed text."""
    names = Names([one.original for one in replacements])
    made: list[str] = []
    places: list[Place] = []
    for number, text in enumerate(texts, 1):
        replaced, found = _replaced(number, text, names, replacements)
        places += found
        made.append(replaced)
    return Pseudonymised(tuple(made), tuple(places))


def names_in(texts: Iterable[str], originals: Sequence[str]) -> list[Found]:
    """Where the listed names occur in texts that leave the study; nothing must be found."""
    names = Names(originals)
    return [
        Found(number, hit.name, hit.start, hit.end)
        for number, text in enumerate(texts)
        for hit in names.hits(text)
    ]


def parts_of_name(name: str, whole: Sequence[str] = ()) -> list[str]:
    """`whole`, and the words of a name: given name and surname; of a Chinese name the given name. Without
    particles in lower case, and without what names nobody, such as "Speaker 1".
    """
    name = " ".join(name.split())
    words = _NAME_PART.findall(name)
    if any(word.casefold() in _NO_NAME for word in words or [name]):
        return []
    if not name.islower():
        words = [word for word in words if not word.islower()]
    if _HAN_NAME.fullmatch(name):
        words.append(name[1:] if len(name) == 3 else name[2:])
    parts = [*whole, *(word for word in words if word != name)]
    return [one for one in dict.fromkeys(parts) if len(one) > 1 and not re.search(r"\d", one)]


def _replaced(
    number: int, text: str, names: Names, replacements: Sequence[Replacement]
) -> tuple[str, list[Place]]:
    pieces: list[str] = []
    places: list[Place] = []
    said = 0
    for hit in names.hits(text):
        stand_in = replacements[hit.name].stand_in
        before, after = text[max(0, hit.start - AROUND) : hit.start], text[hit.end : hit.end + AROUND]
        places.append(Place(number, hit.start, hit.end, text[hit.start : hit.end], stand_in, before, after))
        pieces += [text[said : hit.start], stand_in]
        said = hit.end
    return "".join([*pieces, text[said:]]), places


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
