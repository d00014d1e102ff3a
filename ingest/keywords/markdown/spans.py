"""Code and comments inside a line or a paragraph of Markdown."""

import re
from bisect import bisect_left
from typing import Literal, NamedTuple

EVENT = re.compile(r"\\[\\`<]|``*|~~~~*|<!--|<(?:[pP][rR][eE]|[cC][oO][dD][eE])(?=[\s>])")
"""What may begin code or a comment; an escaped character begins nothing."""

_BLANK = re.compile(r"[ \t\r]*(?=\n|\Z)")
_TICKS = re.compile("`+")
_LONE_RETURN = re.compile(r"\r(?!\n)")
END_OF_PRE = re.compile(r"</pre\s{0,9}>", re.IGNORECASE)
_END_OF_CODE = re.compile(r"</(?:pre|code)\s{0,9}>", re.IGNORECASE)


class Part(NamedTuple):
    """A part of a body that is not prose."""

    start: int
    end: int
    kind: Literal["code", "comment"]


def spans(body: str, start: int, end: int) -> list[Part]:
    """The code and the comments in one paragraph, heading or cell, in time that grows with its length."""
    found: list[Part] = []
    place = start
    ticks: dict[int, list[int]] | None = None
    unclosed: set[str] = set()
    while event := EVENT.search(body, place, end):
        begin, place = event.span()
        first = body[begin]
        if first == "`":
            if ticks is None:
                ticks = _runs(body, begin, end)
            length = place - begin
            if (close := _next(ticks.get(length, []), place)) >= 0:
                place = close + length
                found.append(Part(begin, place, "code"))
        elif first == "<" and (kind := body[begin + 1]) not in unclosed:
            if part := tagged(body, event, end):
                place = part.end
                found.append(part)
            else:
                unclosed |= {"!"} if kind == "!" else set("pPcC")
    return found


def tagged(body: str, event: re.Match[str], end: int) -> Part | None:
    """The comment, or the code between two tags, that begins at this event and ends before `end`."""
    begin = event.start()
    if body[begin + 1] == "!":
        close = body.find("-->", begin + 2, end)
        return Part(begin, close + 3, "comment") if close >= 0 else None
    last = _END_OF_CODE.search(body, event.end(), end)
    return Part(begin, last.end(), "code") if last else None


def end_of_fence(body: str, run: str, place: int) -> int:
    """The end of the fence at the margin that this run opens on the line that ends at `place`."""
    close = body.find(run, place)
    while close >= 0:
        end = close + len(run)
        while body.startswith(run[0], end):
            end += 1
        if body[max(0, close - 4) : close].rstrip(" ")[-1:] == "\n" and _BLANK.match(body, end):
            return end
        close = body.find(run, end)
    return len(body)


def has_lone_returns(body: str) -> bool:
    """Does a return without a line feed end a line?"""
    return _LONE_RETURN.search(body) is not None


def _runs(body: str, start: int, end: int) -> dict[int, list[int]]:
    """The places of the runs of backticks, by their length."""
    found: dict[int, list[int]] = {}
    for run in _TICKS.finditer(body, start, end):
        found.setdefault(run.end() - run.start(), []).append(run.start())
    return found


def _next(places: list[int], place: int) -> int:
    """The first of the places that is not before this one; -1 if there is none."""
    at = bisect_left(places, place)
    return places[at] if at < len(places) else -1
