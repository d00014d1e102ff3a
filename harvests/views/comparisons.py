"""A harvest beside another one of its study."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.http import render_page
from core.numbers import whole_number
from core.pages import page_of
from core.sql.snapshots import snapshot
from harvests.models import Harvest, HarvestedIssue
from harvests.queries.comparing import SIDES, Compared, Side, compare, harvests_to_compare
from harvests.queries.reports import shown
from harvests.views.harvests import found_harvest
from harvests.words import window_in_words
from studies.pages import frame

TABS: dict[Side, str | Promise] = {
    "now": gettext_lazy("only in the later harvest"),
    "before": gettext_lazy("only in the earlier harvest"),
    "both": gettext_lazy("in both harvests"),
}
NOT_FETCHED = gettext_lazy("not fetched")
NOT_BY_A_LIST = gettext_lazy("kept without a match")
NOT_SELECTED = gettext_lazy("not selected yet")


@require_safe
def compared_harvests(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Show which issues the lists of two harvests found, by repository, list and term."""
    study, member, asked, _repositories = found_harvest(request, slug, harvest_id)
    harvest = asked.refreshes or asked
    others = harvests_to_compare(harvest)
    other = _other(request, harvest, others)
    context: dict[str, Any] = {
        **frame(study, member, "harvests"),
        "harvest": harvest,
        "name": harvest.run.name,
        "other": other,
        "others": [{"harvest": one, "window": _window(one)} for one in others],
    }
    if other:
        # A selection that runs changes the issues step by step: numbers and rows are of one moment.
        with snapshot():
            found = compare(harvest, other)
            context |= _compared(request, found) if found else {}
    return render_page(request, "harvests/compared.html", context, partials=["issues"])


@require_safe
def compared_harvests_csv(request: AuthedRequest, slug: str, harvest_id: int) -> StreamingHttpResponse:
    """Send the issues that either harvest matched as CSV, with what became of each in both."""
    _study, _member, asked, _repositories = found_harvest(request, slug, harvest_id)
    harvest = asked.refreshes or asked
    other = _other(request, harvest, harvests_to_compare(harvest))
    found = compare(harvest, other) if other else None
    name = f"harvests-{found.before.pk}-{found.now.pk}.csv" if found else f"harvest-{harvest.pk}-compared.csv"
    return csv_file(
        name,
        ["host", "repository", "number", "title", "address", "opened_at", "earlier", "later"],
        _rows(found) if found else (),
    )


def _other(request: HttpRequest, harvest: Harvest, others: list[Harvest]) -> Harvest | None:
    """The harvest that was asked for, else the one before this, or the next; 404 for any other id."""
    wanted = request.GET.get("with", "")
    if wanted:
        for one in others:
            if one.pk == whole_number(wanted):
                return one
        raise Http404
    return next((one for one in others if one.pk < harvest.pk), others[-1] if others else None)


def _compared(request: HttpRequest, found: Compared) -> dict[str, Any]:
    total, each = found.numbers()
    counts: dict[Side, int] = {"now": total.now_only, "before": total.before_only, "both": total.both}
    asked = request.GET.get("side", "")
    filled = [one for one in SIDES if counts[one]]
    side = next((one for one in SIDES if one == asked), (filled or SIDES)[0])
    page = page_of(found.issues(side), request.GET)
    return {
        "found": found,
        "unfinished": found.unfinished(),
        "window_before": _window(found.before),
        "window_now": _window(found.now),
        "rows": [
            {"path": pair.path, "is_new": pair.before is None, "is_gone": pair.now is None, "numbers": one}
            for pair, one in zip(found.pairs, each, strict=True)
        ],
        "total": total,
        "lists": found.lists(),
        "terms": found.terms(),
        "side": side,
        "tabs": [
            {"name": one, "words": TABS[one], "count": counts[one], "is_on": one == side} for one in SIDES
        ],
        "count": counts[side],
        "issues": [
            {"issue": row, "title": title, "url": url, "there": _words(row.there)}
            for row in page.rows
            for title, url in [shown(row)]
        ],
        **page.links(request.GET),
    }


def _window(harvest: Harvest) -> str:
    return window_in_words(harvest.opened_from, harvest.opened_before, harvest.zone)


def _words(there: str | None) -> str | Promise:
    """What became of an issue in the harvest that did not match it."""
    if there is None:
        return NOT_FETCHED
    if there == HarvestedIssue.Outcome.KEPT:
        return NOT_BY_A_LIST
    return HarvestedIssue.Outcome(there).label if there else NOT_SELECTED


def _rows(found: Compared) -> Iterator[list[Any]]:
    with snapshot():
        for side in SIDES:
            for row in found.issues(side).order_by("pk").iterator(chunk_size=2000):
                title, url = shown(row)
                there = "matched" if side == "both" else "not_fetched" if row.there is None else row.there
                earlier, later = ("matched", there) if side == "before" else (there, "matched")
                path = row.repository.moved_to or row.repository.path
                opened_at = row.opened_at.isoformat()
                yield [row.repository.host, path, row.number, title, url, opened_at, earlier, later]
