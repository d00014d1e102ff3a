"""The page of open codes in revealed interviews, and their proposals."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from interviews.actions.open_codes import propose_open_code
from interviews.queries.open_codes import open_code_lines
from interviews.rules import may_enter_interviews
from interviews.views.codings import CODING
from interviews.views.pages import around
from studies.pages import study_of
from taxonomy.rules import may_propose


@require_safe
def open_codes(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the open codes of interviews whose quotes this member may read."""
    study, member = study_of(request, slug, may_enter_interviews)
    context = {
        **around(study, member, CODING),
        "lines": open_code_lines(study, member),
        "proposes": may_propose(member),
    }
    return render_page(request, "interviews/coding/open_codes.html", context)


@require_POST
def propose_code(request: AuthedRequest, slug: str) -> HttpResponse:
    """Propose an open code as a category."""
    study, member = study_of(request, slug, may_enter_interviews)
    name = request.POST.get("name", "")
    made = once(request, lambda: propose_open_code(study=study, name=name, by=member))
    if made is not None:
        messages.success(request, _("“%(name)s” is proposed as a category.") % {"name": made.name})
    return go_to(request, "open_codes", slug)
