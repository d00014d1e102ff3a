"""The issue that a meeting looks at, as one member may see it: arguments, votes, decisions, follow-ups. Of an
open vote a member sees the names of the voters and their own ballot; never another ballot.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.functional import cached_property

from consensus.models import AgendaItem, Ballot, Decision, FollowUp, Meeting, Participant, Vote
from consensus.queries.disagreements import DisagreementRow
from consensus.queries.threads import ThreadComment, called
from consensus.queries.votes import NO_CATEGORY_CODE, VoteTally, choice, tally
from rounds.models import RoundVolunteer
from rounds.queries.blindness import withheld_from
from rounds.queries.categories import ShownCodebook, codebook
from studies.models import Membership
from studies.rules import may_see_names
from taxonomy.models import CategoryState


@dataclass(frozen=True)
class ShownBallot:
    """One ballot of a closed vote; the code "" is an abstention, NO_CATEGORY_CODE says that none fits."""

    member_id: int
    name: str
    code: str


@dataclass(frozen=True)
class ShownVote:
    """One vote on the shown issue. `voted`: the ids of the members who have voted. `own`: the reader's code,
    "" to abstain, None without a ballot. Ballots, split and tally are empty while the vote is open.
    """

    id: int
    number: int
    is_open: bool
    voted: frozenset[int]
    own: str | None
    ballots: tuple[ShownBallot, ...]
    split: tuple[tuple[str, int], ...]
    tally: VoteTally


@dataclass(frozen=True)
class ShownDecision:
    """One decision of an issue: its category in the round's version, and the names of its authors."""

    decision: Decision
    category: CategoryState
    by: str
    superseded_by: str

    @property
    def stands(self) -> bool:
        return self.decision.superseded_at is None


@dataclass(frozen=True)
class PossibleDecision:
    """The decisions that the meeting can record now; `there` of the `needs` members take part, in the meeting
    or in the vote that counts.

    `unanimity`, `majority`: the category that the last closed vote suffices for. `chair`: may the chair
    decide? `is_voting`: an open vote has to be revealed first. `none_fits`: the last closed vote says that no
    category fits, so the issue waits for a new one.
    """

    unanimity: CategoryState | None = None
    majority: CategoryState | None = None
    chair: bool = False
    is_voting: bool = False
    none_fits: bool = False
    there: int = 0
    needs: int = 0

    @property
    def has_quorum(self) -> bool:
        return self.there >= self.needs


@dataclass(frozen=True)
class ShownIssue:
    """The issue that a member looks at: its labels, its arguments, its votes and its decisions.

    `ballot_number`: the number of the vote that a ballot would belong to, None if nobody can vote. `choices`:
    the categories of the labels, the most chosen first. Each of `follow_ups` has the code of its category, or
    "".
    """

    item: AgendaItem
    row: DisagreementRow
    columns: list[RoundVolunteer]
    choices: tuple[CategoryState, ...]
    thread: list[ThreadComment]
    votes: tuple[ShownVote, ...]
    ballot_number: int | None
    decisions: tuple[ShownDecision, ...]
    follow_ups: list[tuple[FollowUp, str]]
    possible: PossibleDecision

    @property
    def seen_number(self) -> int:
        """The number of the standing decision, 0 without one."""
        return self.standing.decision.number if self.standing else 0

    @property
    def is_parked(self) -> bool:
        return self.item.parked_at is not None and self.standing is None

    @property
    def open_vote(self) -> ShownVote | None:
        return next((vote for vote in self.votes if vote.is_open), None)

    @property
    def standing(self) -> ShownDecision | None:
        return next((one for one in self.decisions if one.stands), None)


