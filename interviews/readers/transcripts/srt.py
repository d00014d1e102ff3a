"""SubRip (SRT): numbered cues with a time. Read line by line, so that a broken cue is named by its line."""

import re
from collections.abc import Iterator

from interviews.readers.refusals import Notes
from interviews.readers.text import lines_of, text_of, without_controls
from interviews.readers.transcripts.cues import ARROW, Piece, timing_of, turns_of
from interviews.readers.transcripts.turns import MOST_BYTES, ReadTurns

_NUMBER = re.compile(r"\s*\d{1,9}\s*")
_MARKUP = re.compile(r"</?(?:i|b|u|s|font(?:\s[^<>]{0,200})?)>|\{\\[^{}]{0,100}\}", re.IGNORECASE)
_TIME_BEGINS = re.compile(r"\s*\d")


def read_srt(data: bytes) -> ReadTurns:
    """The turns of a file in SRT. Raises Unreadable."""
    notes = Notes()
    text = text_of(data, most_bytes=MOST_BYTES)
    lines = [(number, without_controls(line, number, notes)) for number, line in lines_of(text)]
    return turns_of(list(_pieces(lines, notes)), notes)


def _pieces(lines: list[tuple[int, str]], notes: Notes) -> Iterator[Piece]:
    begins: int | None = None
    after_number = False
    for place, (number, line) in enumerate(lines):
        following = lines[place + 1][1] if place + 1 < len(lines) else ""
        if ARROW in line and (after_number or _TIME_BEGINS.match(line)):
            begins, after_number = timing_of(line, number, ","), False
        elif _NUMBER.fullmatch(line) and ARROW in following:
            after_number = True
        elif line.strip() and begins is None:
            notes.add(number, "before_cue")
        elif begins is not None:
            yield Piece(number, begins, _MARKUP.sub("", line))
