"""Prose, code and comments of a Markdown body.

Most bodies need no parser: their fences begin at the margin, and their other code ends on its line. The first
place that needs more (a fence or a comment in a list, a line that may be indented code, code over several
lines, a table with code over its bars) gives the whole body to `Blocks`, whose answer is the same and slower.
"""

import re
from bisect import bisect_right

from ingest.keywords.markdown.blocks import Blocks
from ingest.keywords.markdown.spans import END_OF_PRE, EVENT, Part, end_of_fence, has_lone_returns, tagged

_MAY_INDENT = frozenset(" \t>-+*0123456789")
_FURTHEST_MARGIN = 100
_LONGEST_LINE = 2_000
_MARGIN = re.compile(r"[ \t>*+\d.)-]*")
_INDENTED = re.compile(r"\n(?: {4}| {0,3}\t)[ \t]*[^\s]")
_INDENTED_INSIDE = re.compile(r"\n {0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[^\n]*?(?: {5}|\t)")
"""A line of a quote or a list that may be indented code."""
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_NEXT_IS_BLANK = re.compile(r"\n[ \t\r]*(?=\n|\Z)|\Z")


class _DeepError(Exception):
    """This body needs the parser of blocks."""


class Layout:
    """The zones of a body. They are looked for at the first question, and no further than `read_to` said."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._read = 0
        self._parts: list[Part] = []
        self._starts: list[int] = []

    def read_to(self, place: int) -> None:
        """Read at least up to this place, and to the blank line behind it: what comes later changes nothing
        before. Of whatever lasts longer the end is not known then.
        """
        if place <= self._read:
            return
        blank = None if self._read else _BLANK_LINE.search(self._body, place)
        self._read = blank.end() if blank else len(self._body) + 1
        self._parts = parts(self._body[: self._read])
        self._starts = [part.start for part in self._parts]

    def part(self, place: int) -> Part | None:
        """The code or the comment at this place; None in prose."""
        if place >= self._read:
            self.read_to(len(self._body) + 1)
        found = bisect_right(self._starts, place) - 1
        if found < 0 or place >= self._parts[found].end:
            return None
        return self._parts[found]


def parts(body: str) -> list[Part]:
    """The code and the comments of a body, in order."""
    try:
        return list(_Simple(body).parts())
    except _DeepError:
        return Blocks(body).parts


class _Simple:
    """Reads a body that needs no parser; raises _DeepError for any other."""

    def __init__(self, body: str) -> None:
        self._body = body
        self._line_end = -1
        if has_lone_returns(body):
            raise _DeepError
        if body[:1] in _MAY_INDENT:
            first = f"\n{body[:1000]}"
            if _INDENTED.match(first) or _INDENTED_INSIDE.match(first):
                raise _DeepError

    def parts(self) -> list[Part]:
        body = self._body
        found: list[Part] = []
        place = since = 0
        while event := EVENT.search(body, place):
            begin, place = event.span()
            first = body[begin]
            if first == "\\":
                continue
            self._to_line_of(place)
            block = self._block(event) if first == "<" or place - begin > 2 else None
            if block:
                self._check(since, begin)
                found.append(block)
                since = place = self._end_of_block(block)
            elif first != "~" and (part := self._inline(event)):
                found.append(part)
                place = part.end
        self._check(since, len(body))
        return found

    def _check(self, start: int, end: int) -> None:
        """Raise if the text between two blocks may contain indented code."""
        body = self._body
        if _INDENTED.search(body, start, end):
            raise _DeepError
        if body.find("     ", start, end) < 0 and body.find("\t", start, end) < 0:
            return
        if _INDENTED_INSIDE.search(body, start, end):
            raise _DeepError

    def _to_line_of(self, place: int) -> None:
        """Find the end of the line; each line is looked for once."""
        if place > self._line_end:
            end = self._body.find("\n", place)
            self._line_end = end if end >= 0 else len(self._body)

    def _block(self, event: re.Match[str]) -> Part | None:
        """The fence, the comment or the <pre> that begins here at the margin; None inside a line."""
        body, (begin, place) = self._body, event.span()
        first = body[begin]
        left = max(0, begin - _FURTHEST_MARGIN)
        margin = body[body.rfind("\n", left, begin) + 1 if "\n" in body[left:begin] else left : begin]
        if margin and not _MARGIN.fullmatch(margin):
            return None
        if first == "`" and "`" in body[place : self._line_end]:
            return None
        if margin:
            raise _DeepError
        if first == "<":
            if body[begin + 1] in "cC":
                return None
            if body[begin + 1] == "!":
                return tagged(body, event, len(body)) or Part(begin, len(body), "comment")
            closing = END_OF_PRE.search(body, place)
            return Part(begin, closing.end() if closing else len(body), "code")
        return Part(begin, end_of_fence(body, body[begin:place], self._line_end), "code")

    def _end_of_block(self, block: Part) -> int:
        """The end of the block's last line, whose rest is no Markdown."""
        end = self._body.find("\n", block.end)
        return end if end >= 0 else len(self._body)

    def _inline(self, event: re.Match[str]) -> Part | None:
        """The code or the comment that begins here and ends on its line."""
        body, (begin, place), line_end = self._body, event.span(), self._line_end
        if line_end - place > _LONGEST_LINE:
            raise _DeepError
        part = tagged(body, event, line_end) if body[begin] == "<" else self._ticked(begin, place)
        if part:
            if "|" in body[begin : part.end]:
                raise _DeepError
            return part
        if not _NEXT_IS_BLANK.match(body, line_end):
            raise _DeepError
        return None

    def _ticked(self, begin: int, place: int) -> Part | None:
        body, length = self._body, place - begin
        ticks = body[begin:place]
        close = body.find(ticks, place, self._line_end)
        while close >= 0:
            end = close + length
            while end < self._line_end and body[end] == "`":
                end += 1
            if end - close == length:
                return Part(begin, end, "code")
            close = body.find(ticks, end, self._line_end)
        return None
