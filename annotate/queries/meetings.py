"""Meetings that a user may see, and the room of one as one member may see it now.

What nothing may tell a member, they do not get: of an issue that they still have to label elsewhere no row,
no title, no vote; of an open vote only who has voted, and their own ballot.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from statistics import median
from typing import Literal, NamedTuple

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Now

from accounts.models import User
from annotate import models
from annotate.models import (
    AgendaItem,
    Ballot,
    Comment,
    Decision,
    FollowUp,
    Meeting,
    Participant,
    Round,
    RoundVolunteer,
    Spell,
    Vote,
)
from annotate.queries.agendas import is_on_agenda, standing
from annotate.queries.categories import Codebook, codebook
from annotate.queries.disagreements import Disagreement, rows_of
from annotate.queries.rounds import rounds_for, volunteers
from annotate.queries.votes import Tally, tally
from annotate.queries.withheld import seen_by, withheld_from
from annotate.rules import may_chair, may_take_part, may_take_the_chair
from ingest.models import Issue
from studies.models import Membership
from studies.rules import may_see_names
from taxonomy.models import CategoryState, Proposal

State = Literal["waiting", "now", "parked", "decided"]


def meetings_for(user: User | AnonymousUser) -> QuerySet[Meeting]:
    """The meetings on rounds that this user may see, with round, study and chair; the newest first."""
    found = Meeting.objects.filter(round__in=rounds_for(user))
    return found.select_related("round__study", "round__version__taxonomy", "chair__user").order_by("-pk")


def meetings_of(round_: Round) -> QuerySet[Meeting]:
    """The meetings on one round, with their chairs; the newest first."""
    return Meeting.objects.filter(round=round_).select_related("chair__user").order_by("-pk")


@dataclass(frozen=True)
class Person:
    """Somebody who was asked to the meeting or came to it.

    `name` is what the meeting calls them. `has_voted`: in the open vote on the issue that is shown.
    """

    member_id: int
    pseudonym: str
    name: str
    is_self: bool
    is_chair: bool
    is_present: bool
    has_voted: bool
    joined_at: datetime | None
    left_at: datetime | None


@dataclass(frozen=True)
class Line:
    """One issue of the agenda. `code` is that of the decision, "" without one.

    `is_voted`: the asking member has nothing to add to it over days: their ballot is in.
    """

    id: int
    position: int
    title: str
    state: State
    code: str
    is_current: bool
    is_shown: bool
    is_voted: bool


@dataclass(frozen=True)
class Group:
    """The issues in which the same two categories are confused the most, in the order of the tree.

    One code where all other labels are open, none where all are. `lines` are those of the opened group
    only: that of the issue that is shown. `first` is where to go in: what waits, else the first.
    """

    codes: tuple[str, ...]
    total: int
    decided: int
    first: int
    is_opened: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class BallotLine:
    """One ballot of a closed vote; to abstain is the code ""."""

    member_id: int
    name: str
    code: str


@dataclass(frozen=True)
class VoteLine:
    """One vote on the issue that is shown.

    Open: who has voted, and the asking member's own choice, None without one. Closed: all ballots, and
    what they come to. `present` took part; `closed_by` is "" where the last ballot
    closed it.
    """

    id: int
    number: int
    is_open: bool
    opened_at: datetime
    closed_at: datetime | None
    closed_by: str
    present: int
    voted: frozenset[int]
    own: str | None
    ballots: tuple[BallotLine, ...]
    split: tuple[tuple[str, int], ...]
    tally: Tally

    @property
    def abstained(self) -> int:
        return self.tally.abstained


@dataclass(frozen=True)
class Said:
    """One comment of the thread; `code` is what it argues for, "" where it does not say."""

    id: int
    member_id: int
    name: str
    text: str
    code: str
    said_at: datetime
    is_own: bool


@dataclass(frozen=True)
class Decided:
    """One decision in the chain of an issue, the oldest first. `how` and `cause` are words, "" without."""

    number: int
    code: str
    title: str
    method: str
    how: str
    rationale: str
    cause: str
    by: str
    at: datetime
    superseded_at: datetime | None
    superseded_by: str
    superseded_why: str
    is_of_this_meeting: bool

    @property
    def stands(self) -> bool:
        return self.superseded_at is None


@dataclass(frozen=True)
class Following:
    """What follows from the item: `kind` is a FollowUp.Kind."""

    id: int
    kind: str
    label: str
    code: str
    proposal: Proposal | None
    text: str
    by: str
    is_done: bool


@dataclass(frozen=True)
class Possible:
    """What the chair could record now. `there` of the `needs` take part, now or in the vote that counts.

    `unanimity`, `majority`: the category that the last closed vote suffices for. `is_voting`: an open vote
    has to be revealed first.
    """

    unanimity: CategoryState | None = None
    majority: CategoryState | None = None
    chair: bool = False
    is_voting: bool = False
    there: int = 0
    needs: int = 0

    @property
    def has_quorum(self) -> bool:
        return self.there >= self.needs


@dataclass(frozen=True)
class Shown:
    """The issue that a member looks at: what its labels say, what was said since, and how it was voted.

    `ballot_number`: of the vote that a ballot would be cast in, None where nobody could cast one.
    `seen_number`: of the decision that stands, 0 without one. `choices`: the categories of the labels, the
    most chosen first. `previous`, `next`: items of the group as it is shown; `waiting`: the next that waits.
    """

    item: AgendaItem
    state: State
    is_current: bool
    row: Disagreement
    columns: list[RoundVolunteer]
    choices: tuple[CategoryState, ...]
    thread: tuple[Said, ...]
    votes: tuple[VoteLine, ...]
    ballot_number: int | None
    decisions: tuple[Decided, ...]
    follow_ups: tuple[Following, ...]
    possible: Possible
    seen_number: int
    previous: int | None
    next: int | None
    waiting: int | None

    @property
    def open_vote(self) -> VoteLine | None:
        return next((vote for vote in self.votes if vote.is_open), None)

    @property
    def standing(self) -> Decided | None:
        return next((one for one in self.decisions if one.stands), None)


@dataclass(frozen=True)
class Room:
    """A meeting as one member sees it now.

    `withheld` says how many issues of the agenda are kept from them, and none of the other numbers counts
    these; `current_is_held_back`: the one that everybody else looks at is. `shown` is None without anything
    to show. Seconds are None without a decision that took time.
    """

    meeting: Meeting
    revision: int
    people: tuple[Person, ...]
    present: int
    groups: tuple[Group, ...]
    total: int
    decided: int
    parked: int
    withheld: int
    current: int | None
    current_is_held_back: bool
    shown: Shown | None
    is_chair: bool
    may_take_chair: bool
    takes_part: bool
    is_present: bool
    median_seconds: float | None

    @property
    def has_quorum(self) -> bool:
        return self.present >= self.meeting.quorum

    @property
    def left(self) -> int:
        """Issues that are not decided yet."""
        return self.total - self.decided

    @property
    def seconds_left(self) -> float | None:
        return None if self.median_seconds is None else self.median_seconds * self.left


def room(meeting: Meeting, member: Membership | None, item_id: int | None = None) -> Room:
    """The room as this member may see it: everybody's issue, or that of the agenda which they ask for.

    Over days, where nobody leads, it is the first that waits for them. A fixed number of queries, about
    twenty, at any size of the agenda.
    """
    return _Reader(meeting, member).read(item_id)


class _Place(NamedTuple):
    """An item of the agenda that the member may see: there can be thousands, so it is no model."""

    id: int
    issue_id: int
    position: int
    state: State
    category_id: int | None
    pair: tuple[int, ...]


class _Reader:
    def __init__(self, meeting: Meeting, member: Membership | None) -> None:
        # As it is now, whoever holds an older one; what belongs to it is known.
        self.meeting = Meeting.objects.get(pk=meeting.pk)
        self.meeting.round = meeting.round
        self.round = meeting.round
        self.member = member
        self.by_name = self.meeting.shows_names and may_see_names(member)
        self.book: Codebook = codebook(self.round.version_id)

    def read(self, item_id: int | None) -> Room:
        places, withheld = self._places()
        states = Counter(place.state for place in places)
        current = next((place.id for place in places if place.id == self.meeting.item_id), None)
        shown = self._chosen(places, item_id, current)
        groups = self._groups(places, shown)
        detail = self._shown(shown, groups) if shown else None
        vote = detail.open_vote if detail else None
        taking_part = may_take_part(self.member, self.meeting)
        people = self._people(vote.voted if vote else frozenset())
        return Room(
            meeting=self.meeting,
            revision=self.meeting.revision,
            people=people,
            present=len(self._present),
            groups=groups,
            total=len(places),
            decided=states["decided"],
            parked=states["parked"],
            withheld=withheld,
            current=current,
            current_is_held_back=self.meeting.item_id is not None and current is None,
            shown=detail,
            is_chair=taking_part and self.member is not None and self.member.pk == self.meeting.chair_id,
            may_take_chair=self.meeting.kind != Meeting.Kind.PAIR
            and may_take_the_chair(self.member, self.meeting)
            and not may_chair(self.member, self.meeting),
            takes_part=taking_part,
            is_present=self.member is not None and self.member.pk in self._present,
            median_seconds=self._median({place.id for place in places if place.state == "decided"}),
        )

    @cached_property
    def _participants(self) -> list[Participant]:
        rows = Participant.objects.filter(meeting=self.meeting).select_related("member__user")
        return list(rows.order_by("pk"))

    @cached_property
    def _present(self) -> frozenset[int]:
        return frozenset(
            row.member_id for row in self._participants if row.joined_at is not None and row.left_at is None
        )

    def _called(self, member: Membership | None) -> str:
        if member is None:
            return ""
        return member.user.name if self.by_name and member.user is not None else member.pseudonym

    def _code(self, category_id: int | None) -> str:
        return "" if category_id is None else self.book.states[category_id].code

    def _on_agenda(self) -> QuerySet[AgendaItem]:
        """What is on the agenda; of a closed meeting what was on it then."""
        return AgendaItem.objects.filter(is_on_agenda(), meeting=self.meeting)

    def _places(self) -> tuple[list[_Place], int]:
        """What this member may see of the agenda, in order, and how many issues are kept from them."""
        here = {"round": self.round, "issue": OuterRef("issue")}
        rows = seen_by(models.Disagreement.objects.filter(**here), self.round, self.member)
        stood = Decision.objects.filter(standing(self.meeting.closed_at), **here).order_by("-number")
        items = self._on_agenda().order_by("position", "pk")
        found = items.values_list(
            "pk",
            "issue",
            "position",
            "parked_at",
            Subquery(stood.values("category")[:1]),
            Subquery(rows.values("chosen")),
        )
        pairs: dict[tuple[int, ...], tuple[int, ...]] = {}
        places = []
        withheld = 0
        for id_, issue_id, position, parked_at, category, chosen in found:
            if chosen is None:
                withheld += 1
                continue
            state: State = "waiting"
            if category is not None:
                state = "decided"
            elif id_ == self.meeting.item_id:
                state = "now"
            elif parked_at is not None:
                state = "parked"
            two = tuple(chosen[:2])
            if two not in pairs:
                pairs[two] = self._pair(two)
            places.append(_Place(id_, issue_id, position, state, category, pairs[two]))
        return places, withheld

    def _pair(self, categories: tuple[int, ...]) -> tuple[int, ...]:
        """In the order of the tree."""
        return tuple(sorted(categories, key=lambda id_: self.book.states[id_].position))

    @cached_property
    def _voted(self) -> frozenset[int]:
        """The items that wait for no ballot of this member; in a pair a closed vote asks for another."""
        own = Ballot.objects.filter(meeting=self.meeting, member=self.member)
        if self.meeting.kind != Meeting.Kind.APART:
            own = own.filter(vote__closed_at=None)
        return frozenset(own.values_list("vote__item", flat=True)) if self.member else frozenset()

    def _chosen(self, places: Sequence[_Place], item_id: int | None, current: int | None) -> _Place | None:
        wanted = current if item_id is None else item_id
        if wanted is not None or self.meeting.kind == Meeting.Kind.TOGETHER:
            return next((place for place in places if place.id == wanted), None)
        waits = [place for place in places if place.state == "waiting"]
        for_me = (place for place in waits if place.id not in self._voted)
        return next(for_me, None) or next(iter([*waits, *places]), None)

    def _groups(self, places: Sequence[_Place], shown: _Place | None) -> tuple[Group, ...]:
        grouped: dict[tuple[int, ...], list[_Place]] = defaultdict(list)
        for place in places:
            grouped[place.pair].append(place)
        opened = shown.pair if shown else next(iter(grouped), None)
        return tuple(
            Group(
                codes=tuple(self._code(id_) for id_ in pair),
                total=len(members),
                decided=sum(place.state == "decided" for place in members),
                first=next((place for place in members if place.state == "waiting"), members[0]).id,
                is_opened=pair == opened,
                lines=self._lines(members, shown) if pair == opened else (),
            )
            for pair, members in grouped.items()
        )

    def _lines(self, places: Sequence[_Place], shown: _Place | None) -> tuple[Line, ...]:
        titles = self._titles([place.issue_id for place in places])
        return tuple(
            Line(
                id=place.id,
                position=place.position,
                title=titles[place.issue_id],
                state=place.state,
                code=self._code(place.category_id),
                is_current=place.id == self.meeting.item_id,
                is_shown=place is shown,
                is_voted=place.id in self._voted,
            )
            for place in places
        )

    def _titles(self, issues: Collection[int]) -> Mapping[int, str]:
        rows = Issue.objects.filter(pk__in=issues).values_list(
            "pk", "current__title", "repository__path", "number"
        )
        return {id_: title or f"{path} #{number}" for id_, title, path, number in rows}

    def _people(self, voted: frozenset[int]) -> tuple[Person, ...]:
        return tuple(
            Person(
                member_id=row.member_id,
                pseudonym=row.member.pseudonym,
                name=self._called(row.member),
                is_self=self.member is not None and row.member_id == self.member.pk,
                is_chair=row.member_id == self.meeting.chair_id,
                is_present=row.member_id in self._present,
                has_voted=row.member_id in voted,
                joined_at=row.joined_at,
                left_at=row.left_at,
            )
            for row in self._participants
        )

    def _median(self, decided: Collection[int]) -> float | None:
        """Seconds that the meeting looked at each issue that it decided."""
        times = Spell.objects.filter(meeting=self.meeting).values_list("item")
        spent = times.annotate(spent=Sum(Coalesce(F("ended_at"), Now()) - F("began_at")))
        seconds = [time.total_seconds() for item_id, time in spent if item_id in decided]
        return median(seconds) if seconds else None

    def _shown(self, place: _Place, groups: Iterable[Group]) -> Shown:
        columns = list(volunteers(self.round))
        item = AgendaItem.objects.get(pk=place.id)
        [row] = rows_of(self.round, {item.issue_id: item.position}, columns, self.book, whole=True)
        item.meeting, item.round, item.issue = self.meeting, self.round, row.issue
        votes = self._votes(item)
        decisions = self._decisions(item)
        # In the order of the panel: group by group.
        lines = [line for group in groups for line in group.lines]
        here = next((number for number, line in enumerate(lines) if line.is_shown), 0)
        after = [*lines[here + 1 :], *lines[:here]]
        elsewhere = (group.first for group in groups if not group.is_opened and group.decided < group.total)
        return Shown(
            item=item,
            state=place.state,
            is_current=place.id == self.meeting.item_id,
            row=row,
            columns=columns,
            choices=self._choices(row),
            thread=self._thread(item),
            votes=votes,
            ballot_number=self._ballot_number(votes, place),
            decisions=decisions,
            follow_ups=self._follow_ups(item),
            possible=self._possible(item, votes),
            seen_number=next((one.number for one in decisions if one.stands), 0),
            previous=lines[here - 1].id if here else None,
            next=lines[here + 1].id if here + 1 < len(lines) else None,
            waiting=next((line.id for line in after if line.state == "waiting"), None)
            or next(elsewhere, None),
        )

    def _choices(self, row: Disagreement) -> tuple[CategoryState, ...]:
        known = {state.code: state for state in self.book.states.values()}
        return tuple(known[code] for code, _votes in row.split)

    def _thread(self, item: AgendaItem) -> tuple[Said, ...]:
        said = Comment.objects.filter(round=self.round, issue=item.issue_id).select_related("author__user")
        return tuple(
            Said(
                id=comment.pk,
                member_id=comment.author_id,
                name=self._called(comment.author),
                text=comment.text,
                code=self._code(comment.category_id),
                said_at=comment.said_at,
                is_own=self.member is not None and comment.author_id == self.member.pk,
            )
            for comment in said.order_by("pk")
        )

    def _votes(self, item: AgendaItem) -> tuple[VoteLine, ...]:
        votes = Vote.objects.filter(item=item).select_related("closed_by__user").order_by("number")
        ballots = Ballot.objects.filter(vote__item=item).select_related("member__user")
        cast: dict[int, list[Ballot]] = defaultdict(list)
        for ballot in ballots.order_by("member") if votes else ():
            cast[ballot.vote_id].append(ballot)
        return tuple(self._vote(vote, cast[vote.pk]) for vote in votes)

    def _vote(self, vote: Vote, cast: Sequence[Ballot]) -> VoteLine:
        own = next((one for one in cast if self.member is not None and one.member_id == self.member.pk), None)
        is_open = vote.closed_at is None
        # The one place where ballots leave the table: nobody's but one's own before the vote is closed.
        revealed = () if is_open else cast
        counted = tally([ballot.category_id for ballot in revealed], vote.present or 0)
        return VoteLine(
            id=vote.pk,
            number=vote.number,
            is_open=is_open,
            opened_at=vote.opened_at,
            closed_at=vote.closed_at,
            closed_by=self._called(vote.closed_by),
            present=vote.present or 0,
            voted=frozenset(ballot.member_id for ballot in cast),
            own=None if own is None else self._code(own.category_id),
            ballots=tuple(
                BallotLine(ballot.member_id, self._called(ballot.member), self._code(ballot.category_id))
                for ballot in revealed
            ),
            split=tuple((self._code(id_), votes) for id_, votes in counted.votes.items()),
            tally=counted,
        )

    def _ballot_number(self, votes: Sequence[VoteLine], place: _Place) -> int | None:
        if not self.meeting.is_open:
            return None
        if votes and votes[-1].is_open:
            return votes[-1].number
        opens = self.meeting.kind == Meeting.Kind.PAIR or (
            self.meeting.kind == Meeting.Kind.APART and not votes
        )
        return len(votes) + 1 if opens and place.state != "decided" else None

    def _decisions(self, item: AgendaItem) -> tuple[Decided, ...]:
        chain = Decision.objects.filter(round=self.round, issue=item.issue_id)
        chain = chain.select_related("decided_by__user", "superseded_by__user", "item")
        return tuple(
            Decided(
                number=one.number,
                code=self._code(one.category_id),
                title=self.book.states[one.category_id].name,
                method=one.get_method_display(),
                how=one.get_how_display() if one.how else "",
                rationale=one.rationale,
                cause=one.get_cause_display() if one.cause else "",
                by=self._called(one.decided_by),
                at=one.decided_at,
                superseded_at=one.superseded_at,
                superseded_by=self._called(one.superseded_by),
                superseded_why=one.superseded_why,
                is_of_this_meeting=one.item is not None and one.item.meeting_id == self.meeting.pk,
            )
            for one in chain.order_by("number")
        )

    def _follow_ups(self, item: AgendaItem) -> tuple[Following, ...]:
        rows = FollowUp.objects.filter(item=item).select_related("proposal", "made_by__user").order_by("pk")
        return tuple(
            Following(
                id=one.pk,
                kind=one.kind,
                label=one.get_kind_display(),
                code=self._code(one.category_id),
                proposal=one.proposal,
                text=one.text,
                by=self._called(one.made_by),
                is_done=one.done_at is not None,
            )
            for one in rows
        )

    def _possible(self, item: AgendaItem, votes: Sequence[VoteLine]) -> Possible:
        meeting = self.meeting
        there = len(self._present - withheld_from(self.round, item.issue_id, self._present))
        if not meeting.is_open:
            return Possible(there=there, needs=meeting.quorum)
        voting = bool(votes) and votes[-1].is_open
        last = votes[-1] if votes and not voting else None
        if meeting.kind != Meeting.Kind.TOGETHER:
            there = len(votes[-1].voted) if votes else 0
        unanimity = majority = None
        if last is not None and last.present >= meeting.quorum:
            unanimity = self.book.states.get(last.tally.unanimity or 0)
            majority = self.book.states.get(last.tally.majority or 0) if meeting.by_majority else None
        chair = meeting.kind != Meeting.Kind.PAIR and not voting and there >= meeting.quorum
        return Possible(
            unanimity=unanimity,
            majority=majority,
            chair=chair and (meeting.kind == Meeting.Kind.TOGETHER or last is not None),
            is_voting=voting,
            there=there,
            needs=meeting.quorum,
        )
