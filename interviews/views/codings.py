"""Pages of coding: the list, opening one, the page on which a coder codes, and being done."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page, require
from core.idempotency import once
from core.middleware import wants_json
from core.numbers import number_asked
from interviews.actions.codings import finish_coding, open_coding
from interviews.actions.quotes import drop_quote, save_quote
from interviews.errors import InterviewRefused, NotYourCoding, QuoteChanged
from interviews.forms.codings import OpenCodingForm, QuoteForm
from interviews.models import Coding
from interviews.queries.codings import (
    coder_of,
    coders_of,
    coding_lines,
    codings_for,
    possible_coders,
    versions_to_code_with,
)
from interviews.queries.quotes import Content, Span, quote_lines, quotes_shown
from interviews.queries.sessions import newest_transcript
from interviews.rules import may_enter_interviews, may_read_interview, may_read_quotes
from interviews.views.coding_screen import screen
from interviews.views.pages import around, form_page, is_stored, led_session
from studies.models import Membership
from studies.pages import own_seat, study_of
from taxonomy.queries.codebooks import codebook

CODING = "codings"
"""The tab of coding."""


def read_coding(request: AuthedRequest, coding_id: int) -> tuple[Coding, Membership]:
    """A coding of an interview that this user may read. Http404, PermissionDenied."""
    found = get_object_or_404(codings_for(request.user), pk=coding_id)
    member = own_seat(request, found.session.study)
    require(
        may_read_interview(member, found.session, codes=coder_of(found, member) is not None),
        _(
            "You can read this interview if you code it. Volunteers can also read revealed interviews, and"
            " viewers settled interviews."
        ),
    )
    return found, member


def revealed_coding(request: AuthedRequest, coding_id: int) -> tuple[Coding, Membership]:
    """A coding whose quotes this user may see. Http404, PermissionDenied."""
    found, member = read_coding(request, coding_id)
    require(
        may_read_quotes(member, found),
        _("Quotes are hidden from everybody until all coders are done."),
    )
    return found, member


@require_safe
def codings(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the interviews that this member may read, with their coders and who is done."""
    study, member = study_of(request, slug, may_enter_interviews)
    context = {**around(study, member, CODING), "lines": coding_lines(study, member)}
    return render_page(request, "interviews/coding/codings.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_coding(request: AuthedRequest, session_id: int) -> HttpResponse:
    """Choose the coders and the version of the taxonomy."""
    session, member = led_session(request, session_id)
    if coding := getattr(session, "coding", None):
        return go_to(request, coding)
    if newest_transcript(session) is None:
        return go_to(request, session)
    versions = versions_to_code_with(session.study)
    form = OpenCodingForm(
        request.POST if request.method == "POST" else None,
        people=possible_coders(session.study),
        versions=versions,
        initial={"version": versions.first()},
    )
    made: list[Coding] = []
    if form.is_valid() and is_stored(
        request, form, lambda: open_coding(session=session, by=member, **form.cleaned_data), made
    ):
        messages.success(request, _("The coding is open. Its coders find the interview under “Coding”."))
        return go_to(request, "codings", session.study.slug)
    context = {**around(session.study, member, CODING), "session": session, "has_version": versions.exists()}
    return form_page(request, "coding/new", form, context)


@require_safe
def coding(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """The page of a coder while the coding is blind; for others, who is done. Later, the quotes of all.
    Without scripts, `?plain=` has all marks in the page; with it `?turn=` opens the form of a turn, and
    `?start=` and `end=` a quote of it.
    """
    found, member = read_coding(request, coding_id)
    if may_read_quotes(member, found):
        return go_to(request, "reconcile", found.pk)
    return _page(request, found, member)


def _page(
    request: AuthedRequest,
    found: Coding,
    member: Membership,
    form: QuoteForm | None = None,
    status: int = 200,
) -> HttpResponse:
    coder = coder_of(found, member)
    session = found.session
    context = {**around(session.study, member, CODING), "session": session, "coding": found}
    transcript = newest_transcript(session)
    if coder is None or transcript is None:
        return render_page(request, "interviews/coding/blind.html", {**context, "coders": coders_of(found)})
    numbers = [number_asked(request.GET, name, digits=9) for name in ("turn", "start", "end")]
    turn = numbers[0]
    asked = Span(*[one or 0 for one in numbers]) if None not in numbers[1:] else None
    if form is not None:
        turn = form.cleaned_data.get("turn", turn)
    typed = _typed(form)
    is_plain = form is not None or "plain" in request.GET
    context |= screen(found, coder, member, transcript, asked, turn, typed, is_plain=is_plain)
    context |= {"form": form, "typed": typed, "plain_address": _plain(request.GET)}
    return render_page(request, "interviews/coding/coding.html", context, status=status)


def _plain(asked: QueryDict) -> str:
    """The query of the same page for readers without scripts."""
    query = asked.copy()
    query["plain"] = "1"
    return f"?{query.urlencode()}"


def _typed(form: QuoteForm | None) -> dict[str, Any]:
    """What was typed into a form that is refused."""
    if form is None:
        return {}
    given = {name: form.data.get(name, "") for name in ("text", "open_codes", "memo", "strength")}
    return {**given, "codes": form.data.getlist("codes")}  # type: ignore[attr-defined]  # of a request


@require_POST
def code_quote(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Save a quote of the coder, or drop it (`drop`). JSON for scripts, else the page."""
    found, member = read_coding(request, coding_id)
    if coder_of(found, member) is None:
        raise NotYourCoding
    form = QuoteForm(request.POST, book=codebook(found.version_id))
    span = _span(found, form) if form.is_valid() else None
    if span is not None:
        given = form.cleaned_data
        own = {
            "coding": found,
            "member": member,
            "span": span,
            "transcript": given["transcript"],
            "was": given["was"],
        }
        try:
            if "drop" in request.POST:
                once(request, lambda: drop_quote(**own))
            else:
                once(
                    request,
                    lambda: save_quote(content=form.content, from_earlier=given["earlier"], **own),
                )
        except InterviewRefused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, str(refused.message))
        except QuoteChanged as refused:
            if wants_json(request):
                return JsonResponse(_changed(refused), status=refused.status)
            form.add_error(None, str(refused.message))
        else:
            return _stored(request, found, member, span)
    if wants_json(request):
        said = [str(error) for errors in form.errors.values() for error in errors]
        return JsonResponse({"detail": " ".join(said), "code": "InterviewRefused"}, status=422)
    return _page(request, found, member, form, status=422)


def _span(coding: Coding, form: QuoteForm) -> Span | None:
    transcript = newest_transcript(coding.session)
    turn = transcript.turns.filter(position=form.cleaned_data["turn"]).first() if transcript else None
    return form.span_in(turn.text if turn else "")


def _changed(refused: QuoteChanged) -> dict[str, object]:
    stored = refused.stored
    kept = None
    if isinstance(stored, Content):
        kept = {
            "codes": stored.codes,
            "open_codes": stored.open_codes,
            "memo": stored.memo,
            "strength": stored.strength,
        }
    return {"detail": str(refused.message), "code": "QuoteChanged", "stored": kept}


def _stored(request: AuthedRequest, coding: Coding, member: Membership, span: Span) -> HttpResponse:
    if wants_json(request):
        rows = quotes_shown(coding, member).filter(
            coder__member=member, turn__position=span.turn, start=span.start, end=span.end
        )
        lines = quote_lines(rows, codebook(coding.version_id))
        newest = max(lines, key=lambda line: line.transcript, default=None)
        return JsonResponse({"stored": newest.as_json() if newest else None})
    return go_to(request, f"{coding.get_absolute_url()}?plain=1&turn={span.turn}#t{span.turn}")


@require_POST
def end_coding(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Say that the coder is done, or goes on (`again`)."""
    found, member = read_coding(request, coding_id)
    done = "again" not in request.POST
    made = once(request, lambda: finish_coding(coding=found, member=member, done=done))
    if made is not None and made.revealed_at:
        messages.success(request, _("All coders are done, and the quotes of all are revealed."))
        return go_to(request, "reconcile", found.pk)
    if done:
        messages.success(request, _("You are done. The quotes are revealed once all coders are done."))
        return go_to(request, "codings", found.session.study.slug)
    return go_to(request, found)
