"""Transcripts of interviews as turns, from texts and files of four formats."""

from collections.abc import Callable, Mapping

from interviews.readers.transcripts.docx import read_docx
from interviews.readers.transcripts.plain import read_plain, write_plain
from interviews.readers.transcripts.srt import read_srt
from interviews.readers.transcripts.turns import MOST_BYTES, ReadTurns, Turn
from interviews.readers.transcripts.vtt import read_vtt

__all__ = [
    "MOST_BYTES",
    "READERS",
    "ReadTurns",
    "Turn",
    "read_docx",
    "read_plain",
    "read_srt",
    "read_vtt",
    "write_plain",
]

READERS: Mapping[str, Callable[[bytes], ReadTurns]] = {
    "txt": read_plain,
    "srt": read_srt,
    "vtt": read_vtt,
    "docx": read_docx,
}
"""By the ending of the file."""