class IssueReader:
    """Reads what a meeting stores about one issue of its agenda, for one member."""

    def __init__(self, meeting: Meeting, member: Membership | None) -> None:
        # The current row: the caller's may be older. Its round is known.
        self.meeting = Meeting.objects.get(pk=meeting.pk)
        self.meeting.round = meeting.round
        self.round = meeting.round
        self.member = member
        self.by_name = self.meeting.shows_names and may_see_names(member)
        self.book: ShownCodebook = codebook(self.round.version_id)

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
        return called(member, by_name=self.by_name) if member else ""

    def _votes(self, item: AgendaItem) -> tuple[ShownVote, ...]:
        votes = Vote.objects.filter(item=item).order_by("number")
        ballots = Ballot.objects.filter(vote__item=item).select_related("member__user")
        cast: dict[int, list[Ballot]] = defaultdict(list)
        for ballot in ballots.order_by("member") if votes else ():
            cast[ballot.vote_id].append(ballot)
        return tuple(self._vote(vote, cast[vote.pk]) for vote in votes)

    def _vote(self, vote: Vote, cast: Sequence[Ballot]) -> ShownVote:
        own = next((one for one in cast if self.member is not None and one.member_id == self.member.pk), None)
        is_open = vote.closed_at is None
        # Before the close a member sees no ballot but their own.
        revealed = () if is_open else cast
        counted = tally((choice(one.category_id, one.none_fits) for one in revealed), vote.present or 0)
        return ShownVote(
            id=vote.pk,
            number=vote.number,
            is_open=is_open,
            voted=frozenset(ballot.member_id for ballot in cast),
            own=None if own is None else self._code(own),
            ballots=tuple(
                ShownBallot(ballot.member_id, self._called(ballot.member), self._code(ballot))
                for ballot in revealed
            ),
            split=tuple((self.book.code(id_), votes) for id_, votes in counted.votes.items()),
            tally=counted,
        )

    def _code(self, ballot: Ballot) -> str:
        return NO_CATEGORY_CODE if ballot.none_fits else self.book.code(ballot.category_id)

    def _decisions(self, item: AgendaItem) -> tuple[ShownDecision, ...]:
        """All decisions of the issue, the oldest first."""
        chain = Decision.objects.filter(round=self.round, issue=item.issue_id)
        chain = chain.select_related("decided_by__user", "superseded_by__user")
        return tuple(
            ShownDecision(
                one,
                self.book.states[one.category_id],
                by=self._called(one.decided_by),
                superseded_by=self._called(one.superseded_by),
            )
            for one in chain.order_by("number")
        )

    def _follow_ups(self, item: AgendaItem) -> list[tuple[FollowUp, str]]:
        rows = FollowUp.objects.filter(item=item).select_related("proposal").order_by("pk")
        return [(one, self.book.code(one.category_id)) for one in rows]

    def _possible(self, item: AgendaItem, votes: Sequence[ShownVote]) -> PossibleDecision:
        meeting = self.meeting
        there = len(self._present - withheld_from(self.round, item.issue_id, self._present))
        if not meeting.is_open:
            return PossibleDecision(there=there, needs=meeting.quorum)
        voting = bool(votes) and votes[-1].is_open
        last = votes[-1] if votes and not voting else None
        if meeting.kind != Meeting.Kind.TOGETHER:
            there = len(votes[-1].voted) if votes else 0
        unanimity = majority = None
        none_fits = False
        if last is not None and last.tally.present >= meeting.quorum:
            unanimity = self.book.states.get(last.tally.unanimity or 0)
            majority = self.book.states.get(last.tally.majority or 0) if meeting.by_majority else None
            none_fits = last.tally.waits_for_a_category(by_majority=meeting.by_majority)
        chair = meeting.kind != Meeting.Kind.PAIR and not voting and there >= meeting.quorum
        return PossibleDecision(
            unanimity=unanimity,
            majority=majority,
            chair=chair and (meeting.kind == Meeting.Kind.TOGETHER or last is not None),
            is_voting=voting,
            none_fits=none_fits,
            there=there,
            needs=meeting.quorum,
        )
