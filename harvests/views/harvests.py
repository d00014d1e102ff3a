"""Pages of harvests: the list of a study's, and one with its progress, its figure and its numbers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, is_fragment, render_page
from core.idempotency import once
from core.models import Job
from core.pages import page_of
from harvests import actions
from harvests.actions.walks import OVERLAP
from harvests.models import Harvest, HarvestedRepository
from harvests.queries.harvests import latest_selection
from harvests.queries.listed import listed_only
from harvests.queries.query_text import query_text
from harvests.queries.reports import (
    MOVING,
    State,
    begun_last,
    flow_of,
    harvests_for,
    harvests_of,
    own_selection,
    repository_lines,
    state_of_harvest,
)
from harvests.views.flow import COLUMNS, columns_of, figure_of
from harvests.views.selections import selection_part
from harvests.words import window_in_words
from ingest import rules
from studies.models import Membership, Study
from studies.pages import frame, study_of


@require_safe
def harvests(request: AuthedRequest, slug: str) -> HttpResponse:
    """List the harvests of a study, newest first."""
    study, member = study_of(request, slug, rules.may_import)
    page = page_of(harvests_of(study), request.GET, newest_first=True)
    lines = [_line(harvest) for harvest in page.rows]
    polled = request.htmx.target if is_fragment(request) else None
    addresses = _addresses(study)
    context = {
        **frame(study, member, "harvests"),
        **addresses,
        "lines": lines,
        "is_moving": any(line["state"] in MOVING for line in lines),
        **page.links(request.GET),
    }
    resolving = addresses["resolving"]
    # Before the first job there is no fragment of its name.
    partials = ["harvests", "job"] if resolving else ["harvests"]
    response = render_page(request, "harvests/harvests.html", context, partials=partials)
    if polled == "job" and (not resolving or resolving.finished_at):
        response["HX-Refresh"] = "true"
    return response


def _addresses(study: Study) -> dict[str, Any]:
    """The issues that are known by their address only, and the last job that asked what such are."""
    waiting = listed_only(study.pk).count()
    resolving = Job.objects.filter(kind=actions.RESOLVING_JOB, arguments__study=study.pk)
    job = resolving.order_by("-pk").first()
    names = {
        "issue": _("issues"),
        "pull_request": _("pull requests"),
        "transferred": _("transferred to another repository"),
        "gone": _("gone from the forge"),
    }
    result = job.result if job and job.finished_at else {}
    return {
        "listed_count": waiting,
        "resolving": job,
        "may_resolve": bool(waiting) and (job is None or job.finished_at is not None),
        "resolved": [(words, result[name]) for name, words in names.items() if name in result],
    }


@require_POST
def resolve_listed(request: AuthedRequest, slug: str) -> HttpResponse:
    """Ask the forges what the issues are that are known by their address only."""
    study, _member = study_of(request, slug, rules.may_import)
    actions.resolve_listed(study=study, by=request.user)
    return go_to(request, "harvests", slug)


def _line(harvest: Harvest) -> dict[str, Any]:
    counts = harvest.run.counts
    return {
        "harvest": harvest,
        "name": harvest.run.name,
        "state": state_of_harvest(harvest, harvest.repositories.all()),
        "listed": counts.get("listed"),
        "kept": counts.get("kept"),
        "window": window_in_words(harvest.opened_from, harvest.opened_before, harvest.zone),
    }


def found_harvest(
    request: AuthedRequest, slug: str, harvest_id: int
) -> tuple[Study, Membership, Harvest, list[HarvestedRepository]]:
    """A harvest that the user may manage, with its repositories in order; 404 for one that the user may not
    see, 403 without the right.
    """
    study, member = study_of(request, slug, rules.may_import)
    harvest = get_object_or_404(harvests_for(request.user).filter(run__study=study), pk=harvest_id)
    return study, member, harvest, list(harvest.repositories.order_by("position"))


@require_safe
def harvest(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Show a harvest: its progress while it runs, then its numbers."""
    study, member, found, repositories = found_harvest(request, slug, harvest_id)
    state = state_of_harvest(found, repositories)
    context: dict[str, Any] = {
        **frame(study, member, "harvests"),
        "harvest": found,
        "name": found.run.name,
        **_progress(found, repositories, state),
    }
    polled = request.htmx.target if is_fragment(request) else None
    if polled != "progress":
        context |= _report(found, repositories, state)
    response = render_page(request, "harvests/harvest.html", context, partials=["progress", "job"])
    choosing = context.get("selection_job")
    has_ended = {"progress": state not in MOVING, "job": not choosing or choosing.finished_at}
    if has_ended.get(polled or ""):
        # It ended while its page was open: reload the page, which now has the numbers.
        response["HX-Refresh"] = "true"
    return response


