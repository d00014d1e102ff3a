"""Pages of evidence: choosing it by its kind, removing it, confirming what changed."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from findings.actions.evidence import (
    attach_issue,
    attach_number,
    attach_quote,
    attach_ranking,
    confirm_evidence,
    remove_evidence,
)
from findings.errors import FindingFrozen
from findings.forms import (
    IssueEvidenceForm,
    NumberEvidenceForm,
    QuoteEvidenceForm,
    RankingEvidenceForm,
    ReportForm,
)
from findings.models import Evidence, Finding
from findings.queries.choices import figure_choices, ranked_categories, ranked_questions, reported_rounds
from findings.queries.evidence import books_of, common_quotes, reference_of
from findings.queries.findings import number_of
from findings.views.pages import around, is_stored, led_finding
from interviews.queries.quotes import line_of
from studies.models import Membership

MOST_SHOWN = 200
Choice = tuple[forms.Form, Callable[[dict[str, Any]], Any], dict[str, Any]]
"""The form of a kind, what stores its values, and what the page shows besides."""


@require_http_methods(["GET", "HEAD", "POST"])
def attach(request: AuthedRequest, finding_id: int, kind: str) -> HttpResponse:
    """Choose evidence of a kind, and attach it."""
    found, member = led_finding(request, finding_id)
    make = {"quote": _quotes, "issue": _issues, "ranking": _rankings, "number": _numbers}.get(kind)
    if make is None:
        raise Http404
    if found.frozen_at:
        raise FindingFrozen
    form, act, shown = make(request, found, member)
    if form.is_bound and form.is_valid() and is_stored(request, form, lambda: act(form.cleaned_data)):
        messages.success(request, _("The evidence is attached."))
        return go_to(request, found)
    context = {
        **around(found.study, member),
        **shown,
        "form": form,
        "finding": found,
        "number": number_of(found),
        "kind": kind,
        "kinds": Evidence.Kind.choices,
        "searched": request.GET.get("q", ""),
    }
    status = 422 if form.errors else 200
    return render_page(request, "findings/attach.html", context, status=status)


def _posted(request: AuthedRequest) -> Any:
    return request.POST if request.method == "POST" else None


def _quotes(request: AuthedRequest, finding: Finding, member: Membership) -> Choice:
    quotes = common_quotes(member, finding.study_id)
    form = QuoteEvidenceForm(_posted(request), quotes=quotes)
    books = books_of(quotes)
    lines = [
        (reference_of(one), one.coding.session, line_of(one, books[one.coding.version_id])) for one in quotes
    ]
    words = request.GET.get("q", "").casefold().split()
    if words:
        lines = [
            (name, session, line)
            for name, session, line in lines
            if all(
                word in " ".join((str(session), line.text, *line.content.named)).casefold() for word in words
            )
        ]
    return (
        form,
        lambda given: attach_quote(finding=finding, by=member, **given),
        {"quotes": lines[:MOST_SHOWN], "more": max(0, len(lines) - MOST_SHOWN), "any": bool(quotes)},
    )


def _issues(request: AuthedRequest, finding: Finding, member: Membership) -> Choice:
    form = IssueEvidenceForm(_posted(request), study=finding.study, rounds=reported_rounds(finding.study))
    return (
        form,
        lambda given: attach_issue(
            finding=finding, issue=given["issue"], round_=given["round"], note=given["note"], by=member
        ),
        {},
    )


def _rankings(request: AuthedRequest, finding: Finding, member: Membership) -> Choice:
    questions, categories = ranked_questions(finding.study), ranked_categories(finding.study)
    form = RankingEvidenceForm(_posted(request), questions=questions, categories=categories)
    return (
        form,
        lambda given: attach_ranking(finding=finding, by=member, **given),
        {"any": bool(categories)},
    )


def _numbers(request: AuthedRequest, finding: Finding, member: Membership) -> Choice:
    rounds = reported_rounds(finding.study)
    asked = request.POST if request.method == "POST" else request.GET
    report = ReportForm(asked if "round" in asked else None, rounds=rounds, initial={"level": "theme"})
    form = NumberEvidenceForm(_posted(request), rounds=rounds)
    shown: dict[str, Any] = {"report": report, "any": rounds.exists()}
    if report.is_valid():
        round_, level = report.cleaned_data["round"], report.cleaned_data["level"]
        figures = figure_choices(round_, level, member)
        words = request.GET.get("q", "").casefold().split()
        if figures is not None and words:
            figures = [one for one in figures if all(word in one[1].casefold() for word in words)]
        shown |= {
            "round": round_,
            "level": level,
            "figures": figures,
            "is_hidden": figures is None,
        }
    return (
        form,
        lambda given: attach_number(
            finding=finding,
            round_=given["round"],
            level=given["level"],
            figure=given["figure"],
            note=given["note"],
            by=member,
        ),
        shown,
    )


@require_POST
def remove(request: AuthedRequest, finding_id: int, number: int) -> HttpResponse:
    """Remove a piece of evidence, or bring it back (`back`)."""
    found, member = led_finding(request, finding_id)
    back = "back" in request.POST
    once(request, lambda: remove_evidence(finding=found, number=number, by=member, back=back))
    if back:
        messages.success(request, _("Evidence %(number)s is back.") % {"number": number})
    else:
        messages.success(
            request,
            _("Evidence %(number)s is removed. You can bring it back below.") % {"number": number},
        )
    return go_to(request, found)


@require_POST
def confirm(request: AuthedRequest, finding_id: int) -> HttpResponse:
    """Say that the finding still holds with its changed evidence."""
    found, member = led_finding(request, finding_id)
    done = once(request, lambda: confirm_evidence(finding=found, by=member)) or 0
    text = ngettext("%(n)s piece of evidence is confirmed.", "%(n)s pieces of evidence are confirmed.", done)
    messages.success(request, text % {"n": done})
    return go_to(request, found)
