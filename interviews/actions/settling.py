"""Settling the quotes of a revealed coding: equal codes by themselves, the rest by discussion. The quotes of
the coders never change; each result is a quote of its own.
"""

from collections.abc import Collection, Sequence

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from interviews.actions.coding_locks import hold_to_settle
from interviews.actions.leading import require_length
from interviews.actions.quotes import cleaned, newest_of, set_codes
from interviews.errors import InterviewRefused, QuotesOpen, SettledMeanwhile
from interviews.models import Coder, Coding, OpenCode, Quote, QuoteCode, Settlement, Transcript
from interviews.queries.codings import coder_of
from interviews.queries.quotes import Content, QuoteLine, Span
from interviews.queries.reconciling import Item, common_content, equal_quotes, items_of, union_of
from interviews.rules import may_settle_coding
from studies.actions import record
from studies.models import Membership
from taxonomy.queries.codebooks import Codebook, codebook

LONGEST_RATIONALE = 2_000
KEEP, MERGE, NONE = "keep", "merge", "none"
OUTCOMES = (KEEP, MERGE, NONE)


def settle_equal(coding: Coding) -> int:
    """Settle what all coders who finished coded equally; the common quote spans all of theirs
    (docs/decisions/0039).
    Returns the number of items. Call it inside the transaction that locks the coding.
    """
    newest = newest_of(coding, None)
    finished = Coder.objects.filter(coding=coding, done_at__isnull=False)
    coders = list(finished.values_list("member__pseudonym", flat=True))
    items = [item for item in items_of(coding, newest) if item.is_open]
    alike = [(item, equal) for item in items if (equal := equal_quotes(item.quotes, coders))]
    book = codebook(coding.version_id)
    for item, equal in alike:
        made = _common(coding, newest, union_of([one.span for one in equal]), coding.opened_by)
        _give(made, common_content(equal), equal, book, coding.opened_by)
        row = Settlement.objects.create(coding=coding, quote=made, method=Settlement.Method.EQUAL)
        row.sources.set([quote.pk for quote in item.quotes])
    return len(alike)


@transaction.atomic
def settle_quotes(
    *,
    coding: Coding,
    keys: Collection[str],
    outcome: str,
    by: Membership,
    keep: Collection[str] = (),
    content: Content | None = None,
    rationale: str = "",
    transcript: int | None = None,
) -> list[Settlement]:
    """Settle one item, named by the keys of all its quotes. `keep`: the quotes of the keys in `keep` become
    common quotes as they are; `merge`: one common quote over all, with the codes of `content` or all codes;
    `none`: no common quote. Raises InterviewRefused, SettledMeanwhile, TranscriptCorrected, CodingBlind,
    CodingSettled, ParticipantErased and PermissionDenied.
    """
    held = hold_to_settle(coding)
    require_settler(held, by)
    newest = newest_of(held, transcript)
    item = _item(held, newest, keys)
    if not item.is_open:
        raise SettledMeanwhile
    require_length(rationale, LONGEST_RATIONALE, "rationale")
    chosen = [quote for quote in item.quotes if quote.key in set(keep)]
    if outcome not in OUTCOMES or (outcome == KEEP and not chosen):
        raise InterviewRefused(_("Choose which quotes to keep. Nothing was stored."), field="outcome")
    parts: list[tuple[Span, Content, Sequence[QuoteLine]]] = []
    if outcome == KEEP:
        for span in dict.fromkeys(quote.span for quote in chosen):
            alike = [quote for quote in chosen if quote.span == span]
            parts.append((span, common_content(alike), alike))
    elif outcome == MERGE:
        parts.append((item.span, content or common_content(item.quotes), item.quotes))
    # A quote that an earlier correction separated from its result is settled anew with the rest.
    _take_back(item)
    return _store(held, newest, item, parts, by, rationale.strip())


