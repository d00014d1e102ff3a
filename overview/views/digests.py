"""The button that starts or stops the daily mail."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import AuthedRequest
from core.http import go_to, require
from overview.actions import digests as actions
from studies.pages import study_of
from studies.rules import may_read_revealed


@require_POST
def set_digest(request: AuthedRequest, slug: str) -> HttpResponse:
    """Start or stop the reader's daily mail about a study."""
    study, member = study_of(request, slug)
    require(member is not None and may_read_revealed(member))
    if member is not None:
        wants = request.POST.get("wants") == "yes"
        actions.set_digest(member=member, wants=wants)
        said = (
            _("A mail comes in the morning of a day on which something waits for you.")
            if wants
            else _("No more mail about this study.")
        )
        messages.success(request, said)
    return go_to(request, "people", study.slug)
