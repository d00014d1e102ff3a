"""Rounds of a study: the list, and one round from plan to close."""

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.actions import rounds as actions
from annotate.queries.gates import repeats_awaited, rounds_to_close, unfinished_before
from annotate.queries.left_out import labelled_again, left_out_of
from annotate.queries.planning import has_begun
from annotate.queries.training import questions
from annotate.rules import may_take_turns
from annotate.views.round_builder import missing
from consensus.queries.disagreement_filters import Narrowing, found
from consensus.queries.disagreement_states import not_decided
from consensus.rules import may_plan_meeting
from core.csv import csv_file
from core.http import go_to, is_fragment, render_page, require
from core.numbers import SHORT, number_asked
from core.pages import page_of
from core.templatetags.crosscheck import count
from core.text.joining import clauses
from ingest.models import Issue
from rounds import rules
from rounds import wording as words
from rounds.allocation import labels_asked
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries import rounds as queries
from rounds.queries import volunteers
from rounds.queries.coached import coached_by
from rounds.queries.seals import shown_head
from rounds.queries.training import training_watch
from rounds.views.shortcuts import frame
from studies.models import Membership
from studies.pages import study_of
from studies.rules import may_read_revealed, may_see_names, may_see_people
from taxonomy.models import CategoryState


@require_safe
def rounds(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the rounds of a study, with the next step of each."""
    study, member = study_of(request, slug, may_see_people)
    may_plan = rules.may_create_round(member, study)
    lines = queries.round_lines(study, member)
    closed = [line.round for line in lines if line.round.opened_at and line.round.closed_at]
    context = {
        "study": study,
        "membership": member,
        "lines": lines,
        "may_plan": may_plan,
        "to_close": {round_.pk for round_, _issues in rounds_to_close([study.pk])} if may_plan else set(),
        "not_decided": not_decided(closed, member) if member else set(),
        "missing": missing(study) if may_plan and not lines else "",
    }
    return render_page(request, "annotate/rounds/rounds.html", context)


@require_safe
def round_page(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show one round: its terms, everybody's progress, and the possible actions."""
    round_, member = seat_in(request, round_id, rules.may_see_progress)
    if round_.opened_at and request.headers.get("HX-Target") == "job" and is_fragment(request):
        return go_to(request, round_)
    sees_others = rules.may_see_others(member, round_)
    progress, seats, slots = _far(round_) if sees_others else _own_part(round_, member)
    labels = sum(seat.labels for seat in seats)
    crossed = round_.allocation == Round.Allocation.CROSSED
    each = _each(round_, seats, slots, progress.issues)
    may_change = rules.may_change_round(member, round_) and sees_others
    may_label = may_take_turns(member, round_)
    is_own = any(seat.volunteer.member_id == member.pk and seat.is_active for seat in seats)
    failed, ready = _trained(round_, seats, member) if may_change else (set(), 0)
    context = frame(round_, member) | {
        "alone": not sees_others,
        "progress": progress,
        "lines": [(seat, each[seat.volunteer.pk]) for seat in seats],
        "active": sum(seat.is_active for seat in seats),
        "labels": labels,
        "slots": slots,
        "crossed": crossed,
        "opening": queries.opening_of(round_) if round_.opened_at is None else None,
        "terms": _terms(round_),
        "incomplete": _incomplete(round_, progress),
        "stuck": [seat for seat in seats if seat.is_stuck] if may_change and round_.opened_at else [],
        "may_open": rules.may_open(member, round_) and round_.opened_at is None,
        "may_close": rules.may_close(member, round_) and round_.is_open,
        "awaited": repeats_awaited(round_) if rules.may_close(member, round_) else 0,
        "is_own": is_own,
        "names": may_see_names(member),
        "failed": failed,
        "ready": ready,
        "waits_for": unfinished_before(round_) if round_.opened_at is None else [],
        "again": _again(round_, member),
        "looks": list(round_.looks.filter(closed_at=None).order_by("pk")) if round_.opened_at else [],
        "may_change_plan": rules.may_change_plan(member, round_),
        "is_untouched": _is_untouched(round_, member, labels),
        "may_change": may_change,
        "may_label": may_label,
        "is_shut_out": is_own and not may_label and round_.is_open and round_.training_id is not None,
        "may_lead": rules.may_open(member, round_),
        "may_read": may_read_revealed(member)
        and round_.opened_at is not None
        and round_.kind != Round.Kind.LOOK,
        "unsettled": _unsettled(round_, member),
        "chain_head": shown_head(round_, member),
        "may_read_pilot": rules.may_read_pilot(member, round_) and round_.opened_at is not None,
    }
    if rules.may_watch_training(member, round_):
        context |= {"watch": training_watch(round_, member), "questions": questions(round_, member)}
        if rules.may_open(member, round_):
            context["gated"] = volunteers.seats_after_training(round_)
    return render_page(request, "annotate/rounds/round.html", context, partials=["job"])


def _trained(round_: Round, seats: list[volunteers.Seat], member: Membership) -> tuple[set[int], int]:
    """The ids of volunteers who did not pass the training that the round asks for, and were not let in; and
    how many volunteers can begin. All can where the round asks for none, or this member may not know.
    """
    trained = volunteers.through_training(round_, seats, member)
    active = [seat.volunteer for seat in seats if seat.is_active]
    waiting = [
        seat for seat in active if trained and seat.admitted_at is None and not trained.get(seat.member_id)
    ]
    failed = {seat.member_id for seat in waiting if trained.get(seat.member_id) is False}
    return failed, len(active) - len(waiting)


def _again(round_: Round, member: Membership) -> list[tuple[str, int]]:
    """The issues that a planned round takes from opened ones, for a member who may open it."""
    if round_.opened_at or round_.kind in Round.APART or not rules.may_open(member, round_):
        return []
    issues = Issue.objects.filter(in_rounds__round=round_)
    return labelled_again(issues, round_.version.taxonomy_id, of=round_)


def _is_untouched(round_: Round, member: Membership, labels: int) -> bool:
    """May this member still delete the round, or take its opening back? Drafts are asked for only then."""
    return rules.may_change_plan(member, round_) and not labels and not has_begun(round_)


@require_POST
def open_round(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Open the round, at once or by a job."""
    round_, member = seat_in(request, round_id, rules.may_open)
    reason = request.POST.get("reason", "")
    if actions.begin_opening(round_=round_, by=member, reason=reason) is None:
        said = _("%(round)s is open. Volunteers can begin.")
        if round_.training_id:
            said = _("%(round)s is open. Volunteers who passed the training can begin.")
        messages.success(request, said % {"round": round_})
    return go_to(request, round_)


@require_http_methods(["GET", "HEAD", "POST"])
def close_round(request: AuthedRequest, round_id: int) -> HttpResponse:
    """End the round, which reveals all of its labels; GET shows which labels would be missing."""
    round_, member = seat_in(request, round_id, rules.may_close)
    if request.method == "POST":
        actions.close_round(round_=round_, by=member)
        messages.success(
            request, _("%(round)s is closed. All of its labels are revealed.") % {"round": round_}
        )
        return go_to(request, round_)
    if not round_.is_open:
        return go_to(request, round_)
    context = frame(round_, member) | {"alone": True}
    if rules.may_see_others(member, round_):
        progress, seats, slots = _far(round_)
        context |= {
            "alone": False,
            "progress": progress,
            "slots": slots,
            "missing": slots - sum(seat.labels for seat in seats),
            "incomplete": _incomplete(round_, progress),
            "page": page_of(volunteers.incomplete_issues(round_), {}, key="position"),
            "unsettled": _unsettled(round_, member),
            "awaited": repeats_awaited(round_),
            "is_own": any(seat.volunteer.member_id == member.pk and seat.is_active for seat in seats),
        }
    return render_page(request, "annotate/rounds/close.html", context)


@require_safe
def incomplete_issues(request: AuthedRequest, round_id: int) -> HttpResponse:
    """List the issues that lack labels, from the place in `?after=`; 404 while nobody may see the list."""
    round_, member = seat_in(request, round_id, rules.may_see_others)
    if not volunteers.shows_incomplete(round_):
        raise Http404
    after = number_asked(request.GET, "after", digits=SHORT) or 0
    context = frame(round_, member) | {
        "incomplete": _incomplete(round_, queries.round_progress(round_)),
        "page": page_of(volunteers.incomplete_issues(round_), {"after": str(after)}, key="position"),
        "is_first": not after,
    }
    return render_page(request, "annotate/rounds/incomplete.html", context)


@require_safe
def incomplete_csv(request: AuthedRequest, round_id: int) -> StreamingHttpResponse:
    """The issues without all labels when the round closed, as CSV; 404 before it is closed."""
    round_, member = seat_in(request, round_id)
    require(may_read_revealed(member))
    if round_.closed_at is None:
        raise Http404
    name = f"{slugify(round_.study.slug)}-{slugify(round_.name) or round_.pk}-incomplete.csv"
    header = ("Issue_URL", "Repository", "Number", "Labels", "Wanted")
    return csv_file(name, header, volunteers.incomplete_rows(round_))


def _far(round_: Round) -> tuple[queries.RoundProgress, list[volunteers.Seat], int]:
    """The progress of a round, its seats, and its number of slots."""
    return queries.round_progress(round_), volunteers.seats(round_), volunteers.slot_count(round_)


def _own_part(round_: Round, member: Membership) -> tuple[queries.RoundProgress, list[volunteers.Seat], int]:
    """What `_far` returns, for a member who may see only their own part."""
    seats = [seat for seat in volunteers.seats(round_) if seat.volunteer.member_id == member.pk]
    slots = sum(seat.labels + seat.open_slots for seat in seats)
    return queries.RoundProgress(issues=slots, complete=None), seats, slots


def _unsettled(round_: Round, member: Membership) -> int:
    """The number of open disagreements, for a member who may plan a meeting; 0 for others."""
    if (
        round_.kind in Round.APART
        or not may_plan_meeting(member, round_)
        or not queries.reveals_complete_issues(round_)
    ):
        return 0
    return found(round_, Narrowing(state="open"), member).count()


def _incomplete(round_: Round, progress: queries.RoundProgress) -> int | None:
    """How many issues lack labels; None while nobody may see that."""
    if round_.opened_at is None or progress.complete is None:
        return None
    return progress.issues - progress.complete


def _each(round_: Round, seats: list[volunteers.Seat], slots: int, issues: int) -> dict[int, int]:
    """How many labels each volunteer is to give, by the id of their seat. Crossed: their labels and open
    slots. k of n: as `labels_asked` says, but at least the labels given. For a volunteer who was taken out:
    the labels given.
    """
    if round_.allocation == Round.Allocation.CROSSED and round_.opened_at:
        return {seat.volunteer.pk: seat.labels + seat.open_slots for seat in seats}
    quotas = tuple(seat.volunteer.quota for seat in seats if seat.is_active)
    return {
        seat.volunteer.pk: max(
            labels_asked(slots, issues, quotas, seat.volunteer.quota) if seat.is_active else 0, seat.labels
        )
        for seat in seats
    }


def _terms(round_: Round) -> list[tuple[str, str, str]]:
    """The terms of the round: name, text, and the address of a page about it, or ""."""
    if round_.of is not None:
        issues = _("issues whose revealed labels lost their category, or whose missing category exists now")
        return [(_("Issues"), issues, ""), (_("Counts in"), str(round_.of), round_.of.get_absolute_url())]
    said = [
        (_("Issues"), words.selection(round_.selection), ""),
        (_("Left out"), _left_out(round_), ""),
        *((_("Coached on"), text, url) for text, url in _coached(round_)),
        (_("Order"), _order(round_), ""),
        (_("Reveal"), str(round_.get_reveal_display()), ""),
        (_("Labels on GitHub or Gitee"), "" if round_.is_imported else _forge_labels(round_), ""),
        (_("Decision"), "" if round_.kind == Round.Kind.TRAINING else words.rule(round_), ""),
        (_("Drift check"), words.drift(round_), ""),
    ]
    if round_.training_id and round_.training:
        said.append((_("Required training"), str(round_.training), round_.training.get_absolute_url()))
    if round_.pass_mark:
        said.append((_("Pass mark"), _("%(n)d %% right answers") % {"n": round_.pass_mark}, ""))
    if round_.excludes_id:
        state = CategoryState.objects.filter(version=round_.version_id, category=round_.excludes_id).first()
        said.append((_("Excludes"), f"{state.code} {state.title}" if state else "", ""))
    return [(name, text, url) for name, text, url in said if text]


def _left_out(round_: Round) -> str:
    return clauses(
        ngettext("%(n)s issue of %(name)s", "%(n)s issues of %(name)s", one.issues)
        % {"n": count(one.issues), "name": one.name}
        for one in left_out_of(round_)
    )


def _coached(round_: Round) -> list[tuple[str, str]]:
    """The issues of this round that volunteers were coached on: a sentence for each pilot and training."""
    return [
        (
            ngettext(
                "%(n)s issue was also in %(name)s, where volunteers discussed it or saw its right label.",
                "%(n)s issues were also in %(name)s, where volunteers discussed them or saw right labels.",
                one.issues,
            )
            % {"n": count(one.issues), "name": one.round},
            one.round.get_absolute_url(),
        )
        for one in coached_by(round_)
    ]


def _forge_labels(round_: Round) -> str:
    return str(Round.ForgeLabels(round_.forge_labels).label)


def _order(round_: Round) -> str:
    if round_.order == Round.Order.BY_REPOSITORY:
        return _("repository after repository, shuffled inside each")
    return _("shuffled for each volunteer")
