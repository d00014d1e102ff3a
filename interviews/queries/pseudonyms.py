"""Transcripts with names, and their pseudonymised texts before these are stored; names are found and replaced
by interviews.readers.names. Only for owner and leads; the caller notes the look (actions.identities).
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from django.views.decorators.debug import sensitive_variables

from interviews.models import Identity, Participant, RawTranscript
from interviews.queries.identities import listed_names, person_of, replacements_of, unsealed
from interviews.readers.folding import key
from interviews.readers.names import (
    Place,
    Pseudonymised,
    Replacement,
    names_in,
    parts_of_name,
    pseudonymise,
)


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


@sensitive_variables()
def with_stand_ins(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> tuple[list[Spoken], int]:
    """The turns with all stand-ins, and the number of places. Speakers stay: they get labels when the
    transcript is stored.
    """
    made = pseudonymised(turns, pairs)
    said = [replace(turn, text=text) for turn, text in zip(turns, made.texts, strict=True)]
    return said, len(made.places)


@sensitive_variables()
def places_in(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> list[Place]:
    """The places that get a stand-in, in their order."""
    return list(pseudonymised(turns, pairs).places)


@sensitive_variables()
def pseudonymised(turns: Sequence[Spoken], pairs: Sequence[Pair]) -> Pseudonymised:
    """The texts of the turns with all stand-ins, and their places in the texts of `texts_of`."""
    return pseudonymise(texts_of(turns), [Replacement(pair.original, pair.stand_in) for pair in pairs])


@sensitive_variables()
def texts_of(turns: Sequence[Spoken]) -> list[str]:
    """What was said in each turn, with accents written in one way."""
    return [unicodedata.normalize("NFC", turn.text) for turn in turns]


@sensitive_variables()
def names_left(study_id: int, texts: Iterable[str]) -> int:
    """The number, from 1, of the first of these texts that contains a listed name of the study; 0 for none.
    Every export of interviews asks this before it is sent. Raises IdentityUnreadable.
    """
    return next((place + 1 for place in named_places(study_id, texts)), 0)


@sensitive_variables()
def named_places(study_id: int, texts: Iterable[str]) -> Iterator[int]:
    """The places, from 0, of the texts that contain a listed name of the study. Raises IdentityUnreadable."""
    yield from dict.fromkeys(found.text for found in names_in(texts, listed_names(study_id)))


@sensitive_variables()
def others_named(participant: Participant, turns: Sequence[Spoken]) -> list[tuple[str, int]]:
    """Listed names of other participants of the study that occur in the turns, with the number of places;
    the own ones are replaced already. Raises IdentityUnreadable.
    """
    pairs = pairs_of(participant)
    own = {key(pair.original) for pair in pairs}
    names = [name for name in listed_names(participant.study_id) if key(name) not in own]
    texts = pseudonymised(turns, pairs).texts
    counted: dict[str, int] = {}
    for found in names_in(texts, names):
        said = " ".join(texts[found.text][found.start : found.end].split())
        counted[said] = counted.get(said, 0) + 1
    return list(counted.items())


OWN, OTHER, SPEAKER = "own", "other", "speaker"


@sensitive_variables()
def parts_named(participant: Participant, turns: Sequence[Spoken]) -> list[tuple[str, int, str]]:
    """What occurs in the turns after all replacements of the own name, of names of other participants and of
    speakers: single words of them, and whole names of speakers; how often, and whose it is (OWN, OTHER,
    SPEAKER). People say given names, and the list has whole names. Raises IdentityUnreadable.
    """
    person = person_of(participant)
    others = Identity.objects.filter(participant__study=participant.study_id).exclude(participant=participant)
    named = {
        OWN: [person.name] if person else [],
        OTHER: [unsealed(name) for name in others.values_list("name", flat=True)],
        SPEAKER: list(dict.fromkeys(turn.speaker for turn in turns)),
    }
    whose: dict[str, str] = {}
    for of, names in named.items():
        for name in names:
            whole = [name] if of == SPEAKER else []
            for part in parts_of_name(name, whole):
                whose.setdefault(part, of)
    parts = list(whose)
    texts = pseudonymised(turns, pairs_of(participant)).texts
    counted: dict[str, int] = {}
    for found in names_in(texts, parts):
        counted[parts[found.name]] = counted.get(parts[found.name], 0) + 1
    return [(part, times, whose[part]) for part, times in counted.items()]
