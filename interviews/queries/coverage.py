"""Which categories which participants speak of, and how many codes are new in each interview."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from interviews.queries.coded import CodedInterview, CodedQuote
from interviews.queries.reconciling import union_of
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook


@dataclass(frozen=True)
class CoverageRow:
    """A category: in how many places each interview has it, in the order of the interviews."""

    state: CategoryState
    counts: tuple[int, ...]

    @property
    def participants(self) -> int:
        return sum(bool(count) for count in self.counts)

    @property
    def places(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True)
class NewCodes:
    """An interview in its order: codes that no earlier one had, and all codes so far, with open codes."""

    interview: CodedInterview
    categories: int
    open_codes: int
    so_far: int


def counted_quotes(one: CodedInterview) -> list[CodedQuote]:
    """The common quotes of a settled coding. Else places: quotes of coders that overlap are one, with the
    codes of all.
    """
    if one.coding.settled_at is not None:
        return list(one.common)
    found: list[CodedQuote] = []
    for quote in sorted(one.quotes, key=lambda each: each.span):
        last = found[-1] if found else None
        if last is not None and last.span.overlaps(quote.span):
            span = union_of([last.span, quote.span])
            codes = (last.categories | quote.categories, last.open_codes | quote.open_codes)
            found[-1] = CodedQuote("", span, *codes)
        else:
            found.append(CodedQuote("", quote.span, quote.categories, quote.open_codes))
    return found


def coverage(interviews: Sequence[CodedInterview], book: Codebook, level: int) -> list[CoverageRow]:
    """All categories of one level, in the order of the tree; a deeper category counts as its ancestor."""
    columns = [_places(one, book, level) for one in interviews]
    return [
        CoverageRow(state, tuple(column[state.category_id] for column in columns))
        for state in book.at_level(level)
    ]


def _places(one: CodedInterview, book: Codebook, level: int) -> Counter[int]:
    up = book.rolled_up(level)
    found: Counter[int] = Counter()
    for quote in counted_quotes(one):
        here = {book.by_id.stands_as(category) for category in quote.categories}
        found.update({up[category] for category in here if category in up})
    return found


def saturation(interviews: Sequence[CodedInterview], book: Codebook, level: int) -> list[NewCodes]:
    """How many codes are new in each interview, in their order: categories of this level, and open codes by
    name without case.
    """
    known: set[int] = set()
    named: set[str] = set()
    found = []
    for one in interviews:
        categories = set(_places(one, book, level))
        names = {name.casefold() for quote in counted_quotes(one) for name in quote.open_codes}
        fresh, new_names = len(categories - known), len(names - named)
        known |= categories
        named |= names
        found.append(NewCodes(one, fresh, new_names, len(known) + len(named)))
    return found
