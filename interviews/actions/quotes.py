"""What coders do with their own quotes while a coding is blind."""

import unicodedata
from collections.abc import Iterable
from typing import Literal

from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from interviews.actions.coding_locks import HeldCoding, hold_to_code
from interviews.actions.leading import one_line, require_length
from interviews.errors import InterviewRefused, QuoteChanged, TranscriptCorrected
from interviews.models import Coding, OpenCode, Quote, QuoteCode, Transcript, Turn
from interviews.queries.quotes import Content, Span, content_of, with_codes
from studies.models import Membership
from taxonomy.queries.codebooks import Codebook, codebook

LONGEST_MEMO, LONGEST_NAME, MOST_CODES = 2_000, 200, 50
UNKNOWN: Literal["unknown"] = "unknown"
Was = Content | None | Literal["unknown"]
"""What the sender believes to be stored: None for no quote, UNKNOWN to overwrite whatever is there."""


@transaction.atomic
def save_quote(
    *,
    coding: Coding,
    member: Membership,
    span: Span,
    content: Content,
    transcript: int | None = None,
    was: Was = UNKNOWN,
    from_earlier: Span | None = None,
) -> Quote:
    """Store a quote of the coder with its codes, memo and strength; one that was dropped comes back. The same
    twice changes nothing. `transcript` is the number of the version that the coder read. `from_earlier` is a
    quote of the coder on an earlier version that this one answers. Raises InterviewRefused, QuoteChanged,
    TranscriptCorrected, NotYourCoding, CodingDone, CodingRevealed and ParticipantErased.
    """
    held = hold_to_code(coding, member)
    newest = newest_of(coding, transcript)
    turn = codable_turn(newest, span)
    book = codebook(held.coding.version_id)
    content = cleaned(content, book)
    found = _stored(held, turn, span)
    if found is not None and found.dropped_at is None and content_of(found, book) == content:
        return found
    _require_unchanged(found, book, was)
    earlier = _left_behind(held, newest, from_earlier)
    if found is None:
        found = Quote(
            coding=held.coding,
            coder=held.coder,
            transcript=newest,
            turn=turn,
            start=span.start,
            end=span.end,
            made_by=member,
        )
    found.memo, found.strength, found.dropped_at = content.memo, content.strength, None
    if earlier is not None:
        found.carried_from = earlier
    found.save()
    set_codes(found, content, book, member)
    return found


@transaction.atomic
def drop_quote(
    *, coding: Coding, member: Membership, span: Span, transcript: int | None = None, was: Was = UNKNOWN
) -> None:
    """Drop a quote of the coder; it stays as a row and can come back. `transcript` may be an earlier version,
    for a quote that could not be carried. Raises as `save_quote`.
    """
    held = hold_to_code(coding, member)
    of_version = {"transcript__number": transcript} if transcript else {}
    rows = Quote.objects.filter(
        coder=held.coder, turn__position=span.turn, start=span.start, end=span.end, **of_version
    )
    found = with_codes(rows).order_by("-transcript__number").first()
    if found is None or found.dropped_at:
        return
    _require_unchanged(found, codebook(held.coding.version_id), was)
    Quote.objects.filter(pk=found.pk).update(dropped_at=clock.now())


def newest_of(coding: Coding, number: int | None) -> Transcript:
    """The newest transcript of the interview. Raises TranscriptCorrected if `number` is another one."""
    newest: Transcript = coding.session.transcripts.order_by("-number")[0]
    if number is not None and number != newest.number:
        raise TranscriptCorrected
    return newest


def codable_turn(transcript: Transcript, span: Span) -> Turn:
    """The turn of a place that can be quoted. Raises InterviewRefused."""
    turn = transcript.turns.filter(position=span.turn).first()
    if turn is None:
        raise InterviewRefused(_("The transcript has no such turn. Nothing was stored."))
    if turn.is_interviewer:
        raise InterviewRefused(_("Turns of the interviewer are not coded. Nothing was stored."))
    if not 0 <= span.start < span.end <= len(turn.text) or not turn.text[span.start : span.end].strip():
        raise InterviewRefused(_("Select some words of one turn. Nothing was stored."), field="text")
    return turn


