"""Places where a hit does not count: user names, addresses, paths, hashes and what a template brings.

Each mask is looked up around a hit only: in the run of characters without blanks, quotes and angle brackets
that the hit is part of, and on its line. Runs and lines are read once each.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from ingest.keywords.markdown.headings import template_line
from ingest.keywords.markdown.zones import Layout
from ingest.keywords.paths import paths
from ingest.keywords.terms import Mask

_RUN = re.compile(r"[^\s\"<>`]*")
_IN_ADDRESS = "[^\\s\"'<>`“”‘’「」（），。、；：]"
_URL = re.compile(
    rf"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{{1,15}}://|www\.|mailto:|data:[a-z]{{3,12}}/)(?P<bare>{_IN_ADDRESS}+)"
    # Without a scheme: a domain of the common kinds, and what follows it.
    r"|(?<![\w.-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|ai|cn|co|dev|edu|gov)"
    rf"(?P<rest>(?::\d{{1,5}})?/{_IN_ADDRESS}*)"
    r"|(?<=\]\()[^\s()]+"
    r"|(?<=href=')[^']+|(?<=src=')[^']+"
    # As Git writes it: git@host:owner/name.git
    r"|(?<![\w.-])[\w.-]{1,64}@[\w.-]{1,64}:[\w-][\w.-]*(?:/[\w.~-]+)+",
    re.IGNORECASE,
)
_ATTRIBUTE = re.compile(r"(?:href|src|action|cite)=\"", re.IGNORECASE)
_USER_NAME = re.compile(
    r"(?<![\w.@/-])@[a-z0-9][\w-]{0,63}(?:/[\w-]{1,64})?(?![\w-])(?![.(]\w)"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"(?<![\w.+-])[\w.-]{1,64}@[\w.-]{1,64}:(?=[~/])")
_SIGNED = re.compile(
    r"[ \t>*_-]{0,9}(?:[a-z]{3,12}-(?:off-)?by|author|reporter|reported by|originally posted by)\b[ \t*_]*:",
    re.IGNORECASE,
)
"""The beginning of a line that names a person, such as `Co-authored-by:`."""
_HASH = re.compile(
    r"(?<![^\W_])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?=[a-f]{0,63}[0-9])[0-9a-f]{7,64})(?![^\W_])",
    re.IGNORECASE,
)
_HEX = re.compile(r"[0-9a-f]+", re.IGNORECASE)

Span = tuple[int, int]


class Masks:
    """The masks over one text, for questions about its hits in their order."""

    def __init__(
        self, text: str, masks: Sequence[Mask], layout: Layout | None = None, headings: Collection[str] = ()
    ) -> None:
        self._text = text
        self._masks = frozenset(masks)
        self._layout = layout
        self._headings = headings
        self._backwards = ""
        self._run = (-1, -1)
        self._spans: list[Span] = []
        self._names: list[Span] = []
        self._line = (-1, -1)
        self._line_is_template = self._line_is_signed = False

    def covers(self, start: int, end: int, *, in_code: bool = False) -> bool:
        """Does any mask lie over a part of this hit?"""
        if not self._run[0] <= start <= end <= self._run[1]:
            self._read_run(start, end)
        if self._run != (start, end):
            if _touched(self._spans, start, end):
                return True
            if self._names and not in_code and _touched(self._names, start, end):
                return True
        if "hashes" in self._masks and _HEX.fullmatch(self._text, start, end):
            run = self._text[slice(*self._run)]
            left = self._run[0]
            if _touched([(left + a.start(), left + a.end()) for a in _HASH.finditer(run)], start, end):
                return True
        return self._layout is not None and self._is_in_template(start, in_code=in_code)

    def _read_run(self, start: int, end: int) -> None:
        """Find the run around a hit, and the spans of the masks in it."""
        text = self._text
        if not self._backwards:
            self._backwards = text[::-1]
        before = _RUN.match(self._backwards, len(text) - start)
        after = _RUN.match(text, end)
        left = start - len(before.group()) if before else start
        right = after.end() if after else end
        self._run = left, right
        self._spans, self._names = [], []
        run = text[left:right]
        if "urls" in self._masks and left and _ATTRIBUTE.fullmatch(text, max(0, left - 8), left):
            self._spans.append((left, right))
        if right - left == end - start:
            return
        self._spans += [(left + from_, left + to) for from_, to in self._found(run)]
        if "user_names" in self._masks and "@" in run:
            self._names += [(left + found.start(), left + found.end()) for found in _USER_NAME.finditer(run)]

    def _found(self, run: str) -> Iterator[Span]:
        """The spans of the masks that hold in code, too."""
        has_parts = "/" in run or "\\" in run
        if "urls" in self._masks and (has_parts or "](" in run or ":" in run or "='" in run):
            yield from map(_address, _URL.finditer(run))
        if "paths" in self._masks and has_parts:
            yield from paths(run)
        if "user_names" in self._masks and "@" in run:
            yield from (found.span() for found in _PROMPT.finditer(run))

    def _is_in_template(self, start: int, *, in_code: bool) -> bool:
        """Is the hit in a comment or on a line of a template, or on one that names a person?"""
        layout = self._layout
        if layout is None:
            return False
        part = layout.part(start)
        if part and part.kind == "comment":
            return "template_headings" in self._masks
        if not self._line[0] <= start <= self._line[1]:
            self._read_line(layout, start)
        return self._line_is_template or (self._line_is_signed and not in_code)

    def _read_line(self, layout: Layout, start: int) -> None:
        text = self._text
        left = text.rfind("\n", 0, start) + 1
        right = text.find("\n", start)
        self._line = left, right if right >= 0 else len(text)
        is_prose = not layout.part(left)
        self._line_is_signed = (
            is_prose and "user_names" in self._masks and bool(_SIGNED.match(text, *self._line))
        )
        self._line_is_template = (
            is_prose
            and "template_headings" in self._masks
            and bool(self._headings)
            and template_line(text[slice(*self._line)]) in self._headings
        )


def _address(found: re.Match[str]) -> Span:
    """The span of an address; what stands in brackets around it, and behind them, is no part of it."""
    start, end = found.span()
    depth = 0
    for bracket in re.finditer(r"[()]", found.group()):
        depth += 1 if bracket.group() == "(" else -1
        if depth < 0:
            return start, start + bracket.start()
    return start, end


def _touched(spans: list[Span], start: int, end: int) -> bool:
    return any(from_ < end and to > start for from_, to in spans)
