"""The page that erases a participant: it says what goes, what stays, and what nobody can reach from here."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http import AuthedRequest
from core.http import go_to
from interviews.actions.erasing import erase_participant
from interviews.forms.participants import ErasureForm
from interviews.queries.erasing import to_erase
from interviews.views.pages import PEOPLE, around, form_page, is_stored, led_participant


@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: AuthedRequest, participant_id: int) -> HttpResponse:
    """Erase a participant, whose pseudonym must be typed."""
    found, member = led_participant(request, participant_id)
    if found.erased_at:
        return go_to(request, found)
    form = ErasureForm(request.POST if request.method == "POST" else None, pseudonym=str(found))
    if form.is_valid() and is_stored(request, form, lambda: erase_participant(participant=found, by=member)):
        messages.success(request, _("%(participant)s is erased.") % {"participant": found})
        return go_to(request, found)
    context = {**around(found.study, member, PEOPLE), "participant": found, "goes": to_erase(found)}
    return form_page(request, "erase", form, context)
