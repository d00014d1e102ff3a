"""Final labels that changed since a report was made of them."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.bulk_forms import SinceForm
from annotate.models import Round
from annotate.queries import final_labels as queries
from annotate.queries.categories import codebook
from annotate.queries.disagreements import disagreement_counts
from annotate.queries.final_labels import KINDS, Change
from annotate.queries.frozen import frozen_reports
from annotate.queries.rounds import rounds_for
from annotate.tables import Table, as_csv
from annotate.views.matrix import hues
from core.http import render_page, require
from studies.models import Membership
from studies.pages import frame
from studies.queries import membership_of
from studies.rules import may_read_audit

FROZEN = 12
"""So many frozen reports are offered as moments, the newest."""


@dataclass(frozen=True)
class Asked:
    """What the address asks for: since when, which changes, from where on."""

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
    """List the final labels that are other ones than at a moment; without one, since the last package."""
    round_, member = _round(request, round_id)
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
            {"event": one, "url": Asked(since=one.at).address(path), "on": one.at == asked.since}
            for one in packages
        ],
        "frozen": [
            {
                "report": one,
                "url": Asked(since=one.frozen_at).address(path),
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
                    ("reopened", _("Opened again")),
                    ("new", _("New")),
                )
            ],
            "csv_url": asked.address(reverse("final_labels_csv", args=[round_.pk]), after=None),
            "first_url": asked.address(path, after=None) if asked.after is not None else "",
            "next_url": asked.address(path, after=found.next) if found.next is not None else "",
        }
    status = 422 if form.errors else 200
    return render_page(request, "annotate/final_labels/final_labels.html", context, status=status)


@require_safe
def final_labels_csv(request: AuthedRequest, round_id: int) -> HttpResponse:
    """The same changes as a file, those of all pages."""
    round_, member = _round(request, round_id)
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
    name = f"{slugify(round_.study.slug)}-{slugify(round_.name) or round_.pk}-final-labels-changed.csv"
    disposition = content_disposition_header(True, name)
    return HttpResponse(
        as_csv(table),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": disposition or "attachment"},
    )


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None]:
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_see_disagreements(member, round_))
    return round_, member


def _asked(query: QueryDict, form: forms.Form) -> Asked:
    """Raises Http404 for what no link of this page says; a moment that is none is the form's to say."""
    kind, after = query.get("kind", ""), query.get("after", "")
    if (kind and kind not in KINDS) or (
        after and not (after.isascii() and after.isdecimal() and len(after) < 10)
    ):
        raise Http404
    since = form.cleaned_data["since"] if form.is_bound and form.is_valid() else None
    return Asked(since=since, kind=kind, after=int(after) if after else None)


def _row(one: Change, colours: dict[str, str]) -> dict[str, Any]:
    snapshot = one.issue.current
    return {
        "one": one,
        "title": snapshot.title if snapshot and snapshot.title else "",
        "before_hue": colours[one.before_state.code] if one.before_state else "",
        "after_hue": colours[one.after_state.code] if one.after_state else "",
    }


def _cells(one: Change) -> tuple[object, ...]:
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
