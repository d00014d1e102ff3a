"""Who speaks in a line of text: "Ann: text", "[00:01:02] Ann: text", "Ann 00:01:02" with the text below."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from interviews.readers.transcripts.times import TIME, milliseconds
from interviews.readers.transcripts.turns import LONGEST_SPEAKER

MOST_WORDS = 6
_MARKS = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Signs of the direction of writing, which stand around right-to-left names."""

_AROUND = f" \t*_{_MARKS}"
"""What may stand around a name: the signs, and bold."""

_TIMES = rf"(?:\[({TIME})\]|\(({TIME})\)|({TIME})(?=[\s{_MARKS}:：]|$))"
_LEADING = re.compile(rf"{_TIMES}(?:\s{{1,20}}[-–])?(?=\s|$)|\[({TIME})\]|\(({TIME})\)")
_NAME = r"([^:：<>{}]{1,80}?)"
_HEAD = re.compile(rf"{_NAME}[ \t]{{0,20}}(?<![\d:.,]){_TIMES}[ \t{_MARKS}]{{0,20}}(?:[:：]|$)")
_LABEL = re.compile(rf"{_NAME}[:：](?!//)")
_OF_CLOCK = re.compile(r"(?:^|\s)\d{1,2}$")
_NEVER = re.compile(r"[?!;,。，！？；“”\"=/\\|\[\]]|\.\s+[a-z]")
_PARTICLES = frozenset("de da do du dos van von der den la le el al bin ibn ben e y zu ter and of".split())


class Said(NamedTuple):
    """A line: who speaks, None where it does not say so; when; and what is said."""

    speaker: str | None
    begins_ms: int | None
    text: str


def said_in(line: str) -> Said:
    """What a line says, taking each label that looks like one for a speaker."""
    begins, rest = _leading(line.strip())
    bare = rest.lstrip(_AROUND).removeprefix(">>").lstrip(_AROUND)
    if found := _HEAD.match(bare):
        label, late = found[1].strip(_AROUND), milliseconds(found[2] or found[3] or found[4])
        if late is not None and may_speak(label):
            return Said(label, late if begins is None else begins, bare[found.end() :].strip())
    if found := _LABEL.match(bare):
        label, text = found[1].strip(_AROUND), bare[found.end() :]
        text = text.removeprefix("**") if rest.startswith("**") else text
        if may_speak(label) and not (text[:1].isdigit() and _OF_CLOCK.search(label)):
            return Said(label, begins, text.strip())
    return Said(None, begins, rest)


def may_speak(label: str) -> bool:
    """Can this be the name of a speaker, not the beginning of a sentence with a colon?"""
    words = label.split()
    if not words or len(label) > LONGEST_SPEAKER or len(words) > MOST_WORDS or _NEVER.search(label):
        return False
    return any(letter.isalpha() for letter in label)


def is_named(label: str) -> bool:
    """Is it written as names and roles are: one word, or no word but particles in lower case?"""
    words = label.split()
    return len(words) == 1 or not any(word[0].islower() and word not in _PARTICLES for word in words)


def speakers_of(lines: Iterable[str]) -> frozenset[str]:
    """The labels of these lines that are speakers: those written as names, and those that occur again."""
    counted = Counter(said.speaker for said in map(said_in, lines) if said.speaker)
    return frozenset(label for label, times in counted.items() if times > 1 or is_named(label))


def _leading(line: str) -> tuple[int | None, str]:
    """The time at the beginning of a line, and the rest."""
    found = _LEADING.match(line)
    time = next(filter(None, found.groups()), "") if found else ""
    begins = milliseconds(time) if time else None
    return (begins, line[found.end() :].lstrip()) if found and begins is not None else (None, line)
