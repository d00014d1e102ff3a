"""Quotes and their codes. `quotes_shown` is the gate of blindness: every page, endpoint and file asks it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Prefetch, QuerySet

from interviews.models import Coding, Quote, QuoteCode, Transcript, Turn
from interviews.rules import may_read_quotes
from studies.models import Membership
from taxonomy.queries.codebooks import Codebook


@dataclass(frozen=True, order=True)
class Span:
    """A place in a transcript: the position of the turn, and characters of its text from `start` to `end`."""

    turn: int
    start: int
    end: int

    def overlaps(self, other: "Span") -> bool:
        """Do they share a character?"""
        return self.turn == other.turn and self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Content:
    """What a coder says of a quote: codes of the taxonomy in its order, and names of open codes."""

    codes: tuple[str, ...] = ()
    open_codes: tuple[str, ...] = ()
    memo: str = ""
    strength: int | None = None

    @property
    def named(self) -> frozenset[str]:
        """The codes as they are compared: open codes without case."""
        return frozenset(self.codes) | {f"“{name.casefold()}”" for name in self.open_codes}

    def is_like(self, other: "Content") -> bool:
        """Is it the same, in whatever order the codes are?"""
        mine, theirs = ((one.named, one.memo.strip(), one.strength) for one in (self, other))
        return mine == theirs


@dataclass(frozen=True)
class QuoteLine:
    """A quote as pages and REST show it. `by` is the pseudonym of its coder, "" for a common quote."""

    span: Span
    content: Content
    by: str
    text: str
    transcript: int
    dropped: bool = False
    pk: int = field(default=0, compare=False)

    @property
    def key(self) -> str:
        """Its name in forms: coder and place. An id would tell how much others code elsewhere."""
        return f"{self.by}.{self.span.turn}.{self.span.start}.{self.span.end}"

    def as_json(self) -> dict[str, Any]:
        """For scripts and REST."""
        return {**vars(self.span), **vars(self.content), "dropped": self.dropped}

    @property
    def as_row(self) -> list[Any]:
        """For the coding page, where names of fields would be half of what thousands of quotes take: turn,
        start, end, codes, open codes, memo and strength.
        """
        span, content = self.span, self.content
        codes = (content.codes, content.open_codes, content.memo, content.strength)
        return [span.turn, span.start, span.end, *codes]


def quotes_shown(coding: Coding, member: Membership) -> QuerySet[Quote]:
    """The quotes that this member may see: their own; those of all once the coding is revealed to them."""
    found = Quote.objects.filter(coding=coding)
    if may_read_quotes(member, coding):
        return found
    return found.filter(coder__member=member)


def with_codes(quotes: QuerySet[Quote]) -> QuerySet[Quote]:
    """The same quotes with all that a line shows, by place. Two queries."""
    codes = Prefetch("codes", QuoteCode.objects.select_related("open_code").order_by("pk"))
    return (
        quotes.select_related("turn", "transcript", "coder__member")
        .prefetch_related(codes)
        .order_by("turn__position", "start", "end", "coder")
    )


def quote_lines(quotes: QuerySet[Quote] | Iterable[Quote], book: Codebook) -> list[QuoteLine]:
    """Quotes by place, with the codes of this version of the taxonomy."""
    found = with_codes(quotes) if isinstance(quotes, QuerySet) else quotes
    return [line_of(quote, book) for quote in found]


def line_of(quote: Quote, book: Codebook) -> QuoteLine:
    """One quote that was read by `with_codes`."""
    return QuoteLine(
        span=Span(quote.turn.position, quote.start, quote.end),
        content=content_of(quote, book),
        by=quote.coder.member.pseudonym if quote.coder else "",
        text=quote.turn.text[quote.start : quote.end],
        transcript=quote.transcript.number,
        dropped=quote.dropped_at is not None,
        pk=quote.pk,
    )


def content_of(quote: Quote, book: Codebook) -> Content:
    """What is stored about a quote."""
    codes = [(one.category_id, one.open_code.name if one.open_code else None) for one in quote.codes.all()]
    return _content(codes, quote.memo, quote.strength, book)


def _content(
    codes: Iterable[tuple[int | None, str | None]], memo: str, strength: int | None, book: Codebook
) -> Content:
    """`codes`: a category, or else the name of an open code, of each."""
    chosen = sorted(book.places[category] for category, _name in codes if category is not None)
    return Content(
        codes=tuple(book.states[place].code for place in chosen),
        open_codes=tuple(sorted(name for _category, name in codes if name is not None)),
        memo=memo,
        strength=strength,
    )


def lines_in(
    transcript: Transcript, turns: Iterable[Turn], quotes: QuerySet[Quote], book: Codebook
) -> list[QuoteLine]:
    """The lines of those quotes that are in this transcript and not dropped, by place. The turns are read
    already, so each quote costs two small rows: a long interview has thousands of quotes. Two queries.
    """
    found = quotes.filter(transcript=transcript, dropped_at=None)
    codes: dict[int, list[tuple[int | None, str | None]]] = {}
    named = QuoteCode.objects.filter(quote__in=found.order_by().values("pk"))
    for quote, category, name in named.values_list("quote_id", "category_id", "open_code__name"):
        codes.setdefault(quote, []).append((category, name))
    said = {turn.pk: turn for turn in turns}
    columns = ("pk", "turn_id", "start", "end", "memo", "strength", "coder__member__pseudonym")
    lines = []
    for pk, turn_id, start, end, memo, strength, by in found.values_list(*columns).order_by(
        "turn__position", "start", "end", "coder"
    ):
        turn = said[turn_id]
        content = _content(codes.get(pk, ()), memo, strength, book)
        span, text = Span(turn.position, start, end), turn.text[start:end]
        lines.append(QuoteLine(span, content, by or "", text, transcript.number, pk=pk))
    return lines


def on_newest(coding: Coding, quotes: QuerySet[Quote], transcript: Transcript) -> QuerySet[Quote]:
    """Those of the quotes that are on the newest transcript and not dropped."""
    return quotes.filter(coding=coding, transcript=transcript, dropped_at=None)


def left_behind(coding: Coding, quotes: QuerySet[Quote], transcript: Transcript) -> QuerySet[Quote]:
    """Those of the quotes on an earlier transcript that could not be carried to the next one."""
    return quotes.filter(coding=coding, dropped_at=None, carried_to=None).exclude(transcript=transcript)
