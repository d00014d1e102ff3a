"""The disagreements of a round: where volunteers part, what waits, what was decided. Revealed issues only."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions import decisions as actions
from annotate.errors import StaleDecision
from annotate.models import Decision, Round
from annotate.queries import disagreements as queries
from annotate.queries.agendas import open_agendas
from annotate.queries.categories import Codebook, codebook
from annotate.queries.confusion import confusion, splits
from annotate.queries.disagreements import Disagreement
from annotate.queries.narrowing import LEVELS, Narrowing
from annotate.queries.threads import thread
from annotate.round_forms import DecisionForm
from annotate.views.examples import example_url
from annotate.views.lines import Lines
from annotate.views.looks import decided, looks, split
from annotate.views.matrix import Links, hues, matrix
from annotate.views.missing import vote_url
from annotate.views.narrowed import Asked, To, ends_open, menus, narrowing_of
from annotate.views.seats import seat_in
from annotate.views.threads import talk
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import first_time
from ingest.actions import delete_filter, save_filter
from ingest.models import Snapshot
from ingest.queries import Choices, choices_of, saved_filters
from ingest.reading import read
from ingest.rules import may_import
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.rules import may_edit_taxonomies, may_propose

ROWS = 30
PAGE = "disagreements"


@dataclass(frozen=True)
class Made:
    """One decision of an issue's chain, with how its code is drawn."""

    decision: Decision
    code: str
    hue: str


@require_safe
def disagreements(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the disagreements, the pairs that cause them, and with `?issue=` one of them."""
    round_, member = _round(request, round_id)
    if round_.of_id is not None:
        return redirect("disagreements", round_.of_id)
    asked = Asked.read(request.GET)
    if is_fragment(request) and request.headers.get("HX-Target") == "live":
        context = _numbers(round_, member)
        return render_page(request, "annotate/disagreements/disagreements.html", context, partials=["live"])
    return _page(request, round_, member, asked)


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
        return _page(request, round_, member, asked, form=form, status=422)
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
        said = str(refusal.message)
        return _page(request, round_, member, asked, form=form, refusal=said, status=refusal.status)
    code = codebook(round_.version_id).states[decision.category_id].code
    messages.success(request, _("%(issue)s is settled: %(code)s.") % {"issue": item.issue, "code": code})
    coming = _next_open(round_, member, asked.narrowing, issue_id)
    asked = asked.but(issue=coming)
    address = asked.address(reverse(PAGE, args=[round_.pk]))
    if not is_fragment(request):
        return go_to(request, address)
    response = _page(request, round_, member, asked)
    response["HX-Push-Url"] = address
    return response


@require_POST
@transaction.atomic
def save_disagreement_filter(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Keep the filters in the address under a name, for everybody in the study."""
    round_, member = _round(request, round_id)
    require(may_import(member), _("An owner or a lead of the study keeps filters."))
    narrowing = narrowing_of(request.GET)
    if first_time(request):
        held = narrowing.query and narrowing.query | {"round": str(round_.pk)}
        saved = save_filter(
            study=round_.study, name=request.POST.get("name", ""), query=held, by=request.user, page=PAGE
        )
        messages.success(request, _("The filter %(name)s is saved.") % {"name": saved.name})
    return go_to(request, Asked(narrowing).address(reverse(PAGE, args=[round_.pk])))


@require_POST
def remove_disagreement_filter(request: AuthedRequest, round_id: int, filter_id: int) -> HttpResponse:
    """Forget a saved filter."""
    round_, member = _round(request, round_id)
    require(may_import(member), _("An owner or a lead of the study keeps filters."))
    saved = get_object_or_404(saved_filters(round_.study, PAGE), pk=filter_id)
    delete_filter(saved=saved, by=request.user)
    messages.success(request, _("The filter %(name)s is deleted.") % {"name": saved.name})
    return go_to(request, Asked(narrowing_of(request.GET)).address(reverse(PAGE, args=[round_.pk])))


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None]:
    """An opened round, for who may see what of it is revealed."""
    round_, member = seat_in(request, round_id)
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


def _numbers(round_: Round, member: Membership | None) -> dict[str, Any]:
    """The sentence below the title, which an open page asks for again and again."""
    counts = queries.disagreement_counts(round_, member)
    share = 100 * counts.not_unanimous / counts.complete if counts.complete else 0
    return {
        "round": round_,
        "counts": counts,
        "share": formats.number_format(round(share, 1), 1),
        "progress": counts.progress,
        "held_back_by": queries.rounds_to_label(round_, member) if counts.withheld else [],
        "live_url": reverse(PAGE, args=[round_.pk]),
    }


