"""Meetings of a round: list them, plan one, or change one that is not closed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from accounts.http import AuthedRequest
from consensus import rules
from consensus.actions import agendas
from consensus.actions import meetings as actions
from consensus.errors import MeetingRefused
from consensus.forms.meeting_plans import MOST_ITEMS, MeetingForm
from consensus.models import Disagreement, Meeting
from consensus.queries import disagreements
from consensus.queries import meetings as queries
from consensus.queries.disagreement_filters import Narrowing, found
from consensus.queries.disagreement_states import rounds_with_open
from consensus.views.agendas import ChosenIssues
from consensus.views.bulk import filters_in_words
from consensus.views.matrix import hues
from consensus.views.shortcuts import find_meeting, round_to_read
from core.http import go_to, render_page, require
from core.idempotency import once
from core.numbers import whole_number
from core.templatetags.crosscheck import count
from ingest.models import Issue
from rounds.models import Round
from rounds.queries.categories import codebook
from studies.models import Membership
from studies.pages import frame, study_of
from studies.rules import may_lead, may_read_revealed

SHOWN_ITEMS = 100
"""The most issues of a new agenda that the planning page lists."""


@require_safe
def meetings(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the meetings of a round: open, planned and closed."""
    round_, member = round_to_read(request, round_id)
    lines = queries.meeting_lines(round_, member)
    counts = disagreements.disagreement_counts(round_, member)
    context = {
        **frame(round_.study, member, "study_meetings"),
        "round": round_,
        "lines": lines,
        "counts": counts,
        "may_plan": rules.may_plan_meeting(member, round_),
    }
    return render_page(request, "consensus/meetings/meetings.html", context)


