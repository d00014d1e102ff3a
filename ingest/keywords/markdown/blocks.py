"""Blocks of Markdown (CommonMark and tables) of any nesting, line by line: where code and comments are, and
which texts are read as one. HTML is text, but for comments and `<pre>`.
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ingest.keywords.markdown.spans import END_OF_PRE, Part, end_of_fence, has_lone_returns, spans

_LINE_END = re.compile(r"\r\n?|\n")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_FENCE = re.compile(r"`{3,}[^`]*$|~{3,}")
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
_MARKER = re.compile(r"(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)")
_PRE = re.compile(r"<pre(?:[\s>]|$)", re.IGNORECASE)
_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CELL_END = re.compile(r"(?<!\\)\|")
_AT_MARGIN = r"(?:[^\W\d_]|#{1,6}[ \t])"
_WHOLE = re.compile(
    r"((?>#{1,6}[ \t][^\n]*|[^\W\d_][^\n]*(?:\n[^\W\d_][^\n]*)*))\n(?:[ \t\r]*\n)+",
)
"""A heading, or a paragraph whose lines all begin with a letter, at the margin, and the blank lines below."""
_TEXT_AT_MARGIN = re.compile(_AT_MARGIN)
CLEAR = re.compile(rf"\n[ \t\r]*\n(?={_AT_MARGIN})")
"""The end of a blank line before a paragraph or a heading at the margin, which end all containers."""
_FENCE_AT_MARGIN = re.compile(r"(`{3,})[^`\n]*(?=\n|\Z)|(~{3,})[^\n]*")
_ENDED: frozenset[str] = frozenset({"", "indented", "table"})
"""Leaves that such a line ends; one of a paragraph would go on with it."""
_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)*")


_DEEPEST = 40
"""Quotes and items inside one another; what would be deeper is text."""

_Leaf = Literal["", "paragraph", "table", "indented", "fence", "comment", "pre"]


@dataclass(slots=True)
class _Container:
    """A quote, or an item of a list with the indent of its content."""

    indent: int
    is_quote: bool = False
    is_empty: bool = False


class _Line:
    """A line, with a place and its column: a tab reaches to the next column that four divides."""

    def __init__(self, body: str, start: int, end: int) -> None:
        self.body = body
        self.start = start
        self.end = end
        self.place = start
        self.column = 0
        self._left_of_tab = 0
        self._look()

    def _look(self) -> None:
        """Find the next character that is no blank, and the columns until there."""
        place, column = self.place, self.column + self._left_of_tab
        place += bool(self._left_of_tab)
        while place < self.end and self.body[place] in " \t":
            column += 4 - column % 4 if self.body[place] == "\t" else 1
            place += 1
        self.text = place
        self.indent = column - self.column

    @property
    def is_blank(self) -> bool:
        return self.text >= self.end

    def skip(self, columns: int) -> None:
        """Go over this many columns of blanks; the rest of a tab stays."""
        while columns > 0 and self.place < self.end and self.body[self.place] in " \t":
            width = 1
            if self.body[self.place] == "\t":
                width = self._left_of_tab or 4 - self.column % 4
            step = min(width, columns)
            self.column += step
            columns -= step
            self._left_of_tab = width - step
            self.place += not self._left_of_tab
        self._look()

    def take(self, characters: int) -> None:
        """Go over the blanks and then this many characters."""
        self.column += self.indent + characters
        self.place = self.text + characters
        self._left_of_tab = 0
        self._look()


class Blocks:
    """Reads a body; `parts` are its code and its comments, in order.

    In a body without lone returns reading can begin at `start`, at the margin with no block open, and ends
    at the first place (`end`) behind `until` that is such a start again.
    """

    def __init__(self, body: str, start: int = 0, until: int | None = None) -> None:
        self.parts: list[Part] = []
        self._body = body
        self._containers: list[_Container] = []
        self._leaf: _Leaf = ""
        self._from = self._to = 0
        self._head: tuple[int, int] | None = None
        self._last = 0
        self._fence = ""
        feeds_only = until is not None or not has_lone_returns(body)
        place, until = start, len(body) if until is None else until
        while place < len(body):
            if feeds_only and self._leaf in _ENDED:
                if place > until and self._is_clear(place):
                    break
                if at := self._at_margin(place):
                    place = at
                    continue
            end, following = _line_at(body, place, feeds_only=feeds_only)
            self._read(_Line(body, place, end))
            if self._is_in_fence() and feeds_only and not self._containers:
                end = end_of_fence(body, self._fence, end)
                self._end("code", end)
                following = _line_at(body, end, feeds_only=True)[1]
            self._last, place = end, following
        self._close()
        self.end = place

    def _is_clear(self, place: int) -> bool:
        """Does text at the margin begin here, below a blank line?"""
        body = self._body
        above = body[body.rfind("\n", 0, place - 1) + 1 : place - 1]
        return not above.strip(" \t\r") and _TEXT_AT_MARGIN.match(body, place) is not None

    def _is_in_fence(self) -> bool:
        return self._leaf == "fence"

    def _at_margin(self, place: int) -> int:
        """Read a fence, a heading or a paragraph of plain lines that begins here. Returns where reading goes
        on, and 0 if none begins. It finds what reading line by line finds, faster.
        """
        body = self._body
        if whole := _WHOLE.match(body, place):
            self._close()
            self.parts += spans(body, place, whole.end(1))
            return whole.end()
        if fence := _FENCE_AT_MARGIN.match(body, place):
            self._close()
            end = end_of_fence(body, fence[1] or fence[2], fence.end())
            self.parts.append(Part(place, end, "code"))
            following = _line_at(body, end, feeds_only=True)[1]
            blank = _BLANK_LINES.match(body, following)
            return blank.end() if blank else following
        return 0

    def _read(self, line: _Line) -> None:
        matched = self._match(line)
        if self._leaf in {"fence", "comment", "pre"}:
            if matched == len(self._containers):
                self._go_on(line)
                return
            self._close(matched)
        while not line.is_blank:
            goes_on = self._leaf == "paragraph"
            if line.indent >= 4:
                if goes_on:
                    break
                self._indented(line, matched)
                return
            is_inside = goes_on and matched == len(self._containers)
            if self._opens_leaf(line, matched, is_inside=is_inside):
                return
            if not self._opens_container(line, matched, is_inside=is_inside):
                break
            matched = len(self._containers)
        self._text(line, matched)

    def _match(self, line: _Line) -> int:
        """The number of open containers that go on in this line, which is read up to their content."""
        for number, one in enumerate(self._containers):
            if one.is_quote:
                if line.indent > 3 or line.is_blank or self._body[line.text] != ">":
                    return number
                line.take(1)
                line.skip(1)
            elif not line.is_blank and line.indent >= one.indent:
                line.skip(one.indent)
            elif not line.is_blank or one.is_empty:
                return number
        return len(self._containers)

    def _opens_leaf(self, line: _Line, matched: int, *, is_inside: bool) -> bool:
        """Open the leaf that begins here, if one does; `is_inside`: in the middle of a paragraph."""
        body, text, end = self._body, line.text, line.end
        kind = self._leaf_at(line, is_inside=is_inside)
        if not kind:
            return False
        self._close(matched)
        if kind == "heading":
            self.parts += spans(body, text, end)
        elif kind != "line":
            self._leaf, self._from = kind, text
            if kind == "fence":
                run = text
                while run < end and body[run] == body[text]:
                    run += 1
                self._fence = body[text:run]
            else:
                self._go_on(line)
        self._fill()
        return True

    def _leaf_at(
        self, line: _Line, *, is_inside: bool
    ) -> Literal["", "line", "heading", "fence", "comment", "pre"]:
        """The kind of the leaf that begins here; a `line` has no text."""
        body, text, end = self._body, line.text, line.end
        first = body[text]
        kind: Literal["", "line", "heading", "fence", "comment", "pre"] = ""
        if first == "#" and _HEADING.match(body, text, end):
            kind = "heading"
        elif first in "`~" and _FENCE.match(body, text, end):
            kind = "fence"
        elif first == "<":
            kind = (
                "comment" if body.startswith("<!--", text) else "pre" if _PRE.match(body, text, end) else ""
            )
        elif (is_inside and first in "=-" and _UNDERLINE.match(body, text, end)) or (
            first in "*_-" and _RULE.match(body, text, end)
        ):
            kind = "line"
        return kind

    def _opens_container(self, line: _Line, matched: int, *, is_inside: bool) -> bool:
        """Open the quote or the item of a list that begins here, if one does."""
        if matched >= _DEEPEST:
            return False
        if self._body[line.text] == ">":
            self._close(matched)
            self._fill()
            self._containers.append(_Container(0, is_quote=True))
            line.take(1)
            line.skip(1)
            return True
        marker = _MARKER.match(self._body, line.text, line.end)
        if not marker or (is_inside and self._is_no_item(marker, line.end)):
            return False
        self._close(matched)
        self._fill()
        self._item(line, marker.end() - line.text)
        return True

    def _is_no_item(self, marker: re.Match[str], end: int) -> bool:
        """In the middle of a paragraph only an item with text, or number 1, begins a list."""
        is_empty = not self._body[marker.end() : end].strip(" \t")
        return is_empty or (marker[1] is not None and int(marker[1]) != 1)

    def _item(self, line: _Line, width: int) -> None:
        before = line.indent
        line.take(width)
        inside = 1 if line.is_blank or line.indent > 4 else line.indent
        self._containers.append(_Container(before + width + inside, is_empty=line.is_blank))
        line.skip(inside)

    def _go_on(self, line: _Line) -> None:
        """Read a line of a fence, a comment or a <pre>, which may end there."""
        body = self._body
        if self._leaf == "fence":
            run = len(self._fence)
            rest = body[line.text : line.end].rstrip(" \t")
            if line.indent < 4 and len(rest) >= run and rest == self._fence[0] * len(rest):
                self._end("code", line.end)
        elif self._leaf == "comment":
            from_ = self._from + 2 if self._from >= line.start else line.place
            if (close := body.find("-->", from_, line.end)) >= 0:
                self._end("comment", close + 3)
        elif close_tag := END_OF_PRE.search(body, max(line.place, self._from), line.end):
            self._end("code", close_tag.end())

    def _indented(self, line: _Line, matched: int) -> None:
        if self._leaf == "indented" and matched == len(self._containers):
            self._to = line.end
            return
        self._close(matched)
        self._leaf, self._from, self._to = "indented", line.text, line.end
        self._fill()

    def _text(self, line: _Line, matched: int) -> None:
        """Read a blank line, or one of a paragraph or a table."""
        is_inside = matched == len(self._containers)
        if line.is_blank:
            if not (self._leaf == "indented" and is_inside):
                self._close(matched)
            return
        if self._leaf == "paragraph":
            if not (is_inside and self._begins_table(line)):
                self._head = (line.text, line.end) if is_inside and line.indent < 4 else None
                self._to = line.end
            return
        if self._leaf == "table" and is_inside:
            self._row(line.text, line.end)
            return
        self._close(matched)
        self._leaf, self._from, self._to = "paragraph", line.text, line.end
        self._head = self._from, self._to
        self._fill()

    def _begins_table(self, line: _Line) -> bool:
        body = self._body
        if not (self._head and _DELIMITERS.match(body, line.text, line.end)):
            return False
        if "|" not in body[slice(*self._head)]:
            return False
        if len(_cells(body, *self._head)) != len(_cells(body, line.text, line.end)):
            return False
        self.parts += spans(body, self._from, self._head[0])
        self._row(*self._head)
        self._leaf = "table"
        return True

    def _row(self, start: int, end: int) -> None:
        for from_, to in _cells(self._body, start, end):
            self.parts += spans(self._body, from_, to)

    def _close(self, matched: int = 0) -> None:
        """End the open leaf, and the containers behind the first `matched`."""
        if self._leaf == "paragraph":
            self.parts += spans(self._body, self._from, self._to)
        elif self._leaf == "indented":
            self._end("code", self._to)
        elif self._leaf in {"fence", "pre"}:
            self._end("code", self._last)
        elif self._leaf == "comment":
            self._end("comment", self._last)
        self._leaf = ""
        del self._containers[matched:]

    def _end(self, kind: Literal["code", "comment"], end: int) -> None:
        self.parts.append(Part(self._from, end, kind))
        self._leaf = ""

    def _fill(self) -> None:
        """Note that the innermost container is not empty."""
        if self._containers:
            self._containers[-1].is_empty = False


def _line_at(body: str, start: int, *, feeds_only: bool) -> tuple[int, int]:
    """The end of the line that starts here, and the start of the next one."""
    if feeds_only:
        end = body.find("\n", start)
        if end < 0:
            return len(body), len(body)
        return end - (end > start and body[end - 1] == "\r"), end + 1
    found = _LINE_END.search(body, start)
    return found.span() if found else (len(body), len(body))


def _cells(body: str, start: int, end: int) -> list[tuple[int, int]]:
    """Start and end of the cells of a row."""
    text = body[start:end]
    end -= len(text) - len(text.rstrip())
    places = [start + bar.start() for bar in _CELL_END.finditer(text)]
    if places and places[0] == start:
        start, places = start + 1, places[1:]
    if places and places[-1] == end - 1:
        end, places = end - 1, places[:-1]
    edges = [start - 1, *places, end]
    return [(left + 1, right) for left, right in pairwise(edges)]