def _page(
    request: AuthedRequest,
    round_: Round,
    member: Membership | None,
    asked: Asked,
    *,
    form: DecisionForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    """The page, with the issue that was asked for where there is one; Http404 where that is none to see."""
    book = codebook(round_.version_id)
    numbers = _numbers(round_, member)
    page = queries.disagreements(
        round_,
        asked.narrowing,
        member,
        after=asked.after,
        limit=ROWS,
        book=book,
        counts=numbers["counts"],
    )
    item = None if asked.issue is None else _shown(round_, member, asked.issue, page)
    path = reverse(PAGE, args=[round_.pk])
    colours = hues(book)

    def to(**changes: Any) -> str:
        return asked.but(**changes).address(path)

    choices = choices_of(round_.study_id, PAGE)
    context: dict[str, Any] = {
        **numbers,
        "study": round_.study,
        "membership": member,
        "narrowed": asked.narrowing,
        "is_fragment": is_fragment(request) and request.headers.get("HX-Target") == PAGE,
        "page": page,
        "lines": Lines(
            page=page,
            colours=colours,
            address=ends_open(to(issue=None), "issue"),
            shown=asked.issue,
            may_choose=rules.may_plan_meeting(member, round_),
        ),
        "links": _links(asked, page.next, to),
        "menus": menus(
            asked.narrowing,
            book,
            repositories=choices.repositories,
            volunteers=page.volunteers,
            splits=splits(round_, asked.narrowing, member, book=book),
            keywords=choices.keywords,
            depth=round_.depth,
            to=to,
        ),
        **_saved(round_, member, asked, choices),
        **_what_to_do(round_, member, asked),
    }
    if item is None:
        context |= _overview(round_, member, asked, book, to)
    else:
        context |= _panel(round_, member, asked, item, book, page, colours, choices, to) | {
            "refusal": refusal
        }
        if context["may_decide"]:
            context["form"] = form or DecisionForm(disagreement=item, book=book, depth=round_.depth)
        context["next_url"] = _next_url(round_, member, asked, item, page, to)
    fetched = {"layout": "long", "round": round_.name}
    if path_of := choices.repositories.get(asked.narrowing.repository or 0):
        context["repository"] = fetched["repository"] = path_of
    context["csv_query"] = urlencode(fetched)
    return render_page(
        request,
        "annotate/disagreements/disagreements.html",
        context,
        partials=["disagreements"],
        status=status,
    )


def _shown(
    round_: Round, member: Membership | None, issue_id: int, page: queries.Disagreements
) -> Disagreement:
    """The issue beside the list, which it is opened from and mostly stands in."""
    listed = next((row for row in page.rows if row.issue.pk == issue_id), None)
    item = listed or queries.disagreement_at(round_, issue_id, member)
    if item is None:
        raise Http404
    return item


def _saved(round_: Round, member: Membership | None, asked: Asked, choices: Choices) -> dict[str, Any]:
    """The filters that the study keeps for this round, and where to keep the one in the address."""
    query = urlencode(asked.narrowing.query)
    kept = []
    for id_, name, saved in choices.filters:
        if saved.get("round") == str(round_.pk):
            held = Narrowing.from_query(saved)
            address = Asked(held).address(reverse(PAGE, args=[round_.pk]))
            remove = reverse("remove_disagreement_filter", args=[round_.pk, id_])
            kept.append(
                {
                    "name": name,
                    "url": address,
                    "is_chosen": held == asked.narrowing,
                    "remove_url": f"{remove}?{query}",
                }
            )
    return {
        "filters": kept,
        "may_keep": may_import(member),
        "save_url": f"{reverse('save_disagreement_filter', args=[round_.pk])}?{query}",
    }


def _what_to_do(round_: Round, member: Membership | None, asked: Asked) -> dict[str, Any]:
    """Where a lead sends what is chosen: to a meeting, to a pair, to a majority."""
    query = urlencode(asked.narrowing.query)
    context: dict[str, Any] = {"query": query}
    if not rules.may_plan_meeting(member, round_):
        return context
    agendas = open_agendas(round_, member)
    return context | {
        "may_plan": True,
        "agendas": agendas,
        "agenda": agendas[0] if agendas else None,
        "agenda_url": f"{reverse('put_on_agenda', args=[round_.pk])}?{query}",
        "pair_url": f"{reverse('assign_pair', args=[round_.pk])}?{query}",
        "majority_url": f"{reverse('decide_majority', args=[round_.pk])}?{query}",
    }


def _overview(
    round_: Round, member: Membership | None, asked: Asked, book: Codebook, to: To
) -> dict[str, Any]:
    """The matrix, and the levels that it can be drawn at: those down to the round's depth."""
    levels = {name: level for name, level in LEVELS.items() if level <= round_.depth}
    names = list(levels)
    name = asked.level if asked.level in levels else names[-1]
    below = names[names.index(name) + 1] if name != names[-1] else ""

    common = to(pair=None, inside=None, level=below or asked.level, after=None, issue=None)
    links = Links(ends_open(common), bool(below), picked=asked.narrowing.pair, inside=asked.inside)
    return {
        "matrix": matrix(confusion(round_, levels[name], member), book, levels[name], links),
        "level": Level(levels[name]).label,
        "goes_deeper": bool(below),
        "levels": [
            {
                "name": Level(level).label,
                "url": to(level=key, inside=None),
                "current": key == name and not asked.inside,
            }
            for key, level in levels.items()
        ],
        "trail": _trail(asked, book, names, to),
    }


def _trail(asked: Asked, book: Codebook, names: list[str], to: To) -> list[dict[str, Any]]:
    """The way into the cell that the matrix is inside of: the level that it began at, then each cell."""
    ids = {state.code: id_ for id_, state in book.states.items()}
    if not asked.inside or not set(asked.inside) <= ids.keys():
        return []
    first, second = (ids[code] for code in asked.inside)
    deepest = max(book.states[first].level, book.states[second].level)
    top = Level(LEVELS[names[0]]).label
    trail: list[dict[str, Any]] = [
        {"name": top, "pair": None, "url": to(pair=None, inside=None, level=names[0], after=None)},
    ]
    for level in range(1, min(deepest, len(names) - 1) + 1):
        pair = (book.at_depth(first, level).code, book.at_depth(second, level).code)
        url = to(pair=pair, inside=pair, level=names[level], after=None)
        trail.append({"name": "", "pair": pair, "url": url})
    return trail


def _panel(
    round_: Round,
    member: Membership | None,
    asked: Asked,
    item: Disagreement,
    book: Codebook,
    page: queries.Disagreements,
    colours: dict[str, str],
    choices: Choices,
    to: To,
) -> dict[str, Any]:
    """One issue: its text, its labels with their summaries, its thread, and its decisions."""
    issue = item.issue
    if issue.current_id is not None:
        issue.current = Snapshot.objects.get(pk=issue.current_id)  # the list has titles only
    states = {state.code: state for state in book.states.values()}
    chain = [
        Made(
            decision, book.states[decision.category_id].code, colours[book.states[decision.category_id].code]
        )
        for decision in queries.chain_of(round_, item.issue.pk)
    ]
    may_settle = rules.may_settle(member, round_)
    misses = item.open_labels or (item.decision and item.decision.cause == Decision.Cause.MISSING)
    return {
        "item": item,
        "example_url": example_url(round_, item.issue.pk) if may_edit_taxonomies(member) else "",
        "missing_url": vote_url(round_, item.issue.pk) if misses and may_propose(member) else "",
        "reading": read(issue, choices.keywords),
        "is_part": True,
        "close_url": to(issue=None),
        "parts": split(item),
        "labels": [look for look in looks(item, page.volunteers, colours) if look],
        "decided": decided(item, colours),
        "past": [made for made in chain if made.decision.superseded_at][::-1],
        "may_settle": may_settle,
        "may_decide": may_settle and round_.rule != Round.Rule.MEETING,
        "settle_url": asked.but(issue=None).address(reverse("settle_issue", args=[round_.pk, item.issue.pk])),
        "meeting_url": item.meeting.get_absolute_url() if item.meeting else "",
        "reopen_url": reverse("reopen_issue", args=[round_.pk, item.issue.pk])
        if may_settle and item.decision
        else "",
        "split": [(code, states[code].name, votes, colours[code]) for code, votes in item.split],
        "talk": talk(
            round_,
            item.issue.pk,
            member,
            said=thread(round_, item.issue.pk, member, is_seen=True),
            book=book,
            chosen=[states[code].category_id for code, _votes in item.split],
        ),
    }


def _next_url(
    round_: Round,
    member: Membership | None,
    asked: Asked,
    item: Disagreement,
    page: queries.Disagreements,
    to: To,
) -> str:
    """The issue after this one in the list as it is filtered; "" behind the last."""
    ids = [row.issue.pk for row in page.rows]
    if item.issue.pk in ids[:-1]:
        return to(issue=ids[ids.index(item.issue.pk) + 1])
    if ids[-1:] == [item.issue.pk] and page.next is None:
        return ""
    coming = queries.next_after(round_, asked.narrowing, member, queries.key_of(round_, item.issue.pk))
    return "" if coming is None else to(issue=coming)


def _links(asked: Asked, following: str | None, to: To) -> dict[str, str]:
    return {
        "anew": to(issue=None),
        "all": to(state="", after=None, issue=None),
        "open": to(state="open", after=None, issue=None),
        "agenda": to(state="agenda", after=None, issue=None),
        "decided": to(state="decided", after=None, issue=None),
        "without_pair": to(pair=None, inside=None, after=None, issue=None),
        "clear": Asked(Narrowing(), level=asked.level).address(to().partition("?")[0]),
        "first": to(after=None, issue=None) if asked.after is not None else "",
        "next": to(after=following, issue=None) if following is not None else "",
    }