def cleaned(content: Content, book: Codebook) -> Content:
    """The same as it is stored: codes in the order of the taxonomy, each once. Raises InterviewRefused."""
    unknown = sorted(set(content.codes) - set(book.by_code))
    if unknown:
        words = _("The taxonomy has no category %(code)s. Nothing was stored.")
        raise InterviewRefused(words % {"code": unknown[0][:40]}, field="codes")
    names: dict[str, str] = {}
    for name in content.open_codes:
        typed = one_line(unicodedata.normalize("NFC", name))
        require_length(typed, LONGEST_NAME, "open_codes")
        if typed:
            names.setdefault(typed.casefold(), typed)
    codes = tuple(state.code for state in book.states if state.code in set(content.codes))
    if not codes and not names:
        raise InterviewRefused(_("Choose at least one code. Nothing was stored."), field="codes")
    if len(codes) + len(names) > MOST_CODES:
        raise InterviewRefused(
            _("A quote has at most %(most)s codes. Nothing was stored.") % {"most": MOST_CODES}, field="codes"
        )
    memo = content.memo.replace("\r\n", "\n").strip()
    require_length(memo, LONGEST_MEMO, "memo")
    if content.strength not in {None, *Quote.Strength.values}:
        raise InterviewRefused(_("Choose a strength. Nothing was stored."), field="strength")
    return Content(codes, tuple(sorted(names.values())), memo, content.strength)


def set_codes(quote: Quote, content: Content, book: Codebook, member: Membership) -> None:
    """Give a quote exactly these codes; open codes are made where the member has none of that name."""
    wanted: set[tuple[int | None, int | None]] = set()
    wanted |= {(book.by_code[code].category_id, None) for code in content.codes}
    wanted |= {(None, code.pk) for code in open_codes_named(content.open_codes, member)}
    rows = {(one.category_id, one.open_code_id): one.pk for one in QuoteCode.objects.filter(quote=quote)}
    gone = [pk for pair, pk in rows.items() if pair not in wanted]
    if gone:
        QuoteCode.objects.filter(pk__in=gone).delete()
    QuoteCode.objects.bulk_create(
        QuoteCode(quote=quote, category_id=category, open_code_id=open_code)
        for category, open_code in wanted - set(rows)
    )


def open_codes_named(names: Iterable[str], member: Membership) -> list[OpenCode]:
    """The member's open codes with these names, made where missing. Names differ by more than case."""
    wanted = {name.casefold(): name for name in names}
    if not wanted:
        return []
    own = OpenCode.objects.filter(study=member.study_id, made_by=member)
    found = {one.name.casefold(): one for one in own}
    missing = [name for folded, name in wanted.items() if folded not in found]
    if missing:
        # Another tab may make the same one at this moment.
        OpenCode.objects.bulk_create(
            (OpenCode(study_id=member.study_id, name=name, made_by=member) for name in missing),
            ignore_conflicts=True,
        )
        found = {one.name.casefold(): one for one in own.all()}
    return [found[folded] for folded in wanted]


def _stored(held: HeldCoding, turn: Turn, span: Span) -> Quote | None:
    rows = Quote.objects.filter(coder=held.coder, turn=turn, start=span.start, end=span.end)
    return with_codes(rows).first()


def _require_unchanged(found: Quote | None, book: Codebook, was: Was) -> None:
    if was == UNKNOWN:
        return
    stored = content_of(found, book) if found is not None and found.dropped_at is None else None
    if (stored is None or was is None) and stored is was:
        return
    if stored is None or was is None or not stored.is_like(was):
        raise QuoteChanged(stored)


def _left_behind(held: HeldCoding, newest: Transcript, span: Span | None) -> Quote | None:
    if span is None:
        return None
    rows = Quote.objects.filter(
        coder=held.coder, turn__position=span.turn, start=span.start, end=span.end, carried_to=None
    )
    return rows.exclude(transcript=newest).order_by("-transcript__number").first()
