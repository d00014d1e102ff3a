"""What one argument can settle: disagreements of one pair in groups of alike ones, dealt with at once."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate import rules
from annotate.actions import bulk as actions
from annotate.alike_forms import AlikeForm
from annotate.models import AgendaItem, Meeting, Round, RoundVolunteer
from annotate.queries import alike as queries
from annotate.queries.agendas import open_agendas
from annotate.queries.alike import OPEN, STATES, Between, Group, Groups, Pair, State
from annotate.queries.bulk import bulk_decisions
from annotate.queries.categories import Codebook, codebook
from annotate.queries.disagreements import Disagreement, disagreement_counts, rows_of
from annotate.queries.narrowing import Narrowing
from annotate.queries.rounds import volunteers
from annotate.views.alike_lines import Line, Rows
from annotate.views.bulk import filters_in_words
from annotate.views.lines import MOST_COLUMNS
from annotate.views.matrix import hues
from annotate.views.narrowed import CURRENT, ends_open, narrowing_of
from annotate.views.seats import seat_in
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import once
from core.templatetags.crosscheck import count
from ingest.models import Issue
from studies.models import Membership
from studies.pages import frame

PAGE = "alike"
GROUPS = 20
ROWS = 30
PAIRS = {False: 12, True: 6}
ALONE: Literal["alone"] = "alone"


@dataclass(frozen=True)
class Asked:
    """What the address asks for: filters, the pair and the state, the group that is open, the places in the
    lists.

    `group` is the id of the issue at its centre, or ALONE for what is like no other; None for the first
    one.
    """

    narrowing: Narrowing
    between: Between | None = None
    state: State = "open"
    group: int | Literal["alone"] | None = None
    after: int = 0
    row: int = 0
    all_pairs: bool = False

    @classmethod
    def read(cls, query: QueryDict, book: Codebook, depth: int) -> "Asked":
        """Raises Http404 for what no link of this page says."""
        # A pair above the depth of the labels has many below it: it stays a filter, beside the one picked.
        given = query.copy()
        picked = "between" if "between" in given else "pair"
        codes = given.get(picked, "").split()
        between = _between(codes, book, depth, more=query.get("ways") == "more")
        if between and picked == "pair":
            given.pop("pair")
        narrowing = narrowing_of(given)
        group = query.get("group", "")
        if query.get("ways", "more") != "more":
            raise Http404
        return cls(
            narrowing=replace(narrowing, state=""),
            between=between,
            state=cast(State, narrowing.state or "open"),
            group=ALONE if group == ALONE else _number(group),
            after=_number(query.get("from", "")) or 0,
            row=_number(query.get("row", "")) or 0,
            all_pairs=query.get("pairs") == "all",
        )

    def address(self, page: str) -> str:
        held: dict[str, str] = self.narrowing.query
        if self.between:
            picked = "between" if self.narrowing.pair else "pair"
            held[picked] = f"{self.between.first} {self.between.second}"
            if self.between.more:
                held["ways"] = "more"
        if self.state != "open":
            held["state"] = self.state
        places = {"group": self.group, "from": self.after, "row": self.row}
        held |= {name: str(value) for name, value in places.items() if value}
        if self.all_pairs:
            held["pairs"] = "all"
        return f"{page}?{urlencode(held)}" if held else page


def _between(codes: list[str], book: Codebook, depth: int, *, more: bool) -> Between | None:
    """The two as they are listed; None where they are no two categories that labels count as."""
    states = {state.code: state for id_, state in book.states.items() if _counts(id_, book, depth)}
    if len(codes) != 2 or not all(code == OPEN or code in states for code in codes):
        return None
    first, second = sorted(codes, key=lambda code: (code == OPEN, code != OPEN and states[code].position))
    return None if first == second != OPEN else Between(first, second, more)


def _counts(category_id: int, book: Codebook, depth: int) -> bool:
    state = book.states[category_id]
    return state.level == depth or (state.level < depth and book.is_leaf(category_id))


def _number(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise Http404
    return int(text)


@require_safe
def alike(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the pairs with their counts, and what lies between one pair in groups of alike issues."""
    round_, member, book = _round(request, round_id)
    asked = Asked.read(request.GET, book, round_.depth)
    return _page(request, round_, member, book, asked)


