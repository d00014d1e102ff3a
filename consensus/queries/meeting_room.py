"""The room of a meeting as one member may see it now: its people, its agenda, and the shown issue. Of issues
that are withheld from the member the room contains only the number.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from django.db.models import F, OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils.functional import cached_property

from consensus import models
from consensus.models import AgendaItem, Ballot, Meeting, Spell
from consensus.queries.agendas import State, decided_last, is_on_agenda, state_of
from consensus.queries.disagreements import rows_of
from consensus.queries.meeting_issue import IssueReader, ShownIssue, ShownVote
from consensus.queries.threads import thread
from consensus.rules import may_chair, may_take_part, may_take_the_chair
from core import clock
from ingest.models import Issue
from rounds.queries.blindness import seen_by
from rounds.queries.rounds import volunteers
from studies.models import Membership


@dataclass(frozen=True)
class RoomPerson:
    """A member who was invited to the meeting or came to it. `name` is the name or pseudonym that the meeting
    shows. `has_voted`: in the open vote on the shown issue.
    """

    member_id: int
    pseudonym: str
    name: str
    is_self: bool
    is_chair: bool
    is_present: bool
    has_voted: bool


@dataclass(frozen=True)
class AgendaIssue:
    """One issue of the agenda. `code`: the category of its decision, "" without one. `is_voted`: the issue
    waits for no ballot of the reader.
    """

    id: int
    title: str
    state: State
    code: str
    is_current: bool
    is_shown: bool
    is_voted: bool


@dataclass(frozen=True)
class AgendaGroup:
    """The issues whose two most chosen categories are the same pair, `codes`, in the order of the tree.

    `codes` has one code if all other labels are open, and none if all labels are. The opened group, with the
    shown issue, has `lines`, and so has a group of one issue. `first`: the first issue that waits, or else
    the first issue.
    """

    codes: tuple[str, ...]
    total: int
    decided: int
    first: int
    is_opened: bool
    lines: tuple[AgendaIssue, ...]


@dataclass(frozen=True)
class MeetingRoom:
    """A meeting as one member sees it now.

    `waiting` issues are neither decided nor parked. `withheld` counts the issues of the agenda that the
    member may not see; no other number counts them. `current_is_withheld`: the current issue of the meeting
    is withheld. `shown` is None if no issue is shown. `median_seconds` is None before the first decision on
    an issue that the meeting looked at.
    """

    meeting: Meeting
    people: tuple[RoomPerson, ...]
    present: int
    groups: tuple[AgendaGroup, ...]
    total: int
    decided: int
    waiting: int
    withheld: int
    current: int | None
    current_is_withheld: bool
    shown: ShownIssue | None
    is_chair: bool
    may_take_chair: bool
    takes_part: bool
    is_present: bool
    median_seconds: float | None

    @property
    def has_quorum(self) -> bool:
        return self.present >= self.meeting.quorum

    @property
    def others(self) -> int:
        """The number of present participants without the reader."""
        return self.present - self.is_present

    @property
    def left(self) -> int:
        """The number of issues that are not decided yet."""
        return self.total - self.decided

    @property
    def seconds_left(self) -> float | None:
        return None if self.median_seconds is None else self.median_seconds * self.left


def room(meeting: Meeting, member: Membership | None, item_id: int | None = None) -> MeetingRoom:
    """The room as this member may see it, with the current issue or the requested item of the agenda.

    Over days and in a pair, the room by default shows the first issue that waits for the member. About twenty
    queries at any size of the agenda.
    """
    return _RoomReader(meeting, member).read(item_id)


class _AgendaPlace(NamedTuple):
    """An item of the agenda that the member may see: a tuple, because there can be thousands."""

    id: int
    issue_id: int
    state: State
    category_id: int | None
    pair: tuple[str, ...]
    waits: bool


class _RoomReader(IssueReader):
    def read(self, item_id: int | None) -> MeetingRoom:
        places, withheld = self._places()
        decided = {place.id for place in places if place.state == "decided"}
        current = next((place.id for place in places if place.id == self.meeting.item_id), None)
        shown = self._chosen(places, item_id, current)
        groups = self._groups(places, shown)
        detail = self._shown(shown) if shown else None
        vote = detail.open_vote if detail else None
        taking_part = may_take_part(self.member, self.meeting)
        people = self._people(vote.voted if vote else frozenset())
        return MeetingRoom(
            meeting=self.meeting,
            people=people,
            present=len(self._present),
            groups=groups,
            total=len(places),
            decided=len(decided),
            waiting=sum(place.waits for place in places),
            withheld=withheld,
            current=current,
            current_is_withheld=self.meeting.item_id is not None and current is None,
            shown=detail,
            is_chair=taking_part and self.member is not None and self.member.pk == self.meeting.chair_id,
            may_take_chair=self.meeting.kind != Meeting.Kind.PAIR
            and may_take_the_chair(self.member, self.meeting)
            and not may_chair(self.member, self.meeting),
            takes_part=taking_part,
            is_present=self.member is not None and self.member.pk in self._present,
            median_seconds=self._median(decided),
        )

    def _places(self) -> tuple[list[_AgendaPlace], int]:
        """The items that this member may see, in order, and the number of withheld items."""
        rows = models.Disagreement.objects.filter(round=self.round, issue=OuterRef("issue"))
        rows = seen_by(rows, self.round, self.member)
        items = AgendaItem.objects.filter(is_on_agenda(), meeting=self.meeting).order_by("position", "pk")
        found = items.values_list(
            "pk",
            "issue",
            "parked_at",
            Subquery(decided_last(self.meeting).values("category")[:1]),
            Subquery(rows.values("chosen")),
        )
        pairs: dict[tuple[int, ...], tuple[str, ...]] = {}
        places = []
        withheld = 0
        for id_, issue_id, parked_at, category, chosen in found:
            if chosen is None:
                withheld += 1
                continue
            state = state_of(self.meeting, id_, category, parked_at)
            waits = category is None and parked_at is None
            two = tuple(chosen[:2])
            if two not in pairs:
                pairs[two] = self.book.codes_in_order(two)
            places.append(_AgendaPlace(id_, issue_id, state, category, pairs[two], waits))
        return places, withheld

    @cached_property
    def _voted(self) -> frozenset[int]:
        """The items with a ballot of this member; in a pair only a ballot in an open vote counts."""
        own = Ballot.objects.filter(meeting=self.meeting, member=self.member)
        if self.meeting.kind != Meeting.Kind.APART:
            own = own.filter(vote__closed_at=None)
        return frozenset(own.values_list("vote__item", flat=True)) if self.member else frozenset()

    def _chosen(
        self, places: Sequence[_AgendaPlace], item_id: int | None, current: int | None
    ) -> _AgendaPlace | None:
        wanted = current if item_id is None else item_id
        if wanted is not None or self.meeting.kind == Meeting.Kind.TOGETHER:
            return next((place for place in places if place.id == wanted), None)
        waits = [place for place in places if place.state == "waiting"]
        for_me = (place for place in waits if place.id not in self._voted)
        return next(for_me, None) or next(iter([*waits, *places]), None)

    def _groups(self, places: Sequence[_AgendaPlace], shown: _AgendaPlace | None) -> tuple[AgendaGroup, ...]:
        grouped: dict[tuple[str, ...], list[_AgendaPlace]] = defaultdict(list)
        for place in places:
            grouped[place.pair].append(place)
        opened = shown.pair if shown else next(iter(grouped), None)
        listed = {pair for pair, members in grouped.items() if pair == opened or len(members) == 1}
        lines = self._lines([place for place in places if place.pair in listed], shown)
        return tuple(
            AgendaGroup(
                codes=pair,
                total=len(members),
                decided=sum(place.state == "decided" for place in members),
                first=next((place for place in members if place.state == "waiting"), members[0]).id,
                is_opened=pair == opened,
                lines=tuple(lines[place.id] for place in members) if pair in listed else (),
            )
            for pair, members in grouped.items()
        )

    def _lines(self, places: Sequence[_AgendaPlace], shown: _AgendaPlace | None) -> dict[int, AgendaIssue]:
        rows = Issue.objects.filter(pk__in=[place.issue_id for place in places]).values_list(
            "pk", "current__title", "repository__path", "number"
        )
        titles = {id_: title or f"{path} #{number}" for id_, title, path, number in rows}
        return {
            place.id: AgendaIssue(
                id=place.id,
                title=titles[place.issue_id],
                state=place.state,
                code=self.book.code(place.category_id),
                is_current=place.id == self.meeting.item_id,
                is_shown=place is shown,
                is_voted=place.id in self._voted,
            )
            for place in places
        }

    def _people(self, voted: frozenset[int]) -> tuple[RoomPerson, ...]:
        return tuple(
            RoomPerson(
                member_id=row.member_id,
                pseudonym=row.member.pseudonym,
                name=self._called(row.member),
                is_self=self.member is not None and row.member_id == self.member.pk,
                is_chair=row.member_id == self.meeting.chair_id,
                is_present=row.member_id in self._present,
                has_voted=row.member_id in voted,
            )
            for row in self._participants
        )

    def _median(self, decided: Collection[int]) -> float | None:
        """The median time, in seconds, for which the meeting looked at a decided issue."""
        times = Spell.objects.filter(meeting=self.meeting).values_list("item")
        spent = times.annotate(spent=Sum(Coalesce(F("ended_at"), clock.now()) - F("began_at")))
        seconds = [time.total_seconds() for item_id, time in spent if item_id in decided]
        return median(seconds) if seconds else None

    def _shown(self, place: _AgendaPlace) -> ShownIssue:
        columns = list(volunteers(self.round))
        item = AgendaItem.objects.get(pk=place.id)
        [row] = rows_of(self.round, {item.issue_id: item.position}, columns, self.book, whole=True)
        item.meeting, item.round, item.issue = self.meeting, self.round, row.issue
        votes = self._votes(item)
        return ShownIssue(
            item=item,
            row=row,
            columns=columns,
            choices=tuple(self.book.by_code[code] for code, _votes in row.split),
            thread=thread(self.round, item.issue_id, self.member, is_seen=True, by_name=self.by_name),
            votes=votes,
            ballot_number=self._ballot_number(votes, place),
            decisions=self._decisions(item),
            follow_ups=self._follow_ups(item),
            possible=self._possible(item, votes),
        )

    def _ballot_number(self, votes: Sequence[ShownVote], place: _AgendaPlace) -> int | None:
        if not self.meeting.is_open:
            return None
        if votes and votes[-1].is_open:
            return votes[-1].number
        opens = self.meeting.kind == Meeting.Kind.PAIR or (
            self.meeting.kind == Meeting.Kind.APART and not votes
        )
        return len(votes) + 1 if opens and place.state != "decided" else None
