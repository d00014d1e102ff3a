"""Transcripts as text: a line for each turn, "Speaker: text", with a time before or after the speaker. Lines
without a speaker, and lines that are indented more than the first turn, continue a turn.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from interviews.readers.refusals import Notes, Unit, Unreadable
from interviews.readers.text import lines_of, text_of, without_controls
from interviews.readers.transcripts.labels import said_in, speakers_of
from interviews.readers.transcripts.times import require_early, written
from interviews.readers.transcripts.turns import MOST_BYTES, Gathering, ReadTurns, Turn

_INDENT = re.compile(r"[ \t]*")


class Line(NamedTuple):
    number: int
    text: str


def read_plain(data: bytes) -> ReadTurns:
    """The turns of a text. Raises Unreadable."""
    notes = Notes()
    text = text_of(data, most_bytes=MOST_BYTES)
    return turns_of([Line(at, without_controls(line, at, notes)) for at, line in lines_of(text)], notes)


def turns_of(lines: Sequence[Line], notes: Notes, *, unit: Unit = "line") -> ReadTurns:
    """The turns of these lines. Raises Unreadable."""
    speakers = speakers_of(line.text for line in lines)
    turns = Gathering(notes, unit=unit)
    indent: int | None = None
    waiting: int | None = None
    for number, text in lines:
        said = said_in(text)
        if said.begins_ms is not None:
            require_early(said.begins_ms, number, unit)
        if said.speaker in speakers and (indent is None or _width(text) <= indent):
            indent = _width(text) if indent is None else indent
            turns.begin(said.speaker or "", waiting if said.begins_ms is None else said.begins_ms, number)
            turns.say(said.text, number)
            waiting = None
        elif said.begins_ms is not None and said.speaker is None and not said.text.strip():
            waiting = said.begins_ms  # a time on a line of its own belongs to what follows
        elif turns.is_empty and text.strip():
            notes.add(number, "before_speaker")
        else:
            timed = said.speaker is None and said.begins_ms is not None and text.lstrip()[:1] in "[("
            turns.say(said.text if timed else text, number)
    found = turns.all()
    if not found.turns:
        raise Unreadable("no_speaker")
    return found


def write_plain(turns: Iterable[Turn]) -> str:
    """The turns as a text that `read_plain` reads back: further lines of a turn are indented."""
    return "".join(f"{_time(turn.begins_ms)}{turn.speaker}: {_indented(turn.text)}\n" for turn in turns)


def _width(text: str) -> int:
    found = _INDENT.match(text)
    return len(found[0].expandtabs(4)) if found else 0


def _time(begins_ms: int | None) -> str:
    return "" if begins_ms is None else f"[{written(begins_ms)}] "


def _indented(text: str) -> str:
    return "\n    ".join(line.strip() for line in text.split("\n") if line.strip())
