"""Pages of interviews: the list, a new one, and one with its transcript."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core import clock
from core.http import go_to, render_page
from core.numbers import number_asked
from interviews.actions.sessions import add_session, change_session
from interviews.forms.sessions import SessionForm
from interviews.models import Guide, Participant, RawTranscript, Session
from interviews.queries.participants import consents_of
from interviews.queries.sessions import coding_state, newest_transcript, session_lines, turns_of
from interviews.rules import may_enter_interviews, may_read_guide
from interviews.views.pages import (
    SESSIONS,
    around,
    form_page,
    is_stored,
    led_session,
    led_study,
    read_session,
)
from studies.models import Study
from studies.pages import study_of
from studies.queries import members


@require_safe
def interviews(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the interviews that this member may read."""
    study, member = study_of(request, slug, may_enter_interviews)
    context = {**around(study, member, SESSIONS), "lines": session_lines(study, member)}
    if context["leads"]:
        context |= {
            "has_guide": Guide.objects.filter(study=study).exists(),
            "has_participants": Participant.objects.filter(study=study).exists(),
        }
    context["reads_guide"] = may_read_guide(member)
    return render_page(request, "interviews/interviews.html", context)


def _form(request: AuthedRequest, study: Study, participants: Any, **start: Any) -> SessionForm:
    return SessionForm(
        request.POST if request.method == "POST" else None,
        participants=participants,
        people=members(study).exclude(role="model"),
        guides=Guide.objects.filter(study=study).defer("text").order_by("-number"),
        initial=start,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def new_interview(request: AuthedRequest, slug: str) -> HttpResponse:
    """Add an interview; `?participant=` chooses whose."""
    study, member = led_study(request, slug)
    people = Participant.objects.filter(study=study, erased_at=None).select_related("audience")
    if not people:
        return go_to(request, "participants", slug)
    newest = Guide.objects.filter(study=study).order_by("-number").values_list("pk", flat=True).first()
    form = _form(
        request,
        study,
        people,
        participant=number_asked(request.GET, "participant"),
        interviewer=member.pk,
        held_on=timezone.localdate(clock.now()),
        guide=newest,
    )
    made: list[Session] = []
    if form.is_valid() and is_stored(
        request, form, lambda: add_session(by=member, **form.cleaned_data), made
    ):
        return go_to(request, made[0]) if made else go_to(request, "interviews", slug)
    context = {**around(study, member, SESSIONS)}
    return form_page(request, "new_interview", form, context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_interview(request: AuthedRequest, session_id: int) -> HttpResponse:
    """Change the date, the interviewer, the length and the guide."""
    session, member = led_session(request, session_id)
    form = _form(
        request,
        session.study,
        None,
        interviewer=session.interviewer_id,
        held_on=session.held_on,
        minutes=session.minutes,
        guide=session.guide_id,
    )
    if form.is_valid() and is_stored(
        request, form, lambda: change_session(session=session, by=member, **form.cleaned_data)
    ):
        return go_to(request, session)
    context = {**around(session.study, member, SESSIONS), "session": session}
    return form_page(request, "edit_interview", form, context)


@require_safe
def interview(request: AuthedRequest, session_id: int) -> HttpResponse:
    """Show an interview with its pseudonymised transcript; `?version=` shows an earlier one."""
    session, member = read_session(request, session_id)
    newest = newest_transcript(session)
    number = number_asked(request.GET, "version", digits=4)
    shown = newest if number is None else get_object_or_404(session.transcripts, number=number)
    context = {
        **around(session.study, member, SESSIONS),
        "session": session,
        "coding": coding_state(session),
        "coded": getattr(session, "coding", None),
        "transcript": shown,
        "newest": newest,
        "versions": list(session.transcripts.select_related("stored_by").order_by("-number")),
        "turns": list(turns_of(shown)) if shown else [],
        "consent": consents_of(session.participant).first(),
        "has_raw": RawTranscript.objects.filter(session=session).exists(),
    }
    return render_page(request, "interviews/interview.html", context)
