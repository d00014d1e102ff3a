"""The disagreements of a round: where volunteers part, and what was decided. Revealed issues only."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import formats
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions import decisions as actions
from annotate.errors import StaleDecision
from annotate.models import Round
from annotate.queries import disagreements as queries
from annotate.queries.categories import Codebook, codebook
from annotate.queries.disagreements import LEVELS, Disagreement, Narrowing
from annotate.queries.rounds import round_progress, rounds_for
from annotate.round_forms import DecisionForm
from annotate.views.looks import decided, looks, split
from annotate.views.matrix import hues, matrix
from core.http import go_to, is_fragment, render_page, require
from ingest.models import Issue, Repository
from ingest.queries import keywords_of
from ingest.reading import read
from studies.models import Membership
from studies.queries import membership_of
from taxonomy.models import Level

MOST_COLUMNS = 10


@dataclass(frozen=True)
class Asked:
    """What the address asks for: filters, level of the matrix, page of the list, issue to read."""

    narrowing: Narrowing
    level: str = ""
    after: str | None = None
    issue: int | None = None

    @classmethod
    def read(cls, query: QueryDict) -> "Asked":
        """Raises Http404 for what no link of this page says."""
        level, after = query.get("level", ""), query.get("after") or None
        if (level and level not in LEVELS) or (after and not re.fullmatch(r"\d{1,9}-\d{1,9}-\d{1,9}", after)):
            raise Http404
        return cls(narrowing_of(query), level=level, after=after, issue=_number(query.get("issue")))

    def but(self, **changes: Any) -> "Asked":
        """The same with other filters, level, page or issue."""
        own = {name: value for name, value in changes.items() if name in {"level", "after", "issue"}}
        filters = {name: value for name, value in changes.items() if name not in own}
        return replace(self, narrowing=replace(self.narrowing, **filters), **own)

    def address(self, page: str) -> str:
        place = {"level": self.level, "after": self.after, "issue": self.issue}
        held = self.narrowing.query | {name: value for name, value in place.items() if value}
        return f"{page}?{urlencode(held)}" if held else page


def narrowing_of(query: QueryDict) -> Narrowing:
    """The filters in an address of this page, which its other addresses take too. Raises Http404."""
    try:
        return Narrowing.from_query(query)
    except ValueError as error:
        raise Http404 from error


@require_safe
def disagreements(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the disagreements, the pairs that cause them, and with `?issue=` one of them."""
    round_, member = _round(request, round_id)
    asked = Asked.read(request.GET)
    item = None if asked.issue is None else queries.disagreement_at(round_, asked.issue, member)
    if asked.issue is not None and item is None:
        raise Http404
    return _page(request, round_, member, asked, item)


