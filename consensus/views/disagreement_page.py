"""The page of disagreements for one member: the list with its filters, and an issue or the matrix."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.http import AuthedRequest
from consensus import rules
from consensus.forms.decisions import DecisionForm
from consensus.models import Decision, Meeting
from consensus.queries import disagreements as queries
from consensus.queries.agendas import open_agendas
from consensus.queries.confusion import confusion, splits
from consensus.queries.disagreement_filters import LEVELS, Narrowing
from consensus.queries.disagreements import DisagreementRow
from consensus.queries.meetings import waiting
from consensus.views.bulk import why_no_majority
from consensus.views.filter_menu import ListAddress, ends_open, menus
from consensus.views.issue_table import IssueTable
from consensus.views.label_cells import decided_code, label_cells, split_in_words
from consensus.views.matrix import MatrixLinks, hues, matrix
from consensus.views.threads import talk
from core.http import is_fragment, render_page
from ingest.models import Snapshot
from ingest.queries.filters import choices_of
from ingest.queries.forge_labels import hides_forge_labels
from ingest.queries.keywords import words_of
from ingest.queries.reading import Reading
from ingest.rules import may_import
from rounds.models import Round
from rounds.pages import example_url, vote_url
from rounds.queries.categories import codebook
from studies.models import Membership
from taxonomy.models import Level
from taxonomy.rules import may_edit_taxonomies, may_propose

LEVEL_WORDS = {
    Level.TYPE: {
        "title": gettext_lazy("Disagreements by pair of types"),
        "all": gettext_lazy("all types"),
        "caption": gettext_lazy("Number of issues with labels in two types. A cell filters the list."),
        "none": gettext_lazy("No disagreements between types. The labels differ only at a deeper level."),
    },
    Level.THEME: {
        "title": gettext_lazy("Disagreements by pair of themes"),
        "all": gettext_lazy("all themes"),
        "caption": gettext_lazy("Number of issues with labels in two themes. A cell filters the list."),
        "none": gettext_lazy("No disagreements between themes. The labels differ only between sub-themes."),
    },
    Level.SUB_THEME: {
        "title": gettext_lazy("Disagreements by pair of sub-themes"),
        "all": gettext_lazy("all sub-themes"),
        "caption": gettext_lazy("Number of issues with labels in two sub-themes. A cell filters the list."),
        "none": gettext_lazy("No disagreements between sub-themes."),
    },
}
ROWS = 30
PAGE = "disagreements"


def numbers(round_: Round, member: Membership | None) -> dict[str, Any]:
    """The numbers below the title, which an open page fetches repeatedly."""
    counts = queries.disagreement_counts(round_, member)
    share = 100 * counts.not_unanimous / counts.complete if counts.complete else 0
    return {
        "round": round_,
        "heading": _("Proposed names") if round_.has_one_label else _("Disagreements"),
        "counts": counts,
        "share": formats.number_format(round(share, 1), 1),
        "progress": counts.progress,
        "withheld_by": queries.rounds_to_label(round_, member) if counts.withheld else [],
        "live_url": reverse(PAGE, args=[round_.pk]),
    }


def levels_of(round_: Round) -> dict[str, Level]:
    """The levels of the matrix, down to the round's depth, by their names in an address."""
    return {name: level for name, level in LEVELS.items() if level <= round_.depth}


def level_asked(asked: ListAddress, round_: Round) -> str:
    """The name of the level in the address, else of the deepest level."""
    levels = levels_of(round_)
    return asked.level if asked.level in levels else list(levels)[-1]


