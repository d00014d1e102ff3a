"""The keywords of a study as stored and searched today: one word a line, and their pattern in SQL."""

import re
from dataclasses import dataclass
from typing import Literal
from unicodedata import normalize

from ingest.keywords.letters import LETTER, UNSPACED, kinds

MOST_WORDS = 500
LONGEST_WORD = 100


def lowered(text: str) -> str:
    """The text in lower case, with every character at its place: the result has the length of the text."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


@dataclass(frozen=True)
class Problem:
    """A line that cannot be a keyword, and why: long, star, empty (no letter); many (line 0: the list)."""

    line: int
    word: str
    cause: Literal["long", "star", "empty", "many"]


def parsed(text: str) -> tuple[list[str], list[str], list[Problem]]:
    """The words of a list, one a line, its repeated words, and the lines that cannot be taken. Several spaces
    inside a keyword count as one; empty lines are skipped.
    """
    words: dict[str, str] = {}
    repeated: list[str] = []
    problems: list[Problem] = []
    for number, line in enumerate(normalize("NFC", text).splitlines(), start=1):
        word = " ".join(line.replace("\0", "").split())
        if not word:
            continue
        stem = word.removesuffix("*")
        if len(word) > LONGEST_WORD:
            problems.append(Problem(number, word, "long"))
        elif "*" in stem:
            problems.append(Problem(number, word, "star"))
        elif not any(map(str.isalnum, stem)):
            problems.append(Problem(number, word, "empty"))
        elif lowered(word) in words:
            repeated.append(word)
        else:
            words[lowered(word)] = word
    return list(words.values()), repeated, problems


def pattern(word: str) -> str:
    """The keyword as a case-insensitive regular expression of PostgreSQL that matches where Matcher does."""
    stem = lowered(word).removesuffix("*").strip()
    before = f"(^|[^[:alnum:]]|{UNSPACED.pattern})" if stem and kinds[stem[0]] == LETTER else ""
    after = f"($|[^[:alnum:]]|{UNSPACED.pattern})" if stem and kinds[stem[-1]] == LETTER else ""
    return before + re.escape(stem) + ("" if word.endswith("*") else after)
