"""What cannot be taken of a list, and where."""

from dataclasses import dataclass
from typing import Literal

MOST_TERMS = 500
LONGEST_TERM = 100
MOST_PROBLEMS = 100

Cause = Literal["long", "star", "empty", "many", "not_text", "unfinished", "unexpected"]


@dataclass(frozen=True)
class ListProblem:
    """A line of a list that cannot be taken, and why.

    long: longer than LONGEST_TERM; star: a `*` that is not at the end; empty: no letter and no digit; many:
    more than MOST_TERMS, `word` says how many (line 0: the list). In a Python-like file also not_text: a
    value that is no text; unfinished: a text or a list without its end; unexpected: anything else.
    """

    line: int
    word: str
    cause: Cause
    list_name: str = ""