class DisagreementsPage:
    """The page for one member, at the requested address."""

    def __init__(
        self, request: AuthedRequest, round_: Round, member: Membership | None, asked: ListAddress
    ) -> None:
        self.request, self.round, self.member, self.asked = request, round_, member, asked
        self.book = codebook(round_.version_id)
        self.colours = hues(self.book)
        self.choices = choices_of(round_.study_id, PAGE)
        self.query = urlencode(asked.narrowing.query)

    def url(self, name: str, *place: int) -> str:
        return reverse(name, args=[self.round.pk, *place])

    def to(self, **changes: Any) -> str:
        """The address of this page with these changes."""
        return self.asked.but(**changes).address(self.url(PAGE))

    def answer(
        self, *, form: DecisionForm | None = None, refusal: str = "", status: int = 200
    ) -> HttpResponse:
        """The page; Http404 if the member may not see the issue in the address."""
        round_, member, asked, choices = self.round, self.member, self.asked, self.choices
        context = numbers(round_, member)
        self.page = queries.disagreements(
            round_,
            asked.narrowing,
            member,
            after=asked.after,
            limit=ROWS,
            book=self.book,
            counts=context["counts"],
        )
        item = None if asked.issue is None else self._item(asked.issue)
        agendas = open_agendas(round_, member)
        context |= {
            "study": round_.study,
            "membership": member,
            "narrowed": asked.narrowing,
            "is_fragment": is_fragment(self.request) and self.request.headers.get("HX-Target") == PAGE,
            "page": self.page,
            "table": IssueTable(
                self.page.rows,
                self.page.volunteers,
                self.colours,
                address=ends_open(self.to(issue=None), "issue"),
                may_choose=rules.may_plan_meeting(member, round_),
                probable={
                    issue: models[asked.narrowing.posterior]
                    for issue, models in self.page.probable.items()
                    if asked.narrowing.posterior
                },
            ),
            "opened": asked.issue,
            "links": self._links(),
            "menus": menus(
                asked.narrowing,
                self.book,
                repositories=choices.repositories,
                volunteers=self.page.volunteers,
                splits=splits(round_, asked.narrowing, member, book=self.book),
                keywords=words_of(choices.keywords),
                depth=round_.depth,
                to=self.to,
            ),
            "filters": self._saved(),
            "may_keep": may_import(member),
            "save_url": f"{self.url('save_disagreement_filter')}?{self.query}",
            **self._what_to_do(agendas),
            **self._meeting(agendas),
        }
        if item is None:
            context |= self._overview()
        else:
            context |= self._panel(item) | {"refusal": refusal, "next_url": self._next_url(item)}
            if context["may_decide"]:
                context["form"] = form or DecisionForm(disagreement=item, book=self.book, depth=round_.depth)
        fetched = {"layout": "long", "round": round_.name}
        if path := choices.repositories.get(asked.narrowing.repository or 0):
            context["repository"] = fetched["repository"] = path
        context["csv_query"] = urlencode(fetched)
        return render_page(
            self.request,
            "consensus/disagreements/disagreements.html",
            context,
            partials=["disagreements"],
            status=status,
        )

    def _item(self, issue_id: int) -> DisagreementRow:
        """The issue beside the list, usually a row of it. Http404 if the member may not see it."""
        listed = next((row for row in self.page.rows if row.issue.pk == issue_id), None)
        item = listed or queries.disagreement_at(self.round, issue_id, self.member)
        if item is None:
            raise Http404
        return item

    # --- the list

    def _links(self) -> dict[str, str]:
        to, following = self.to, self.page.next
        return {
            "anew": to(issue=None),
            "all": to(state="", after=None, issue=None),
            "open": to(state="open", after=None, issue=None),
            "agenda": to(state="agenda", after=None, issue=None),
            "decided": to(state="decided", after=None, issue=None),
            "without_pair": to(pair=None, inside=None, after=None, issue=None),
            "clear": ListAddress(Narrowing(), level=self.asked.level).address(self.url(PAGE)),
            "first": to(after=None, issue=None) if self.asked.after is not None else "",
            "next": to(after=following, issue=None) if following is not None else "",
        }

    def _saved(self) -> list[dict[str, Any]]:
        """The saved filters of the study for this round."""
        kept = []
        for id_, name, saved in self.choices.filters:
            if saved.get("round") == str(self.round.pk):
                narrowing = Narrowing.from_query(saved)
                remove = self.url("remove_disagreement_filter", id_)
                kept.append(
                    {
                        "name": name,
                        "url": ListAddress(narrowing).address(self.url(PAGE)),
                        "is_chosen": narrowing == self.asked.narrowing,
                        "remove_url": f"{remove}?{self.query}",
                    }
                )
        return kept

    def _meeting(self, agendas: list[Meeting]) -> dict[str, Any]:
        """The meeting that is open now, and how many issues of its agenda wait for a decision."""
        meeting = next((one for one in agendas if one.opened_at), None)
        if meeting is None:
            return {}
        return {
            "open_meeting": meeting,
            "open_issues": waiting(meeting, self.member).count(),
            "may_join": rules.may_take_part(self.member, meeting),
        }

    def _what_to_do(self, agendas: list[Meeting]) -> dict[str, Any]:
        """The addresses to which a lead can send chosen issues: a meeting, a pair, a majority decision."""
        if not rules.may_plan_meeting(self.member, self.round):
            return {"query": self.query}
        return {
            "query": self.query,
            "may_plan": True,
            "agendas": agendas,
            "agenda": agendas[0] if agendas else None,
            "agenda_url": f"{self.url('put_on_agenda')}?{self.query}",
            "pair_url": f"{self.url('assign_pair')}?{self.query}",
            "majority_url": ""
            if why_no_majority(self.round)
            else f"{self.url('decide_majority')}?{self.query}",
        }

    # --- the matrix

    def _overview(self) -> dict[str, Any]:
        """The matrix, and the levels at which it can be drawn: those down to the round's depth."""
        asked, round_ = self.asked, self.round
        levels = levels_of(round_)
        names = list(levels)
        name = level_asked(asked, round_)
        below = names[names.index(name) + 1] if name != names[-1] else ""
        common = self.to(pair=None, inside=None, level=below or asked.level, after=None, issue=None)
        links = MatrixLinks(ends_open(common), bool(below), picked=asked.narrowing.pair, inside=asked.inside)
        return {
            "matrix": matrix(
                confusion(round_, levels[name], self.member, asked.narrowing), self.book, levels[name], links
            ),
            "is_narrowed": bool(replace(asked.narrowing, pair=None)),
            "level_words": LEVEL_WORDS[levels[name]],
            "goes_deeper": bool(below),
            "files": [
                {"form": form, "url": asked.but(after=None, issue=None, level=name).address(url)}
                for form in ("svg", "csv")
                for url in [reverse("disagreements_matrix", args=[round_.pk, form])]
            ],
            "levels": [
                {
                    "name": Level(level).label,
                    "url": self.to(level=key, inside=None),
                    "current": key == name and not asked.inside,
                }
                for key, level in levels.items()
            ],
            "trail": self._trail(names),
        }

    def _trail(self, names: list[str]) -> list[dict[str, Any]]:
        """The path to the shown cell of the matrix: the top level, then each cell."""
        inside = self.asked.inside
        if not inside or not set(inside) <= self.book.by_code.keys():
            return []
        first, second = (self.book.by_code[code] for code in inside)
        top = self.to(pair=None, inside=None, level=names[0], after=None)
        trail: list[dict[str, Any]] = [
            {"name": LEVEL_WORDS[LEVELS[names[0]]]["all"], "pair": None, "url": top}
        ]
        for level in range(1, min(max(first.level, second.level), len(names) - 1) + 1):
            pair = tuple(self.book.at_depth(state.category_id, level).code for state in (first, second))
            url = self.to(pair=pair, inside=pair, level=names[level], after=None)
            trail.append({"name": "", "pair": pair, "url": url})
        return trail

    # --- one issue

    def _panel(self, item: DisagreementRow) -> dict[str, Any]:
        """One issue with its text, its labels and their summaries, its thread and its decisions."""
        round_, member, issue, book = self.round, self.member, item.issue, self.book
        if issue.current_id is not None:
            issue.current = Snapshot.objects.get(pk=issue.current_id)  # the list has titles only
        past = [
            {"decision": made, "code": code, "hue": self.colours[code]}
            for made in queries.chain_of(round_, issue.pk)
            if made.superseded_at
            for code in [book.states[made.category_id].code]
        ]
        misses = item.open_labels or (item.decision and item.decision.cause == Decision.Cause.MISSING)
        may_settle = rules.may_settle(member, round_)
        split = [(book.by_code[code], votes) for code, votes in item.split]
        return {
            "item": item,
            "example_url": example_url(round_, issue.pk) if may_edit_taxonomies(member) else "",
            "missing_url": vote_url(round_, issue.pk) if misses and may_propose(member) else "",
            "reading": Reading(
                issue, self.choices.keywords, hides_forge_labels(member.user_id if member else None, issue)
            ),
            "is_part": True,
            "close_url": self.to(issue=None),
            "parts": split_in_words(item.split, item.open_labels),
            "labels": [cell for cell in label_cells(item, self.page.volunteers, self.colours) if cell],
            "decided": decided_code(item, self.colours),
            "past": past[::-1],
            "may_decide": may_settle and round_.rule != Round.Rule.MEETING,
            "settle_url": self.asked.but(issue=None).address(self.url("settle_issue", issue.pk)),
            "meeting_url": item.meeting.get_absolute_url() if item.meeting else "",
            "reopen_url": self.url("reopen_issue", issue.pk) if may_settle and item.decision else "",
            "split": [(state.code, state.title, votes, self.colours[state.code]) for state, votes in split],
            "talk": talk(round_, issue.pk, member, chosen=[state.category_id for state, _votes in split]),
        }

    def _next_url(self, item: DisagreementRow) -> str:
        """The address of the next issue in the filtered list; "" after the last issue."""
        issue, ids = item.issue.pk, [row.issue.pk for row in self.page.rows]
        if issue in ids[:-1]:
            return self.to(issue=ids[ids.index(issue) + 1])
        if ids[-1:] == [issue] and self.page.next is None:
            return ""
        after = queries.key_of(self.round, issue)
        coming = queries.next_after(self.round, self.asked.narrowing, self.member, after)
        return "" if coming is None else self.to(issue=coming)
