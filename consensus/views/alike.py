"""Disagreements of one pair of categories in groups of alike issues: one argument can settle a group."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from consensus import rules
from consensus.actions import bulk as actions
from consensus.forms.decisions import AlikeForm
from consensus.models import AgendaItem, Meeting
from consensus.queries import alike as queries
from consensus.queries.agendas import open_agendas
from consensus.queries.alike import OPEN, STATES, AlikeGroup, AlikeGroups, CategoryPair
from consensus.queries.bulk import bulk_decisions
from consensus.queries.disagreement_filters import Narrowing
from consensus.queries.disagreements import DisagreementRow, disagreement_counts, rows_of
from consensus.views.alike_address import ALONE, AlikeAddress
from consensus.views.bulk import filters_in_words
from consensus.views.filter_menu import ends_open
from consensus.views.issue_table import IssueTable
from consensus.views.label_cells import split_in_words
from consensus.views.matrix import hues
from consensus.views.shortcuts import round_to_read, tell_left_out
from core.http import go_to, is_fragment, render_page, require
from core.idempotency import once
from core.templatetags.crosscheck import count
from core.text.joining import listed
from ingest.models import Issue
from rounds.models import Round
from rounds.queries.categories import codebook
from rounds.queries.rounds import volunteers
from studies.pages import frame

PAGE = "alike"
GROUPS = 20
ROWS = 30
PAIRS = {False: 12, True: 6}
"""The pairs listed at first: of two-way splits, and of splits in three ways or more."""


@require_safe
def alike(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Show the pairs with their counts, and the groups of alike issues between one pair."""
    return AlikePage(request, round_id).answer()


