"""Transcripts with names, and their pseudonymised texts before these are stored. Only for owner and leads;
the caller notes the look (interviews.actions.identities).
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.views.decorators.debug import sensitive_variables

from interviews.models import Participant, RawTranscript
from interviews.queries.identities import listed_names, person_of, replacements_of, unsealed

SHORT_NAME = 6
AROUND = 60
"""Characters that a preview shows before and after a place."""


@dataclass(frozen=True, repr=False)
class Spoken:
    """What one person said without a break; `begins` in milliseconds."""

    speaker: str
    text: str
    begins: int | None = None


@dataclass(frozen=True, repr=False)
class Pair:
    """A text and its stand-in; `pk` is that of the replacement, None for the name of the identity."""

    original: str
    stand_in: str
    pk: int | None = None


@dataclass(frozen=True, repr=False)
class PlaceFound:
    """One place that gets a stand-in, with what stands around it; `turn` counts from 1."""

    turn: int
    before: str
    original: str
    stand_in: str
    after: str


@sensitive_variables()
def raw_turns(raw: RawTranscript) -> list[Spoken]:
    """The turns as they were imported. Raises IdentityUnreadable."""
    return [Spoken(*row) for row in json.loads(unsealed(raw.turns) or "[]")]


@sensitive_variables()
def pairs_of(participant: Participant) -> list[Pair]:
    """What is replaced in transcripts of a participant: the name, by the pseudonym, and the listed texts."""
    person = person_of(participant)
    pairs = [Pair(person.name, str(participant))] if person else []
    return pairs + [Pair(one.original, one.stand_in, one.pk) for one in replacements_of(participant)]


def _pattern(originals: Iterable[str]) -> re.Pattern[str] | None:
    """Finds these texts, whole words only where they are words, the longest first; in any case but for short
    single words such as Will or May, which are found as they are and in capitals.
    """
    parts = []
    for original in sorted(set(filter(None, originals)), key=len, reverse=True):
        text = unicodedata.normalize("NFC", original)
        words = r"\s+".join(re.escape(word) for word in text.split())
        before = r"(?<!\w)" if _is_of_word(text.strip()[0]) else ""
        after = r"(?!\w)" if _is_of_word(text.strip()[-1]) else ""
        found = f"(?:{words}|{re.escape(text.upper())})" if _may_be_a_word(text) else f"(?i:{words})"
        parts.append(f"{before}{found}{after}")
    return re.compile("|".join(parts)) if parts else None


def _may_be_a_word(text: str) -> bool:
    """Can the same letters in lower case be an ordinary word?"""
    return len(text) <= SHORT_NAME and text.isalpha() and text.istitle()


def _is_of_word(letter: str) -> bool:
    """Is it of a script that puts spaces between words?"""
    return letter.isalnum() and ord(letter) < 0x2E80


@sensitive_variables()
def with_stand_ins(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> tuple[list[Spoken], int]:
    """The turns with all stand-ins, and the number of places."""
    pattern = _pattern(pair.original for pair in pairs)
    stand_ins = _stand_ins(pairs)
    made, places = [], 0
    for turn in turns:
        text = unicodedata.normalize("NFC", turn.text)
        if pattern:
            text, found = pattern.subn(lambda at: _stand_in(stand_ins, at[0]), text)
            places += found
        made.append(replace(turn, text=text))
    return made, places


def _stand_ins(pairs: Sequence[Pair]) -> dict[str, str]:
    """The stand-in of each text as it is, and in any case."""
    found = {_key(pair.original).casefold(): pair.stand_in for pair in pairs}
    return found | {_key(pair.original): pair.stand_in for pair in pairs}


def _stand_in(stand_ins: Mapping[str, str], text: str) -> str:
    key = _key(text)  # patterns take a few letters for equal that casefold does not, such as i and ı
    return stand_ins.get(key) or stand_ins.get(key.casefold(), "[name]")


def _key(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


@sensitive_variables()
def places_in(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> list[PlaceFound]:
    """The places that get a stand-in, in their order."""
    pattern = _pattern(pair.original for pair in pairs)
    if pattern is None:
        return []
    stand_ins = _stand_ins(pairs)
    found = []
    for number, turn in enumerate(turns, 1):
        text = unicodedata.normalize("NFC", turn.text)
        for at in pattern.finditer(text):
            before, after = text[max(0, at.start() - AROUND) : at.start()], text[at.end() : at.end() + AROUND]
            found.append(PlaceFound(number, before, at[0], _stand_in(stand_ins, at[0]), after))
    return found


@sensitive_variables()
def names_left(study_id: int, texts: Iterable[str]) -> int:
    """The number, from 1, of the first of these texts that contains a listed name of the study; 0 for none.
    Every export of interviews asks this before it is sent. Raises IdentityUnreadable.
    """
    return next((place + 1 for place in named_places(study_id, texts)), 0)


@sensitive_variables()
def named_places(study_id: int, texts: Iterable[str]) -> Iterator[int]:
    """The places, from 0, of the texts that contain a listed name of the study. Raises IdentityUnreadable."""
    pattern = _pattern(listed_names(study_id))
    for place, text in enumerate(texts):
        if pattern and pattern.search(unicodedata.normalize("NFC", text)):
            yield place


@sensitive_variables()
def others_named(participant: Participant, turns: Sequence[Spoken]) -> list[tuple[str, int]]:
    """Listed names of other participants of the study that occur in the turns, with the number of places;
    the own ones are replaced already. Raises IdentityUnreadable.
    """
    own = {_key(pair.original) for pair in pairs_of(participant)}
    pattern = _pattern(name for name in listed_names(participant.study_id) if _key(name) not in own)
    if pattern is None:
        return []
    said, _places = with_stand_ins(turns, pairs_of(participant))
    counted: dict[str, int] = {}
    for turn in said:
        for at in pattern.finditer(turn.text):
            counted[_key(at[0])] = counted.get(_key(at[0]), 0) + 1
    return list(counted.items())
