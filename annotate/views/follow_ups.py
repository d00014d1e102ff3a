"""What follows from the meetings of a study, and what of it is done."""

from itertools import groupby
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.actions import follow_ups as actions
from annotate.models import FollowUp
from annotate.queries import follow_ups as queries
from annotate.queries.follow_ups import FollowUpLine
from annotate.views.round_builder import study_of
from core.http import go_to, render_page, require
from core.idempotency import once
from studies.pages import frame
from studies.rules import may_lead, may_read_revealed


@require_safe
def follow_ups(request: AuthedRequest, slug: str) -> HttpResponse:
    """List what meetings noted to do: what waits, by kind, and what is done."""
    study, member = study_of(request, slug)
    require(may_read_revealed(member))
    lines = queries.follow_up_lines(study, member)
    context: dict[str, Any] = {
        **frame(study, member, "meetings"),
        "kinds": _by_kind([line for line in lines if not line.is_done]),
        "done": [line for line in lines if line.is_done],
        "may_mark": may_lead(member),
    }
    return render_page(request, "annotate/follow_ups/follow_ups.html", context)


@require_POST
def mark_follow_up(request: AuthedRequest, slug: str, follow_up_id: int) -> HttpResponse:
    """Say that one of them is done, or with `undo` that it is not."""
    study, member = study_of(request, slug)
    require(may_lead(member), _("An owner or a lead of the study marks what is done."))
    found = get_object_or_404(queries.follow_ups(study, member), pk=follow_up_id)
    done = "undo" not in request.POST
    if member and once(request, lambda: actions.set_done(follow_up=found, by=member, done=done)):
        messages.success(request, _("Marked as done.") if done else _("It waits again."))
    return go_to(request, "follow_ups", study.slug)


def _by_kind(lines: list[FollowUpLine]) -> list[tuple[str, list[FollowUpLine]]]:
    """Proposals, examples and lines for the guideline, as far as there are any."""
    places = {kind: place for place, kind in enumerate(FollowUp.Kind.values)}

    def kind(line: FollowUpLine) -> int:
        return places[line.follow_up.kind]

    titles = (_("Proposals for the taxonomy"), _("Examples for categories"), _("Lines for the guideline"))
    return [(titles[place], list(some)) for place, some in groupby(sorted(lines, key=kind), key=kind)]
