"""Agreement of coders, before anything is settled. The unit is an answer (a turn that can be coded) and a
category: did the coder give the category to any words of the answer? Never a letter of uncoded text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from agreement.coding import CodedAnswers, Coder, agreement_on_codes
from agreement.coefficients import Coefficient
from agreement.shares import share
from interviews.queries.coded import CodedInterview, CodedQuote
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook

SEED = 1
"""Of the intervals: the same quotes give the same numbers on each page and in each file."""

ENOUGH = 8
"""From so many interviews on, intervals that resample interviews cover 95 % or nearly (agreement.coding)."""


@dataclass(frozen=True)
class CategoryAgreement:
    """One category: answers to which any coder, or all coders, gave it, and the coefficients by name."""

    state: CategoryState
    any_coder: int
    all_coders: int
    coefficients: dict[str, Coefficient]


@dataclass(frozen=True)
class PairOverlap:
    """Two coders: how many quotes each has, how many of them overlap a quote of the other, and how many of
    these with an equal code. `characters` is the share of the characters in a quote of either that are in
    quotes of both.
    """

    first: str
    second: str
    quotes: int
    met: int
    equal: int
    characters: Coefficient | None


@dataclass(frozen=True)
class CodingAgreement:
    """`pooled` are the coefficients over all answers and categories. Intervals resample whole interviews if
    `by_interview`, else answers: see agreement.coding. What does not count: `outside` codes are above the
    level, or of a category that was split or retired since; `left_behind` quotes lost their words in a
    corrected transcript; `unfinished` coders, each with the interview, did not finish.
    """

    interviews: tuple[str, ...]
    answers: int
    categories: tuple[CategoryAgreement, ...]
    pooled: dict[str, Coefficient]
    pairs: tuple[PairOverlap, ...]
    by_interview: bool = False
    outside: int = 0
    left_behind: int = 0
    unfinished: tuple[tuple[str, str], ...] = ()

    @property
    def is_narrow(self) -> bool:
        """Do the intervals cover less than 95 %? So it is below eight interviews."""
        return self.by_interview and len(self.interviews) < ENOUGH


def agreement_of(interviews: Sequence[CodedInterview], book: Codebook, level: int) -> CodingAgreement:
    """The agreement on the categories of one level; a deeper category counts as its ancestor. Categories that
    nobody gave are left out of the list, and count in the pool as agreed.
    """
    states = book.at_level(level)
    found = agreement_on_codes(_given(interviews, book, level), seed=SEED)
    return CodingAgreement(
        interviews=tuple(one.name for one in interviews),
        answers=found.answers,
        categories=tuple(
            CategoryAgreement(state, one.by_all + one.by_some, one.by_all, dict(one.coefficients))
            for state, one in zip(states, found.categories, strict=True)
            if one.by_all + one.by_some
        ),
        pooled=dict(found.overall.coefficients) if found.answers else {},
        pairs=tuple(_pairs(interviews)),
        by_interview=found.by_interview,
        outside=_outside(interviews, book, level),
        left_behind=sum(one.left_behind for one in interviews),
        unfinished=tuple((one.name, coder) for one in interviews for coder in one.unfinished),
    )


def _outside(interviews: Iterable[CodedInterview], book: Codebook, level: int) -> int:
    """How many codes of quotes count as no category of the level."""
    up = book.rolled_up(level)
    return sum(
        book.by_id.stands_as(category) not in up
        for one in interviews
        for quote in one.quotes
        for category in quote.categories
    )


def _given(interviews: Sequence[CodedInterview], book: Codebook, level: int) -> CodedAnswers:
    """What each coder gave to which answer, by (interview, position of the turn)."""
    up = book.rolled_up(level)
    codes: dict[str, set[tuple[tuple[int, int], int]]] = {}
    coded: dict[str, set[int]] = {}
    for number, one in enumerate(interviews):
        answers = set(one.answers)
        for name in one.coders:
            coded.setdefault(name, set()).add(number)
            codes.setdefault(name, set())
        for quote in one.quotes:
            for category in quote.categories:
                here = book.by_id.stands_as(category)
                if here in up and quote.span.turn in answers:
                    codes[quote.by].add(((number, quote.span.turn), up[here]))
    return CodedAnswers.of(
        {(number, turn): number for number, one in enumerate(interviews) for turn in one.answers},
        [state.category_id for state in book.at_level(level)],
        [Coder(coded[name], codes[name]) for name in sorted(coded)],
    )


def _pairs(interviews: Iterable[CodedInterview]) -> list[PairOverlap]:
    counts: dict[tuple[str, str], list[int]] = {}
    for one in interviews:
        for pair in combinations(sorted(one.coders), 2):
            mine, theirs = ([quote for quote in one.quotes if quote.by == name] for name in pair)
            shared, either = _characters(mine, theirs)
            numbers = (
                len(mine) + len(theirs),
                *(sum(here) for here in zip(_met(mine, theirs), _met(theirs, mine), strict=True)),
                shared,
                either,
            )
            known = counts.setdefault(pair, [0] * 5)
            counts[pair] = [known[place] + number for place, number in enumerate(numbers)]
    return [
        PairOverlap(first, second, quotes, met, equal, share(shared, either) if either else None)
        for (first, second), (quotes, met, equal, shared, either) in sorted(counts.items())
    ]


def _met(mine: Sequence[CodedQuote], theirs: Sequence[CodedQuote]) -> tuple[int, int]:
    """How many of `mine` overlap one of `theirs`, and how many of these one with an equal code."""
    by_turn: dict[int, list[CodedQuote]] = {}
    for quote in theirs:
        by_turn.setdefault(quote.span.turn, []).append(quote)
    met = equal = 0
    for quote in mine:
        others = [one for one in by_turn.get(quote.span.turn, ()) if one.span.overlaps(quote.span)]
        met += bool(others)
        equal += any(_codes(one) & _codes(quote) for one in others)
    return met, equal


def _codes(quote: CodedQuote) -> frozenset[int | str]:
    return frozenset(quote.categories) | {name.casefold() for name in quote.open_codes}


def _characters(mine: Sequence[CodedQuote], theirs: Sequence[CodedQuote]) -> tuple[int, int]:
    """The characters in quotes of both, and in quotes of either; each character counts once."""
    first, second = (
        {(quote.span.turn, place) for quote in quotes for place in range(quote.span.start, quote.span.end)}
        for quotes in (mine, theirs)
    )
    return len(first & second), len(first | second)
