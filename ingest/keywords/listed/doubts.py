"""Warnings on a list: what may be a mistake, or may be meant so."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.keywords.folding import fold
from ingest.keywords.letters import UNSPACED
from ingest.keywords.matcher import Matcher
from ingest.keywords.terms import Term

LEAST_LETTERS = 4

Doubt = Literal["duplicate", "case_pair", "same", "inside", "short", "missing_comma"]

_Said = tuple[int, tuple[str, ...]]
"""A line and the words of a doubt."""

_PARTS = re.compile(r"[\s_-]+")
_SEPARATOR = re.compile(r"\s*[,;，；、]\s*")
_NOUN = re.compile(r"[a-z]{3,}(?:tion|sion|ing|ment|ness|ity|ence|ance|ers?|ors?|age|ure|ism)")
_NAMES = frozenset(
    {"bert", "glm", "gpt", "llama", "llm", "lora", "mistral", "moe", "qwen", "rag", "t5", "tpu", "vlm"}
)
"""Names that end a word by mistake only: `generationglm`."""


@dataclass(frozen=True)
class ListWarning:
    """A doubt about the term on a line, which is the first of `words`.

    duplicate: it stands on an earlier line, too; case_pair: the second word differs from it in case only;
    same: in what joins its parts only; inside: the second word occurs in it, so that it finds no further
    issue; short: it has fewer than LEAST_LETTERS letters and digits (a Chinese or Japanese one counts as
    two); missing_comma: it is probably two terms, the other words.
    """

    line: int
    words: tuple[str, ...]
    cause: Doubt
    list_name: str = ""


@dataclass(frozen=True)
class Listed:
    """A term with its line, and the pieces in which it stands there without a comma between them."""

    term: Term
    line: int
    pieces: tuple[str, ...] = ()


def warnings_of(name: str, listed: Sequence[Listed]) -> list[ListWarning]:
    """The doubts about a list of terms, by line."""
    unique: dict[str, Listed] = {}
    repeated: list[_Said] = [
        (one.line, (one.term.text,)) for one in listed if unique.setdefault(one.term.text, one) is not one
    ]
    ones = list(unique.values())
    found: dict[Doubt, list[_Said]] = {
        "duplicate": repeated,
        "case_pair": list(_case_pairs(ones)),
        "short": [(one.line, (one.term.text,)) for one in ones if _letters(one.term.text) < LEAST_LETTERS],
        "missing_comma": list(_missing_commas(ones)),
    }
    found |= _overlaps(ones)
    warnings = [
        ListWarning(line, words, cause, name) for cause, doubts in found.items() for line, words in doubts
    ]
    return sorted(warnings, key=lambda one: one.line)


def _letters(text: str) -> int:
    return sum(2 if UNSPACED.match(letter) else letter.isalnum() for letter in text)


def _case_pairs(ones: Sequence[Listed]) -> Iterator[_Said]:
    first: dict[str, Term] = {}
    for one in ones:
        other = first.setdefault(fold(one.term.text).text, one.term)
        if other is not one.term and not (other.is_case_sensitive and one.term.is_case_sensitive):
            yield one.line, (one.term.text, other.text)


def _overlaps(ones: Sequence[Listed]) -> dict[Doubt, list[_Said]]:
    """The terms that match where others match; of two that match the same, the later one."""
    matcher = Matcher([one.term for one in ones])
    keys = [fold(one.term.text).text for one in ones]
    inside: list[_Said] = []
    same: list[_Said] = []
    for number, one in enumerate(ones):
        text = one.term.text
        for start, end, index in matcher.finds(text):
            other = ones[index].term
            if keys[index] == keys[number] or (other.is_case_sensitive and not one.term.is_case_sensitive):
                continue
            is_whole = (start, end) == (0, len(text)) and _PARTS.split(keys[index]) == _PARTS.split(
                keys[number]
            )
            if not is_whole:
                inside.append((one.line, (text, other.text)))
                break
            if index < number:
                same.append((one.line, (text, other.text)))
                break
    return {"same": same, "inside": inside}


def _missing_commas(ones: Sequence[Listed]) -> Iterator[_Said]:
    whole = {fold(one.term.text).text for one in ones}
    parts = {part for text in whole for part in _PARTS.split(text)}
    for one in ones:
        text = fold(one.term.text).text
        two = one.pieces or tuple(filter(None, _SEPARATOR.split(text)))
        if len(two) < 2:
            two = _glued(text, whole, parts - {_PARTS.split(text)[-1]})
        if two:
            yield one.line, (one.term.text, *two)


def _glued(text: str, terms: set[str], parts: set[str]) -> tuple[str, ...]:
    """The two terms that were written as this one; empty if it looks like one term."""
    for cut in range(LEAST_LETTERS, len(text) - LEAST_LETTERS + 1):
        if text[:cut] in terms and text[cut:] in terms:
            return text[:cut], text[cut:]
    start = max(text.rfind(joiner) for joiner in " _-") + 1
    if not start:
        return ()
    word = text[start:]
    for cut in range(LEAST_LETTERS, len(word) - 1):
        noun, name = word[:cut], word[cut:]
        is_name = name in _NAMES or (name in terms and len(name) >= LEAST_LETTERS)
        if is_name and (noun in parts or _NOUN.fullmatch(noun)):
            return text[: start + cut], name
    return ()
