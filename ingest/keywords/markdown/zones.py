"""Prose, code and comments of a Markdown body.

Most bodies need no parser: their fences begin at the margin, and their other code ends on its line. The
places that need more (a fence or a comment in a list, a line that may be indented code, code over several
lines, a table with code over its bars) are given with what is around them to `Blocks`, whose answer is the
same and slower.
"""

import re
from bisect import bisect_right

from ingest.keywords.markdown.blocks import CLEAR, Blocks
from ingest.keywords.markdown.spans import END_OF_PRE, EVENT, Part, end_of_fence, has_lone_returns, tagged

_MAY_INDENT = frozenset(" \t>-+*0123456789")
_FURTHEST_MARGIN = 100
_LONGEST_LINE = 2_000
_MARGIN = re.compile(r"[ \t>*+\d.)-]*")
_INDENTED = re.compile(r"\n(?: {4}| {0,3}\t)[ \t]*[^\s]")
_INDENTED_INSIDE = re.compile(r"\n {0,3}(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[^\n]*?(?: {5}|\t)")
"""A line of a quote or a list that may be indented code."""
_TAG = re.compile(r"<(?:!--|(?:[pP][rR][eE]|[cC][oO][dD][eE])(?=[\s>]))")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")
_NEXT_IS_BLANK = re.compile(r"\n[ \t\r]*(?=\n|\Z)|\Z")


class _DeepError(Exception):
    """This place needs the parser of blocks."""


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
    if has_lone_returns(body):
        return Blocks(body).parts
    return _Simple(body).parts()


class _Simple:
    """Reads a body without lone returns, and gives `Blocks` what needs a parser: from the paragraph or the
    heading at the margin before such a place to the one behind it.
    """

    def __init__(self, body: str) -> None:
        self._body = body
        self._found: list[Part] = []
        self._line_end = self._indented = self._wide = -1
        self._ticks = self._tildes = self._tags = -1

    def parts(self) -> list[Part]:
        body, found = self._body, self._found
        place = since = self._first_line()
        while True:
            begin = self._next_event(place)
            if (deep := self._first_indented(since, begin)) < begin:
                place = since = self._read_blocks(since, deep)
                continue
            event = EVENT.match(body, begin)
            if not event:
                return found
            if self._is_escaped(place, begin):
                place = begin + 1
                continue
            place = event.end()
            first = body[begin]
            self._to_line_of(place)
            try:
                block = self._block(event) if first == "<" or place - begin > 2 else None
                if block:
                    found.append(block)
                    since = place = self._end_of_block(block)
                elif first != "~" and (part := self._inline(event)):
                    found.append(part)
                    place = part.end
            except _DeepError:
                place = since = self._read_blocks(since, begin)

    def _first_line(self) -> int:
        """Where reading goes on behind a first line that may be indented code, which has no line above it."""
        body = self._body
        if body[:1] in _MAY_INDENT:
            first = f"\n{body[:1000]}"
            if _INDENTED.match(first) or _INDENTED_INSIDE.match(first):
                return self._read_blocks(0, 0)
        return 0

    def _next_event(self, place: int) -> int:
        """Where the next thing begins that may be code or a comment; the length of the body if nothing does.
        Each kind is looked for once, which is faster than one pattern for all.
        """
        body = self._body
        if self._ticks < place:
            self._ticks = _found(body.find("`", place), body)
        if self._tildes < place:
            self._tildes = _found(body.find("~~~", place), body)
        if self._tags < place:
            tag = _TAG.search(body, place)
            self._tags = tag.start() if tag else len(body)
        return min(self._ticks, self._tildes, self._tags)

    def _is_escaped(self, place: int, begin: int) -> bool:
        """Does a backslash from `place` on take its meaning from what begins here?"""
        body, before = self._body, begin
        if body[begin] == "~":
            return False
        while before > place and body[before - 1] == "\\":
            before -= 1
        return (begin - before) % 2 == 1

    def _first_indented(self, start: int, before: int) -> int:
        """Where the first line from `start` on begins that may be indented code; at least `before` if there
        is none. Each place is looked for once.
        """
        body = self._body
        if self._indented < start:
            indented = _INDENTED.search(body, start)
            self._indented = indented.start() if indented else len(body)
        before = min(before, self._indented)
        if self._wide < start:
            self._wide = self._next_wide(start)
        if self._wide < before:
            line = max(start, body.rfind("\n", start, self._wide))
            if inside := _INDENTED_INSIDE.search(body, line, before):
                return inside.start()
            self._wide = self._next_wide(before)
        return self._indented

    def _next_wide(self, start: int) -> int:
        """The next place with room for an indent behind the mark of a quote or an item."""
        body = self._body
        blanks = _found(body.find("     ", start), body)
        return min(blanks, _found(body.find("\t", start, blanks), body))

    def _read_blocks(self, since: int, deep: int) -> int:
        """Read what needs a parser at `deep`, where no block was open at `since`. Returns where it ends."""
        start = since
        for clear in CLEAR.finditer(self._body, since, deep):
            start = clear.end()
        while self._found and self._found[-1].start >= start:
            self._found.pop()
        blocks = Blocks(self._body, start, deep)
        self._found += blocks.parts
        return blocks.end

    def _to_line_of(self, place: int) -> None:
        """Find the end of the line; each line is looked for once."""
        if place > self._line_end:
            end = self._body.find("\n", place)
            self._line_end = end if end >= 0 else len(self._body)

    def _block(self, event: re.Match[str]) -> Part | None:
        """The fence, the comment or the <pre> that begins here at the margin; None inside a line."""
        body, (begin, place) = self._body, event.span()
        first = body[begin]
        margin = ""
        if begin and body[begin - 1] != "\n":
            left = max(0, begin - _FURTHEST_MARGIN)
            margin = body[max(left, body.rfind("\n", left, begin) + 1) : begin]
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


def _found(place: int, body: str) -> int:
    return place if place >= 0 else len(body)
