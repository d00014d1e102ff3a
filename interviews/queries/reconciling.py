"""What coders settle on: their overlapping quotes as items, side by side, with what was settled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from interviews.models import Coding, Quote, Settlement, Transcript
from interviews.queries.quotes import Content, QuoteLine, Span, line_of, on_newest, with_codes
from taxonomy.queries.codebooks import Codebook, codebook


@dataclass(frozen=True)
class Settled:
    """One common quote, or none, with how it was chosen. `by` is a pseudonym, "" for equal codes."""

    quote: QuoteLine | None
    method: str
    rationale: str
    by: str
    pk: int


@dataclass(frozen=True)
class Item:
    """Quotes of several coders that overlap one another, in the order of the text, and what answers them."""

    quotes: tuple[QuoteLine, ...]
    settled: tuple[Settled, ...]
    is_open: bool

    @property
    def span(self) -> Span:
        """From the first character of any of the quotes to the last of any."""
        return union_of([quote.span for quote in self.quotes])

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(quote.key for quote in self.quotes)

    @property
    def codes(self) -> tuple[str, ...]:
        """All categories that a coder gave here, each once."""
        return tuple(dict.fromkeys(code for quote in self.quotes for code in quote.content.codes))

    @property
    def open_codes(self) -> tuple[str, ...]:
        """All open codes that a coder gave here, each once, without case."""
        names = [name for quote in self.quotes for name in quote.content.open_codes]
        return tuple({name.casefold(): name for name in reversed(names)}.values())

    def of(self, pseudonym: str) -> list[QuoteLine]:
        """The quotes of one coder."""
        return [quote for quote in self.quotes if quote.by == pseudonym]


def union_of(spans: Sequence[Span]) -> Span:
    """The shortest span of the turn that contains all these."""
    return Span(spans[0].turn, min(one.start for one in spans), max(one.end for one in spans))


def clustered(quotes: Iterable[QuoteLine]) -> list[list[QuoteLine]]:
    """Quotes that overlap, directly or over others between, are together. One pass over sorted quotes."""
    found: list[list[QuoteLine]] = []
    reach: Span | None = None
    for quote in sorted(quotes, key=lambda one: (one.span, one.by)):
        if reach is not None and reach.overlaps(quote.span):
            found[-1].append(quote)
            reach = union_of([reach, quote.span])
        else:
            found.append([quote])
            reach = quote.span
    return found


def equal_quotes(quotes: Sequence[QuoteLine], coders: Sequence[str]) -> list[QuoteLine]:
    """The quotes of these coders, if all of them have one here, with the same codes on one place; else none.
    What a coder who did not finish has here counts for nothing and against nothing (docs/decisions/0043).
    """
    counted = [one for one in quotes if one.by in coders]
    alike = {one.by for one in counted} == set(coders) and len({one.content.named for one in counted}) == 1
    return counted if alike and len(clustered(counted)) == 1 else []


def items_of(coding: Coding, transcript: Transcript) -> list[Item]:
    """The items of a revealed coding in the order of the text. Six queries. The caller has asked whether the
    reader may see the quotes of all.
    """
    book = codebook(coding.version_id)
    quotes = list(with_codes(on_newest(coding, Quote.objects.exclude(coder=None), transcript)))
    lines = [line_of(quote, book) for quote in quotes]
    answers = _settled(coding, book)
    return [
        Item(
            quotes=tuple(cluster),
            settled=tuple({one.pk: one for quote in cluster for one in answers.get(quote.pk, ())}.values()),
            is_open=any(quote.pk not in answers for quote in cluster),
        )
        for cluster in clustered(lines)
    ]


def _settled(coding: Coding, book: Codebook) -> dict[int, list[Settled]]:
    """The settlements of a coding by the ids of the quotes that they answer."""
    sources = Prefetch("sources", Quote.objects.only("pk"), to_attr="answered")
    rows = (
        Settlement.objects.filter(coding=coding)
        .select_related("by")
        .prefetch_related(sources, Prefetch("quote", with_codes(Quote.objects.all())))
        .order_by("pk")
    )
    found: dict[int, list[Settled]] = {}
    for row in rows:
        quote = line_of(row.quote, book) if row.quote else None
        made = Settled(quote, row.method, row.rationale, row.by.pseudonym if row.by else "", row.pk)
        for source in row.answered:
            found.setdefault(source.pk, []).append(made)
    return found


def common_quotes(coding: Coding, transcript: Transcript) -> list[QuoteLine]:
    """The quotes on which the coders settled, by place."""
    book = codebook(coding.version_id)
    found = on_newest(coding, Quote.objects.filter(coder=None), transcript)
    return [line_of(quote, book) for quote in with_codes(found)]


def common_content(quotes: Sequence[QuoteLine]) -> Content:
    """All codes of these quotes, and the strength that all gave; memos stay with their coders."""
    item = Item(tuple(quotes), (), is_open=True)
    strengths = {one.content.strength for one in quotes}
    return Content(item.codes, item.open_codes, strength=strengths.pop() if len(strengths) == 1 else None)
