"""Agreement of coders, before anything is settled. The unit is an answer (a turn that can be coded) and a
category: did the coder give the category to any words of the answer? Never a letter of uncoded text.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from agreement.coefficients import Coefficient, coefficient
from agreement.patterns import MISSING, Patterns
from agreement.shares import share
from agreement.tally import Tally
from interviews.queries.coded import CodedInterview, CodedQuote
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook

NAMES = ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
NO, YES = 0, 1
Answers = Counter[tuple[int, ...]]
"""How many answers have these choices of coders, NO or YES, in sorted order."""


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
    """`pooled` are the coefficients over all answers and categories: values without an interval, since the
    categories of one answer depend on each other.
    """

    interviews: tuple[str, ...]
    answers: int
    categories: tuple[CategoryAgreement, ...]
    pooled: dict[str, Coefficient]
    pairs: tuple[PairOverlap, ...]


def agreement_of(interviews: Sequence[CodedInterview], book: Codebook, level: int) -> CodingAgreement:
    """The agreement on the categories of one level; a deeper category counts as its ancestor. Categories that
    nobody gave are left out of the list, and count in the pool as agreed.
    """
    up = book.rolled_up(level)
    by_category: dict[int, Answers] = {state.category_id: Counter() for state in book.at_level(level)}
    for one in interviews:
        _count(one, book, up, by_category)
    found = []
    pool: Answers = Counter()
    for state in book.at_level(level):
        counted = by_category[state.category_id]
        pool.update(counted)
        given = sum(n for choices, n in counted.items() if YES in choices)
        if given:
            tally = _tally(counted)
            both = sum(n for choices, n in counted.items() if NO not in choices)
            values = {name: coefficient(name, tally) for name in NAMES}
            found.append(CategoryAgreement(state, given, both, values))
    whole = {name: coefficient(name, _tally(pool)) for name in NAMES} if pool else {}
    return CodingAgreement(
        interviews=tuple(one.name for one in interviews),
        answers=sum(len(one.answers) for one in interviews),
        categories=tuple(found),
        pooled={name: Coefficient(one.value, reason=one.reason) for name, one in whole.items()},
        pairs=tuple(_pairs(interviews)),
    )


def _count(one: CodedInterview, book: Codebook, up: dict[int, int], by_category: dict[int, Answers]) -> None:
    given: set[tuple[int, str, int]] = set()
    for quote in one.quotes:
        for category in quote.categories:
            here = book.by_id.stands_as(category)
            if here in up:
                given.add((quote.span.turn, quote.by, up[here]))
    for category, counted in by_category.items():
        for answer in one.answers:
            choices = (YES if (answer, coder, category) in given else NO for coder in one.coders)
            counted[tuple(sorted(choices))] += 1


def _tally(counted: Answers) -> Tally:
    """Answers of interviews with different numbers of coders have choices that are missing."""
    width = max(len(choices) for choices in counted)
    rows = [(*choices, *[MISSING] * (width - len(choices))) for choices in counted]
    codes = np.array(rows, dtype=np.int32).reshape(len(rows), width)
    return Tally.of(Patterns(codes=codes, counts=np.array(list(counted.values())), categories=2))


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