@require_POST
def decide_alike(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Give one category to the ticked issues: first show the effect, then, with `sure`, decide."""
    page = AlikePage(request, round_id)
    round_, member, book = page.round, page.member, page.book
    require(rules.may_settle(member, round_), _("Only owners and leads can decide disagreements."))
    form = AlikeForm(request.POST, book=book, depth=round_.depth)
    if not form.is_valid():
        return page.answer(posted=request.POST, status=422)
    if "back" in request.POST:
        return page.answer(posted=request.POST)
    if "sure" not in request.POST:
        return page.confirm(form)
    given = {name: form.cleaned_data[name] for name in ("issues", "category", "rationale", "cause")}
    bulk = once(request, lambda: actions.decide_alike(round_=round_, by=member, **given))
    address = page.to(group=None, row=0)
    if bulk is None:
        return go_to(request, address)
    done = bulk.decisions.count()
    code = book.states[given["category"].pk].code
    said = ngettext("%(n)s issue is decided as %(code)s.", "%(n)s issues are decided as %(code)s.", done)
    messages.success(request, said % {"n": count(done), "code": code})
    tell_left_out(request, len(given["issues"]) - done)
    return go_to(request, f"{address}{'&' if '?' in address else '?'}done={bulk.pk}")


class AlikePage:
    """The page for one reader, at the requested address."""

    def __init__(self, request: AuthedRequest, round_id: int) -> None:
        """Raises Http404, or a 403, for readers who may not see the revealed labels of the round."""
        self.request = request
        self.round, self.member = round_to_read(request, round_id)
        self.book = codebook(self.round.version_id)
        self.colours = hues(self.book)
        self.asked = AlikeAddress.read(request.GET, self.book, self.round.depth)

    @cached_property
    def columns(self) -> list[Any]:
        return list(volunteers(self.round))

    def url(self, name: str) -> str:
        return reverse(name, args=[self.round.pk])

    def to(self, **changes: Any) -> str:
        """The address of this page with these changes."""
        return replace(self.asked, **changes).address(self.url(PAGE))

    def answer(self, *, posted: QueryDict | None = None, status: int = 200) -> HttpResponse:
        """The whole page; `posted` is a form to show again for changes."""
        asked = self.asked
        found = queries.pairs(self.round, replace(asked.narrowing, state=asked.state), self.member, self.book)
        if asked.between is None and found:
            self.asked = asked = replace(asked, between=next(iter(found)))
        context: dict[str, Any] = {
            **frame(self.round.study, self.member, "disagreements"),
            "round": self.round,
            "asked": asked,
            "is_fragment": is_fragment(self.request) and self.request.headers.get("HX-Target") == PAGE,
            "counts": disagreement_counts(self.round, self.member),
            "pairs": self._pair_lists(found),
            "all_pairs_url": "" if asked.all_pairs else self.to(all_pairs=True),
            "filters": filters_in_words(self.round, asked.narrowing) if asked.narrowing else [],
            "clear_url": self.to(narrowing=Narrowing(), group=None, after=0, row=0),
            "open_url": self.to(state="open", group=None, after=0, row=0),
            "list_url": self._list_url(),
            "back": replace(asked, group=None, after=0, row=0).address(""),
            "done": self._done(),
        }
        if asked.between:
            context |= self._picked(asked.between, posted)
        if posted is not None and "form" not in context:
            # No issue of the pair is open any more: show the typed rationale, so that it can be copied.
            context["unsent"] = posted.get("rationale", "")
        return render_page(
            self.request, "consensus/alike/alike.html", context, partials=[PAGE], status=status
        )

    def confirm(self, form: AlikeForm) -> HttpResponse:
        """Show the effect of giving the ticked issues this category, and the button that does so."""
        cleaned = form.cleaned_data
        category, cause = cleaned["category"], cleaned["cause"]
        state = self.book.states[category.pk]
        at_depth = self.book.at_depth(category.pk, self.round.depth)
        issues = cleaned["issues"]
        context: dict[str, Any] = {
            **frame(self.round.study, self.member, "disagreements"),
            "round": self.round,
            "category": state,
            "hue": self.colours[state.code],
            "at_depth": at_depth,
            "foreseen": queries.foresee_alike(
                self.round, self.member, cleaned["issues"], at_depth.category_id
            ),
            "issues": ",".join(map(str, issues)),
            "rationale": cleaned["rationale"],
            "cause": cause,
            "cause_label": dict(form.fields["cause"].choices)[cause] if cause else "",  # type: ignore[attr-defined]  # what a ChoiceField has
            "why_not": _why_not(self.round),
            "decide_url": self.asked.address(self.url("decide_alike")),
            "back_url": self.to(),
        }
        return render_page(self.request, "consensus/alike/confirm.html", context)

    def _done(self) -> Any:
        """The bulk decision in the address, if the member can take it back and a decision of it stands."""
        done = self.request.GET.get("done", "")
        if not done or not rules.may_settle(self.member, self.round):
            return None
        made = (one for one in bulk_decisions(self.round, self.member) if str(one.pk) == done)
        return next((one for one in made if one.standing and not one.taken_back_at), None)

    def _list_url(self) -> str:
        """The list of disagreements with the same filters; that list has no pair with open labels."""
        asked, pair = self.asked, None
        if asked.between and OPEN not in {asked.between.first, asked.between.second}:
            pair = (asked.between.first, asked.between.second)
        narrowing = replace(asked.narrowing, pair=pair or asked.narrowing.pair, state=asked.state)
        return f"{self.url('disagreements')}?{urlencode(narrowing.query)}"

    # --- the pairs

    def _pair_lists(self, found: Mapping[CategoryPair, int]) -> list[dict[str, Any]]:
        """The two lists of pairs: the first pairs of each list and the picked pair, or all pairs."""
        most = max(found.values(), default=0)
        lists = []
        for more, title in (
            (False, _("Two categories")),
            (True, _("Three or more categories, by the two most chosen")),
        ):
            here = [pair for pair in found if pair.more == more]
            shown = [
                pair
                for place, pair in enumerate(here)
                if self.asked.all_pairs or place < PAIRS[more] or pair == self.asked.between
            ]
            if here:
                lists.append(
                    {
                        "title": title,
                        "issues": sum(found[pair] for pair in here),
                        "most": most,
                        "pairs": [self._pair(pair, found[pair]) for pair in shown],
                        "others": len(here) - len(shown),
                    }
                )
        return lists

    def _pair(self, between: CategoryPair, issues: int) -> dict[str, Any]:
        first, second = self._heads(between)
        return {
            "url": self.to(between=between, group=None, after=0, row=0),
            "said": _("%(first)s or %(second)s") % {"first": first["name"], "second": second["name"]},
            "is_picked": between == self.asked.between,
            "first": first,
            "second": second,
            "issues": issues,
        }

    def _heads(self, between: CategoryPair) -> list[dict[str, str]]:
        """The two categories of a pair, as the lists name them."""
        open_label = {
            "code": pgettext("label that proposes a name", "new"),
            "hue": "open",
            "name": _("a proposed name"),
        }
        return [
            open_label
            if code == OPEN
            else {"code": code, "hue": self.colours[code], "name": self.book.by_code[code].title}
            for code in (between.first, between.second)
        ]

    # --- the groups of the picked pair

    def _picked(self, between: CategoryPair, posted: QueryDict | None) -> dict[str, Any]:
        """The groups of the picked pair, one of them open."""
        asked = self.asked
        groups = queries.alike_groups(
            self.round, asked.narrowing, self.member, between, self.book, asked.state
        )
        shown = groups.groups[asked.after : asked.after + GROUPS]
        opened, ids = _opened(groups, asked, shown)
        has_more = len(groups.groups) > asked.after + GROUPS
        return {
            "between": self._heads(between),
            "more": between.more,
            "groups": groups,
            "in_state": groups.states[asked.state],
            "states": [
                {
                    "key": state,
                    "name": name,
                    "issues": groups.states[state],
                    "url": self.to(state=state, group=None, after=0, row=0),
                    "current": state == asked.state,
                }
                for state, name in zip(STATES, (_("Open"), _("On an agenda"), _("Decided")), strict=True)
            ],
            "lines": self._lines(shown, opened),
            "alone": {
                "issues": len(groups.alone),
                "url": self.to(group=ALONE, row=0),
                "is_open": opened == ALONE,
            },
            "first_url": self.to(group=None, after=0, row=0) if asked.after else "",
            "next_url": self.to(group=None, after=asked.after + GROUPS, row=0) if has_more else "",
            **self._open_group(groups, ids, posted),
        }

    def _lines(self, shown: Sequence[AlikeGroup], opened: int | str | None) -> list[dict[str, Any]]:
        """One line per group. One query."""
        centres = (
            Issue.objects.select_related("repository", "current")
            .defer("current__body", "current__comments", "current__labels")
            .in_bulk([group.centre for group in shown])
        )
        return [
            self._line(group, centres[group.centre])
            | {"url": self.to(group=group.centre, row=0), "is_open": group.centre == opened}
            for group in shown
        ]

    def _line(self, group: AlikeGroup, centre: Issue) -> dict[str, Any]:
        """One group: `centre` is the issue that the others are like. `apart` names the volunteers in the
        minority. `decided`: how many issues of the group got which code, with its hue.
        """
        apart = [one.member.pseudonym for one in self.columns if one.member_id in group.apart]
        stands_apart = ngettext("minority label: %(who)s", "minority labels: %(who)s", len(apart))
        split = [(self.book.states[id_].code, votes) for id_, votes in group.split]
        decided = [(issues, self.book.states[id_].code) for id_, issues in group.decided]
        return {
            "group": group,
            "centre": centre,
            "title": (centre.current.title if centre.current else "") or centre.repository.path,
            "split": split_in_words(split, group.open_labels),
            "apart": stands_apart % {"who": listed(apart)} if apart else _("no larger group"),
            "decided": [(issues, code, self.colours[code]) for issues, code in decided],
        }

    def _open_group(
        self, groups: AlikeGroups, ids: Sequence[int], posted: QueryDict | None
    ) -> dict[str, Any]:
        """The rows of the open group, and the actions that a lead has for them."""
        asked = self.asked
        start = asked.row if asked.row < len(ids) else 0
        following = start + ROWS
        page = {issue: groups.positions[issue] for issue in ids[start:following]}
        rows = rows_of(self.round, page, self.columns, self.book) if page else []
        if asked.state == "agenda":
            meetings = _meetings(self.round, page)
            rows = [replace(row, meeting=meetings.get(row.issue.pk)) for row in rows]
        # All issues of a group are ticked at first; none of the issues that are alone.
        ticked = set() if ids == groups.alone else set(page)
        if posted is not None:
            ticked = {issue for issue in page if str(issue) in ",".join(posted.getlist("issues")).split(",")}
        may_act = bool(page) and asked.state == "open" and rules.may_settle(self.member, self.round)
        context: dict[str, Any] = {
            "rows": IssueTable(
                rows,
                self.columns,
                self.colours,
                address=ends_open(self.url("disagreements"), "issue"),
                may_choose=may_act,
            ),
            "ticked": ticked,
            "columns": self.columns,
            "of": len(ids),
            "start": start + 1,
            "end": start + len(page),
            "rows_before": self.to(row=max(start - ROWS, 0)) if start else "",
            "rows_after": self.to(row=following) if following < len(ids) else "",
        }
        if may_act:
            form = AlikeForm(posted, book=self.book, depth=self.round.depth, codes=_codes_of(rows))
            context |= {
                "may_act": True,
                "why_not": _why_not(self.round),
                "decide_url": replace(asked, row=start).address(self.url("decide_alike")),
                "agenda_url": AlikeAddress(asked.narrowing).address(self.url("put_on_agenda")),
                "agendas": open_agendas(self.round, self.member),
                "form": form,
                "options": [(id_, state, self.colours[state.code]) for id_, state in form.at_hand],
            }
        return context


def _opened(
    groups: AlikeGroups, asked: AlikeAddress, shown: tuple[AlikeGroup, ...]
) -> tuple[int | Literal["alone"] | None, tuple[int, ...]]:
    """The open group and its issues: the group in the address, else the first, else the lone issues."""
    if asked.group == ALONE:
        return ALONE, groups.alone
    for group in shown:
        if group.centre == asked.group:
            return group.centre, group.issues
    if shown:
        return shown[0].centre, shown[0].issues
    return (ALONE, groups.alone) if groups.alone else (None, ())


def _meetings(round_: Round, issues: Collection[int]) -> dict[int, Meeting]:
    """By issue id: the meeting with the issue on its agenda. One query."""
    items = AgendaItem.objects.filter(round=round_, issue__in=issues, released_at=None)
    return {item.issue_id: item.meeting for item in items.select_related("meeting")}


def _why_not(round_: Round) -> str:
    """The reason why nobody decides alike issues here; "" if leads can."""
    if round_.rule == Round.Rule.MEETING:
        return _(
            "In this round only a meeting decides disagreements. Put these issues on an "
            "agenda; the chair can decide similar issues together."
        )
    if round_.kind == Round.Kind.TRAINING:
        return _("In a training, only the right labels decide.")
    return ""


def _codes_of(rows: list[DisagreementRow]) -> list[str]:
    """The codes of the labels of these issues, most labels first; at most nine, one for each digit key."""
    votes: Counter[str] = Counter()
    for row in rows:
        votes.update(dict(row.split))
    return [code for code, _votes in votes.most_common(9)]