@require_safe
def study_meetings(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show the meetings of all rounds of a study, and the rounds whose disagreements wait for one."""
    study, member = study_of(request, slug, may_read_revealed)
    context = {
        **frame(study, member, "study_meetings"),
        "lines": queries.meeting_lines(study, member),
        "to_plan": rounds_with_open(study, member) if may_lead(member) else [],
        "may_plan": may_lead(member),
    }
    return render_page(request, "consensus/meetings/of_study.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new_meeting(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Plan a meeting; the issues in the address go on its agenda, except those that the form leaves out. With
    `all` the form comes back with the typed values and all open issues.
    """
    round_, member = round_to_read(request, round_id)
    require(rules.may_plan_meeting(member, round_), _("Only owners and leads can plan meetings."))
    chosen = ChosenIssues.read(request)
    found = _found(round_, member, chosen)
    only_finds = "all" in request.POST
    form = MeetingForm(request.POST if request.method == "POST" else None, round_=round_, by=member)
    if only_finds:
        typed = {field.name: field.data for field in form}
        form = MeetingForm(round_=round_, by=member, initial=typed)
    if form.is_valid():
        try:
            wanted = _wanted(found, request.POST)
            planned = once(request, lambda: _plan(round_, member, form.planned(), wanted))
            if planned:
                messages.success(request, _planned(*planned))
            return go_to(request, "meetings", round_.pk)
        except MeetingRefused as refusal:
            form.refuse(refusal)
    everything = disagreements.disagreement_counts(round_, member)
    context = {
        **frame(round_.study, member, "study_meetings"),
        "round": round_,
        "form": form,
        "found": len(found),
        "most": MOST_ITEMS if len(found) == MOST_ITEMS else 0,
        "rows": _rows(round_, found[:SHOWN_ITEMS]),
        "unlisted": max(len(found) - SHOWN_ITEMS, 0),
        "filters": filters_in_words(round_, chosen.narrowing) if not chosen.issues else [],
        "is_by_hand": bool(chosen.issues),
        "left_out": set(request.POST.getlist("leave_out")),
        "is_empty": request.method == "POST" and not only_finds and "with_agenda" not in request.POST,
        "open": everything.open,
        "withheld": everything.withheld,
        "action": request.get_full_path(),
    }
    return render_page(request, "consensus/meetings/new.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def change_meeting(request: AuthedRequest, meeting_id: int) -> HttpResponse:
    """Change a meeting that is not closed, and take issues off its agenda."""
    meeting, member = find_meeting(request, meeting_id)
    round_ = meeting.round
    require(rules.may_plan_meeting(member, round_), _("Only owners and leads can plan meetings."))
    if meeting.closed_at is not None and request.method != "POST":
        return go_to(request, "minutes", meeting.pk)
    only_takes_off = "off" in request.POST
    form = MeetingForm(
        request.POST if request.method == "POST" and not only_takes_off else None,
        round_=round_,
        by=member,
        meeting=meeting,
    )
    if only_takes_off:
        off = request.POST.getlist("items")
        taken = once(request, lambda: _take_off(meeting, member, off)) or 0
        messages.success(
            request,
            ngettext(
                "%(n)s issue was removed from the agenda.",
                "%(n)s issues were removed from the agenda.",
                taken,
            )
            % {"n": taken},
        )
        return go_to(request, "change_meeting", meeting.pk)
    if form.is_valid():
        try:
            once(request, lambda: actions.change_meeting(meeting=meeting, by=member, **form.planned()))
            messages.success(request, _("%(meeting)s is changed.") % {"meeting": form.planned()["name"]})
            return go_to(request, "change_meeting", meeting.pk)
        except MeetingRefused as refusal:
            form.refuse(refusal)
    items = {item.issue_id: item for item in queries.on_agenda(meeting, member)}
    context = {
        **frame(round_.study, member, "study_meetings"),
        "round": round_,
        "meeting": meeting,
        "form": form,
        "rows": [(items[row["issue"].pk], row) for row in _rows(round_, list(items))],
        "may_run": rules.may_run_meeting(member, meeting),
    }
    return render_page(request, "consensus/meetings/change.html", context, status=422 if form.errors else 200)


# --- its agenda


def _found(round_: Round, member: Membership, chosen: ChosenIssues) -> list[int]:
    """The issues in the address that can go on an agenda now, in the order of the list."""
    if not chosen and not chosen.narrowing:
        return []
    narrowing = chosen.narrowing if not chosen.issues else Narrowing()
    if narrowing.state not in {"", "open"}:
        return []
    rows = found(round_, replace(narrowing, state="open"), member)
    if chosen.issues:
        rows = rows.filter(issue__in=chosen.issues)
    return list(rows.order_by("ways", "margin", "position").values_list("issue_id", flat=True)[:MOST_ITEMS])


def _wanted(found: Sequence[int], posted: QueryDict) -> list[int]:
    """The issues that the form does not leave out."""
    left_out = set(posted.getlist("leave_out"))
    return [issue for issue in found if str(issue) not in left_out] if "with_agenda" in posted else []


def _rows(round_: Round, issues: Sequence[int]) -> list[dict[str, Any]]:
    """These disagreements in this order, each with its split: number, code and hue, and the number of open
    labels. Three queries.
    """
    book = codebook(round_.version_id)
    colours = hues(book)
    chosen = {row.issue_id: row for row in Disagreement.objects.filter(round=round_, issue__in=issues)}
    told = (
        Issue.objects.select_related("repository", "current")
        .only("number", "repository__path", "current__title")
        .in_bulk(issues)
    )
    rows = []
    for issue, row in ((told[id_], chosen[id_]) for id_ in issues if id_ in chosen):
        codes = [(n, book.states[id_].code) for id_, n in zip(row.chosen, row.votes, strict=True)]
        split = [(n, code, colours.get(code, "")) for n, code in codes]
        title = issue.current.title if issue.current else ""
        rows.append({"issue": issue, "title": title, "split": split, "open_labels": row.open_labels})
    return rows


def _plan(
    round_: Round, member: Membership, planned: dict[str, Any], issues: Sequence[int]
) -> tuple[Meeting, int]:
    """Plan a meeting with these issues on its agenda; returns how many issues it got."""
    meeting = actions.plan_meeting(round_=round_, by=member, **planned)
    return meeting, agendas.put_on_agenda(meeting=meeting, by=member, issues=issues) if issues else 0


def _take_off(meeting: Meeting, member: Membership, chosen: Sequence[str]) -> int:
    """Take these items off, if the member may see them; returns how many."""
    ids = [number for number in map(whole_number, chosen) if number is not None]
    items = list(queries.on_agenda(meeting, member).filter(pk__in=ids))
    for item in items:
        agendas.take_off_agenda(item=item, by=member)
    return len(items)


def _planned(meeting: Meeting, added: int) -> str:
    if not added:
        return _("%(meeting)s is planned, with an empty agenda.") % {"meeting": meeting.name}
    said = ngettext(
        "%(meeting)s is planned, with %(n)s issue on its agenda.",
        "%(meeting)s is planned, with %(n)s issues on its agenda.",
        added,
    )
    return said % {"meeting": meeting.name, "n": count(added)}
