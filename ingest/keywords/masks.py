"""Places where a hit does not count: user names, addresses, paths, hashes and what a template brings."""

import re
from collections.abc import Collection, Sequence

from ingest.keywords.headings import heading_at
from ingest.keywords.terms import Mask
from ingest.keywords.zones import Layout

_PATTERNS: dict[Mask, re.Pattern[str]] = {
    "user_names": re.compile(r"(?<![\w@])@[\w-]+(?:/[\w-]+)?|[\w.+-]+@[\w-]+(?:\.[\w-]+)*"),
    "urls": re.compile(
        r"(?:[a-z][a-z0-9+.-]{1,12}://|www\.|data:\w+/)[^\s<>\"'`]+|(?<=\]\()[^\s()]+|git@[\w.-]+:[\w./~-]+",
        re.IGNORECASE,
    ),
    "paths": re.compile(
        r"(?<![\w/.])(?:~|\.{1,2}|[A-Za-z]:)?[\\/][^\s\"'`<>|()\[\]{},;=]*[\\/][^\s\"'`<>|()\[\]{},;=]*"
        r"|[A-Za-z]:\\[^\s\"'`<>|()\[\]{},;]+"
        r"|(?:~|\.{1,2})/[^\s\"'`<>|()\[\]{},;=]+"
        r"|(?<![\w/])(?:[\w.+@-]+[\\/])+[\w.+@-]*\.[A-Za-z][A-Za-z0-9]{0,5}(?![\w/])"
        r"|(?<![\w/])(?:[\w.+@-]+[\\/])*(?:site-packages|dist-packages|node_modules)(?:[\\/][\w.+@-]+)*"
    ),
    "hashes": re.compile(r"(?<![^\W_])[0-9a-f]{7,40}(?![^\W_])", re.IGNORECASE),
}
_WINDOW = 400


class Masks:
    """The masks over one text."""

    def __init__(
        self, text: str, masks: Sequence[Mask], layout: Layout | None = None, headings: Collection[str] = ()
    ) -> None:
        self._text = text
        self._masks = masks
        self._layout = layout
        self._headings = headings

    def covers(self, start: int, end: int) -> bool:
        """Does any mask lie over a part of this hit?"""
        text, layout = self._text, self._layout
        left = max(text.rfind("\n", 0, start) + 1, start - _WINDOW)
        right = text.find("\n", end)
        window = text[left : min(right if right >= 0 else len(text), end + _WINDOW)]
        in_code = layout is not None and layout.zone(start) == "code"
        for mask in self._masks:
            if mask == "template_headings":
                if layout and layout.is_comment(start):
                    return True
                if self._headings and not in_code and heading_at(text, start) in self._headings:
                    return True
                continue
            if mask == "user_names" and in_code:
                continue
            for found in _PATTERNS[mask].finditer(window):
                if found.start() + left < end and found.end() + left > start:
                    return True
        return False
