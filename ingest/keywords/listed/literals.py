"""Reads lists of texts from a file that looks like Python: `name = ['a', "b"]`. Nothing of it is executed."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ingest.keywords.listed.problems import Cause

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\f]+|\\\r?\n)"
    r"|(?P<newline>\n)"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<text>[rRuU]?(?:\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'))"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<open>[\[(])"
    r"|(?P<close>[\])])"
    r"|(?P<comma>,)"
    r"|(?P<equals>=)"
    r"|(?P<rest>[\w.+-]+|.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Written:
    """A piece of a list as it is written: the beginning of a list with its name, a comment, or a term.
    `is_fused`: the term stands there as several texts without a comma between them.
    """

    line: int
    text: str
    what: Literal["list", "comment", "term"] = "term"
    is_fused: bool = False


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
        if kind == "comment":
            yield Written(line, said.strip(), "comment")
        elif kind not in {"space", "newline"} and opened:
            if kind == "text":
                held.append((line, str(ast.literal_eval(said))))
            elif kind in {"comma", "close"}:
                yield from _given(held)
                opened = 0 if kind == "close" else opened
            else:
                yield Unreadable(line, said, "unfinished" if said in "'\"" else "not_text")
        elif kind == "open":
            yield Written(line, name, "list")
            name, opened = "", line
        elif kind == "name":
            name = said
        elif kind not in {"space", "newline"} and not (kind == "equals" and name):
            yield Unreadable(line, said, "unexpected")
        line += said.count("\n")
    yield from _given(held)
    if opened:
        yield Unreadable(opened, name, "unfinished")


def _given(held: list[tuple[int, str]]) -> Iterator[Written]:
    """The term whose texts are held, if any; nothing is held after it."""
    if held:
        yield Written(held[0][0], "".join(text for _line, text in held), is_fused=len(held) > 1)
        held.clear()