@require_POST
def decide_alike(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Give one category to what is ticked: first what that would do, then, `sure`, the decisions."""
    round_, member, book = _round(request, round_id)
    require(rules.may_settle(member, round_), _("An owner or a lead of the study settles disagreements."))
    if member is None:
        raise Http404
    asked = Asked.read(request.GET, book, round_.depth)
    form = AlikeForm(request.POST, book=book, depth=round_.depth)
    if not form.is_valid():
        return _page(request, round_, member, book, asked, posted=request.POST, status=422)
    if "back" in request.POST:
        return _page(request, round_, member, book, asked, posted=request.POST)
    if "sure" not in request.POST:
        return _confirm(request, round_, member, book, asked, form)
    bulk = once(
        request,
        lambda: actions.decide_alike(
            round_=round_,
            by=member,
            issues=form.cleaned_data["issues"],
            category=form.cleaned_data["category"],
            rationale=form.cleaned_data["rationale"],
            cause=form.cleaned_data["cause"],
        ),
    )
    address = replace(asked, group=None, row=0).address(reverse(PAGE, args=[round_.pk]))
    if bulk is None:
        return go_to(request, address)
    done = bulk.decisions.count()
    code = book.states[form.cleaned_data["category"].pk].code
    said = ngettext("%(n)s issue is decided as %(code)s.", "%(n)s issues are decided as %(code)s.", done)
    messages.success(request, said % {"n": count(done), "code": code})
    left = len(form.cleaned_data["issues"]) - done
    if left:
        said = ngettext(
            "%(n)s was left out: it is decided, or on an agenda already.",
            "%(n)s were left out: they are decided, or on an agenda already.",
            left,
        )
        messages.info(request, said % {"n": count(left)})
    return go_to(request, f"{address}{'&' if '?' in address else '?'}done={bulk.pk}")


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership | None, Codebook]:
    """A round, for who may see what of it is revealed, and its categories."""
    round_, member = seat_in(request, round_id)
    require(rules.may_see_disagreements(member, round_))
    return round_, member, codebook(round_.version_id)


def _page(
    request: AuthedRequest,
    round_: Round,
    member: Membership | None,
    book: Codebook,
    asked: Asked,
    *,
    posted: QueryDict | None = None,
    status: int = 200,
) -> HttpResponse:
    path = reverse(PAGE, args=[round_.pk])
    found = queries.pairs(round_, replace(asked.narrowing, state=asked.state), member, book)
    if asked.between is None and found:
        asked = replace(asked, between=found[0].between)
    colours = hues(book)
    names = {state.code: state.name for state in book.states.values()}
    bare = replace(asked, group=None, after=0, row=0)
    context: dict[str, Any] = {
        **frame(round_.study, member, "disagreements"),
        "round": round_,
        "asked": asked,
        "is_fragment": is_fragment(request) and request.headers.get("HX-Target") == PAGE,
        "counts": disagreement_counts(round_, member),
        "pairs": _pairs(found, bare, colours, names, path),
        "all_pairs_url": "" if asked.all_pairs else replace(asked, all_pairs=True).address(path),
        "filters": filters_in_words(round_, asked.narrowing) if asked.narrowing else [],
        "clear_url": replace(bare, narrowing=Narrowing()).address(path),
        "open_url": replace(bare, state="open").address(path),
        "list_url": _list_url(round_, asked),
        "back": bare.address(""),
        "done": _done(request, round_, member),
    }
    if asked.between:
        context |= _picked(round_, member, book, asked, posted, colours, names, path)
    if posted is not None and "form" not in context:
        # Nothing is open there any more: the words are shown, to be taken along.
        context["unsent"] = posted.get("rationale", "")
    return render_page(request, "annotate/alike/alike.html", context, partials=[PAGE], status=status)


def _done(request: AuthedRequest, round_: Round, member: Membership | None) -> Any:
    """The bulk decision that was just made, while something of it stands."""
    done = request.GET.get("done", "")
    if not done or not rules.may_settle(member, round_):
        return None
    made = (one for one in bulk_decisions(round_, member) if str(one.bulk.pk) == done)
    return next((one for one in made if one.standing and not one.bulk.taken_back_at), None)


def _list_url(round_: Round, asked: Asked) -> str:
    """The same filters in the list of disagreements; open labels have no pair there."""
    pair = None
    if asked.between and OPEN not in {asked.between.first, asked.between.second}:
        pair = (asked.between.first, asked.between.second)
    held = replace(asked.narrowing, pair=pair or asked.narrowing.pair, state=asked.state).query
    return f"{reverse('disagreements', args=[round_.pk])}?{urlencode(held)}"


def _pairs(
    found: list[Pair], asked: Asked, colours: Mapping[str, str], names: Mapping[str, str], path: str
) -> list[dict[str, Any]]:
    """The two lists of pairs: the largest ones of each and the one that is picked, or all."""
    most = max((pair.issues for pair in found), default=0)
    lists = []
    for more, title in ((False, _("Two ways")), (True, _("Three ways and more, by their first two"))):
        here = [pair for pair in found if pair.between.more == more]
        shown = [
            pair
            for place, pair in enumerate(here)
            if asked.all_pairs or place < PAIRS[more] or pair.between == asked.between
        ]
        if here:
            lists.append(
                {
                    "title": title,
                    "issues": sum(pair.issues for pair in here),
                    "lines": format_html_join(
                        "", _PAIR, (_pair(pair, asked, most, colours, names, path) for pair in shown)
                    ),
                    "others": len(here) - len(shown),
                }
            )
    return lists


_PAIR = (
    '<li><a href="{url}" hx-get="{url}" title="{said}"{current}><span class="pp">'
    '<span class="code {hue}">{first}</span><span class="code {other_hue}">{second}</span></span>'
    '<span class="clip">{said}</span><span class="n">{issues}</span>'
    '<meter min="0" max="{most}" value="{value}" aria-hidden="true"></meter></a></li>'
)
"""Written here: there are hundreds of them, too many for the template language."""


def _pair(
    pair: Pair,
    asked: Asked,
    most: int,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    path: str,
) -> dict[str, Any]:
    first, second = (_head(code, colours, names) for code in (pair.between.first, pair.between.second))
    return {
        "url": replace(asked, between=pair.between).address(path),
        "said": _("%(first)s or %(second)s") % {"first": first["name"], "second": second["name"]},
        "current": CURRENT if pair.between == asked.between else "",
        "hue": first["hue"],
        "first": first["code"],
        "other_hue": second["hue"],
        "second": second["code"],
        "issues": count(pair.issues),
        "most": most,
        "value": pair.issues,
    }


def _head(code: str, colours: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    if code == OPEN:
        return {"code": _("open"), "hue": "open", "name": _("a proposed category")}
    return {"code": code, "hue": colours[code], "name": names[code]}


def _picked(
    round_: Round,
    member: Membership | None,
    book: Codebook,
    asked: Asked,
    posted: QueryDict | None,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    path: str,
) -> dict[str, Any]:
    """The groups of the picked pair, one of them open."""
    between = cast(Between, asked.between)
    groups = queries.alike_groups(round_, asked.narrowing, member, between, book, asked.state)
    columns = list(volunteers(round_))
    shown = groups.groups[asked.after : asked.after + GROUPS]
    opened, ids = _opened(groups, asked, shown)
    rest = replace(asked, row=0)
    return {
        "between": [_head(code, colours, names) for code in (between.first, between.second)],
        "more": between.more,
        "groups": groups,
        "in_state": groups.states[asked.state],
        "states": [
            {
                "key": state,
                "name": name,
                "issues": groups.states[state],
                "url": replace(asked, state=state, group=None, after=0, row=0).address(path),
                "current": state == asked.state,
            }
            for state, name in zip(STATES, (_("Open"), _("On an agenda"), _("Decided")), strict=True)
        ],
        "lines": _lines(shown, rest, opened, book, columns, colours, path),
        "alone": {
            "issues": len(groups.alone),
            "url": replace(rest, group=ALONE).address(path),
            "is_open": opened == ALONE,
        },
        "first_url": replace(rest, group=None, after=0).address(path) if asked.after else "",
        "next_url": replace(rest, group=None, after=asked.after + GROUPS).address(path)
        if len(groups.groups) > asked.after + GROUPS
        else "",
        **_open_group(round_, member, book, asked, groups, ids, columns, colours, posted, path),
    }


def _opened(
    groups: Groups, asked: Asked, shown: tuple[Group, ...]
) -> tuple[int | Literal["alone"] | None, tuple[int, ...]]:
    """The group that is open, and its issues: the one asked for, else the first one, else what is alone."""
    if asked.group == ALONE:
        return ALONE, groups.alone
    for group in shown:
        if group.centre == asked.group:
            return group.centre, group.issues
    if shown:
        return shown[0].centre, shown[0].issues
    return (ALONE, groups.alone) if groups.alone else (None, ())


def _lines(
    shown: tuple[Group, ...],
    asked: Asked,
    opened: int | str | None,
    book: Codebook,
    columns: list[RoundVolunteer],
    colours: Mapping[str, str],
    path: str,
) -> list[Line]:
    """One line per group. One query."""
    centres = (
        Issue.objects.select_related("repository", "current")
        .defer("current__body", "current__comments", "current__labels")
        .in_bulk([group.centre for group in shown])
    )
    return [
        Line(
            group=group,
            centre=centres[group.centre],
            url=replace(asked, group=group.centre).address(path),
            is_open=group.centre == opened,
            columns=columns,
            colours=colours,
            book=book,
        )
        for group in shown
    ]


def _open_group(
    round_: Round,
    member: Membership | None,
    book: Codebook,
    asked: Asked,
    groups: Groups,
    ids: tuple[int, ...],
    columns: list[RoundVolunteer],
    colours: Mapping[str, str],
    posted: QueryDict | None,
    path: str,
) -> dict[str, Any]:
    """The rows of the open group, and what a lead can do with them."""
    start = asked.row if asked.row < len(ids) else 0
    following = start + ROWS
    page = {issue: groups.positions[issue] for issue in ids[start:following]}
    rows = rows_of(round_, page, columns, book) if page else []
    # What is alike is meant as a whole; of what is alone nobody knows yet what is meant.
    ticked = set() if ids == groups.alone else set(page)
    if posted is not None:
        ticked = {issue for issue in page if str(issue) in ",".join(posted.getlist("issues")).split(",")}
    may_act = bool(page) and asked.state == "open" and rules.may_settle(member, round_)
    context: dict[str, Any] = {
        "rows": Rows(
            items=rows,
            columns=columns,
            colours=colours,
            address=ends_open(reverse("disagreements", args=[round_.pk]), "issue"),
            ticked=ticked,
            meetings=_meetings(round_, page) if asked.state == "agenda" else {},
            may_act=may_act,
            in_columns=len(columns) <= MOST_COLUMNS,
        ),
        "ticked": ticked,
        "columns": columns,
        "of": len(ids),
        "start": start + 1,
        "end": start + len(page),
        "rows_before": replace(asked, row=max(start - ROWS, 0)).address(path) if start else "",
        "rows_after": replace(asked, row=following).address(path) if following < len(ids) else "",
    }
    if may_act:
        context |= {
            "may_act": True,
            "why_not": _why_not(round_),
            "decide_url": replace(asked, row=start).address(reverse("decide_alike", args=[round_.pk])),
            "agenda_url": Asked(asked.narrowing).address(reverse("put_on_agenda", args=[round_.pk])),
            "agendas": open_agendas(round_, member),
        }
        form = AlikeForm(posted, book=book, depth=round_.depth, codes=_codes_of(rows))
        context |= {
            "form": form,
            "options": [(id_, state, colours[state.code]) for id_, state in form.at_hand],
        }
    return context


def _meetings(round_: Round, issues: Collection[int]) -> dict[int, Meeting]:
    """On whose agenda these issues are. One query."""
    items = AgendaItem.objects.filter(round=round_, issue__in=issues, released_at=None)
    return {item.issue_id: item.meeting for item in items.select_related("meeting")}


def _why_not(round_: Round) -> str:
    """Why nothing is decided here; "" where it can be."""
    if round_.rule == Round.Rule.MEETING:
        return _(
            "In this round a meeting decides what the labels do not. Put these on its agenda together: there"
            " its chair decides what is alike at one stroke."
        )
    if round_.kind == Round.Kind.TRAINING:
        return _("A training is decided by its right labels alone.")
    return ""


def _codes_of(rows: list[Disagreement]) -> list[str]:
    """The categories that the labels of these part between, most labels first, one a digit."""
    votes: Counter[str] = Counter()
    for row in rows:
        votes.update(dict(row.split))
    return [code for code, _votes in votes.most_common(9)]


def _confirm(
    request: AuthedRequest,
    round_: Round,
    member: Membership,
    book: Codebook,
    asked: Asked,
    form: AlikeForm,
) -> HttpResponse:
    """What giving them this category would do, and the button that does it."""
    category = form.cleaned_data["category"]
    state = book.states[category.pk]
    at_depth = book.at_depth(category.pk, round_.depth)
    foreseen = queries.foresee_alike(round_, member, form.cleaned_data["issues"], at_depth.category_id)
    cause = form.cleaned_data["cause"]
    context: dict[str, Any] = {
        **frame(round_.study, member, "disagreements"),
        "round": round_,
        "category": state,
        "hue": hues(book)[state.code],
        "at_depth": at_depth,
        "foreseen": foreseen,
        "issues": ",".join(map(str, form.cleaned_data["issues"])),
        "rationale": form.cleaned_data["rationale"],
        "cause": cause,
        "cause_label": dict(form.fields["cause"].choices)[cause] if cause else "",  # type: ignore[attr-defined]  # what a ChoiceField has
        "why_not": _why_not(round_),
        "decide_url": asked.address(reverse("decide_alike", args=[round_.pk])),
        "back_url": asked.address(reverse(PAGE, args=[round_.pk])),
    }
    return render_page(request, "annotate/alike/confirm.html", context)
