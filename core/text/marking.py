"""Marks in text: everything that a caller's marker finds is highlighted. Knows no words of studies. Escapes
every character of the text, and adds nothing but `<mark class="kw">`.
"""

import re
from collections.abc import Sequence
from html import escape
from typing import Protocol

Spans = Sequence[tuple[int, int]]

OPEN, CLOSE = '<mark class="kw">', "</mark>"

_PARTS = re.compile(r"<[^>]*>|&(?:#?\w+);|[^<&]+")


class Marker(Protocol):
    """Finds the passages to mark."""

    def spans(self, text: str, *, in_code: bool) -> Spans:
        """Start and end of each mark, in order, without overlap or contact."""


def shown(text: str, marker: Marker | None, *, in_code: bool = False) -> str:
    """The text escaped, with its marks."""
    spans = marker.spans(text, in_code=in_code) if marker else ()
    if not spans:
        return escape(text)
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        pieces += (escape(text[end:start]), OPEN, escape(text[start:stop]), CLOSE)
        end = stop
    pieces.append(escape(text[end:]))
    return "".join(pieces)


def marked(html: str, text: str, spans: Spans) -> str | None:
    """The HTML that a highlighter made of `text`, with marks; None if it does not spell the text. A mark ends
    before every tag and begins again after it, so that the tags stay well nested.
    """
    edges = [edge for span in spans for edge in span]
    pieces: list[str] = []
    place = next_edge = 0
    inside = False
    for part in _PARTS.findall(html):
        if part[0] == "<":
            pieces.append(f"{CLOSE}{part}{OPEN}" if inside else part)
            continue
        if part[0] == "&":
            while next_edge < len(edges) and edges[next_edge] <= place:
                pieces.append(CLOSE if inside else OPEN)
                inside, next_edge = not inside, next_edge + 1
            pieces.append(part)
            place += 1
            continue
        start = 0
        while next_edge < len(edges) and edges[next_edge] < place + len(part):
            cut = edges[next_edge] - place
            pieces += (part[start:cut], CLOSE if inside else OPEN)
            start, inside, next_edge = cut, not inside, next_edge + 1
        pieces.append(part[start:])
        place += len(part)
    if inside:
        pieces.append(CLOSE)
    return "".join(pieces).replace(OPEN + CLOSE, "") if place == len(text) else None
