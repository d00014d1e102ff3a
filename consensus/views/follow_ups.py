"""The follow-ups of the meetings of a study, open and done."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from consensus.actions import follow_ups as actions
from consensus.models import FollowUp
from consensus.queries import follow_ups as queries
from core.http import go_to, render_page, require
from core.idempotency import once
from studies.pages import frame, study_of
from studies.rules import may_lead, may_read_revealed
from taxonomy.models import CategoryState

FollowUpLine = tuple[FollowUp, CategoryState | None]


@require_safe
def follow_ups(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the open follow-ups by kind, and the done ones."""
    study, member = study_of(request, slug)
    require(may_read_revealed(member))
    lines = queries.follow_up_lines(study, member)
    context: dict[str, Any] = {
        **frame(study, member, "follow_ups"),
        "kinds": _by_kind([line for line in lines if line[0].done_at is None]),
        "done": [line for line in lines if line[0].done_at is not None],
        "may_mark": may_lead(member),
    }
    return render_page(request, "consensus/follow_ups/follow_ups.html", context)


@require_POST
def mark_follow_up(request: AuthedRequest, slug: str, follow_up_id: int) -> HttpResponse:
    """Mark a follow-up as done, or with `undo` as not done."""
    study, member = study_of(request, slug)
    require(may_lead(member), _("Only owners and leads can mark follow-ups as done."))
    found = get_object_or_404(queries.follow_ups(study, member), pk=follow_up_id)
    done = "undo" not in request.POST
    if once(request, lambda: actions.set_done(follow_up=found, by=member, done=done)):
        messages.success(request, _("Marked as done.") if done else _("Marked as not done."))
    return go_to(request, "follow_ups", study.slug)


def _by_kind(lines: list[FollowUpLine]) -> list[tuple[str, list[FollowUpLine]]]:
    """The proposals, examples and lines for the guideline, without kinds that have none."""
    titles = (_("Proposals for the taxonomy"), _("Examples for categories"), _("Guideline lines"))
    kinds = [
        (title, [line for line in lines if line[0].kind == kind])
        for kind, title in zip(FollowUp.Kind.values, titles, strict=True)
    ]
    return [(title, some) for title, some in kinds if some]
