"""What the screen of one member shows of a meeting, as its templates draw it."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Any

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotate import rules
from annotate.models import Decision, Meeting
from annotate.queries.categories import Codebook, codebook
from annotate.queries.meeting_items import (
    alike_lines,
    closable_votes,
    held_back_in,
    looked_at_again,
    waiting_votes,
)
from annotate.queries.meetings import Decided, Group, Person, Room, Shown, VoteLine
from annotate.queries.threads import pseudonyms_of
from annotate.views.agenda_lines import AgendaLines
from annotate.views.examples import example_url
from annotate.views.looks import looks
from annotate.views.matrix import hues
from annotate.views.missing import vote_url
from core.mentions import named, pieces
from ingest.queries import keywords_of
from ingest.reading import read
from studies.models import Membership
from taxonomy.models import CategoryState
from taxonomy.rules import may_edit_taxonomies, may_propose


def screen(room: Room, member: Membership, item_id: int | None) -> dict[str, Any]:
    """The names that the templates of the room use. `item_id`: the issue that the address asks for."""
    return _Screen(room, member, item_id).context()


class _Screen:
    """One drawing of the room."""

    def __init__(self, room: Room, member: Membership, item_id: int | None) -> None:
        self.room, self.member, self.item_id = room, member, item_id
        self.meeting: Meeting = room.meeting
        self.round = self.meeting.round
        self.shown: Shown | None = room.shown
        self.book: Codebook = codebook(self.round.version_id)
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
        held = None
        if shown is None and (self.item_id is not None or room.current_is_held_back):
            held = held_back_in(
                meeting, self.member, self.item_id if self.item_id is not None else meeting.item_id
            )
        context: dict[str, Any] = {
            "study": self.round.study,
            "round": self.round,
            "meeting": meeting,
            "membership": self.member,
            "revision": room.revision,
            "title": self._title(),
            "query": query,
            "look": look,
            "chair": self._chair(),
            "is_chair": room.is_chair,
            "may_take_chair": room.may_take_chair,
            "may_close": is_open and rules.may_run_meeting(self.member, meeting),
            "may_begin": meeting.opened_at is None
            and meeting.closed_at is None
            and rules.may_run_meeting(self.member, meeting),
            "may_plan": meeting.closed_at is None and rules.may_plan_meeting(self.member, self.round),
            "takes_part": room.takes_part,
            "elapsed": ((meeting.closed_at or timezone.now()) - meeting.opened_at).total_seconds()
            if meeting.opened_at
            else None,
            "there": {
                "count": room.present,
                "of": len(room.people),
                "met": room.has_quorum,
                "others": max(room.present - room.is_present, 0),
                "me": room.is_present,
            },
            "invited": [
                {"name": one.name, "is_chair": one.is_chair, "is_you": one.is_self} for one in room.people
            ],
            "turns": self.together and is_open and room.is_chair,
            "pins": shown.item.pk if shown and not self.together else "",
            "closable": closable_votes(meeting, self.member)
            if meeting.kind == Meeting.Kind.APART and is_open and room.is_chair
            else 0,
            "held_back": held,
            "now_title": self._now_title() if look else "",
            "agenda": self._agenda(),
            "names_me": False,
            "shown": None,
            "decision": None,
            "vote": None,
            "closed": None,
            "mine": None,
            "previous": None,
            "following": next((group.first for group in room.groups if group.decided < group.total), None),
        }
        return context | self._issue(shown) if shown else context

    # --- the frame

    def _title(self) -> str:
        if self.shown is None:
            return self.meeting.name
        return f"{self.shown.item.issue} · {self.meeting.name}"

    def _chair(self) -> str:
        return self.names.get(self.meeting.chair_id) or self.meeting.chair.pseudonym

    def _now_title(self) -> str:
        """The issue that the meeting is at, if it stands in the opened group."""
        lines = (line for group in self.room.groups for line in group.lines if line.is_current)
        return next((line.title for line in lines), "")

    def _agenda(self) -> dict[str, Any]:
        room = self.room
        return {
            "total": room.total,
            "done": room.decided,
            "waiting": room.left,
            "withheld": room.withheld,
            "median": room.median_seconds,
            "left": room.seconds_left if self.meeting.is_open else None,
            "to_vote": self._to_vote(),
            "again": looked_at_again(self.meeting, self.member) if self.meeting.is_open else 0,
            "groups": [self._group(group) for group in room.groups],
            "lines": self._lines(),
        }

    def _to_vote(self) -> int:
        """On how many issues this member has still to vote, where nobody leads."""
        if self.together or not self.meeting.is_open or not self.room.takes_part:
            return 0
        return waiting_votes(self.meeting, self.member)

    def _group(self, group: Group) -> dict[str, Any]:
        return {
            "codes": [(code, self.hues.get(code, "")) for code in group.codes],
            "name": _("open labels"),
            "total": group.total,
        }

    def _lines(self) -> AgendaLines:
        is_open, room = self.meeting.is_open, self.room
        return AgendaLines(
            groups=room.groups,
            hues=self.hues,
            address=self.meeting.get_absolute_url(),
            turns=self.together and is_open and room.is_chair,
            follows=self.together,
            asks=not self.together and is_open and room.takes_part,
        )

    # --- the issue

    def _issue(self, shown: Shown) -> dict[str, Any]:
        meeting, room = self.meeting, self.room
        issue = shown.row.issue
        standing, vote = shown.standing, shown.open_vote
        closed = [one for one in shown.votes if not one.is_open]
        last = closed[-1] if closed else None
        parted = [self._result(shown, one) for one in closed]
        is_parked = shown.item.parked_at is not None and standing is None
        may_vote = (
            meeting.is_open
            and room.takes_part
            and shown.ballot_number is not None
            and (room.is_present or not self.together)
        )
        may_decide = meeting.is_open and room.is_chair and not self.is_pair
        may_open = meeting.is_open and vote is None and standing is None and not is_parked
        context = {
            "shown": {
                "id": shown.item.pk,
                "issue": shown.item.issue_id,
                "is_parked": is_parked,
                "parked_why": shown.item.parked_why,
            },
            "reading": read(issue, keywords_of(issue.repository.study_id)),
            "row": shown.row,
            "labels": self._labels(shown),
            "splits": [(code, self.hues.get(code, ""), n) for code, n in shown.row.split],
            "may_say": rules.may_comment(self.member, self.round),
            "people": [self._person(one, is_voting=vote is not None) for one in room.people],
            "ballot_number": shown.ballot_number or "",
            "may_vote": may_vote,
            "vote": self._open_vote(shown, vote) if vote else None,
            "closed": parted[-1] if parted and vote is None else None,
            "earlier": parted if vote is not None else parted[:-1],
            "mine": self._mine(shown, vote),
            "options": self._options(shown, vote),
            "may_reveal": vote is not None and meeting.is_open and room.is_chair and not self.is_pair,
            "may_open_vote": (may_open and self.together and room.is_chair)
            or (may_open and meeting.kind == Meeting.Kind.APART and room.is_chair and last is not None),
            "decision": self._decision(standing) if standing else None,
            "chain": [self._decision(one) for one in reversed(shown.decisions) if not one.stands],
            "may_decide": may_decide,
            "may_take_off": meeting.closed_at is None
            and rules.may_plan_meeting(self.member, self.round)
            and standing is None
            and vote is None,
            "seen_number": shown.seen_number,
            "causes": Decision.Cause.choices,
            "follow_ups": [
                {
                    "word": one.label,
                    "code": one.code,
                    "hue": self.hues.get(one.code, ""),
                    "text": str(one.proposal) if one.proposal else one.text,
                    "is_done": one.is_done,
                }
                for one in shown.follow_ups
            ],
            "example_url": example_url(self.round, shown.item.issue_id)
            if may_edit_taxonomies(self.member)
            else "",
            "missing_url": vote_url(self.round, shown.item.issue_id) if self._misses(shown) else "",
            "may_follow_up": meeting.is_open and self.leads,
            "may_reopen": meeting.is_open
            and (room.is_chair or rules.may_settle(self.member, self.round))
            and standing is not None,
            "leads": self.leads and meeting.is_open,
            "alike": alike_lines(shown.item, self.member) if may_decide and standing else [],
        }
        return context | self._arguments(shown) | self._steps(shown) | self._possible(shown, last)

    def _labels(self, shown: Shown) -> list[dict[str, Any]]:
        drawn = looks(shown.row, shown.columns, self.hues)
        return [
            {
                "name": self.names.get(column.member_id, column.member.pseudonym),
                "is_you": column.member_id == self.member.pk,
                "look": look,
            }
            for column, look in zip(shown.columns, drawn, strict=True)
            if look
        ]

    def _arguments(self, shown: Shown) -> dict[str, Any]:
        asked = any("@" in one.text for one in shown.thread)
        known = pseudonyms_of(self.round) if asked else []
        me = self.member.pseudonym
        people = {person.member_id: person for person in self.room.people}
        return {
            "names_me": any(me in named(one.text, {*known, me}) for one in shown.thread),
            "arguments": [
                {
                    "id": one.id,
                    "name": one.name,
                    "short": people[one.member_id].pseudonym if one.member_id in people else one.name[:3],
                    "code": one.code,
                    "hue": self.hues.get(one.code, ""),
                    "at": one.said_at,
                    "pieces": pieces(one.text, known),
                }
                for one in shown.thread
            ],
            "said_for": [(state.code, state.name) for state in shown.choices],
            "said_others": _options_of(
                self.round.version_id, self.round.depth, tuple(s.category_id for s in shown.choices), "code"
            ),
        }

    def _steps(self, shown: Shown) -> dict[str, Any]:
        """Where one goes from here: the chair to what waits, others over days to what waits for them."""
        groups = self.room.groups
        opened = next((n for n, group in enumerate(groups) if group.is_opened), 0)
        previous = shown.previous or (groups[opened - 1].first if opened else None)
        following = shown.next or (groups[opened + 1].first if opened + 1 < len(groups) else None)
        if self.meeting.is_open and (self.room.is_chair or not self.together):
            following = shown.waiting or following
        base = self.meeting.get_absolute_url()
        address = f"{base}?item={following}" if following else ""
        if not self.together and self.meeting.is_open:
            lines = [line for group in self.room.groups for line in group.lines]
            here = next((n for n, line in enumerate(lines) if line.is_shown), 0)
            after = [*lines[here + 1 :], *lines[:here]]
            own = next((line.id for line in after if line.state == "waiting" and not line.is_voted), None)
            is_voted = any(line.is_shown and (line.is_voted or line.state == "decided") for line in lines)
            if own is not None:
                following, address = own, f"{base}?item={own}"
            elif is_voted:
                address = base
        return {
            "previous": previous,
            "following": following,
            "following_url": address,
            "previous_url": f"{base}?item={previous}" if previous else "",
        }

    # --- the ballot

    def _person(self, one: Person, *, is_voting: bool) -> dict[str, str]:
        if one.has_voted:
            css, word = "voted", _("voted")
        elif self.together and not one.is_present:
            css, word = "away", _("away")
        elif is_voting or not self.together:
            css, word = "to-vote", _("to vote")
        else:
            css, word = "there", _("here")
        return {"name": one.name, "short": one.pseudonym, "css": css, "word": word}

    def _open_vote(self, shown: Shown, vote: VoteLine) -> dict[str, Any]:
        cast = len(vote.voted)
        of = max(shown.possible.there if self.together else len(self.room.people), cast)
        return {"id": vote.id, "number": vote.number, "cast": cast, "of": of, "majority": of // 2 + 1}

    def _mine(self, shown: Shown, vote: VoteLine | None) -> dict[str, Any] | None:
        if vote is None or vote.own is None:
            return None
        codes = {state.code for state in shown.choices}
        other = vote.own if vote.own and vote.own not in codes else ""
        return {"code": vote.own, "is_abstention": vote.own == "", "is_other": bool(other), "other": other}

    def _options(self, shown: Shown, vote: VoteLine | None) -> list[dict[str, Any]]:
        own = vote.own if vote else None
        return [
            {
                "id": state.category_id,
                "code": state.code,
                "name": state.name,
                "hue": self.hues.get(state.code, ""),
                "is_mine": own is not None and state.code == own,
            }
            for state in shown.choices
        ]

    def _result(self, shown: Shown, vote: VoteLine) -> dict[str, Any]:
        """A closed ballot, against what each one had labelled."""
        own = {
            column.member_id: chip.depth_code
            for column, chip in zip(shown.columns, shown.row.labels, strict=True)
            if chip
        }
        by_code = {state.code: state for state in self.book.states.values()}
        ballots = [
            {
                "name": self.names.get(one.member_id, one.name),
                "code": one.code,
                "hue": self.hues.get(one.code, ""),
                "is_moved": bool(one.code) and own.get(one.member_id, one.code) != one.code,
            }
            for one in vote.ballots
        ]
        counts = [
            {"code": code, "name": by_code[code].name, "hue": self.hues.get(code, ""), "n": n}
            for code, n in vote.split
        ]
        said = [f"{one['n']} × {one['code']}" for one in counts]
        if vote.abstained:
            counts.append({"code": "", "name": "", "hue": "", "n": vote.abstained})
            said.append(
                ngettext("%(n)s abstained", "%(n)s abstained", vote.abstained) % {"n": vote.abstained}
            )
        cast = len(vote.ballots)
        counted = ngettext("%(cast)s of %(n)s voted", "%(cast)s of %(n)s voted", vote.present) % {
            "cast": cast,
            "n": vote.present,
        }
        return {
            "number": vote.number,
            "present": vote.present,
            "counts": counts,
            "ballots": ballots,
            "moved": [one for one in ballots if one["is_moved"]],
            "words": ", ".join([*said, counted]) if said else counted,
        }

    # --- the decision

    def _decision(self, one: Decided) -> dict[str, Any]:
        state = next(state for state in self.book.states.values() if state.code == one.code)
        return {
            "category": state.category_id,
            "code": one.code,
            "name": one.title,
            "hue": self.hues.get(one.code, ""),
            "number": one.number,
            "how": one.how or one.method,
            "cause": one.cause,
            "by": one.by,
            "at": one.at,
            "rationale": one.rationale,
            "why": one.superseded_why,
            "superseded_by": one.superseded_by,
        }

    def _misses(self, shown: Shown) -> bool:
        """Does the decision, or a note, say that a category is missing, to somebody who may propose one?"""
        says = any(one.stands and one.cause == Decision.Cause.MISSING.label for one in shown.decisions)
        return may_propose(self.member) and (says or any(one.proposal for one in shown.follow_ups))

    def _possible(self, shown: Shown, last: VoteLine | None) -> dict[str, Any]:
        """What suffices now, and with what the form of the decision begins."""
        possible = shown.possible
        hows = [
            (Decision.How.UNANIMITY, _("unanimously"), possible.unanimity),
            *(
                [(Decision.How.MAJORITY, _("by majority"), possible.majority)]
                if self.meeting.by_majority
                else []
            ),
        ]
        drawn = [
            {
                "value": how.value,
                "word": word,
                "category": state.category_id if state else None,
                "can": bool(state),
            }
            for how, word, state in hows
        ]
        drawn.append(
            {
                "value": Decision.How.CHAIR.value,
                "word": _("by the chair"),
                "category": None,
                "can": possible.chair,
            }
        )
        best = next(((how, word, state) for how, word, state in hows if state), None)
        proposed = best[2].category_id if best and best[2] else self._leading(shown, last)
        if possible.is_voting:
            when = _("Record after the ballot")
        elif not possible.has_quorum:
            when = _("Record with the quorum")
        else:
            when = _("Record")
        chosen = tuple(state.category_id for state in shown.choices)
        version, depth = self.round.version_id, self.round.depth
        return {
            "hows": drawn,
            "chosen_how": next((one["value"] for one in drawn if one["can"]), Decision.How.CHAIR.value),
            "proposed": proposed,
            "suffices": f"{best[2].code}, {best[1]}" if best and best[2] else "",
            "may_record": any(one["can"] for one in drawn),
            "record_when": when,
            "others_of_decision": _options_of(version, depth, chosen, "id", proposed),
            "others_of_vote": _options_of(version, depth, chosen, "id", self._other(shown)),
        }

    def _other(self, shown: Shown) -> int | None:
        """The own ballot, where it is for a category that no label chose."""
        vote = shown.open_vote
        if vote is None or not vote.own or vote.own in {state.code for state in shown.choices}:
            return None
        return next(id_ for id_, state in self.book.states.items() if state.code == vote.own)

    def _leading(self, shown: Shown, last: VoteLine | None) -> int | None:
        if last is not None and last.split:
            return next(id_ for id_, state in self.book.states.items() if state.code == last.split[0][0])
        return shown.choices[0].category_id if shown.choices else None


@lru_cache(maxsize=64)
def _choosable(version_id: int, depth: int) -> Sequence[CategoryState]:
    """The categories at the round's depth, or above it where nothing lies below."""
    book = codebook(version_id)
    return [
        state
        for id_, state in book.states.items()
        if state.level == depth or (state.level < depth and book.is_leaf(id_))
    ]


def _options_of(
    version_id: int, depth: int, but: tuple[int, ...], value: str, selected: int | None = None
) -> SafeString:
    """The other categories as options of a select; `value`: by id or by code."""
    parts = []
    for state in _choosable(version_id, depth):
        if state.category_id not in but:
            key = state.category_id if value == "id" else escape(state.code)
            on = " selected" if state.category_id == selected else ""
            parts.append(f'<option value="{key}"{on}>{escape(state.code)} {escape(state.name)}</option>')
    return mark_safe("".join(parts))  # noqa: S308 - every text in it is escaped
