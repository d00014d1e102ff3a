"""The page on which coders settle their quotes after the reveal, side by side."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import number_asked, whole_number
from interviews.actions.codings import reopen_coding
from interviews.actions.placing import place_again
from interviews.actions.settling import settle_coding, settle_quotes, undo_settlement
from interviews.errors import InterviewRefused
from interviews.forms.codings import SettleForm
from interviews.models import Coding, Quote, Transcript
from interviews.queries.codings import coder_of, coders_of
from interviews.queries.quotes import Span, left_behind, quote_lines
from interviews.queries.reconciling import Item, items_of
from interviews.queries.sessions import newest_transcript
from interviews.rules import may_lead_interviews, may_settle_coding
from interviews.views.codings import CODING, revealed_coding
from interviews.views.pages import around
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.queries.codebooks import codebook, hues_of

ON_A_PAGE = 40
AROUND = 80
"""Characters that are shown before and after an item."""


@require_safe
def reconcile(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """The items of a revealed coding: those that are open, with `?show=all` also the settled ones."""
    found, member = revealed_coding(request, coding_id)
    return _page(request, found, member)


def _page(
    request: AuthedRequest,
    coding: Coding,
    member: Membership,
    refusal: str = "",
    keys: Any = (),
    status: int = 200,
) -> HttpResponse:
    session, book = coding.session, codebook(coding.version_id)
    transcript = newest_transcript(session)
    items = items_of(coding, transcript) if transcript else []
    opens = [item for item in items if item.is_open]
    shows_all = request.GET.get("show") == "all" or not opens
    listed = items if shows_all else opens
    after = min(number_asked(request.GET, "after", digits=6) or 0, max(0, len(listed) - 1))
    part = listed[after : after + ON_A_PAGE]
    query = "show=all&" if request.GET.get("show") == "all" else ""
    coders = coders_of(coding)
    settles = may_settle_coding(member, coding, codes=coder_of(coding, member) is not None)
    context = {
        **around(session.study, member, CODING),
        "session": session,
        "coding": coding,
        "coders": coders,
        "released": {coder.member.pseudonym for coder in coders if coder.released_at},
        "transcript": transcript,
        "rows": _rows(part, transcript, [coder.member.pseudonym for coder in coders]) if transcript else [],
        "count": len(items),
        "open_count": len(opens),
        "shows_all": shows_all,
        "left_behind": quote_lines(left_behind(coding, Quote.objects.all(), transcript), book)
        if transcript
        else [],
        "hues": hues_of(book.at_level(Level.TYPE)),
        "settles": settles and coding.settled_at is None and session.participant.erased_at is None,
        "reopens": may_lead_interviews(member) and coding.settled_at is not None,
        "refusal": refusal,
        "refused": frozenset(keys),
        "before_url": f"?{query}after={max(0, after - ON_A_PAGE)}" if after else "",
        "after_url": f"?{query}after={after + ON_A_PAGE}" if after + ON_A_PAGE < len(listed) else "",
        "first": after + 1,
        "last": after + len(part),
        "listed": len(listed),
    }
    return render_page(request, "interviews/coding/reconcile.html", context, status=status)


def _rows(items: list[Item], transcript: Transcript, coders: list[str]) -> list[dict[str, Any]]:
    """Each item with the words around it, and the quotes of each coder in the same order. One query."""
    wanted = {item.span.turn for item in items}
    turns = {turn.position: turn for turn in transcript.turns.filter(position__in=wanted)}
    rows = []
    for item in items:
        turn, span = turns[item.span.turn], item.span
        rows.append(
            {
                "item": item,
                "turn": turn,
                "before": _cut(turn.text[: span.start], -AROUND),
                "text": turn.text[span.start : span.end],
                "after": _cut(turn.text[span.end :], AROUND),
                "sides": [(coder, item.of(coder)) for coder in coders],
                "keys": sorted(item.keys),
            }
        )
    return rows


def _cut(text: str, length: int) -> str:
    """The end (below 0) or the beginning of a text, in whole words, with a sign where more was there."""
    if len(text) <= abs(length):
        return text
    if length < 0:
        part = text[length:]
        return f"…{part[part.find(' ') + 1 :]}"
    part = text[:length]
    return f"{part[: part.rfind(' ')] if ' ' in part else part}…"


@require_POST
def settle_item(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Settle one item: keep quotes, merge them, or none."""
    found, member = revealed_coding(request, coding_id)
    form, keys = SettleForm(request.POST), request.POST.getlist("item")
    if not form.is_valid():
        said = [str(error) for errors in form.errors.values() for error in errors]
        return _page(request, found, member, " ".join(said), keys, status=422)
    given = form.cleaned_data
    try:
        once(
            request,
            lambda: settle_quotes(
                coding=found,
                keys=keys,
                keep=request.POST.getlist("keep"),
                outcome=given["outcome"],
                content=form.content,
                rationale=given["rationale"],
                transcript=given["transcript"],
                by=member,
            ),
        )
    except InterviewRefused as refused:
        return _page(request, found, member, str(refused.message), keys, status=422)
    return go_to(request, f"{_address(request, found)}#items")


@require_POST
def place_quote(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Place a quote that could not be carried at words of the newest transcript."""
    found, member = revealed_coding(request, coding_id)
    names = ("turn", "start", "end", "version", "transcript")
    turn, start, end, version, transcript = (whole_number(request.POST.get(name, "")) or 0 for name in names)
    try:
        once(
            request,
            lambda: place_again(
                coding=found,
                of=request.POST.get("by", ""),
                span=Span(turn, start, end),
                version=version,
                words=request.POST.get("words", ""),
                transcript=transcript,
                by=member,
            ),
        )
    except InterviewRefused as refused:
        return _page(request, found, member, str(refused.message), status=422)
    return go_to(request, f"{_address(request, found)}#items")


@require_POST
def undo_item(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Take back how an item was settled."""
    found, member = revealed_coding(request, coding_id)
    keys = request.POST.getlist("item")
    once(request, lambda: undo_settlement(coding=found, keys=keys, by=member))
    return go_to(request, f"{_address(request, found)}#items")


def _address(request: AuthedRequest, coding: Coding) -> str:
    """The page of items from which a form came."""
    query = "?show=all" if request.POST.get("show") == "all" else ""
    return f"{coding.get_absolute_url()}reconcile/{query}"


@require_POST
def end_settling(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Say that all quotes are settled."""
    found, member = revealed_coding(request, coding_id)
    once(request, lambda: settle_coding(coding=found, by=member))
    messages.success(request, _("The coding is settled."))
    return go_to(request, "reconcile", found.pk)


@require_POST
def reopen(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Reopen a settled coding, so that quotes can be settled in another way."""
    found, member = revealed_coding(request, coding_id)
    once(request, lambda: reopen_coding(coding=found, by=member))
    return go_to(request, "reconcile", found.pk)
