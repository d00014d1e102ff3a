"""The words by which the full-text search finds a text, and a search as PostgreSQL reads it (decision 0037).

PostgreSQL's own parsers do not segment Chinese, and its extensions are not in every installation. So a text
is cut into words here, and PostgreSQL only keeps and finds them (`tsvector`, `tsquery`).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ingest.similarity.words import CJK

TITLE, BODY, COMMENT = "t", "b", "c"
"""A word is kept once, with the letter of the first place in which the text has it."""

LONGEST_WORD = 40
MOST_PARTS = 6
MOST_BYTES = 500_000
"""Of the words of one text; a `tsvector` holds a megabyte, with a few bytes beside each word."""

SHORTEST_BEGINNING = 3
"""A shorter word of a search is found as a whole word only: too many words begin with two letters."""

MOST_WORDS = 20

_PHRASE = re.compile(r'"([^"]+)"|“([^”]+)”')
_RUN = re.compile(r"\w+")
_PIECE = re.compile(rf"[{CJK}]+|[^{CJK}]+")
_IS_CJK = re.compile(rf"[{CJK}]")
_PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=_)(?=[^_])")


def words_of(text: str) -> set[str]:
    """The words of a text, folded. A name of code is there as a whole and from each of its parts on
    (`OutOfMemoryError`: also `ofmemoryerror`, `memoryerror`, `error`), so that the beginning of a word finds
    it. Each two neighbours of Chinese, Japanese and Korean characters are a word, and so is a last one.
    """
    found: set[str] = set()
    for run in set(_RUN.findall(_normal(text))):
        for piece in _PIECE.findall(run):
            if _IS_CJK.match(piece):
                found.update(_pairs(piece))
                found.add(piece[-1])
            else:
                found.update(_parts(piece))
    found.discard("")
    return found


def lexemes(title: str, body: str, comments: Iterable[str]) -> list[str]:
    """What is kept of a text: its words, each after the letter of its place."""
    kept: list[str] = []
    seen: set[str] = set()
    size = 0
    for place, words in _places(title, body, comments):
        for word in sorted(words - seen):
            size += len(word.encode()) + 1
            if size > MOST_BYTES:
                return kept
            kept.append(place + word)
        seen |= words
    return kept


def _places(title: str, body: str, comments: Iterable[str]) -> Iterator[tuple[str, set[str]]]:
    yield TITLE, words_of(title)
    yield BODY, words_of(body)
    for comment in comments:
        yield COMMENT, words_of(comment)


def query(search: str, places: str = TITLE + BODY + COMMENT) -> str:
    """The search as a `tsquery`: texts that have all of its words in these places, or longer words that begin
    so. "" if the search has no word: it finds nothing.
    """
    sought = dict.fromkeys(_sought(search))
    return " & ".join(
        "(" + " | ".join(f"'{place}{word}'{begins}" for place in places) + ")"
        for word, begins in list(sought)[:MOST_WORDS]
    )


def phrases(search: str) -> list[str]:
    """What stands in quotes in a search, as regular expressions of PostgreSQL: these words as they stand, in
    any case and with any white space between them, also where JSON writes it as `\\n`.
    """
    found = ((straight or curly).replace("\0", " ").split() for straight, curly in _PHRASE.findall(search))
    return [r"(\s|\\[nrt])+".join(map(re.escape, words)) for words in found if words]


def _sought(search: str) -> Iterator[tuple[str, str]]:
    """Each word of the search, and ":*" if it may be the beginning of a longer one."""
    for run in _RUN.findall(_normal(search)):
        for piece in _PIECE.findall(run):
            if _IS_CJK.match(piece):
                yield from ((pair, "") for pair in _pairs(piece)) if len(piece) > 1 else [(piece, ":*")]
            elif word := _folded(piece.strip("_")):
                yield word, ":*" if len(word) >= SHORTEST_BEGINNING else ""


def _normal(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _folded(word: str) -> str:
    return word.casefold()[:LONGEST_WORD]


def _pairs(run: str) -> Iterator[str]:
    return (run[at : at + 2] for at in range(len(run) - 1))


def _parts(name: str) -> Iterator[str]:
    whole = name.strip("_")
    yield _folded(whole)
    if not whole.islower() or "_" in whole:
        for at in [found.start() for found in _PART.finditer(whole)][:MOST_PARTS]:
            yield _folded(whole[at:])
