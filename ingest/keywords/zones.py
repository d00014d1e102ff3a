"""Prose, code and comments of a Markdown body."""

import re
from bisect import bisect_right
from typing import Literal

from ingest.keywords.terms import Zone

Part = tuple[int, int, Literal["code", "comment"]]

_PARTS = re.compile(
    r"^[ >]{0,12}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r"|(?P<comment><!--)"
    r"|(?P<ticks>(?<![\\`])`+)",
    re.MULTILINE,
)


class Layout:
    """The zones of a body; they are looked for at the first question."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._parts: list[Part] | None = None

    def zone(self, place: int) -> Zone:
        """A comment of HTML is prose, which its mask takes out."""
        return "code" if self._kind(place) == "code" else "prose"

    def is_comment(self, place: int) -> bool:
        return self._kind(place) == "comment"

    def _kind(self, place: int) -> str:
        if self._parts is None:
            self._parts = parts(self._body)
        found = bisect_right(self._parts, place, key=_start) - 1
        if found < 0:
            return ""
        _from, end, kind = self._parts[found]
        return kind if place < end else ""


def parts(body: str) -> list[Part]:
    """Code and comments, in order."""
    found: list[Part] = []
    place = 0
    while match := _PARTS.search(body, place):
        start = match.start()
        if fence := match["fence"]:
            closing = re.compile(rf"^[ >]*{fence[0]}{{{len(fence)},}}[ \t\r]*$", re.MULTILINE)
            end = closing.search(body, match.end())
            place = end.end() if end else len(body)
            found.append((start, place, "code"))
        elif match["comment"]:
            stop = body.find("-->", match.end())
            place = stop + 3 if stop >= 0 else len(body)
            found.append((start, place, "comment"))
        else:
            ticks = match["ticks"]
            paragraph = body.find("\n\n", match.end())
            rest = body[match.end() : paragraph if paragraph >= 0 else len(body)]
            end = re.search(rf"(?<!`){ticks}(?!`)", rest)
            place = match.end() + (end.end() if end else 0)
            if end:
                found.append((start, place, "code"))
    return found


def _start(part: Part) -> int:
    return part[0]
