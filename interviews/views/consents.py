"""Pages of consent texts, consents and interviewers."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.text.markdown import render as render_markdown
from interviews.actions.consents import (
    describe_interviewer,
    publish_consent_text,
    record_consent,
    withdraw_consent,
)
from interviews.forms.participants import ConsentForm, ConsentTextForm, InterviewerForm, WithdrawalForm
from interviews.queries.participants import consent_texts, consents_of, interviewers_of
from interviews.views.pages import PEOPLE, around, form_page, is_stored, led_participant, led_study
from studies.queries import members


@require_http_methods(["GET", "HEAD", "POST"])
def consents(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the versions of the consent text, and publish the next one."""
    study, member = led_study(request, slug)
    texts = list(consent_texts(study))
    start = {"text": texts[0].text if texts else ""}
    form = ConsentTextForm(request.POST if request.method == "POST" else None, initial=start)
    if form.is_valid() and is_stored(
        request,
        form,
        lambda: publish_consent_text(study=study, text=form.cleaned_data["text"], by=member),
    ):
        messages.success(request, _("The consent text is published."))
        return go_to(request, "consents", slug)
    context = {
        **around(study, member, PEOPLE),
        "texts": [(one, render_markdown(one.text, whole=True)) for one in texts],
        "next_number": texts[0].number + 1 if texts else 1,
    }
    return form_page(request, "consents", form, context)


@require_POST
def new_consent(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """Record a consent."""
    found, member = led_participant(request, participant_id)
    form = ConsentForm(request.POST, texts=consent_texts(found.study))
    if form.is_valid() and is_stored(
        request, form, lambda: record_consent(participant=found, by=member, **form.cleaned_data)
    ):
        told = _("The consent of %(participant)s is recorded.")
        messages.success(request, told % {"participant": found})
        return go_to(request, found)
    context = {
        **around(found.study, member, PEOPLE),
        "participant": found,
        "form": form,
        "heading": _("Record consent"),
        "address": request.path,
    }
    return render_page(request, "interviews/consent.html", context, status=422)


@require_POST
def end_consent(request: AuthedRequest, participant_id: int, consent_id: int) -> HttpResponse:
    """Record that a consent was withdrawn."""
    found, member = led_participant(request, participant_id)
    consent = get_object_or_404(consents_of(found), pk=consent_id)
    form = WithdrawalForm(request.POST)
    if form.is_valid() and is_stored(
        request, form, lambda: withdraw_consent(consent=consent, by=member, **form.cleaned_data)
    ):
        messages.success(request, _("The withdrawal is recorded."))
        return go_to(request, found)
    context = {
        **around(found.study, member, PEOPLE),
        "participant": found,
        "form": form,
        "heading": _("Record withdrawal"),
        "address": request.path,
    }
    return render_page(request, "interviews/consent.html", context, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def interviewers(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show how interviewers are described, and describe one."""
    study, member = led_study(request, slug)
    people = members(study).exclude(role="model")
    described = interviewers_of(study)
    asked = {str(seat.pk): told for seat, told in described if told}.get(request.GET.get("member", ""))
    start = {"member": member.pk}
    if asked:
        start = {name: getattr(asked, name) for name in ("role", "experience", "bias")}
        start["member"] = asked.member_id
    form = InterviewerForm(request.POST if request.method == "POST" else None, people=people, initial=start)
    if form.is_valid() and is_stored(
        request, form, lambda: describe_interviewer(by=member, **form.cleaned_data)
    ):
        messages.success(request, _("The description is saved."))
        return go_to(request, "interviewers", slug)
    context = {**around(study, member, PEOPLE), "described": described}
    return form_page(request, "interviewers", form, context)
