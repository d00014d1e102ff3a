"""Times of transcripts in milliseconds."""

import re

from interviews.readers.refusals import Unit, Unreadable

TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?(?![\d:])"
"""Hours, minutes, seconds and parts of a second."""

MOST_HOURS = 99
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?", re.ASCII)


def milliseconds(text: str) -> int | None:
    """The time that the text is; None if it is none."""
    found = _CLOCK.fullmatch(text.strip())
    if not found:
        return None
    hours, minutes, seconds, parts = found.groups()
    if int(seconds) > 59 or (hours and int(minutes) > 59):
        return None
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + int((parts or "0").ljust(3, "0"))


def require_early(begins_ms: int, line: int, unit: Unit = "line") -> int:
    """The same time. Raises Unreadable for one that no interview reaches."""
    if begins_ms >= (MOST_HOURS + 1) * 3_600_000:
        raise Unreadable("late_time", line=line, unit=unit)
    return begins_ms


def written(begins_ms: int) -> str:
    """The time as it is written in a transcript: 00:01:02, or 00:01:02.500."""
    seconds, parts = divmod(begins_ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    return f"{clock}.{parts:03}" if parts else clock
