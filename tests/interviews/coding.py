"""Codings for tests: two coders, and their quotes by the words that they select."""

from interviews.actions.codings import finish_coding
from interviews.actions.quotes import save_quote
from interviews.models import Coding, Quote
from interviews.queries.quotes import Content, Span, quote_lines
from studies.models import Membership
from taxonomy.queries.codebooks import codebook


def span_of(coding: Coding, words: str) -> Span:
    """The first place of these words in the newest transcript."""
    newest = coding.session.transcripts.order_by("-number")[0]
    for turn in newest.turns.order_by("position"):
        if words in turn.text:
            start = turn.text.index(words)
            return Span(turn.position, start, start + len(words))
    raise AssertionError(words)


def quote(coding: Coding, member: Membership, words: str, *codes: str, **content) -> Quote:
    """A quote of these words; what the taxonomy does not know is an open code."""
    known = codebook(coding.version_id).by_code
    open_codes = tuple(code for code in codes if code not in known)
    chosen = tuple(code for code in codes if code in known)
    return save_quote(
        coding=coding,
        member=member,
        span=span_of(coding, words),
        content=Content(chosen, open_codes, **content),
    )


def reveal(coding: Coding) -> Coding:
    """Say for all coders that they are done."""
    for coder in coding.coders.select_related("member").order_by("pk"):
        coding = finish_coding(coding=coding, member=coder.member)
    return coding


def said(coding: Coding, quotes=None) -> list[tuple[str, str, tuple[str, ...]]]:
    """The quotes that are not dropped, on the newest transcript: who, the words, the codes."""
    newest = coding.session.transcripts.order_by("-number")[0]
    found = (Quote.objects.all() if quotes is None else quotes).filter(
        coding=coding, transcript=newest, dropped_at=None
    )
    return [
        (line.by, line.text, line.content.codes + line.content.open_codes)
        for line in quote_lines(found, codebook(coding.version_id))
    ]
