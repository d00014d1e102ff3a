"""What SRT and WebVTT have in common: cues with a time, and speakers written as text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from interviews.readers.refusals import Notes, Unreadable
from interviews.readers.transcripts.labels import said_in, speakers_of
from interviews.readers.transcripts.times import milliseconds, require_early
from interviews.readers.transcripts.turns import Gathering, ReadTurns

ARROW = "-->"
_TIMING = re.compile(r"\s*([\d:.,]{4,16})\s*-->\s*([\d:.,]{4,16})(?:\s.*)?")
_DASH = re.compile(r"\s*[-–]\s+")


class Piece(NamedTuple):
    """A line of a cue; `voice` is who speaks by the markup, None where that does not say so."""

    line: int
    begins_ms: int
    text: str
    voice: str | None = None


def timing_of(text: str, line: int, sign: str) -> int:
    """When a cue begins. Raises Unreadable for a line with an arrow that has no two times."""
    found = _TIMING.fullmatch(text)
    begins, ends = (milliseconds(found[1]), milliseconds(found[2])) if found else (None, None)
    if begins is None or ends is None:
        raise Unreadable("bad_time", line=line, sign=sign)
    return require_early(begins, line)


def turns_of(pieces: Sequence[Piece], notes: Notes) -> ReadTurns:
    """The turns of the cues; text without a speaker goes on with the one before, but for files that mark
    voices. Raises Unreadable.
    """
    voiced = any(piece.voice for piece in pieces)
    named = frozenset() if voiced else speakers_of(_undashed(piece.text) for piece in pieces)
    turns = Gathering(notes)
    for piece in pieces:
        if not piece.text.strip():
            continue
        speaker, text = (piece.voice or "", piece.text) if voiced else _said(piece.text, named, turns.speaker)
        turns.begin(speaker, piece.begins_ms, piece.line)
        turns.say(" ".join(text.split()), piece.line, joint=" ")
    found = turns.all()
    if not found.turns:
        raise Unreadable("no_cue")
    return found


def _said(text: str, named: frozenset[str], before: str) -> tuple[str, str]:
    """Who speaks and what, by the text of a line."""
    said = said_in(_undashed(text))
    return (said.speaker, said.text) if said.speaker and said.speaker in named else (before, text)


def _undashed(text: str) -> str:
    """The line without the dash that begins a change of speakers."""
    found = _DASH.match(text)
    return text[found.end() :] if found else text


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """The lines in groups that blank lines part."""
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block
