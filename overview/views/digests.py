"""The button that starts or stops the daily mail."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.http import AuthedRequest
from core.http import go_to
from overview.actions import digests as actions
from studies.pages import study_of
from studies.rules import may_read_revealed


@require_POST
def set_digest(request: AuthedRequest, slug: str) -> HttpResponse:
    """Start or stop the reader's daily mail about a study."""
    study, member = study_of(request, slug, may_read_revealed)
    wants = request.POST.get("wants") == "yes"
    actions.set_digest(member=member, wants=wants)
    started = _("You get a mail in the morning when something waits for you.")
    messages.success(request, started if wants else _("You get no more mail about this study."))
    return go_to(request, "people", study.slug)
