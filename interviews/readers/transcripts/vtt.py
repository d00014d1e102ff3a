"""WebVTT: cues with a time, and speakers as voice tags or as text. Comments, styles and regions are left out;
markup that WebVTT does not know, such as a script, is text like any other.
"""

import html
import re
from collections.abc import Iterator

from interviews.readers.refusals import Notes, Unreadable
from interviews.readers.text import lines_of, text_of, without_controls
from interviews.readers.transcripts.cues import ARROW, Piece, blocks, timing_of, turns_of
from interviews.readers.transcripts.turns import MOST_BYTES, ReadTurns

_HEADER = re.compile(r"WEBVTT(?:[ \t].*)?")
_COMMENT = re.compile(r"NOTE(?:[ \t].*)?")
_STYLE = re.compile(r"(?:STYLE|REGION)[ \t]*")
_TAG = re.compile(
    r"<(?:(?P<close>/v)|v(?:\.[^\s<>]{1,100})?(?:[ \t]+(?P<voice>[^<>]{0,200}))?"
    r"|/?(?:c|i|b|u|ruby|rt|lang)(?:\.[^\s<>]{1,100})?(?:[ \t][^<>]{0,100})?|[\d:.]{5,16})>"
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,10});")


def read_vtt(data: bytes) -> ReadTurns:
    """The turns of a file in WebVTT. Raises Unreadable."""
    notes = Notes()
    text = text_of(data, most_bytes=MOST_BYTES)
    lines = ((number, without_controls(line, number, notes)) for number, line in lines_of(text))
    return turns_of(list(_pieces(lines, notes)), notes)


def _pieces(lines: Iterator[tuple[int, str]], notes: Notes) -> Iterator[Piece]:
    first, header = next(lines)
    if not _HEADER.fullmatch(header):
        raise Unreadable("not_vtt", line=first)
    for number, line in lines:
        if not line.strip():
            break
        if ARROW in line:  # a cue without the blank line that parts it from the header
            raise Unreadable("bad_time", line=number, sign=".")
        notes.add(number, "style")
    for block in blocks(lines):
        yield from _of_block(block, notes)


def _of_block(block: list[tuple[int, str]], notes: Notes) -> Iterator[Piece]:
    number, line = block[0]
    if _COMMENT.fullmatch(line):
        notes.add(number, "comment")
    elif ARROW in line:
        yield from _of_cue(timing_of(line, number, "."), block[1:])
    elif len(block) > 1 and ARROW in block[1][1]:  # after the name of the cue
        yield from _of_cue(timing_of(block[1][1], block[1][0], "."), block[2:])
    else:
        notes.add(number, "style" if _STYLE.fullmatch(line) else "no_time")


def _of_cue(begins: int, lines: list[tuple[int, str]]) -> Iterator[Piece]:
    voice: str | None = None
    for number, line in lines:
        said = 0
        pieces: list[str] = []
        for tag in _TAG.finditer(line):
            pieces.append(line[said : tag.start()])
            said = tag.end()
            if tag["close"] or tag["voice"] is not None:
                yield Piece(number, begins, _unescaped("".join(pieces)), voice)
                pieces, voice = [], _unescaped(tag["voice"]) if tag["voice"] else None
        yield Piece(number, begins, _unescaped("".join([*pieces, line[said:]])), voice)


def _unescaped(text: str) -> str:
    """The text with its entities as characters; the result is text, never markup."""
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)