@require_POST
def settle_issue(request: AuthedRequest, round_id: int, issue_id: int) -> HttpResponse:
    """Record the lead's decision on one issue, and go on with the next open one."""
    round_, member = _round(request, round_id)
    asked = Asked.read(request.GET).but(issue=issue_id)
    item = queries.disagreement_at(round_, issue_id, member)
    if item is None:
        raise Http404
    require(rules.may_settle(member, round_), _("An owner or a lead of the study settles disagreements."))
    form = DecisionForm(request.POST, disagreement=item, book=codebook(round_.version_id), depth=round_.depth)
    if member is None or not form.is_valid():
        return _page(request, round_, member, asked, item, form=form, status=422)
    try:
        decision = actions.settle_issue(
            round_=round_,
            issue=item.issue,
            by=member,
            category=form.cleaned_data["category"],
            rationale=form.cleaned_data["rationale"],
            cause=form.cleaned_data["cause"],
            seen_number=form.cleaned_data["seen_number"],
        )
    except StaleDecision as refusal:
        # Both sides are on this page: the decision that stands now, and what was typed.
        fresh = queries.disagreement_at(round_, issue_id, member) or item
        said = str(refusal.message)
        return _page(request, round_, member, asked, fresh, form=form, refusal=said, status=refusal.status)
    code = codebook(round_.version_id).states[decision.category_id].code
    messages.success(request, _("%(issue)s is settled: %(code)s.") % {"issue": item.issue, "code": code})
    coming = _next_open(round_, member, asked.narrowing, issue_id)
    asked = asked.but(issue=coming)
    address = asked.address(reverse("disagreements", args=[round_.pk]))
    if not is_fragment(request):
        return go_to(request, address)
    item = None if coming is None else queries.disagreement_at(round_, coming, member)
    response = _page(request, round_, member, asked, item)
    response["HX-Push-Url"] = address
    return response


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None]:
    """An opened round, for who may see what of it is revealed."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(rules.may_see_disagreements(member, round_))
    return round_, member


def _next_open(round_: Round, member: Membership | None, narrowing: Narrowing, issue_id: int) -> int | None:
    """The issue that waits for a decision next: behind this one, or else from the beginning."""
    waiting = replace(narrowing, state="open")
    for after in (queries.key_of(round_, issue_id), None):
        coming = queries.next_after(round_, waiting, member, after)
        if coming is not None:
            return coming
    return None


def _page(
    request: AuthedRequest,
    round_: Round,
    member: Membership | None,
    asked: Asked,
    item: Disagreement | None,
    *,
    form: DecisionForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    book = codebook(round_.version_id)
    page = queries.disagreements(round_, asked.narrowing, member, after=asked.after)
    path = reverse("disagreements", args=[round_.pk])
    colours = hues(book)

    def to(**changes: Any) -> str:
        return asked.but(**changes).address(path)

    counts = queries.disagreement_counts(round_, member)
    share = 100 * counts.not_unanimous / counts.complete if counts.complete else 0
    context: dict[str, Any] = {
        "study": round_.study,
        "membership": member,
        "round": round_,
        "narrowed": asked.narrowing,
        "is_fragment": is_fragment(request) and request.headers.get("HX-Target") == "disagreements",
        "counts": counts,
        "share": formats.number_format(round(share, 1), 1),
        "progress": round_progress(round_),
        "page": page,
        "rows": [_row(row, page, colours, asked.issue, to(issue=row.issue.pk)) for row in page.rows],
        "in_columns": len(page.volunteers) <= MOST_COLUMNS,
        "links": _links(asked, page.next, to),
    }
    if item is None:
        context |= _overview(round_, member, asked, book, to)
    else:
        context |= _panel(round_, member, asked, item, book, page, colours, to) | {"refusal": refusal}
        if context["may_settle"]:
            context["form"] = form or DecisionForm(disagreement=item, book=book, depth=round_.depth)
        context["next_url"] = _next_url(round_, member, asked, item, page, to)
    context |= _menus(round_, asked.narrowing, book, to)
    fetched = {"layout": "long", "round": round_.name}
    if context["repository"]:
        fetched["repository"] = context["repository"].path
    context["csv_query"] = urlencode(fetched)
    return render_page(
        request,
        "annotate/disagreements/disagreements.html",
        context,
        partials=["disagreements"],
        status=status,
    )


def _overview(
    round_: Round, member: Membership | None, asked: Asked, book: Codebook, to: Callable[..., str]
) -> dict[str, Any]:
    """The matrix, and the levels that it can be drawn at: those down to the round's depth."""
    levels = {name: level for name, level in LEVELS.items() if level <= round_.depth}
    name = asked.level if asked.level in levels else list(levels)[-1]
    met = queries.confusion(round_, levels[name], member)
    return {
        "matrix": matrix(
            met, book, levels[name], asked.narrowing.pair, lambda pair: to(pair=pair, after=None)
        ),
        "level": Level(levels[name]).label,
        "levels": [
            {"name": Level(level).label, "url": to(level=key), "current": key == name}
            for key, level in levels.items()
        ],
    }


