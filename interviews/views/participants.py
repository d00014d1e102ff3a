"""Pages of participants and audiences, under pseudonyms."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from interviews.actions.audiences import add_audience, change_audience
from interviews.actions.participants import add_participant, change_background
from interviews.forms.participants import (
    AudienceForm,
    ChangedParticipantForm,
    ConsentForm,
    ParticipantForm,
    WithdrawalForm,
    attributes_text,
)
from interviews.models import Participant
from interviews.queries.participants import (
    audiences_of,
    consent_texts,
    consents_of,
    participant_lines,
)
from interviews.queries.sessions import coding_state
from interviews.views.pages import PEOPLE, around, form_page, is_stored, led_participant, led_study


@require_safe
def participants(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the participants of a study."""
    study, member = led_study(request, slug)
    context = {
        **around(study, member, PEOPLE),
        "lines": participant_lines(study),
        "audiences": list(audiences_of(study)),
    }
    return render_page(request, "interviews/participants.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def audiences(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the audiences, and add one."""
    study, member = led_study(request, slug)
    form = AudienceForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and is_stored(
        request, form, lambda: add_audience(study=study, by=member, **form.cleaned_data)
    ):
        return go_to(request, "audiences", slug)
    context = {**around(study, member, PEOPLE), "audiences": audiences_of(study)}
    return form_page(request, "audiences", form, context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_audience(request: AuthedRequest, slug: str, audience_id: int) -> HttpResponse:
    """Change the name and the prefix of an audience."""
    study, member = led_study(request, slug)
    audience = get_object_or_404(audiences_of(study), pk=audience_id)
    start = {"name": audience.name, "prefix": audience.prefix}
    form = AudienceForm(request.POST if request.method == "POST" else None, initial=start)
    if form.is_valid() and is_stored(
        request, form, lambda: change_audience(audience=audience, by=member, **form.cleaned_data)
    ):
        return go_to(request, "audiences", slug)
    context = {**around(study, member, PEOPLE), "audience": audience}
    return form_page(request, "edit_audience", form, context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_participant(request: AuthedRequest, slug: str) -> HttpResponse:
    """Add a participant."""
    study, member = led_study(request, slug)
    groups = audiences_of(study)
    if not groups:
        return go_to(request, "audiences", slug)
    form = ParticipantForm(request.POST if request.method == "POST" else None, audiences=groups)
    made: list[Participant] = []
    if form.is_valid():
        given = form.cleaned_data

        def act() -> Participant:
            return add_participant(
                study=study,
                audience=given["audience"],
                number=given["number"],
                background=form.background,
                by=member,
            )

        if is_stored(request, form, act, made):
            return go_to(request, made[0]) if made else go_to(request, "participants", slug)
    context = {**around(study, member, PEOPLE)}
    return form_page(request, "new_participant", form, context)


@require_safe
def participant(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """Show a participant: background, consents, interviews. The identity is not on this page."""
    found, member = led_participant(request, participant_id)
    texts = consent_texts(found.study)
    consents = list(consents_of(found))
    held = found.sessions.select_related("coding", "guide", "interviewer")
    context: dict[str, Any] = {
        **around(found.study, member, PEOPLE),
        "participant": found,
        "is_named": hasattr(found, "identity"),
        "replacements": found.replacements.count(),
        "consents": consents,
        "consent": consents[0] if consents else None,
        "consent_form": ConsentForm(texts=texts) if texts else None,
        "withdrawal_form": WithdrawalForm(),
        "sessions": [(one, coding_state(one)) for one in held],
    }
    return render_page(request, "interviews/participant.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def edit_participant(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """Change the background and the member check."""
    found, member = led_participant(request, participant_id)
    names = ("role", "experience", "context", "incentive", "member_check", "checked_on")
    start = {name: getattr(found, name) for name in names} | {"attributes": attributes_text(found)}
    form = ChangedParticipantForm(request.POST if request.method == "POST" else None, initial=start)
    if form.is_valid():
        given = form.cleaned_data

        def act() -> Participant:
            return change_background(
                participant=found,
                background=form.background,
                member_check=given["member_check"],
                checked_on=given["checked_on"],
                by=member,
            )

        if is_stored(request, form, act):
            told = _("The background of %(participant)s is saved.")
            messages.success(request, told % {"participant": found})
            return go_to(request, found)
    context = {**around(found.study, member, PEOPLE), "participant": found}
    return form_page(request, "edit_participant", form, context)
