"""The draft of the protocol: started, saved, undone, discarded and frozen by owner and leads."""

from django.contrib import messages
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import number_asked
from protocols.actions.drafts import discard_draft, freeze_protocol, save_draft, start_draft, undo_draft
from protocols.errors import NoDraft, PlanRefused
from protocols.forms import PlanForm
from protocols.plan import FIELDS, filled, lines
from protocols.queries.prefill import versions_of
from protocols.queries.protocols import draft_of, labels_before, protocol_in_force
from protocols.views.pages import around, planned_study


@require_POST
def start(request: AuthedRequest, slug: str) -> HttpResponse:
    """Start a draft: the first, or that of a new version."""
    study, member = planned_study(request, slug)
    once(request, lambda: start_draft(study=study, by=member))
    messages.success(request, _("The draft is started. Check each field, then freeze the protocol."))
    return go_to(request, "protocol_draft", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: AuthedRequest, slug: str) -> HttpResponse:
    """Write the draft."""
    study, member = planned_study(request, slug)
    found = draft_of(study)
    if found is None:
        if request.method == "POST":
            raise NoDraft
        return go_to(request, "protocol", slug)
    posted = request.POST if request.method == "POST" else None
    form = PlanForm(posted, draft=found, taxonomies=versions_of(study))
    if form.is_valid():
        given = form.cleaned_data
        try:
            once(
                request,
                lambda: save_draft(
                    study=study,
                    plan=form.plan,
                    reason=given.get("reason", found.reason),
                    revision=given["revision"],
                    by=member,
                ),
            )
        except PlanRefused as refused:
            form.add_error(refused.field if refused.field in form.fields else None, str(refused.message))
        else:
            messages.success(request, _("The draft is saved."))
            return go_to(request, "protocol_draft", slug)
    context = {
        **around(study, member),
        "form": form,
        "draft": found,
        "filled": filled(found.plan),
        "fields": len(FIELDS),
    }
    return render_page(request, "protocols/draft.html", context, status=422 if form.errors else 200)


@require_POST
def undo(request: AuthedRequest, slug: str) -> HttpResponse:
    """Take back the last change of the draft."""
    study, member = planned_study(request, slug)
    once(request, lambda: undo_draft(study=study, by=member))
    messages.success(request, _("The last change is undone."))
    return go_to(request, "protocol_draft", slug)


@require_POST
def discard(request: AuthedRequest, slug: str) -> HttpResponse:
    """Delete the draft."""
    study, member = planned_study(request, slug)
    once(request, lambda: discard_draft(study=study, by=member))
    messages.success(request, _("The draft is deleted. Frozen versions stay."))
    return go_to(request, "protocol", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def freeze(request: AuthedRequest, slug: str) -> HttpResponse:
    """Read the plan once more, with a warning if labels exist already, and freeze it."""
    study, member = planned_study(request, slug)
    if request.method == "POST":
        revision = number_asked(request.POST, "revision")
        once(request, lambda: freeze_protocol(study=study, by=member, revision=revision or None))
        messages.success(request, _("The protocol is frozen. All members can read it."))
        return go_to(request, "protocol", slug)
    found = draft_of(study)
    if found is None:
        return go_to(request, "protocol", slug)
    last = protocol_in_force(study)
    context = {
        **around(study, member),
        "draft": found,
        "groups": lines(found.plan, found.taken, last.plan if last else None),
        "existing": labels_before(study),
        "filled": filled(found.plan),
        "fields": len(FIELDS),
    }
    return render_page(request, "protocols/freeze.html", context)