def _progress(found: Harvest, repositories: Sequence[HarvestedRepository], state: State) -> dict[str, Any]:
    job = found.run.job
    resume = timezone.localtime(found.resume_at) if found.resume_at else None
    return {
        "state": state,
        "job": job,
        "is_moving": state in MOVING,
        "pausing": bool(job and job.finished_at is None and job.cancel_requested_at),
        "may_pause": state in MOVING and not (job and job.cancel_requested_at and not job.finished_at),
        "may_start": state in {"planned", "paused", "failed", "incomplete", "differs", "waiting"},
        "may_refresh": state in {"done", "differs"},
        "since_words": _day(begun_last(repositories)) if state in {"done", "differs"} else "",
        "asked_since_words": _asked_since(repositories),
        "resume_words": formats.date_format(resume, "SHORT_DATETIME_FORMAT") if resume else "",
        "lines": repository_lines(repositories),
    }


def _asked_since(repositories: Sequence[HarvestedRepository]) -> str:
    """The day since which a refresh asked for changes, without the hour that it adds for safety."""
    asked = [one.since for one in repositories if one.since]
    return _day(min(asked) + OVERLAP) if asked else ""


def _day(at: datetime | None) -> str:
    return formats.date_format(timezone.localtime(at), "SHORT_DATE_FORMAT") if at else ""


def _report(found: Harvest, repositories: Sequence[HarvestedRepository], state: State) -> dict[str, Any]:
    window = window_in_words(found.opened_from, found.opened_before, found.zone)
    context: dict[str, Any] = {
        "window": window,
        "missing": _missing(repositories, state),
        "changes": _changes(found),
        "query_text": query_text(found),
    }
    selection = latest_selection(found.refreshes or found)
    if selection is None or found.refreshes_id:
        return context
    own = selection if selection.harvest_id == found.pk else own_selection(found) or selection
    total, each = flow_of(repositories)
    columns = columns_of(total)
    numbers = total.as_json()
    return context | {
        "flow": figure_of(total, by_lists=selection.lists.exists()),
        "flow_title": _("Flow of the harvest of %(name)s") % {"name": found.run.name},
        "columns": [COLUMNS[name] for name in columns],
        "rows": [
            {"repository": one, "cells": [each[one.pk].as_json()[name] for name in columns]}
            for one in repositories
        ],
        "total": [numbers[name] for name in columns],
        "has_issues": bool(total.listed - total.matched),
        "is_refreshed_since": own != selection,
        **selection_part(found, own, repositories),
    }


def _missing(repositories: Sequence[HarvestedRepository], state: State) -> list[dict[str, Any]]:
    """What could not be fetched, with its cause and what to do about it."""
    if state in {"queued", "running"}:
        return []
    outcome = HarvestedRepository.Outcome
    advice = {
        outcome.GONE: _(
            "Check the name of the repository, and whether a token may read it. Then ask the forges again."
        ),
        outcome.DIFFERS: _("Issues may have been deleted or moved in the meantime. Ask the forges again."),
        outcome.UNCHECKED: _("All listed issues are here. Ask the forges again for the count."),
        "": _("All pages before this page are kept. “Resume harvest” asks for this page again."),
    }
    return [
        {
            "repository": one,
            "url": one.missing_url,
            "is_mild": one.outcome in {outcome.UNCHECKED, outcome.DIFFERS},
            "to_do": advice[one.outcome],
        }
        for one in repositories
        if one.outcome in {outcome.GONE, outcome.DIFFERS, outcome.UNCHECKED}
        or (one.trouble and not one.outcome)
    ]


def _changes(found: Harvest) -> dict[str, int]:
    """What a refresh brought: new issues, changed texts, and what was the same."""
    counts = found.run.counts
    if not found.refreshes_id or "listed" not in counts:
        return {}
    return {name: counts.get(name, 0) for name in ("new", "changed", "known")}


@require_POST
def start_harvest(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Start a harvest, or go on with it."""
    _study, _member, found, _repositories = found_harvest(request, slug, harvest_id)
    actions.start_harvest(harvest=found, by=request.user)
    return go_to(request, "harvest", slug, found.pk)


@require_POST
def pause_harvest(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Pause a harvest at its next page."""
    _study, _member, found, _repositories = found_harvest(request, slug, harvest_id)
    actions.pause_harvest(harvest=found, by=request.user)
    return go_to(request, "harvest", slug, found.pk)


@require_POST
def refresh_harvest(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Fetch what changed since a harvest."""
    _study, _member, found, _repositories = found_harvest(request, slug, harvest_id)
    made = once(request, lambda: actions.refresh_harvest(harvest=found, by=request.user))
    if made is None:
        return go_to(request, "harvests", slug)
    messages.success(request, _("The refresh has started. Issues that were kept before do not change."))
    return go_to(request, "harvest", slug, made.pk)
