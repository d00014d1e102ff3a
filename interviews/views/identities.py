"""The page of an identity. It shows who a participant is only after a POST, which the audit notes."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from interviews.actions.identities import look_at_identity, name_participant
from interviews.forms.participants import IdentityForm
from interviews.models import Participant
from interviews.views.pages import PEOPLE, around, is_stored, led_participant
from studies.models import Membership


@require_safe
def identity(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """The form for a first identity; for a stored one only the button that shows it."""
    found, member = led_participant(request, participant_id)
    return _page(request, found, member, None if hasattr(found, "identity") else IdentityForm())


@sensitive_variables()
@require_POST
def show_identity(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """Show who a participant is; the audit notes the look."""
    found, member = led_participant(request, participant_id)
    person = look_at_identity(participant=found, by=member)
    start = {"secret_name": person.name, "secret_contact": person.contact} if person else {}
    return _page(request, found, member, IdentityForm(initial=start))


@sensitive_post_parameters()
@sensitive_variables()
@require_POST
def name_identity(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """Store name and contact."""
    found, member = led_participant(request, participant_id)
    form = IdentityForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data

        def act() -> None:
            name_participant(
                participant=found, name=given["secret_name"], contact=given["secret_contact"], by=member
            )

        if is_stored(request, form, act):
            told = _("The identity of %(participant)s is stored, encrypted.")
            messages.success(request, told % {"participant": found})
            return go_to(request, found)
    return _page(request, found, member, form, status=422)


def _page(
    request: AuthedRequest,
    participant: Participant,
    member: Membership,
    form: IdentityForm | None,
    status: int = 200,
) -> HttpResponse:
    context = {**around(participant.study, member, PEOPLE), "participant": participant, "form": form}
    return render_page(request, "interviews/identity.html", context, status=status)
