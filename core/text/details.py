"""`<details>` and comments of forges' texts: a part that opens and closes, and what a forge hides.

A line that begins with such a tag is read up to its first other word; what follows is Markdown. Tags are
paired within their quote or item. An end without its start is text; a start without its end reaches to the
end.
"""

import re
from collections.abc import MutableMapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from core.text.limits import DEEPEST, TooMuchError

_TAG = re.compile(r"<(?:(details)(?:\s[^<>]*)?|(summary)|(/details\s*)|(/?p))>[ \t]*", re.IGNORECASE)
_OPEN = re.compile(r"\sopen\b", re.IGNORECASE)
_SUMMARY_END = re.compile(r"</summary\s{0,9}>[ \t]*", re.IGNORECASE)
_CODE = re.compile(r"<code>([^<`]+)</code>", re.IGNORECASE)
_EMPHASIS = re.compile(r"</?(?:b|strong|i|em|h[1-6])>", re.IGNORECASE)
"""Tags in a summary that only say how its words look."""
_DETAILS_END = re.compile(r"</details\s{0,9}>", re.IGNORECASE)
_LONGEST_END = 30
_SUMMARY_LINES = 20

BREAKS_INTO = ["paragraph", "reference", "blockquote"]
"""The blocks that end where one of these begins."""


def read_comment(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    """Read `<!-- … -->`; a comment without its end is text."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not state.src.startswith("<!--", start) or state.is_code_block(start_line):
        return False
    # Lines are looked through once, however many comments begin in them.
    if start_line < state.env.get("no_comment_ends_before", 0):
        return False
    place = start + 2  # `<!-->` is a whole comment
    for number in range(start_line, end_line):
        if number > start_line and state.sCount[number] < state.blkIndent and not state.isEmpty(number):
            end_line = number
            break
        end = state.src.find("-->", max(place, state.bMarks[number]), state.eMarks[number])
        if end >= 0:
            if not silent:
                _push_comment(state, start_line, number, end + 3)
            return True
    state.env["no_comment_ends_before"] = end_line
    return False


def _push_comment(state: StateBlock, first: int, last: int, end: int) -> None:
    state.line = last + 1
    token = state.push("comment", "", 0)
    token.map = [first, last + 1]
    lines = state.getLines(first, last + 1, state.blkIndent, False)
    rest = state.src[end : state.eMarks[last]]
    token.content = (lines.removesuffix(rest) if rest else lines).strip()
    if rest.strip():
        _push_text(state, rest, last)


def read_details(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001 - as markdown-it calls it
    """Read a line of `<details>`, `<summary>` and their ends, and `<p>` between them."""
    start, end = state.bMarks[start_line] + state.tShift[start_line], state.eMarks[start_line]
    if state.is_code_block(start_line) or not _is_of_details(state.src, start, end, state.env):
        return False
    if not silent:
        state.env["details"] = True
        state.line = _push_line(state, start_line, end_line, start)
    return True


def _is_of_details(src: str, start: int, end: int, env: MutableMapping[str, Any]) -> bool:
    """Does the line begin with a tag of details, or end with their end? Only `<details>` is the first."""
    found = _TAG.match(src, start, end)
    if found or "details" not in env:
        return bool(found and (found[1] or "details" in env))
    last = src[max(start, end - _LONGEST_END) : end].rstrip()
    return last.endswith(">") and bool(_DETAILS_END.fullmatch(last, last.rfind("<")))


def _push_line(state: StateBlock, number: int, end_line: int, place: int) -> int:
    """Push the tokens of the line that is read from `place`; return the line after it."""
    src, end = state.src, state.eMarks[number]
    while place < end:
        if found := _TAG.match(src, place, end):
            kind = "open" if found[1] else "summary" if found[2] else "end" if found[3] else "p"
            words, after = found[0].strip(), found.end()
            if kind == "summary":
                upto = state.eMarks[min(number + _SUMMARY_LINES, end_line) - 1]
                closing = _SUMMARY_END.search(src, after, upto)
                if not closing:
                    _push_text(state, src[place:end], number)
                    return number + 1
                words, after = " ".join(src[after : closing.start()].split()), closing.end()
                while state.eMarks[number] < after and number + 1 < end_line:
                    number += 1
                end = state.eMarks[number]
            token = state.push("details", "", 0)
            token.content, token.info, token.map = words, kind, [number, number + 1]
            place = after
        else:
            closing = _DETAILS_END.search(src, place, end)
            upto = closing.start() if closing else end
            _push_text(state, src[place:upto], number)
            place = upto
    return number + 1


def _push_text(state: StateBlock, text: str, number: int) -> None:
    state.push("paragraph_open", "p", 1).map = [number, number + 1]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = text.strip(), [number, number + 1], []
    state.push("paragraph_close", "p", -1)


def pair_details(state: StateCore) -> None:
    """Pair the tags that were read, and nest what lies between them. Raises TooMuchError."""
    if "details" in state.env:
        state.tokens = _Pairing(state.tokens).told


class _Pairing:
    """Goes through the tokens once; `told` are those with paired details."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.told: list[Token] = []
        self._depth = 0
        self._opened: list[bool] = []  # outermost first: is it details, or a quote, a list or another block?
        self._has_no_summary = False
        for token in tokens:
            self._read(token)
        while self._opened:
            self._close()

    def _read(self, token: Token) -> None:
        if token.type != "details":
            while token.nesting < 0 and self._opened[-1]:
                self._close()
            if token.nesting < 0:
                self._opened.pop()
            elif token.nesting > 0:
                self._opened.append(False)
            self._tell(token)
        elif token.info == "open":
            self._open(token)
        elif token.info == "summary" and self._has_no_summary:
            self._summarize(token.content)
        elif not self._opened or not self._opened[-1]:
            self._tell_as_text(token)
        elif token.info == "end":
            self._close()
        elif token.info == "summary":
            self._tell_as_text(token)

    def _open(self, tag: Token) -> None:
        if self._depth >= DEEPEST:
            raise TooMuchError
        meta = {"open": bool(_OPEN.search(tag.content))}
        self._tell(Token("details_open", "details", 1, map=tag.map, meta=meta))
        self._opened.append(True)
        self._depth += 1
        self._has_no_summary = True

    def _summarize(self, words: str) -> None:
        self._has_no_summary = False
        plain = _EMPHASIS.sub("", _CODE.sub(r"`\1`", words)).strip()
        inline = Token("inline", "", 0, content=plain or _("Details"), children=[])
        self._tell(inline, Token("summary_close", "", 0))

    def _close(self) -> None:
        """End the innermost details."""
        if self._has_no_summary:
            self._summarize("")
        self._opened.pop()
        self._depth -= 1
        self._tell(Token("details_close", "details", -1))

    def _tell_as_text(self, tag: Token) -> None:
        words = f"<summary>{tag.content}</summary>" if tag.info == "summary" else tag.content
        self._tell(
            Token("paragraph_open", "p", 1, map=tag.map),
            Token("inline", "", 0, content=words, children=[], map=tag.map, level=1),
            Token("paragraph_close", "p", -1),
        )

    def _tell(self, *tokens: Token) -> None:
        if self._has_no_summary:
            self._summarize("")
        for token in tokens:
            token.level += self._depth
            self.told.append(token)
