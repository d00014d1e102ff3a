"""Rounds of a study: the list, and one round from plan to close."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions import rounds as actions
from annotate.allocation import fair_share
from annotate.models import Round
from annotate.queries import rounds as queries
from annotate.queries.labels import counts_by_member
from annotate.views.round_builder import missing, study_of
from core.http import go_to, is_fragment, render_page, require
from studies.models import Membership
from studies.queries import membership_of
from studies.rules import may_read_revealed, may_see_people


@require_safe
def rounds(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the rounds of a study, and what comes next in each."""
    study, member = study_of(request, slug)
    require(may_see_people(member))
    may_plan = rules.may_create_round(member, study)
    lines = queries.round_lines(study, member)
    context = {
        "study": study,
        "membership": member,
        "lines": lines,
        "may_plan": may_plan,
        "missing": missing(study) if may_plan and not lines else "",
    }
    return render_page(request, "annotate/rounds/rounds.html", context)


@require_safe
def round_page(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show one round: what it is, how far everyone is, and what can be done with it."""
    round_, member = _round(request, round_id)
    require(rules.may_see_progress(member, round_))
    if round_.opened_at and request.headers.get("HX-Target") == "job" and is_fragment(request):
        return go_to(request, round_)
    progress = queries.round_progress(round_)
    counts = counts_by_member(round_)
    slots = progress.issues * round_.labels_per_issue
    labels = sum(count.labels for count in counts)
    crossed = round_.allocation == Round.Allocation.CROSSED
    opening = queries.opening_of(round_) if round_.opened_at is None else None
    context = {
        "study": round_.study,
        "membership": member,
        "round": round_,
        "progress": progress,
        "counts": counts,
        "labels": labels,
        "slots": slots,
        "left": slots - labels,
        "each": progress.issues
        if crossed
        else fair_share(progress.issues, round_.labels_per_issue, len(counts)),
        "crossed": crossed,
        "opening": opening,
        "may_open": rules.may_open(member, round_) and round_.opened_at is None,
        "may_close": rules.may_close(member, round_) and round_.is_open,
        "may_label": rules.may_take_turns(member, round_),
        "may_see_own": rules.may_see_own_labels(member, round_),
        "may_read": may_read_revealed(member) and round_.opened_at is not None,
    }
    return render_page(request, "annotate/rounds/round.html", context, partials=["job"])


@require_POST
def open_round(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Create the round's slots and let its volunteers begin."""
    round_, member = _round(request, round_id)
    require(rules.may_open(member, round_))
    if member and actions.begin_opening(round_=round_, by=member) is None:
        messages.success(request, _("%(round)s is open: its volunteers can begin.") % {"round": round_})
    return go_to(request, round_)


@require_POST
def close_round(request: AuthedRequest, round_id: int) -> HttpResponse:
    """End the round, which reveals all of its labels."""
    round_, member = _round(request, round_id)
    require(rules.may_close(member, round_))
    if member:
        actions.close_round(round_=round_, by=member)
        messages.success(
            request, _("%(round)s is closed: all of its labels are revealed.") % {"round": round_}
        )
    return go_to(request, round_)


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None]:
    round_ = get_object_or_404(queries.rounds_for(request.user), pk=round_id)
    return round_, membership_of(request.user, round_.study)
