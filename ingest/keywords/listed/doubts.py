"""Warnings on a list: what may be a mistake, or may be meant so."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.keywords.folding import fold
from ingest.keywords.matcher import Matcher
from ingest.keywords.terms import Term

LEAST_LETTERS = 4

Doubt = Literal["duplicate", "case_pair", "inside", "short", "missing_comma"]


@dataclass(frozen=True)
class ListWarning:
    """A doubt about the term on a line.

    duplicate: the same term stands on an earlier line; case_pair: `words` differ in case only; inside: the
    second word occurs in the first one, which therefore finds nothing of its own; short: fewer than
    LEAST_LETTERS letters; missing_comma: probably two terms.
    """

    line: int
    words: tuple[str, ...]
    cause: Doubt
    list_name: str = ""


def warnings_of(
    name: str, terms: Sequence[Term], lines: Sequence[int], fused: Sequence[int]
) -> list[ListWarning]:
    """The doubts about a list of terms with their lines; `fused` are lines whose text stands in pieces."""
    found: list[ListWarning] = []
    seen: dict[str, Term] = {}
    folded: dict[str, Term] = {}
    unique: list[tuple[Term, int]] = []
    for term, line in zip(terms, lines, strict=True):
        key = fold(term.text).text
        if term.text in seen:
            found.append(ListWarning(line, (term.text,), "duplicate", name))
            continue
        if key in folded:
            found.append(ListWarning(line, (folded[key].text, term.text), "case_pair", name))
        seen[term.text] = term
        folded.setdefault(key, term)
        unique.append((term, line))
        if sum(map(str.isalnum, term.text)) < LEAST_LETTERS:
            found.append(ListWarning(line, (term.text,), "short", name))
        if line in fused:
            found.append(ListWarning(line, (term.text,), "missing_comma", name))
    return found + [ListWarning(line, words, "inside", name) for line, words in _inside(unique)]


def _inside(terms: Sequence[tuple[Term, int]]) -> Iterator[tuple[int, tuple[str, ...]]]:
    matcher = Matcher([term for term, _line in terms])
    keys = [fold(term.text).text for term, _line in terms]
    for number, (term, line) in enumerate(terms):
        for _start, _end, index in matcher.finds(term.text):
            if keys[index] != keys[number]:
                yield line, (term.text, terms[index][0].text)
                break
