"""Bytes and texts of uploads as lines that can be stored."""

import codecs
import re
from collections.abc import Iterator

from interviews.readers.refusals import Notes, Unit, Unreadable

LONGEST_LINE = 500_000
"""The most characters of one line: a whole interview of three hours has half of it."""

MOST_LINES = 300_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_HALF = re.compile("[\ud800-\udfff]")
_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BINARY = (b"PK\x03\x04", b"%PDF-", b"\xd0\xcf\x11\xe0", b"\x89PNG", b"\xff\xd8\xff", b"\x1f\x8b", b"RIFF")


def text_of(data: bytes, *, most_bytes: int) -> str:
    """The text in UTF-8, or in UTF-16 with a byte order mark. Raises Unreadable for any other bytes."""
    if len(data) > most_bytes:
        raise Unreadable("too_large", limit=most_bytes)
    if data.startswith(_BINARY):
        raise Unreadable("not_text")
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        # The decoder counts from behind the byte order mark of UTF-8.
        before = error.object[: error.start].decode("utf-16" if wide else "utf-8", errors="replace")
        line = len(_LINE_END.findall(before)) + 1
        if wide:
            raise Unreadable("half", line=line) from None
        raise Unreadable("not_utf8", line=line, byte=f"{error.object[error.start]:02X}") from None
    if not text.strip():
        raise Unreadable("empty")
    return text


def lines_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, as an editor counts them. Raises Unreadable for a line that is too long
    or cannot be stored.
    """
    start, number = 0, 0
    while True:
        number += 1
        end = _LINE_END.search(text, start)
        if number > MOST_LINES:
            raise Unreadable("many_lines", line=number, limit=MOST_LINES)
        stop = end.start() if end else len(text)
        if stop - start > LONGEST_LINE:
            raise Unreadable("line_too_long", line=number, limit=LONGEST_LINE)
        line = text[start:stop]
        require_storable(line, number)
        yield number, line
        if end is None:
            return
        start = end.end()


def require_storable(text: str, line: int, unit: Unit = "line") -> None:
    """Raises Unreadable for NUL and for half a character, which no database stores."""
    if "\0" in text:
        raise Unreadable("nul", line=line, unit=unit)
    if not text.isascii() and _HALF.search(text):
        raise Unreadable("half", line=line, unit=unit)


def without_controls(text: str, line: int, notes: Notes) -> str:
    """The text without control characters other than tabs and line ends; noted if there were some."""
    kept, count = _CONTROLS.subn("", text)
    if count:
        notes.add(line, "controls")
    return kept
