"""The forms in which a term occurs: its parts with any joiner, its plural, a model with its version."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from unicodedata import normalize

from ingest.keywords.folding import fold
from ingest.keywords.letters import KINDS_OF_LETTERS, LETTER, Kinds
from ingest.keywords.terms import Switches, Term
from ingest.keywords.versions import tail_of

JOINERS = (" ", "-", "_", "\n", "\r\n", "\u2010", "\u2013")
"""What joins two parts of a term; `\u2011`, the hyphen that does not break, folds to `\u2010`."""

_JOINER = rf"(?:{'|'.join(JOINERS)})"
_BETWEEN_PARTS = re.compile(r"(?<=[^\s_\u2010\u2013-])[ _\u2010\u2013-](?=[^\s_\u2010\u2013-])")
_PLURAL = re.compile(r"e?s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Form:
    """A compiled term: what the automaton searches (`keys`), and what may follow a key."""

    index: int
    keys: tuple[str, ...]
    rest: re.Pattern[str] | None
    """The parts behind the second one."""
    exact: re.Pattern[str] | None
    """For a case-sensitive term: matches its original text after NFKC."""
    is_open: bool
    has_plural: bool
    tail: re.Pattern[str] | None
    borders_left: bool
    borders_right: bool
    kinds: Kinds

    @property
    def is_simple(self) -> bool:
        """Does the border behind the key decide?"""
        return not (self.rest or self.exact or self.is_open or self.has_plural or self.tail)

    def ends(self, text: str, place: int) -> tuple[int, int] | None:
        """The end of the term and of what belongs to it, if it goes on at `place`, the end of a key."""
        if self.rest:
            found = self.rest.match(text, place)
            if not found:
                return None
            place = found.end()
        if not self.borders_right or self.kinds.is_border(text, place):
            return place, self._tail_end(text, place) or place
        end = 0
        if self.is_open:
            end = self._word_end(text, place)
        elif (
            self.has_plural
            and (plural := _PLURAL.match(text, place))
            and self.kinds.is_border(text, plural.end())
        ):
            end = plural.end()
        else:
            end = self._tail_end(text, place)
        return (place, end) if end else None

    def _word_end(self, text: str, place: int) -> int:
        while not self.kinds.is_border(text, place):
            place += 1
        return place

    def _tail_end(self, text: str, place: int) -> int:
        """The end of the version behind a model; 0 if there is none."""
        found = self.tail.match(text, place) if self.tail else None
        return found.end() if found and self.kinds.is_border(text, found.end()) else 0


def forms(terms: Sequence[Term], switches: Switches) -> list[Form]:
    """The terms compiled; those without a character are left out."""
    return [
        _form(index, term, stem, switches)
        for index, term in enumerate(terms)
        if (stem := term.text.rstrip("*").strip())
    ]


def _form(index: int, term: Term, stem: str, switches: Switches) -> Form:
    shown = fold(stem).text if switches.folds else stem
    parts = _parts(shown, switches)
    is_open = term.text.endswith("*")
    kinds = KINDS_OF_LETTERS[switches.unspaced]
    has_tail = switches.version_tails and term.kind == "model" and not is_open
    return Form(
        index=index,
        keys=tuple(
            first + joiner + second for first, joiner, second in product(parts[:1], JOINERS, parts[1:2])
        )
        or (shown,),
        rest=re.compile(_JOINER + _joined(parts[2:])) if len(parts) > 2 else None,
        exact=re.compile(_joined(_parts(normalize("NFKC", stem), switches)))
        if term.is_case_sensitive and switches.folds
        else None,
        is_open=is_open,
        has_plural=switches.plurals and not is_open and shown[-1].isalpha(),
        tail=tail_of(shown, joins=switches.joins) if has_tail else None,
        borders_left=kinds[shown[0]] == LETTER,
        borders_right=kinds[shown[-1]] == LETTER,
        kinds=kinds,
    )


def _parts(stem: str, switches: Switches) -> list[str]:
    return _BETWEEN_PARTS.split(stem) if switches.joins else [stem]


def _joined(parts: list[str]) -> str:
    return _JOINER.join(map(re.escape, parts))