def _store(
    coding: Coding,
    newest: Transcript,
    item: Item,
    parts: Sequence[tuple[Span, Content, Sequence[QuoteLine]]],
    by: Membership,
    rationale: str,
) -> list[Settlement]:
    """One settlement for each part; the first one answers the quotes that no part has."""
    book = codebook(coding.version_id)
    answered = {quote.pk for _span, _content, quotes in parts for quote in quotes}
    rest = [quote.pk for quote in item.quotes if quote.pk not in answered]
    made = []
    for span, content, quotes in parts or [(item.span, Content(), ())]:
        common = None
        if parts:
            common = _common(coding, newest, span, by)
            _give(common, cleaned(content, book), item.quotes, book, by)
        row = Settlement.objects.create(
            coding=coding, quote=common, method=Settlement.Method.TALK, rationale=rationale, by=by
        )
        row.sources.set([quote.pk for quote in quotes] + rest)
        rest = []
        made.append(row)
    return made


@transaction.atomic
def undo_settlement(*, coding: Coding, keys: Collection[str], by: Membership) -> None:
    """Take back how an item was settled: it is open again. Raises SettledMeanwhile, CodingBlind,
    CodingSettled, ParticipantErased and PermissionDenied.
    """
    held = hold_to_settle(coding)
    require_settler(held, by)
    _take_back(_item(held, newest_of(held, None), keys))


@transaction.atomic
def settle_coding(*, coding: Coding, by: Membership) -> Coding:
    """Say that all quotes are settled. Raises QuotesOpen, CodingBlind, CodingSettled, ParticipantErased and
    PermissionDenied.
    """
    held = hold_to_settle(coding)
    require_settler(held, by)
    if any(item.is_open for item in items_of(held, newest_of(held, None))):
        raise QuotesOpen
    held.settled_at, held.settled_by = clock.now(), by
    held.save(update_fields=["settled_at", "settled_by"])
    record(held.session.study, "codings.settled", by.user, participant=str(held.session.participant))
    return held


def require_settler(coding: Coding, by: Membership) -> None:
    """Raise PermissionDenied for who may not settle this coding."""
    if not may_settle_coding(by, coding, codes=coder_of(coding, by) is not None):
        raise PermissionDenied


def _item(coding: Coding, transcript: Transcript, keys: Collection[str]) -> Item:
    wanted = frozenset(keys)
    found = next((item for item in items_of(coding, transcript) if item.keys == wanted), None)
    if found is None:
        raise SettledMeanwhile
    return found


def _take_back(item: Item) -> None:
    rows = [one.pk for one in item.settled]
    Quote.objects.filter(settlement__in=rows, coder=None).delete()
    Settlement.objects.filter(pk__in=rows).delete()


def _common(coding: Coding, transcript: Transcript, span: Span, by: Membership) -> Quote:
    turn = transcript.turns.get(position=span.turn)
    return Quote.objects.create(
        coding=coding, transcript=transcript, turn=turn, start=span.start, end=span.end, made_by=by
    )


def _give(
    quote: Quote, content: Content, sources: Sequence[QuoteLine], book: Codebook, by: Membership
) -> None:
    """Give a common quote its codes. An open code is the one of a source that has that name, not a copy."""
    quote.memo, quote.strength = content.memo, content.strength
    quote.save()
    used = QuoteCode.objects.filter(quote__in=[source.pk for source in sources], open_code__isnull=False)
    rows = used.select_related("open_code").order_by("-open_code")
    known = {one.open_code.name.casefold(): one.open_code for one in rows if one.open_code}
    fresh = [name for name in content.open_codes if name.casefold() not in known]
    set_codes(quote, Content(content.codes, tuple(fresh)), book, by)
    shared: list[OpenCode] = [known[n.casefold()] for n in content.open_codes if n.casefold() in known]
    QuoteCode.objects.bulk_create(QuoteCode(quote=quote, open_code=code) for code in shared)
