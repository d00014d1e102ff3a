"""The texts that people read, as gettext sees them: collected from the code and the templates of all rooms.

Needs no xgettext: Python is read by its syntax tree, templates by Django's lexer.
"""

import ast
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from django.template.base import Lexer, Token, TokenType
from django.utils.translation import trim_whitespace
from django.utils.translation.template import (
    block_re,
    constant_re,
    context_re,
    endblock_re,
    inline_re,
    plural_re,
)

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = (".html", ".txt", ".typ", ".md", ".svg")
APART = {"tests", "bench", "scripts", "deploy", "docs", "static"}
"""Folders whose texts are for those who change the code."""

SHAPES: dict[str, tuple[str, ...]] = {
    "gettext": ("singular",),
    "gettext_noop": ("singular",),
    "ngettext": ("singular", "plural"),
    "pgettext": ("context", "singular"),
    "npgettext": ("context", "singular", "plural"),
}
"""What the first arguments of these functions are; each but gettext_noop has a lazy twin."""


@dataclass(frozen=True, order=True)
class Text:
    """One text at one place. `plural` and `context` are "" where there is none."""

    file: str
    line: int
    singular: str
    plural: str = ""
    context: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What makes it one text for a translator: its context and its English."""
        return self.context, self.singular


def texts(rooms: Iterable[str] = ()) -> list[Text]:
    """All texts in the order of their files and lines, or those of these rooms: "annotate" is also
    templates/annotate/.
    """
    wanted = set(rooms)
    found: set[Text] = set()
    for name in tracked():
        parts = name.split("/")
        if parts[0] in APART or "migrations" in parts or "vendor" in parts:
            continue
        if wanted and not wanted & ({parts[1]} if parts[0] == "templates" else {parts[0]}):
            continue
        if name.endswith(".py"):
            found.update(of_python((ROOT / name).read_text(), name))
        elif parts[0] == "templates" and name.endswith(TEMPLATES):
            found.update(of_template((ROOT / name).read_text(), name))
    return sorted(found)


def tracked() -> list[str]:
    """All files of the project that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(name for name in listed.stdout.splitlines() if (ROOT / name).is_file())


def of_python(source: str, file: str) -> Iterator[Text]:
    """The texts of calls of gettext and its relatives, whatever names the module imports them under. Modules
    without Django define a gettext_noop of their own.
    """
    tree = ast.parse(source)
    called = dict(SHAPES)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                if shape := SHAPES.get(one.name.removesuffix("_lazy")):
                    called[one.asname or one.name] = shape
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        shape = called.get(node.func.id, ())
        first = [one.value for one in node.args[: len(shape)] if isinstance(one, ast.Constant)]
        said = [one for one in first if isinstance(one, str)]
        if shape and len(said) == len(shape):
            yield Text(file, node.lineno, **dict(zip(shape, said, strict=True)))


def of_template(source: str, file: str, see: Callable[[Token], object] | None = None) -> Iterator[Text]:
    """The texts of `translate`, `blocktranslate` and `_("…")`, with the placeholders that gettext gets. `see`
    gets each token outside of a block, before the texts of the token come.
    """
    block: list[str] | None = None
    other: list[str] | None = None
    began, opening, is_comment = 0, "", False
    for token in Lexer(source).tokenize():
        if token.token_type == TokenType.BLOCK and token.contents.split()[0] in {"comment", "endcomment"}:
            is_comment = not token.contents.startswith("end")
            continue
        if is_comment or token.token_type == TokenType.COMMENT:
            continue
        if block is None:
            if see:
                see(token)
            yield from _of_tag(token.contents, token.token_type, token.lineno or 0, file)
            if token.token_type == TokenType.BLOCK and block_re.match(token.contents):
                block, other, began, opening = [], None, token.lineno or 0, token.contents
            continue
        if token.token_type == TokenType.BLOCK:
            if endblock_re.match(token.contents):
                yield _of_block(block, other, opening, began, file)
                block = None
            elif plural_re.match(token.contents):
                other = []
            continue
        (block if other is None else other).append(
            f"%({token.contents})s"
            if token.token_type == TokenType.VAR
            else token.contents.replace("%", "%%")
        )


def _of_tag(contents: str, kind: TokenType, line: int, file: str) -> Iterator[Text]:
    if kind == TokenType.TEXT:
        return
    if kind == TokenType.BLOCK and (found := inline_re.match(contents)):
        yield Text(file, line, found[1][1:-1].replace("%", "%%"), context=_context(found[2]))
        return
    for constant in constant_re.findall(contents):
        yield Text(file, line, constant[1:-1])


def _of_block(block: list[str], other: list[str] | None, opening: str, line: int, file: str) -> Text:
    singular, plural = "".join(block), "".join(other or ())
    if "trimmed" in opening.split():
        singular, plural = trim_whitespace(singular), trim_whitespace(plural)
    found = block_re.match(opening)
    return Text(file, line, singular, plural, _context(found[1] if found else None))


def _context(clause: str | None) -> str:
    found = context_re.match(clause or "")
    return found[1][1:-1] if found else ""
