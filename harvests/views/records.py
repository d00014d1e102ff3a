"""What a harvest keeps on record: figure and numbers as files, the journal of pages, left-out issues."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.csv import csv_file
from core.http import go_to, render_page
from core.idempotency import once
from core.numbers import whole_number
from core.pages import page_of
from core.templatetags.crosscheck import count
from drawing.vega import FORMS, render
from harvests import actions
from harvests.queries.harvests import latest_selection
from harvests.queries.reports import (
    COMPARED,
    LEFT_OUT,
    compared,
    flow_of,
    journal_of,
    left_out,
    own_selection,
    shown,
)
from harvests.views.flow import figure_of
from harvests.views.harvests import found_harvest
from studies.pages import frame

WHY: dict[str, str | Promise] = {
    "path_only": gettext_lazy("path only"),
    "unmatched": gettext_lazy("no keyword"),
    "by_hand": gettext_lazy("kept by a lead"),
    "pull_requests": gettext_lazy("pull requests"),
    "vanished": gettext_lazy("no longer on the forge"),
    "refused": gettext_lazy("cannot be stored"),
    "outside": gettext_lazy("outside the window"),
    "gained": gettext_lazy("found now, not before"),
    "lost": gettext_lazy("found before, not now"),
}
CHANGEABLE = ("path_only", "unmatched", "by_hand")


@require_safe
def harvest_flow(request: AuthedRequest, slug: str, harvest_id: int, form: str) -> HttpResponse:
    """Send the flow figure as svg, pdf or png."""
    _study, _member, harvest, repositories = found_harvest(request, slug, harvest_id)
    selection = latest_selection(harvest.refreshes or harvest)
    if form not in FORMS or selection is None:
        raise Http404
    total, _each = flow_of(repositories)
    drawn = {
        "flow": figure_of(total, by_lists=selection.lists.exists()),
        "flow_title": _("Flow of the harvest of %(name)s") % {"name": harvest.run.name},
        "standalone": True,
    }
    svg = render_to_string("shared/_flow.html", drawn).strip() + "\n"
    content = svg.encode() if form == "svg" else render({"svg": svg}, form)
    name = f"harvest-{harvest.pk}-flow.{form}"
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return HttpResponse(content, content_type=FORMS[form], headers={"Content-Disposition": disposition})


@require_safe
def harvest_numbers(request: AuthedRequest, slug: str, harvest_id: int) -> StreamingHttpResponse:
    """Send the numbers of the flow figure by repository as CSV."""
    _study, _member, harvest, repositories = found_harvest(request, slug, harvest_id)
    _total, each = flow_of(repositories)
    columns = list(each[repositories[0].pk].as_json()) if repositories else []
    return csv_file(
        f"harvest-{harvest.pk}-numbers.csv",
        ["host", "repository", *columns, "forges_count", "outcome"],
        (
            [
                one.host,
                one.moved_to or one.path,
                *each[one.pk].as_json().values(),
                (one.counted or {}).get("issues", ""),
                one.outcome,
            ]
            for one in repositories
        ),
    )


@require_safe
def harvest_pages(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Show the journal of pages."""
    study, member, harvest, _repositories = found_harvest(request, slug, harvest_id)
    page = page_of(journal_of(harvest), request.GET)
    context = {
        **frame(study, member, "harvests"),
        "harvest": harvest,
        "name": harvest.run.name,
        "page": page,
        **page.links(request.GET),
    }
    return render_page(request, "harvests/pages.html", context, partials=["pages"])


@require_safe
def harvest_pages_csv(request: AuthedRequest, slug: str, harvest_id: int) -> StreamingHttpResponse:
    """Send the journal of pages as CSV."""
    _study, _member, harvest, _repositories = found_harvest(request, slug, harvest_id)
    rows = journal_of(harvest).iterator(chunk_size=2000)
    return csv_file(
        f"harvest-{harvest.pk}-pages.csv",
        [
            "host", "repository", "page", "pass", "address", "next", "status", "records", "etag", "sha256",
            "fetched_at",
        ],
        (
            [
                row.repository.host, row.repository.path, row.position, row.phase, row.url, row.next_url,
                row.status, row.records, row.etag, row.sha256, row.fetched_at.isoformat(),
            ]
            for row in rows
        ),
    )  # fmt: skip


