"""Pages of similar reports, for leads: groups, marks, a file of all pairs."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.http import came_from, go_to, is_fragment, render_page
from core.idempotency import first_time
from core.numbers import whole_number
from core.pages import page_of
from ingest import actions, rules
from ingest.models import Issue, SimilarPair
from ingest.queries.groups import Group, GroupsAsked, group_of, groups_in, page_of_groups
from ingest.queries.similar import (
    PAIR_FIELDS,
    latest_search,
    listed,
    marks_on,
    pair_rows,
    to_compare,
    with_text,
)
from ingest.similarity import LEVELS
from studies.models import Study
from studies.pages import frame, study_of

SHOWN = 6
"""The number of a group's issues on the page of groups."""


@require_safe
def groups(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the groups of similar reports from a likeness on."""
    study, member = study_of(request, slug, rules.may_mark_similar)
    asked = GroupsAsked.from_query(request.GET)
    page = page_of_groups(groups_in(study.pk, asked), request.GET)
    issues = listed(issue for group in page.groups for issue in group.issues[:SHOWN])
    marks = marks_on(study.pk, {pair[:2] for group in page.groups for pair in group.pairs})
    context = {
        **frame(study, member, "similar"),
        **_choices(asked),
        "page": page,
        "groups": [
            _shown(group, [issues[one] for one in group.issues[:SHOWN]], marks) for group in page.groups
        ],
        "before_url": _address(asked.query | page.previous) if page.previous else "",
        "after_url": _address(asked.query | page.next) if page.next else "",
        "group_query": _address(asked.query),
        **_state(request, study),
    }
    return render_page(request, "ingest/similar/groups.html", context, partials=["job", "groups"])


@require_safe
def group(request: AuthedRequest, slug: str, issue_id: int) -> HttpResponse:
    """Show the group of an issue, with all of its issues."""
    study, member = study_of(request, slug, rules.may_mark_similar)
    asked = GroupsAsked.from_query(request.GET)
    found = group_of(study.pk, asked, issue_id)
    if found is None:
        raise Http404
    issues = Issue.objects.filter(pk__in=found.issues).select_related("repository", "current")
    page = page_of(issues.defer("current__body", "current__comments"), request.GET)
    context = {
        **frame(study, member, "similar"),
        "asked": asked,
        "group": _shown(found, page.rows, marks_on(study.pk, {pair[:2] for pair in found.pairs})),
        "groups_url": f"{reverse('similar', args=[study.slug])}{_address(asked.query)}",
        **page.links(request.GET),
    }
    return render_page(request, "ingest/similar/group.html", context)


@require_POST
@transaction.atomic
def mark_pair(request: AuthedRequest, slug: str) -> HttpResponse:
    """Mark two similar issues, or take back their mark (`take_back`)."""
    study, _member = study_of(request, slug, rules.may_mark_similar)
    issues = [whole_number(request.POST.get(name)) or 0 for name in ("issue", "other")]
    if first_time(request):
        if "take_back" in request.POST:
            ended = actions.take_back_pair(study=study, issues=issues, by=request.user)
            _say_taken_back(request, ended)
        else:
            actions.mark_pair(study=study, issues=issues, by=request.user, **_said(request))
            _say_marked(request, 1)
    return go_to(request, came_from(request) or reverse("similar", args=[study.slug]))


@require_POST
@transaction.atomic
def mark_group(request: AuthedRequest, slug: str, issue_id: int) -> HttpResponse:
    """Mark all pairs of the group of an issue, or take back their marks (`take_back`)."""
    study, _member = study_of(request, slug, rules.may_mark_similar)
    asked, made_from = GroupsAsked.from_query(request.POST), request.POST.get("made_from", "")
    if first_time(request):
        if "take_back" in request.POST:
            ended = actions.take_back_group(
                study=study, asked=asked, issue=issue_id, made_from=made_from, by=request.user
            )
            _say_taken_back(request, ended)
        else:
            marked = actions.mark_group(
                study=study,
                asked=asked,
                issue=issue_id,
                made_from=made_from,
                by=request.user,
                **_said(request),
            )
            _say_marked(request, marked)
    return go_to(request, f"{reverse('similar', args=[study.slug])}{_address(asked.query)}")


@require_POST
def find_similar(request: AuthedRequest, slug: str) -> HttpResponse:
    """Begin to compare the reports that were not compared yet."""
    study, _member = study_of(request, slug, rules.may_mark_similar)
    if actions.begin_comparison(study=study, by=request.user) is None:
        messages.info(request, _("All reports are already compared. Nothing was changed."))
    return go_to(request, "similar", study.slug)


@require_safe
def similar_csv(request: AuthedRequest, slug: str) -> StreamingHttpResponse:
    """Send all pairs of similar reports with their marks as CSV."""
    study, _member = study_of(request, slug, rules.may_mark_similar)
    return csv_file(f"{study.slug}-similar-reports.csv", PAIR_FIELDS, pair_rows(study))


def _said(request: AuthedRequest) -> dict[str, str]:
    return {"kind": request.POST.get("kind", ""), "note": request.POST.get("note", "")}


def _say_marked(request: AuthedRequest, pairs: int) -> None:
    told = ngettext("%(n)d pair is marked.", "%(n)d pairs are marked.", pairs)
    messages.success(request, told % {"n": pairs})


def _say_taken_back(request: AuthedRequest, marks: int) -> None:
    told = ngettext("%(n)d mark is taken back.", "%(n)d marks are taken back.", marks)
    messages.success(request, told % {"n": marks})


def _shown(group: Group, issues: list[Issue], marks: dict[tuple[int, int], Any]) -> dict[str, Any]:
    nearest = group.nearest
    own = [marks[pair[:2]] for pair in group.pairs if pair[:2] in marks]
    strokes = {(mark.kind, mark.note, mark.marked_by_id, mark.marked_at): mark for mark in own}
    return {
        "whole": group,
        "key": str(group.issues[0]),
        "issues": [{"issue": issue, "likeness": nearest[issue.pk]} for issue in issues],
        "more": len(group.issues) - len(issues),
        "marks": sorted(strokes.values(), key=lambda mark: mark.pk)[-SHOWN:],
    }


def _choices(asked: GroupsAsked) -> dict[str, Any]:
    return {"asked": asked, "levels": [(round(100 * level), level) for level in LEVELS]}


def _state(request: AuthedRequest, study: Study) -> dict[str, Any]:
    """The search that goes on, and how many reports were compared, or wait."""
    job = latest_search(study.pk)
    if (
        job
        and job.finished_at
        and not job.error
        and not (is_fragment(request) and request.htmx.target == "job")
    ):
        job = None  # only a page that was open during the job shows its end
    own = job is not None and job.created_by_id == request.user.pk
    return {
        "job": job,
        "cancel_url": reverse("cancel_job", args=[job.pk]) if job and own else "",
        "with_text": with_text(study.pk).count(),
        "waiting": to_compare(study.pk).count(),
        "has_pairs": SimilarPair.objects.filter(study=study).exists(),
    }


def _address(query: dict[str, str]) -> str:
    return f"?{urlencode(query)}" if query else ""