def _panel(
    round_: Round,
    member: Membership | None,
    asked: Asked,
    item: Disagreement,
    book: Codebook,
    page: queries.Disagreements,
    colours: dict[str, str],
    to: Callable[..., str],
) -> dict[str, Any]:
    """One issue: its text, its labels with their summaries, and its decision."""
    issue = Issue.objects.select_related("repository", "current").get(pk=item.issue.pk)
    names = {state.code: state.name for state in book.states.values()}
    return {
        "item": item,
        "reading": read(issue, keywords_of(issue.repository.study_id)),
        "is_part": True,
        "close_url": to(issue=None),
        "parts": split(item),
        "labels": [look for look in looks(item, page.volunteers, colours) if look],
        "decided": decided(item, colours),
        "may_settle": rules.may_settle(member, round_),
        "settle_url": asked.but(issue=None).address(reverse("settle_issue", args=[round_.pk, item.issue.pk])),
        "split": [(code, names[code], votes, colours[code]) for code, votes in item.split],
    }


def _next_url(
    round_: Round,
    member: Membership | None,
    asked: Asked,
    item: Disagreement,
    page: queries.Disagreements,
    to: Callable[..., str],
) -> str:
    """The issue after this one in the list as it is filtered; "" behind the last."""
    ids = [row.issue.pk for row in page.rows]
    if item.issue.pk in ids[:-1]:
        return to(issue=ids[ids.index(item.issue.pk) + 1])
    if ids[-1:] == [item.issue.pk] and page.next is None:
        return ""
    coming = queries.next_after(round_, asked.narrowing, member, queries.key_of(round_, item.issue.pk))
    return to(issue=coming) if coming is not None else ""


def _row(
    item: Disagreement,
    page: queries.Disagreements,
    colours: dict[str, str],
    shown: int | None,
    url: str,
) -> dict[str, Any]:
    snapshot = item.issue.current
    found = looks(item, page.volunteers, colours)
    return {
        "item": item,
        "title": snapshot.title if snapshot and snapshot.title else "",
        "url": url,
        "looks": found,
        "cells": mark_safe(  # noqa: S308 - a look escapes its texts
            "".join(f'<td class="v">{look.html if look else ""}</td>' for look in found)
        ),
        "split": split(item),
        "is_shown": item.issue.pk == shown,
    }


def _links(asked: Asked, following: str | None, to: Callable[..., str]) -> dict[str, str]:
    return {
        "all": to(state="", after=None, issue=None),
        "open": to(state="open", after=None, issue=None),
        "agenda": to(state="agenda", after=None, issue=None),
        "settled": to(state="decided", after=None, issue=None),
        "without_pair": to(pair=None, after=None, issue=None),
        "clear": Asked(Narrowing(), level=asked.level).address(to().partition("?")[0]),
        "first": to(after=None, issue=None) if asked.after is not None else "",
        "next": to(after=following, issue=None) if following is not None else "",
    }


def _menus(round_: Round, narrowing: Narrowing, book: Codebook, to: Callable[..., str]) -> dict[str, Any]:
    repositories = list(Repository.objects.filter(study=round_.study_id).order_by("path"))
    types = [state for state in book.states.values() if state.level == Level.TYPE]
    return {
        "types": [
            {
                "state": state,
                "url": to(type=state.code, after=None, issue=None),
                "on": state.code == narrowing.type,
            }
            for state in types
        ],
        "any_type": to(type="", after=None, issue=None),
        "repositories": [
            {
                "path": repository.path,
                "url": to(repository=repository.pk, after=None, issue=None),
                "on": repository.pk == narrowing.repository,
            }
            for repository in repositories
        ],
        "any_repository": to(repository=None, after=None, issue=None),
        "repository": next((one for one in repositories if one.pk == narrowing.repository), None),
    }


def _number(text: str | None) -> int | None:
    """A number as it stands in an address; Http404 for anything else that PostgreSQL would refuse."""
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise Http404
    return int(text)