@require_safe
def harvested_issues(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """List the fetched issues that were left out, by the reason, and those that are kept by hand."""
    study, member, harvest, repositories = found_harvest(request, slug, harvest_id)
    total, _each = flow_of(repositories)
    counts = total.as_json()
    selection = own_selection(harvest.refreshes or harvest)
    changed = compared(selection, repositories) if selection else None
    names: tuple[str, ...] = LEFT_OUT
    if changed:
        names = (*LEFT_OUT, *COMPARED)
        counts |= {"gained": changed.gained, "lost": changed.lost}
    why = request.GET.get("why", "")
    if why not in names:
        why = next((name for name in LEFT_OUT if counts[name]), LEFT_OUT[0])
    wanted = whole_number(request.GET.get("repository"))
    chosen = next((one for one in repositories if one.pk == wanted), None)
    number = request.GET.get("q", "").strip().lstrip("#").upper()[:40].replace("\0", "")
    rows = left_out([chosen] if chosen else repositories, why)
    if number:
        rows = rows.filter(number=number)
    page = page_of(rows, request.GET)
    context: dict[str, Any] = {
        **frame(study, member, "harvests"),
        "harvest": harvest,
        "name": harvest.run.name,
        "title": _("What the selection changed") if why in COMPARED else _("Left-out issues"),
        "why": why,
        "may_keep_all": why in CHANGEABLE
        and why == "path_only"
        and not chosen
        and not number
        and bool(page.rows),
        "found": counts[why] if not chosen and not number else rows.count(),
        "tabs": [
            {"name": name, "words": WHY[name], "count": counts[name], "is_on": name == why}
            for name in names
            if counts[name] or name == why
        ],
        "chosen": chosen,
        "repositories": repositories if len(repositories) > 1 else [],
        "number": number,
        "rows": [
            {"issue": row, "title": title, "url": url, "may_change": why in CHANGEABLE}
            for row in page.rows
            for title, url in [shown(row)]
        ],
        **page.links(request.GET),
    }
    return render_page(request, "harvests/issues.html", context, partials=["left-out"])


@require_POST
def keep_issues(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Keep an issue that no list found, or all with keywords only in paths (`all`)."""
    _study, _member, harvest, repositories = found_harvest(request, slug, harvest_id)
    if request.POST.get("all") == "path_only":
        ids = list(left_out(repositories, "path_only").values_list("pk", flat=True))
    else:
        ids = _posted(request)
    kept = once(request, lambda: actions.keep_by_hand(harvest=harvest, ids=ids, by=request.user))
    if kept:
        told = ngettext("%(n)s issue is kept.", "%(n)s issues are kept.", kept)
        messages.success(request, told % {"n": count(kept)})
    return go_to(request, _back(request, slug, harvest.pk))


@require_POST
def take_back_issues(request: AuthedRequest, slug: str, harvest_id: int) -> HttpResponse:
    """Take back an issue that was kept by hand."""
    _study, _member, harvest, _repositories = found_harvest(request, slug, harvest_id)
    ids = _posted(request)
    taken = once(request, lambda: actions.take_back(harvest=harvest, ids=ids, by=request.user))
    if taken:
        told = ngettext("%(n)s issue is taken back.", "%(n)s issues are taken back.", taken)
        messages.success(request, told % {"n": count(taken)})
    return go_to(request, _back(request, slug, harvest.pk))


def _posted(request: AuthedRequest) -> list[int]:
    numbers = (whole_number(text) for text in request.POST.getlist("issue")[:500])
    return [number for number in numbers if number is not None]


def _back(request: AuthedRequest, slug: str, harvest_id: int) -> str:
    """The list as it was filtered when the form was sent."""
    page = reverse("harvested_issues", args=[slug, harvest_id])
    why = request.POST.get("why", "")
    return f"{page}?why={why}" if why in WHY else page
