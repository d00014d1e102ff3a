"""Reads lists of terms: one term a line, or the published Python-like file, which is never executed.

One term a line: empty lines and lines that begin with `# ` are skipped, but `# models`, `# modules` and
`# words` say what kind of terms follow. A `=` before a term makes it case-sensitive; a `*` behind it makes it
the beginning of a word.

Python-like: `name = ['a', "b", …]`, several lists in a file; the same comments say the kind.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from unicodedata import normalize

from ingest.keywords.listed.doubts import Listed, ListWarning, warnings_of
from ingest.keywords.listed.literals import Unreadable, Written, literals
from ingest.keywords.listed.problems import LONGEST_TERM, MOST_PROBLEMS, MOST_TERMS, Cause, ListProblem
from ingest.keywords.terms import KINDS, Kind, Term

_SECTIONS: dict[Kind, str] = {"model": "# models", "module": "# modules", "word": "# words"}
_SECTION = re.compile(r"#\s*(model|module|word)s\s*:?\s*", re.IGNORECASE)
_COMMENT = re.compile(rf"#(?:\s.*)?|{_SECTION.pattern}", re.IGNORECASE)
_PYTHON = re.compile(r"^[ \t]*(?:[^\W\d]\w*[ \t]*=[ \t]*)?[\[(][ \t\r]*(?:[#'\"\])\n]|$)", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?|\n")
_INVISIBLE = re.compile("[\0-\b\x0e-\x1b\x7f-\x9f\u00ad\u200b\u2060\ufeff]")


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
    """The terms of a list while it is read."""

    name: str
    listed: list[Listed] = field(default_factory=list)

    def take(self, piece: Written, kind: Kind) -> ListProblem | None:
        """Take the piece as a term, or say why not."""
        word = " ".join(_INVISIBLE.sub("", piece.text).lstrip("=").split())
        stem = word.removesuffix("*")
        cause: Cause
        if len(word) > LONGEST_TERM:
            cause = "long"
        elif "*" in stem:
            cause = "star"
        elif not any(map(str.isalnum, stem)):
            cause = "empty"
        elif _COMMENT.fullmatch(word):
            cause = "unexpected"
        else:
            term = Term(word, kind, piece.text.startswith("="))
            self.listed.append(Listed(term, piece.line, piece.pieces))
            return None
        return ListProblem(piece.line, word[:LONGEST_TERM], cause, self.name)

    def read(self) -> NamedList:
        """The list without its repeats."""
        first: dict[Term, int] = {}
        for one in self.listed:
            first.setdefault(one.term, one.line)
        return NamedList(self.name, tuple(first), tuple(first.values()))


def read_list(text: str) -> ListRead:
    """The lists of a text in either form; a term that comes twice in a list is taken once. At most
    MOST_PROBLEMS are told, and no warnings on a list that is too long.
    """
    clean = normalize("NFC", text).removeprefix("\ufeff")
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
            kind = _kind(piece.text) or kind
        elif problem := found[-1].take(piece, kind):
            problems.append(problem)
        if len(problems) >= MOST_PROBLEMS:
            break
    lists = [one.read() for one in found]
    too_long = {one.name for one in lists if len(one.terms) > MOST_TERMS}
    problems += [
        ListProblem(0, str(len(one.terms)), "many", one.name) for one in lists if one.name in too_long
    ]
    warnings = [
        doubt for one in found if one.name not in too_long for doubt in warnings_of(one.name, one.listed)
    ]
    return ListRead(tuple(lists), tuple(problems), tuple(warnings))


def write_list(terms: Sequence[Term]) -> str:
    """The terms as a text that `read_list` reads: by kind, in their order."""
    lines: list[str] = []
    for kind in KINDS:
        same = [term for term in terms if term.kind == kind]
        lines += [_SECTIONS[kind]] * (bool(same) and kind != "word")
        lines += ["=" * term.is_case_sensitive + term.text for term in same]
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> Iterator[Written]:
    yield Written(0, "", "list")
    for number, line in enumerate(_LINE_END.split(text), start=1):
        if word := line.strip():
            yield Written(number, word, "comment" if _COMMENT.fullmatch(word) else "term")


def _kind(comment: str) -> Kind | None:
    """The kind of terms that a comment announces."""
    section = _SECTION.fullmatch(comment)
    return next((kind for kind in KINDS if section and section[1].lower() == kind), None)
