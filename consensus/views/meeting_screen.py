"""The context from which the templates draw a meeting on the screen of one member."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from consensus import rules
from consensus.models import Decision, Meeting
from consensus.queries.meeting_issue import ShownIssue, ShownVote
from consensus.queries.meeting_items import (
    alike_issues,
    closable_votes,
    looked_at_again,
    round_withholding,
    waiting_votes,
)
from consensus.queries.meeting_room import AgendaGroup, AgendaIssue, MeetingRoom, RoomPerson
from consensus.queries.votes import NO_CATEGORY_CODE, none_fit
from consensus.views.label_cells import code_chip, label_cells
from consensus.views.matrix import hues
from core import clock
from core.text.joining import clauses
from ingest.queries.forge_labels import hides_forge_labels
from ingest.queries.keywords import keywords_of
from ingest.queries.reading import Reading
from rounds.pages import example_url, vote_url
from rounds.queries.categories import ShownCodebook, codebook
from studies.models import Membership
from taxonomy.rules import may_edit_taxonomies, may_propose


@lru_cache(maxsize=8192)
def _issue(
    line: AgendaIssue, hue: str, address: str, how: tuple[bool, bool, bool], _language: str | None
) -> SafeString:
    """One issue, cached: each change of a meeting draws hundreds of issues for each member, mostly the same.

    `how`: a click turns all screens; the reader returns to the meeting by opening the current issue; each
    waiting issue shows whether the reader has voted on it.
    """
    turns, follows, asks = how
    context = {"line": line, "hue": hue, "address": address, "turns": turns, "asks": asks}
    context["query"] = "" if line.is_current and follows else f"?item={line.id}"
    return render_to_string("consensus/meetings/_agenda_issue.html", context)


def screen(room: MeetingRoom, member: Membership, item_id: int | None) -> dict[str, Any]:
    """The context for the templates of the room. `item_id` is the item in the address."""
    return _RoomScreen(room, member, item_id).context()


_ACTS = (
    "may_close", "may_begin", "may_plan", "may_say", "may_vote", "may_reveal", "may_open_vote", "may_decide",
    "may_take_off", "may_follow_up", "may_reopen", "leads", "missing_url", "example_url", "alike",
)  # fmt: skip
"""What nobody may do in a read-only study."""


class _RoomScreen:
    def __init__(self, room: MeetingRoom, member: Membership, item_id: int | None) -> None:
        self.meeting: Meeting = room.meeting
        self.round = self.meeting.round
        self.is_read_only = self.round.study.is_read_only
        if self.is_read_only:
            room = replace(room, is_chair=False, may_take_chair=False, takes_part=False)
        self.room, self.member, self.item_id = room, member, item_id
        self.shown: ShownIssue | None = room.shown
        self.book: ShownCodebook = codebook(self.round.version_id)
        self.hues = hues(self.book)
        self.names = {person.member_id: person.name for person in room.people}
        self.is_pair = self.meeting.kind == Meeting.Kind.PAIR
        self.together = self.meeting.kind == Meeting.Kind.TOGETHER
        self.leads = room.takes_part if self.is_pair else room.is_chair

    def context(self) -> dict[str, Any]:
        room, meeting, shown = self.room, self.meeting, self.shown
        is_open = meeting.is_open
        look = bool(self.together and is_open and self.item_id is not None and self.item_id != room.current)
        query = f"?item={self.item_id}" if self.item_id is not None else ""
        if not self.together and shown and self.item_id is None:
            query = f"?item={shown.item.pk}"
        withheld_by = None
        if shown is None and (self.item_id is not None or room.current_is_withheld):
            withheld_by = round_withholding(
                meeting, self.member, self.item_id if self.item_id is not None else meeting.item_id
            )
        context: dict[str, Any] = {
            "study": self.round.study,
            "round": self.round,
            "meeting": meeting,
            "room": room,
            "membership": self.member,
            "title": self._title(),
            "query": query,
            "look": look,
            "chair": self.names.get(meeting.chair_id) or meeting.chair.pseudonym,
            "may_close": is_open and rules.may_run_meeting(self.member, meeting),
            "may_begin": meeting.opened_at is None
            and meeting.closed_at is None
            and rules.may_run_meeting(self.member, meeting),
            "may_plan": meeting.closed_at is None and rules.may_plan_meeting(self.member, self.round),
            "elapsed": ((meeting.closed_at or clock.now()) - meeting.opened_at).total_seconds()
            if meeting.opened_at
            else None,
            "turns": self._turns(),
            "pins": shown.item.pk if shown and not self.together else "",
            "closable": closable_votes(meeting, self.member)
            if meeting.kind == Meeting.Kind.APART and is_open and room.is_chair
            else 0,
            "withheld_by": withheld_by,
            "now_title": self._now_title() if look else "",
            "agenda": {
                "to_vote": self._to_vote(),
                "again": looked_at_again(meeting, self.member) if is_open else 0,
                "groups": self._groups,
            },
            "shown": None,
            "following": next((group.first for group in room.groups if group.decided < group.total), None),
        }
        context |= self._issue(shown) if shown else {}
        return context | dict.fromkeys(_ACTS, "") if self.is_read_only else context

    # --- the frame

    def _title(self) -> str:
        if self.shown is None:
            return self.meeting.name
        return f"{self.shown.item.issue} · {self.meeting.name}"

    def _now_title(self) -> str:
        """The title of the current issue of the meeting, if its group is listed; otherwise ""."""
        lines = (line for group in self.room.groups for line in group.lines if line.is_current)
        return next((line.title for line in lines), "")

    def _to_vote(self) -> int:
        """The number of issues that wait for the member's ballot in a meeting over days or of a pair."""
        if self.together or not self.meeting.is_open or not self.room.takes_part:
            return 0
        return waiting_votes(self.meeting, self.member)

    def _groups(self) -> Iterator[tuple[AgendaGroup, list[SafeString], Iterator[SafeString]]]:
        """Each group of the agenda with its codes and its drawn issues."""
        turns, asks = self._turns(), self.meeting.is_open and not self.together and self.room.takes_part
        how = (turns, self.together, asks)
        address, language = self.meeting.get_absolute_url(), get_language()
        for group in self.room.groups:
            codes = [code_chip(code, self.hues[code], self.book.by_code[code].title) for code in group.codes]
            lines = (
                _issue(line, self.hues.get(line.code, ""), address, how, language) for line in group.lines
            )
            yield group, codes, lines

    def _turns(self) -> bool:
        """Does a click on an issue turn all screens?"""
        return self.together and self.meeting.is_open and self.room.is_chair

    # --- the issue

    def _issue(self, shown: ShownIssue) -> dict[str, Any]:
        meeting, room = self.meeting, self.room
        issue = shown.row.issue
        standing, vote = shown.standing, shown.open_vote
        closed = [one for one in shown.votes if not one.is_open]
        last = closed[-1] if closed else None
        own = vote.own if vote else None
        parted = [self._result(one, shown) for one in closed]
        may_vote = (
            meeting.is_open
            and room.takes_part
            and shown.ballot_number is not None
            and (room.is_present or not self.together)
        )
        may_decide = meeting.is_open and room.is_chair and not self.is_pair
        may_open = meeting.is_open and vote is None and standing is None and not shown.is_parked
        context = {
            "shown": shown,
            "reading": Reading(
                issue,
                keywords_of(issue.repository.study_id),
                hides_forge_labels(self.member.user_id, issue),
            ),
            "labels": self._labels(shown),
            "splits": [(code, self.hues.get(code, ""), n) for code, n in shown.row.split],
            "may_say": rules.may_comment(self.member, self.round),
            "people": [self._person(one, is_voting=vote is not None) for one in room.people],
            "may_vote": may_vote,
            "vote": self._open_vote(shown, vote) if vote else None,
            "closed": parted[-1] if parted and vote is None else None,
            "earlier": parted if vote is not None else parted[:-1],
            "own": own,
            "own_other": own
            if own not in {NO_CATEGORY_CODE, *(state.code for state in shown.choices)}
            else "",
            "options": [(state, self.hues.get(state.code, "")) for state in shown.choices],
            "asks_none_fits": self.round.excludes_id is None,
            "none_fits_code": NO_CATEGORY_CODE,
            "others": [state for state in self.book.counted(self.round.depth) if state not in shown.choices],
            "invited": {person.pseudonym for person in room.people},
            "may_reveal": vote is not None and meeting.is_open and room.is_chair and not self.is_pair,
            "may_open_vote": (may_open and self.together and room.is_chair)
            or (may_open and meeting.kind == Meeting.Kind.APART and room.is_chair and last is not None),
            "decision": standing,
            "decision_hue": self.hues.get(standing.category.code, "") if standing else "",
            "chain": [one for one in reversed(shown.decisions) if not one.stands],
            "may_decide": may_decide,
            "may_take_off": meeting.closed_at is None
            and rules.may_plan_meeting(self.member, self.round)
            and standing is None
            and vote is None,
            "causes": Decision.Cause.choices,
            "follow_ups": [(one, code, self.hues.get(code, "")) for one, code in shown.follow_ups],
            "example_url": example_url(self.round, shown.item.issue_id)
            if may_edit_taxonomies(self.member)
            else "",
            "missing_url": vote_url(self.round, shown.item.issue_id) if self._misses(shown) else "",
            "may_follow_up": meeting.is_open and self.leads,
            "may_reopen": meeting.is_open
            and (room.is_chair or rules.may_settle(self.member, self.round))
            and standing is not None,
            "leads": self.leads and meeting.is_open,
            "alike": alike_issues(shown.item, self.member) if may_decide and standing else [],
        }
        return context | self._steps() | self._possible(shown, last)

    def _labels(self, shown: ShownIssue) -> list[dict[str, Any]]:
        drawn = label_cells(shown.row, shown.columns, self.hues)
        return [
            {
                "name": self.names.get(column.member_id, column.member.pseudonym),
                "is_you": column.member_id == self.member.pk,
                "look": look,
            }
            for column, look in zip(shown.columns, drawn, strict=True)
            if look
        ]

    def _steps(self) -> dict[str, Any]:
        """The previous and the next issue: the chair, or over days the voter, goes on to one that waits."""
        groups, is_open = self.room.groups, self.meeting.is_open
        opened = next((n for n, group in enumerate(groups) if group.is_opened), 0)
        lines = [line for group in groups if group.is_opened for line in group.lines]
        here = next((n for n, line in enumerate(lines) if line.is_shown), 0)
        before = [group.first for group in groups[:opened]] + [line.id for line in lines[:here]]
        behind = [line.id for line in lines[here + 1 :]] + [group.first for group in groups[opened + 1 :]]
        waiting = [line for line in (*lines[here + 1 :], *lines[:here]) if line.state == "waiting"]
        elsewhere = [group.first for group in groups if not group.is_opened and group.decided < group.total]
        previous, following = before[-1] if before else None, behind[0] if behind else None
        if is_open and (self.room.is_chair or not self.together):
            following = next(iter([*(line.id for line in waiting), *elsewhere]), following)
        base = self.meeting.get_absolute_url()
        address = f"{base}?item={following}" if following else ""
        if not self.together and is_open:
            own = next((line.id for line in waiting if not line.is_voted), None)
            if own is not None:
                following, address = own, f"{base}?item={own}"
            elif any(line.is_shown and (line.is_voted or line.state == "decided") for line in lines):
                address = base
        return {
            "previous": previous,
            "following": following,
            "following_url": address,
            "previous_url": f"{base}?item={previous}" if previous else "",
        }

    # --- the ballot

    def _person(self, one: RoomPerson, *, is_voting: bool) -> dict[str, str]:
        if one.has_voted:
            css, word = "voted", _("voted")
        elif self.together and not one.is_present:
            css, word = "away", _("away")
        elif is_voting or not self.together:
            css, word = "to-vote", _("to vote")
        else:
            css, word = "there", _("here")
        return {"name": one.name, "short": one.pseudonym, "css": css, "word": word}

    def _open_vote(self, shown: ShownIssue, vote: ShownVote) -> dict[str, Any]:
        cast = len(vote.voted)
        of = max(shown.possible.there if self.together else len(self.room.people), cast)
        return {"id": vote.id, "number": vote.number, "cast": cast, "of": of, "majority": of // 2 + 1}

    def _result(self, vote: ShownVote, shown: ShownIssue) -> dict[str, Any]:
        """A closed vote: its counts, its ballots, and the voters whose ballot differs from their label."""
        own = {
            column.member_id: chip.depth_code
            for column, chip in zip(shown.columns, shown.row.labels, strict=True)
            if chip
        }
        ballots = [
            {
                "name": one.name,
                "code": one.code,
                "hue": self.hues.get(one.code, ""),
                "is_moved": one.code not in {"", NO_CATEGORY_CODE}
                and own.get(one.member_id, one.code) != one.code,
            }
            for one in vote.ballots
        ]
        counts = [
            {"code": code, "name": self.book.by_code[code].title, "hue": self.hues.get(code, ""), "n": n}
            for code, n in vote.split
        ]
        said = [f"{n} × {code}" for code, n in vote.split]
        if vote.tally.none_fits:
            counts.append(
                {"code": NO_CATEGORY_CODE, "name": _("no category fits"), "n": vote.tally.none_fits}
            )
            said.append(none_fit(vote.tally.none_fits))
        if vote.tally.abstained:
            counts.append({"code": "", "n": vote.tally.abstained})
            said.append(
                ngettext("%(n)s abstained", "%(n)s abstained", vote.tally.abstained)
                % {"n": vote.tally.abstained}
            )
        voted = ngettext("%(cast)s of %(n)s voted", "%(cast)s of %(n)s voted", vote.tally.present)
        said.append(voted % {"cast": len(ballots), "n": vote.tally.present})
        return {
            "number": vote.number,
            "present": vote.tally.present,
            "counts": counts,
            "ballots": ballots,
            "moved": [one for one in ballots if one["is_moved"]],
            "words": clauses(said),
        }

    # --- the decision

    def _misses(self, shown: ShownIssue) -> bool:
        """May the member propose a category that a label, the decision or a follow-up calls missing?"""
        standing = shown.standing
        says = standing is not None and standing.decision.cause == Decision.Cause.MISSING
        says = says or bool(shown.row.open_labels) or any(one.proposal for one, _code in shown.follow_ups)
        return may_propose(self.member) and says

    def _possible(self, shown: ShownIssue, last: ShownVote | None) -> dict[str, Any]:
        """The decisions that the ballots suffice for now, and the first values of the decision form."""
        possible, by_majority = shown.possible, self.meeting.by_majority
        hows = [(Decision.How.UNANIMITY, _("unanimously"), possible.unanimity)]
        hows += [(Decision.How.MAJORITY, _("by majority"), possible.majority)] if by_majority else []
        best = next(((state, word) for _how, word, state in hows if state), None)
        drawn = [
            {"value": how.value, "word": word, "category": state and state.category_id, "can": bool(state)}
            for how, word, state in hows
        ]
        chair = Decision.How.CHAIR.value
        drawn.append({"value": chair, "word": _("by the chair"), "category": None, "can": possible.chair})
        if possible.is_voting:
            when = _("Close the vote first")
        elif not possible.has_quorum:
            when = _("Wait for the quorum")
        else:
            when = _("Record decision")
        return {
            "hows": drawn,
            "chosen_how": next((one["value"] for one in drawn if one["can"]), chair),
            "proposed": best[0].category_id if best else self._leading(last),
            "suffices": clauses([best[0].code, best[1]]) if best else "",
            "may_record": any(one["can"] for one in drawn),
            "record_when": when,
        }

    def _leading(self, last: ShownVote | None) -> int | None:
        """What most voted for. Without a vote the form proposes nothing to the chair."""
        return self.book.by_code[last.split[0][0]].category_id if last is not None and last.split else None
