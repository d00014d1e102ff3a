"""Final labels that changed since a moment, such as that of a frozen report or a package."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from consensus.queries.disagreements import disagreement_counts
from consensus.views.matrix import hues
from core.http import render_page
from core.numbers import SHORT, number_asked
from reports.file_responses import attached
from reports.formats.files import named_for
from reports.formats.tables import Table, as_csv
from reports.forms.agreement import SinceForm
from reports.queries import final_labels as queries
from reports.queries.final_labels import KINDS, LabelChange
from reports.queries.frozen import frozen_reports
from reports.views.shortcuts import round_to_read
from rounds.queries.categories import codebook
from studies.pages import frame
from studies.rules import may_read_audit

FROZEN = 12
"""The number of frozen reports, newest first, whose moments the page offers."""


@dataclass(frozen=True)
class ChangesAddress:
    """The parameters of the address: the moment, the kind of changes, and the start of the page."""

    since: datetime | None = None
    kind: str = ""
    after: int | None = None

    def address(self, page: str, **changes: Any) -> str:
        one = replace(self, **changes)
        given = {
            "since": one.since.isoformat() if one.since else "",
            "kind": one.kind,
            "after": one.after or "",
        }
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{page}?{query}" if query else page


@require_safe
def final_labels(request: AuthedRequest, round_id: int) -> HttpResponse:
    """List the final labels that changed since a moment; by default since the last package was downloaded."""
    round_, member = round_to_read(request, round_id)
    packages = queries.packages(round_) if may_read_audit(member) else []
    form = SinceForm(request.GET if request.GET.get("since") else None)
    asked = _asked(request.GET, form)
    if not form.is_bound and packages:
        asked = replace(asked, since=packages[0].at)
    path = reverse("final_labels", args=[round_.pk])
    colours = hues(codebook(round_.version_id))
    context: dict[str, Any] = {
        **frame(round_.study, member, "disagreements"),
        "round": round_,
        "form": form if form.errors else SinceForm(initial={"since": asked.since}),
        "since": asked.since,
        "presets": [
            {"event": one, "url": ChangesAddress(since=one.at).address(path), "on": one.at == asked.since}
            for one in packages
        ],
        "frozen": [
            {
                "report": one,
                "url": ChangesAddress(since=one.frozen_at).address(path),
                "on": one.frozen_at == asked.since,
            }
            for one in frozen_reports(round_)[:FROZEN]
        ],
        "withheld": disagreement_counts(round_, member).withheld,
    }
    if asked.since is not None:
        found = queries.final_label_changes(round_, member, asked.since, kind=asked.kind, after=asked.after)
        context |= {
            "found": found,
            "rows": [_row(one, colours) for one in found.rows],
            "tabs": [
                {
                    "name": name,
                    "issues": found.counts[kind] if kind else found.count,
                    "url": asked.address(path, kind=kind, after=None),
                    "current": kind == asked.kind,
                }
                for kind, name in (
                    ("", _("All")),
                    ("changed", _("Changed")),
                    ("reopened", _("Reopened")),
                    ("new", _("New")),
                )
            ],
            "csv_url": asked.address(reverse("final_labels_csv", args=[round_.pk]), after=None),
            "first_url": asked.address(path, after=None) if asked.after is not None else "",
            "next_url": asked.address(path, after=found.next) if found.next is not None else "",
        }
    status = 422 if form.errors else 200
    return render_page(request, "reports/final_labels/final_labels.html", context, status=status)


@require_safe
def final_labels_csv(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Send the changes of all pages as a file; Http404 without a valid date."""
    round_, member = round_to_read(request, round_id)
    form = SinceForm(request.GET)
    asked = _asked(request.GET, form)
    if asked.since is None:
        raise Http404
    found = queries.final_label_changes(round_, member, asked.since, kind=asked.kind, limit=None)
    columns = (
        "repository", "issue", "url", "change", "before", "before_method", "after", "after_method",
        "by", "at", "why",
    )  # fmt: skip
    table = Table.of(columns, map(_cells, found.rows))
    return attached(as_csv(table), named_for(round_, "-final-labels-changed.csv"))


def _asked(query: QueryDict, form: forms.Form) -> ChangesAddress:
    """Http404 for parameters that no link produces; a malformed date is left to the form."""
    kind = query.get("kind", "")
    if kind and kind not in KINDS:
        raise Http404
    since = form.cleaned_data["since"] if form.is_bound and form.is_valid() else None
    return ChangesAddress(since=since, kind=kind, after=number_asked(query, "after", digits=SHORT))


def _row(one: LabelChange, colours: dict[str, str]) -> dict[str, Any]:
    return {
        "one": one,
        "title": one.issue.current.title if one.issue.current else "",
        "before_hue": colours[one.before_state.code] if one.before_state else "",
        "after_hue": colours[one.after_state.code] if one.after_state else "",
    }


def _cells(one: LabelChange) -> tuple[object, ...]:
    return (
        one.issue.repository.path,
        one.issue.number,
        one.issue.url,
        one.kind,
        one.before_state.code if one.before_state else None,
        one.before.method if one.before else None,
        one.after_state.code if one.after_state else None,
        one.after.method if one.after else None,
        one.by.pseudonym if one.by else None,
        timezone.localtime(one.at).isoformat(timespec="seconds") if one.at else None,
        one.why or None,
    )
