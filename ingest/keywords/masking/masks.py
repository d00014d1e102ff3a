"""The masks over a text. Each is looked up around a hit only: in the run of characters without blanks, quotes
and angle brackets that the hit is part of, and on its line. Runs and lines are read once each.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from ingest.keywords.markdown.headings import template_line_at
from ingest.keywords.markdown.spans import Part
from ingest.keywords.markdown.zones import Layout
from ingest.keywords.masking.addresses import addresses
from ingest.keywords.masking.paths import paths
from ingest.keywords.terms import Mask

_RUN = re.compile(r"[^\s\"<>`]*")
_BEFORE_RUN = frozenset(["", *" \t\r\n<>`"])
_BEHIND_RUN = _BEFORE_RUN | {'"'}
_NEAR = 120
_MAY_BE_TEMPLATE = re.compile(r"[ >]{0,6}[#*+-]|[^\n]*+\n[ =-]")
_ATTRIBUTE = re.compile(r"(?:href|src)=\"\Z", re.IGNORECASE)
_USER_NAME = re.compile(
    r"(?<![\w.@/-])@[a-z0-9][\w-]{0,63}(?:/[\w-]{1,64})?(?![\w-])(?![.(]\w)"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}",
    re.IGNORECASE | re.ASCII,
)
_PROMPT = re.compile(r"(?<![\w.+-])[\w.-]{1,64}@[\w.-]{1,64}:(?=[~/])", re.ASCII)
_SIGNED = re.compile(
    r"[ \t>*_-]{0,9}(?:(?:[a-z]{2,12}-){1,2}by|author|reporter|reported by|originally posted by)\b[ \t*_]*:",
    re.IGNORECASE,
)
"""The beginning of a line that names a person, such as `Co-authored-by:`."""
_HASH = re.compile(
    r"(?<![^\W_])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]{0,63}[0-9])[0-9a-f]{7,64})(?![^\W_])",
    re.IGNORECASE | re.ASCII,
)
_HEX = re.compile(r"[0-9a-f]+", re.IGNORECASE)
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_REMEMBERED = 200
"""The longest run whose spans are remembered: stack traces repeat their paths."""


class Spans:
    """Spans of a text; those that overlap are one."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touch(self, start: int, end: int) -> bool:
        """Does any of them have a part in common with this one?"""
        before = bisect_left(self._starts, end)
        return before > 0 and self._ends[before - 1] > start


_NOWHERE = Spans()


class Masks:
    """The masks over one text, for questions about its hits in their order."""

    def __init__(
        self, text: str, masks: Sequence[Mask], layout: Layout | None = None, headings: Collection[str] = ()
    ) -> None:
        self._text = text
        self._masks = frozenset(masks)
        self._layout = layout
        self._headings = headings if "template_headings" in self._masks else ()
        self._has_lines = layout is not None and bool(self._headings or "user_names" in self._masks)
        self._backwards = ""
        self._run = (-1, -1)
        self._everywhere = self._in_prose = _NOWHERE
        self._hashes: Spans | None = None
        self._line = (-1, -1)
        self._line_is_template = self._line_is_signed = False

    def covers(self, start: int, end: int, part: Part | None = None) -> bool:
        """Does any mask lie over a part of this hit? `part` is the code or the comment that it is in."""
        in_code = False
        if part:
            if part.kind == "comment":
                return "template_headings" in self._masks
            in_code = True
        if not self._run[0] <= start <= end <= self._run[1]:
            self._read_run(start, end)
        left = self._run[0]
        if self._everywhere is not _NOWHERE and self._everywhere.touch(start - left, end - left):
            return True
        if self._in_prose is not _NOWHERE and not in_code and self._in_prose.touch(start - left, end - left):
            return True
        if (
            self._text[start] in _HEX_DIGITS
            and _HEX.fullmatch(self._text, start, end)
            and self._is_in_hash(start, end)
        ):
            return True
        return self._has_lines and self._is_on_line_of_template(start, in_code=in_code)

    def _read_run(self, start: int, end: int) -> None:
        """Find the run around a hit, and the spans of the masks in it."""
        text = self._text
        self._everywhere, self._in_prose, self._hashes = _NOWHERE, _NOWHERE, None
        self._run = start, end
        if text[start - 1 : start] in _BEFORE_RUN and text[end : end + 1] in _BEHIND_RUN:
            return
        after = _RUN.match(text, end)
        if after:
            left, right = self._run = self._start_of_run(start), after.end()
            if "urls" in self._masks and _ATTRIBUTE.search(text, max(0, left - 6), left):
                self._everywhere = Spans([(0, right - left)])
            elif right - left > end - start:
                run = text[left:right]
                read = _read_short if len(run) <= _REMEMBERED else _read
                self._everywhere, self._in_prose = read(run, self._masks)

    def _start_of_run(self, start: int) -> int:
        near = _RUN.match(self._text[max(0, start - _NEAR) : start][::-1])
        if near and near.end() < _NEAR:
            return start - near.end()
        if not self._backwards:
            self._backwards = self._text[::-1]
        far = _RUN.match(self._backwards, len(self._text) - start)
        return start - len(far.group()) if far else start

    def _is_in_hash(self, start: int, end: int) -> bool:
        if self._hashes is None:
            found = _HASH.finditer(self._text, *self._run) if "hashes" in self._masks else ()
            self._hashes = Spans(one.span() for one in found)
        return self._hashes.touch(start, end)

    def _is_on_line_of_template(self, start: int, *, in_code: bool) -> bool:
        """Is the hit on a line that a template brings, or on one that names a person?"""
        if not self._line[0] <= start <= self._line[1]:
            self._read_line(start)
        return self._line_is_template or (self._line_is_signed and not in_code)

    def _read_line(self, start: int) -> None:
        text = self._text
        left = text.rfind("\n", 0, start) + 1
        right = text.find("\n", start)
        self._line = left, right if right >= 0 else len(text)
        is_template = (
            bool(self._headings)
            and _MAY_BE_TEMPLATE.match(text, left) is not None
            and template_line_at(text, *self._line) in self._headings
        )
        is_signed = (
            "user_names" in self._masks
            and text.find(":", *self._line) >= 0
            and _SIGNED.match(text, *self._line) is not None
        )
        in_prose = (is_template or is_signed) and self._layout is not None and not self._layout.part(left)
        self._line_is_template, self._line_is_signed = is_template and in_prose, is_signed and in_prose


def _read(run: str, masks: frozenset[Mask]) -> tuple[Spans, Spans]:
    """What the masks cover in a run: everywhere, and in prose only."""
    everywhere = list(_found(run, masks))
    names = _USER_NAME.finditer(run) if "user_names" in masks and "@" in run else ()
    in_prose = [found.span() for found in names]
    return Spans(everywhere) if everywhere else _NOWHERE, Spans(in_prose) if in_prose else _NOWHERE


_read_short = lru_cache(maxsize=4096)(_read)


def _found(run: str, masks: frozenset[Mask]) -> Iterator[tuple[int, int]]:
    if "urls" in masks:
        yield from addresses(run)
    if "paths" in masks and ("/" in run or "\\" in run):
        yield from paths(run)
    if "user_names" in masks and "@" in run:
        yield from (found.span() for found in _PROMPT.finditer(run))
