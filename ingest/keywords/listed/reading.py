"""Reads lists of terms: one term a line, or the published Python-like file, which is never executed.

One term a line: empty lines and lines that begin with `# ` are skipped, but `# models`, `# modules` and
`# words` say what kind of terms follow. A `=` before a term makes it case-sensitive; a `*` behind it makes it
the beginning of a word.

Python-like: `name = ['a', "b", …]`, several lists in a file; the same comments say the kind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from unicodedata import normalize

from ingest.keywords.listed.doubts import ListWarning, warnings_of
from ingest.keywords.listed.literals import Unreadable, Written, literals
from ingest.keywords.listed.problems import LONGEST_TERM, MOST_TERMS, Cause, ListProblem
from ingest.keywords.terms import Kind, Term

_SECTIONS: dict[str, Kind] = {"models": "model", "modules": "module", "words": "word"}
_SECTION = re.compile(r"#\s*(models|modules|words)\s*:?\s*", re.IGNORECASE)
_COMMENT = re.compile(rf"#(?:\s.*)?|{_SECTION.pattern}", re.IGNORECASE)
_PYTHON = re.compile(r"^[ \t]*(?:[^\W\d]\w*[ \t]*=[ \t]*)?[\[(][ \t\r]*(?:[#'\"\])\n]|$)", re.MULTILINE)


@dataclass(frozen=True)
class NamedList:
    """A list of terms and their lines; `name` is "" where the text gives none."""

    name: str
    terms: tuple[Term, ...]
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class ListRead:
    """The lists of a text. With a problem nothing may be stored; a warning can be a mistake, or meant so."""

    lists: tuple[NamedList, ...]
    problems: tuple[ListProblem, ...]
    warnings: tuple[ListWarning, ...]


@dataclass
class _Found:
    """The terms of a list while it is read, with the lines they stand on and those that are fused there."""

    name: str
    terms: list[Term] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    fused: list[int] = field(default_factory=list)


def read_list(text: str) -> ListRead:
    """The lists of a text in either form; a term that comes twice in a list is taken once."""
    clean = normalize("NFC", text.replace("\0", "")).removeprefix("\ufeff")
    problems: list[ListProblem] = []
    found: list[_Found] = []
    kind: Kind = "word"
    for piece in literals(clean) if _PYTHON.search(clean) else _lines(clean):
        if isinstance(piece, Unreadable):
            problems.append(ListProblem(piece.line, piece.text[:LONGEST_TERM], piece.cause))
        elif piece.what == "list":
            found.append(_Found(piece.text))
            kind = "word"
        elif piece.what == "comment":
            section = _SECTION.fullmatch(piece.text)
            kind = _SECTIONS[section[1].lower()] if section else kind
        else:
            problem = _take(piece, kind, found[-1])
            problems += [problem] if problem else []
    lists = [_without_repeats(one) for one in found]
    problems += [
        ListProblem(0, str(len(one.terms)), "many", one.name) for one in lists if len(one.terms) > MOST_TERMS
    ]
    warnings = [doubt for one in found for doubt in warnings_of(one.name, one.terms, one.lines, one.fused)]
    return ListRead(tuple(lists), tuple(problems), tuple(warnings))


def _lines(text: str) -> Iterator[Written]:
    yield Written(0, "", "list")
    for number, line in enumerate(text.splitlines(), start=1):
        if word := line.strip():
            yield Written(number, word, "comment" if _COMMENT.fullmatch(word) else "term")


def _take(piece: Written, kind: Kind, found: _Found) -> ListProblem | None:
    word = " ".join(piece.text.removeprefix("=").split())
    stem = word.removesuffix("*")
    cause: Cause
    if len(word) > LONGEST_TERM:
        cause = "long"
    elif "*" in stem:
        cause = "star"
    elif not any(map(str.isalnum, stem)):
        cause = "empty"
    else:
        found.terms.append(Term(word, kind, piece.text.startswith("=")))
        found.lines.append(piece.line)
        found.fused += [piece.line] * piece.is_fused
        return None
    return ListProblem(piece.line, word[:LONGEST_TERM], cause, found.name)


def _without_repeats(found: _Found) -> NamedList:
    first: dict[Term, int] = {}
    for term, line in zip(found.terms, found.lines, strict=True):
        first.setdefault(term, line)
    return NamedList(found.name, tuple(first), tuple(first.values()))
