"""The page of the coders of one interview: added, taken off, and let go on, while the coding is blind."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.http import go_to, require
from interviews.actions.coders import CHANGES
from interviews.forms.codings import CoderForm
from interviews.queries.codings import coders_of, members_to_add, members_to_choose
from interviews.rules import may_lead_interviews
from interviews.views.codings import CODING, read_coding
from interviews.views.pages import around, form_page, is_stored


@require_http_methods(["GET", "HEAD", "POST"])
def coders(request: AuthedRequest, coding_id: int) -> HttpResponse:
    """Change who codes an interview. Nothing on this page depends on what anybody coded."""
    found, member = read_coding(request, coding_id)
    require(may_lead_interviews(member), _("Only owners and leads can change the coders."))
    if found.revealed_at:
        return go_to(request, found)
    form = CoderForm(
        request.POST if request.method == "POST" else None,
        people=members_to_choose(found) if request.method == "POST" else members_to_add(found),
    )
    if form.is_valid():
        change, who = CHANGES[form.cleaned_data["change"]], form.cleaned_data["who"]
        if is_stored(request, form, lambda: change(coding=found, member=who, by=member)):
            messages.success(request, _("The coders are changed. Nothing is revealed by it."))
            return go_to(request, "coders", found.pk)
    context = {
        **around(found.session.study, member, CODING),
        "session": found.session,
        "coding": found,
        "coders": coders_of(found),
        "can_add": members_to_add(found).exists(),
    }
    return form_page(request, "coding/coders", form, context)
