"""What the pages of this room share: access, context, and how a form is stored."""

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts.http import AuthedRequest
from core.http import render_page, require
from core.idempotency import once
from interviews.errors import InterviewRefused
from interviews.models import Participant, Session
from interviews.queries.participants import participants_for
from interviews.queries.sessions import codes_session, sessions_for
from interviews.rules import may_lead_interviews, may_read_interview
from studies.models import Membership, Study
from studies.pages import frame, own_seat, study_of

R = TypeVar("R")

SESSIONS, PEOPLE, GUIDE, RANKINGS = "interviews", "participants", "guides", "rankings"
"""The tabs of this room."""


def led_study(request: AuthedRequest, slug: str) -> tuple[Study, Membership]:
    """A study whose interviews this user leads. Http404, PermissionDenied."""
    return study_of(request, slug, may_lead_interviews)


def led_participant(request: AuthedRequest, participant_id: int) -> tuple[Participant, Membership]:
    """A participant of a study whose interviews this user leads. Http404, PermissionDenied."""
    found = get_object_or_404(participants_for(request.user), pk=participant_id)
    member = own_seat(request, found.study)
    require(may_lead_interviews(member), _("Only owners and leads can open this page."))
    return found, member


def read_session(request: AuthedRequest, session_id: int) -> tuple[Session, Membership]:
    """An interview that this user may read. Http404, PermissionDenied."""
    found = get_object_or_404(sessions_for(request.user), pk=session_id)
    member = own_seat(request, found.study)
    require(
        may_read_interview(member, found, codes=codes_session(member, found)),
        _(
            "You can read this interview if you code it. Volunteers can also read revealed interviews, and"
            " viewers settled interviews."
        ),
    )
    return found, member


def led_session(request: AuthedRequest, session_id: int) -> tuple[Session, Membership]:
    """An interview of a study whose interviews this user leads. Http404, PermissionDenied."""
    found = get_object_or_404(sessions_for(request.user), pk=session_id)
    member = own_seat(request, found.study)
    require(may_lead_interviews(member), _("Only owners and leads can open this page."))
    return found, member


def around(study: Study, member: Membership, tab: str) -> dict[str, Any]:
    """The context that all pages of the room share."""
    return {**frame(study, member, tab), "leads": may_lead_interviews(member)}


def is_stored(
    request: AuthedRequest, form: forms.Form, act: Callable[[], R], kept: list[R] | None = None
) -> bool:
    """Do the act of a valid form once; False, with the refusal at its field, if it is refused. What the act
    returned goes into `kept`, nothing for a second sending.
    """
    try:
        made = once(request, act)
    except InterviewRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, str(refused.message))
        return False
    if kept is not None and made is not None:
        kept.append(made)
    return True


def form_page(
    request: AuthedRequest, name: str, form: forms.Form, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The page `interviews/NAME.html` with a form; 422 where the form has errors."""
    status = 422 if form.errors else status
    return render_page(request, f"interviews/{name}.html", {**context, "form": form}, status=status)
