"""Reads lists of texts from a file that looks like Python: `name = ['a', "b"]`. Nothing of it is executed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ingest.keywords.listed.problems import Cause

_TOKEN = re.compile(
    r"(?P<space>\s+|\\\r?\n)"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<text>(?P<raw>[rR]?)[uU]?(?:"
    r"\"\"\"(?P<a>(?:[^\"\\]|\\.|\"(?!\"\"))*+)\"\"\"|'''(?P<b>(?:[^'\\]|\\.|'(?!''))*+)'''"
    r"|\"(?P<c>(?:[^\"\\\n]|\\.)*+)\"|'(?P<d>(?:[^'\\\n]|\\.)*+)'))"
    r"|(?P<unfinished>[\"'][^\n]*)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<open>[\[(])"
    r"|(?P<close>[\])])"
    r"|(?P<comma>,)"
    r"|(?P<equals>=)"
    r"|(?P<rest>[\w.+-]+|.)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r?\n)|(.))", re.DOTALL)
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


@dataclass(frozen=True)
class Written:
    """A piece of a list as it is written: the beginning of a list with its name, a comment, or a term. A term
    has `pieces` if it stands there as several texts without a comma between them.
    """

    line: int
    text: str
    what: Literal["list", "comment", "term"] = "term"
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unreadable:
    """A piece that cannot be read."""

    line: int
    text: str
    cause: Cause


def literals(text: str) -> Iterator[Written | Unreadable]:
    """The pieces of a file that looks like Python, in order."""
    line = 1
    name, opened = "", 0
    held: list[tuple[int, str]] = []
    for token in _TOKEN.finditer(text):
        kind, said = token.lastgroup, token.group()
        if kind in {"comment", "unfinished"}:
            yield _aside(line, said.strip())
        elif kind != "space" and opened:
            if kind == "text":
                held.append((line, _value(token)))
            elif kind in {"comma", "close"}:
                yield from _given(held)
                opened = 0 if kind == "close" else opened
            else:
                yield Unreadable(line, said, "not_text")
        elif kind == "open":
            yield Written(line, name, "list")
            name, opened = "", line
        elif kind == "name":
            name = said
        elif kind != "space" and not (kind == "equals" and name):
            yield Unreadable(line, said, "unexpected")
        line += said.count("\n")
    yield from _given(held)
    if opened:
        yield Unreadable(opened, name, "unfinished")


def _aside(line: int, said: str) -> Written | Unreadable:
    """A comment, or a text that does not end on its line."""
    return Written(line, said, "comment") if said[0] == "#" else Unreadable(line, said, "unfinished")


def _given(held: list[tuple[int, str]]) -> Iterator[Written]:
    """The term whose texts are held, if any; nothing is held after it."""
    if held:
        pieces = tuple(text for _line, text in held)
        yield Written(held[0][0], "".join(pieces), pieces=pieces if len(pieces) > 1 else ())
        held.clear()


def _value(token: re.Match[str]) -> str:
    """The text between the quotes, without its escapes."""
    inner = next((inner for inner in token.group("a", "b", "c", "d") if inner is not None), "")
    return inner if token["raw"] else _ESCAPE.sub(_unescaped, inner)


def _unescaped(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    if digits:
        code = int(digits, 16)
        is_character = code < 0x110000 and not 0xD800 <= code < 0xE000
        return chr(code) if is_character else escape.group()
    return "" if escape[4] else _PLAIN_ESCAPES.get(escape[5], escape.group())
