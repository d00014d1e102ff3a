"""How the issues of a harvest were chosen: lists, terms by hits, what changed since the selection before."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.http import go_to
from core.idempotency import once
from harvests import actions
from harvests.models import Harvest, HarvestedRepository, Selection
from harvests.queries.comparing import changed_terms
from harvests.queries.reports import (
    Comparison,
    compared,
    harvests_for,
    own_selection,
    versions_to_choose,
)
from harvests.queries.selecting import begun_selection
from ingest import rules
from ingest.models import KeywordListVersion
from studies.pages import study_of

SHOWN = 15
"""Terms that a list shows at first; the others are folded."""

COMMON = 0.3
"""The share of issues from which a term is called common: it selects little."""


def selection_part(
    found: Harvest, selection: Selection, repositories: Sequence[HarvestedRepository]
) -> dict[str, Any]:
    """What the page of a harvest says about its latest selection, and about one that was begun since: if that
    one failed, its lists are offered again.
    """
    begun, job = begun_selection(found)
    has_failed = bool(begun and job and job.finished_at)
    used = {version.pk for version in (begun if begun and has_failed else selection).lists.all()}
    return {
        "selection": selection,
        "selection_job": job,
        "selection_failed": has_failed,
        "versions": [
            {"version": version, "terms": terms, "is_used": version.pk in used}
            for version, terms in versions_to_choose(found, used)
        ],
        "lists": [_list(told) for told in selection.terms],
        "compared": _compared(compared(selection, repositories), selection),
    }


def _list(told: Mapping[str, Any]) -> dict[str, Any]:
    rows = [_term(counts, told["searched"]) for counts in told["terms"]]
    rows.sort(key=lambda row: -row["issues"])
    return {
        "name": told["list"],
        "number": told["number"],
        "searched": told["searched"],
        "top": rows[:SHOWN],
        "more": rows[SHOWN:],
        "silent": sum(not row["issues"] for row in rows),
    }


def _term(counts: list[Any], searched: int) -> dict[str, Any]:
    text, issues, title, prose, code, masked = counts
    return {
        "text": text,
        "issues": issues,
        "share": round(issues / searched, 3) if searched else 0.0,
        "is_common": bool(searched) and issues / searched > COMMON,
        "zones": [
            (number, round(number / searched, 3) if searched else 0.0) for number in (title, prose, code)
        ],
        "masked": masked,
    }


def _compared(found: Comparison | None, now: Selection) -> dict[str, Any] | None:
    """What a selection chose that the one before did not, and the other way round; term by term."""
    if found is None:
        return None
    return {
        "matched_before": found.matched_before,
        "matched_now": found.matched_before + found.gained - found.lost,
        "gained": found.gained,
        "lost": found.lost,
        "rows": changed_terms(found.before, now),
    }


@require_POST
def select_issues(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Choose again among the fetched issues, by the posted versions of keyword lists."""
    study, _member = study_of(request, slug, rules.may_import)
    found = get_object_or_404(harvests_for(request.user).filter(run__study=study), pk=harvest_id)
    asked = [one for one in request.POST.getlist("versions") if one.isascii() and one.isdecimal()]
    versions = list(KeywordListVersion.objects.filter(keyword_list__study=study, pk__in=asked[:200]))
    made = once(request, lambda: actions.select_issues(harvest=found, lists=versions, by=request.user))
    if made:
        messages.success(request, _("The selection has started. Nothing is fetched again."))
    return go_to(request, "harvest", slug, found.pk)


@require_safe
def harvest_terms(request: AuthedRequest, slug: str, harvest_id: int) -> StreamingHttpResponse:
    """Send the terms of the latest selection with their hits as CSV."""
    study, _member = study_of(request, slug, rules.may_import)
    found = get_object_or_404(harvests_for(request.user).filter(run__study=study), pk=harvest_id)
    selection = own_selection(found.refreshes or found)
    told = selection.terms if selection else []
    return csv_file(
        f"harvest-{found.pk}-terms.csv",
        ["list", "version", "searched", "term", "issues", "title", "prose", "code", "masked_only"],
        ([one["list"], one["number"], one["searched"], *counts] for one in told for counts in one["terms"]),
    )
