"""The minutes of a meeting, as they follow from its rows, and the numbers for a method section.

Nothing is written down by hand: who was there, votes, decisions and times are what the meeting stored. What
is withheld from the reader is left out, only its number is said; ballots are read from closed votes alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from statistics import median
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone

from annotate.models import (
    AgendaItem,
    Ballot,
    Comment,
    Decision,
    Disagreement,
    FollowUp,
    Label,
    Meeting,
    Participant,
    Round,
    Spell,
    Vote,
)
from annotate.queries.agendas import standing
from annotate.queries.categories import Codebook, codebook
from annotate.queries.rounds import revealed
from annotate.queries.withheld import held_back, seen_by
from studies.models import Membership
from studies.rules import may_see_names

OUTSIDE = ("anew", "elsewhere")
"""States of what somebody outside of the meeting decided."""


@dataclass(frozen=True)
class Attendance:
    """One who was there; `until` is None for who still is, while the meeting is open."""

    who: str
    since: datetime
    until: datetime | None


@dataclass(frozen=True)
class Said:
    """One argument, said during the meeting; `code` is what it argues for, "" if it does not say."""

    who: str
    at: datetime
    code: str
    text: str


@dataclass(frozen=True)
class OneLabel:
    """The label that somebody gave before: its code, or with "" the name of the category it proposes."""

    who: str
    code: str
    proposes: str = ""


@dataclass(frozen=True)
class ClosedVote:
    """A vote with its ballots: who said which code, "" for who abstained. `split` counts them, most first.

    `revealed_by`: who closed it; "" where the last ballot did.
    """

    number: int
    at: datetime
    present: int
    ballots: tuple[tuple[str, str], ...]
    split: tuple[tuple[str, int], ...]
    abstained: int
    revealed_by: str


@dataclass(frozen=True)
class Decided:
    """One decision of the meeting. `how` is that of Decision; `votes` of `present` stood for it.

    `alike` is how many were decided at this stroke, 0 for one alone. `reopened_at` and what follows tell that
    it was taken back, or replaced by a later one, and by whom.
    """

    number: int
    code: str
    name: str
    how: str
    votes: int
    present: int
    by: str
    at: datetime
    rationale: str
    cause: str
    alike: int = 0
    ended_at: datetime | None = None
    ended_by: str = ""
    ended_why: str = ""


@dataclass(frozen=True)
class Outside:
    """The decision of somebody outside of the meeting that stood at its end. `method` is that of Decision."""

    code: str
    method: str
    by: str
    at: datetime


@dataclass(frozen=True)
class Following:
    """What follows from an item: kind in words, code where it is about a category, text or proposed name."""

    kind: str
    code: str
    text: str
    by: str
    is_done: bool


@dataclass(frozen=True)
class Minute:
    """One issue of the agenda as it went.

    `state`: decided, anew, reopened, parked, open, elsewhere or waiting. anew: the meeting decided, and then
    somebody else did, `outside`; elsewhere: only somebody else did.
    `seconds` is how long the meeting looked at it, None where it never did, as in a meeting over days.
    """

    issue_id: int
    repository: str
    number: str
    title: str
    url: str
    state: str
    pair: tuple[str, ...]
    labels: tuple[OneLabel, ...] = ()
    votes: tuple[ClosedVote, ...] = ()
    decisions: tuple[Decided, ...] = ()
    thread: tuple[Said, ...] = ()
    following: tuple[Following, ...] = ()
    outside: Outside | None = None
    parked_why: str = ""
    seconds: float | None = None

    @property
    def decision(self) -> Decided | None:
        """What the meeting decided in the end; None if nothing."""
        return self.decisions[-1] if self.decisions and self.state == "decided" else None


@dataclass(frozen=True)
class MinuteGroup:
    """The issues of one confused pair that the meeting came to, in the order of discussion."""

    pair: tuple[str, ...]
    items: tuple[Minute, ...]


@dataclass(frozen=True)
class Totals:
    """The sums of a meeting; `causes` are (cause, how many), most first.

    `decided` counts what was decided at its end, as its screen does: by unanimity, a majority or the chair of
    the meeting, or outside of it by a lead, by a majority of the labels in `bulk`, or `elsewhere`.
    """

    agenda: int
    discussed: int
    decided: int
    unanimity: int
    majority: int
    chair: int
    parked: int
    open: int
    waiting: int
    median_seconds: float | None
    causes: tuple[tuple[str, int], ...]
    lead: int = 0
    bulk: int = 0
    elsewhere: int = 0


@dataclass(frozen=True)
class Minutes:
    """The whole minutes, as one member may read them. `names`: code to name of the categories that occur."""

    meeting: Meeting
    as_of: datetime
    chairs: tuple[str, ...]
    there: tuple[Attendance, ...]
    absent: tuple[str, ...]
    groups: tuple[MinuteGroup, ...]
    not_reached: tuple[Minute, ...]
    withheld: int
    totals: Totals
    names: dict[str, str] = field(default_factory=dict)

    @property
    def is_final(self) -> bool:
        return self.meeting.closed_at is not None


def called(member: Membership, *, by_name: bool) -> str:
    """What minutes call somebody: the name where the meeting shows names, else the pseudonym."""
    return member.user.name if by_name and member.user is not None else member.pseudonym


def minutes(meeting: Meeting, member: Membership | None) -> Minutes:
    """The minutes so far, or of the whole meeting once it is closed. At most 14 queries at any size."""
    return _Writer(meeting, member).write()


class _Writer:
    """Reads the rows of a meeting once each, and puts them together."""

    def __init__(self, meeting: Meeting, member: Membership | None) -> None:
        self.meeting = meeting
        self.member = member
        self.round = meeting.round
        self.as_of = meeting.closed_at or timezone.now()
        self.book: Codebook = codebook(self.round.version_id)
        by_name = meeting.shows_names and may_see_names(member)
        people = Membership.objects.filter(study=self.round.study_id).select_related("user")
        self.people = {one.pk: called(one, by_name=by_name) for one in people}

    def write(self) -> Minutes:
        items, withheld = self._items()
        ids = [item.pk for item in items]
        issues = [item.issue_id for item in items]
        self.spells = _by(Spell.objects.filter(item__in=ids).order_by("began_at", "pk"), "item_id")
        votes = Vote.objects.filter(item__in=ids, closed_at__isnull=False).order_by("number")
        self.votes = _by(votes, "item_id")
        self.vote = {vote.pk: vote for held in self.votes.values() for vote in held}
        cast = Ballot.objects.filter(vote__in=votes.order_by().values("pk"))
        self.ballots = _by(cast.order_by("member"), "vote_id")
        self.decisions = _by(Decision.objects.filter(item__in=ids).order_by("number"), "item_id")
        follow = FollowUp.objects.filter(item__in=ids).select_related("proposal")
        self.following = _by(follow.order_by("pk"), "item_id")
        self.comments = _by(self._comments(issues), "issue_id")
        labels = Label.objects.filter(round=self.round, issue__in=issues, surplus=False)
        self.labels = _by(labels.select_related("proposal").order_by("volunteer"), "issue_id")
        stood = Decision.objects.filter(standing(self.meeting.closed_at), round=self.round, issue__in=issues)
        self.settled = {decision.issue_id: decision for decision in stood}
        made = (decision for chain in self.decisions.values() for decision in chain)
        self.alike = Counter(decision.bulk_id for decision in made if decision.bulk_id is not None)
        lines = [self._minute(item) for item in items]
        begun = {item.issue_id: self._begun(item) for item in items}
        # What the meeting never came to stands behind, in the order of the agenda.
        lines.sort(key=lambda line: (begun[line.issue_id] is None, begun[line.issue_id] or self.as_of))
        there, absent = self._who()
        return Minutes(
            meeting=self.meeting,
            as_of=self.as_of,
            chairs=self._chairs(),
            there=there,
            absent=absent,
            groups=_grouped(line for line in lines if line.state != "waiting"),
            not_reached=tuple(line for line in lines if line.state == "waiting"),
            withheld=withheld,
            totals=_totals(lines),
            names={state.code: state.name for state in self.book.states.values()},
        )

    def _items(self) -> tuple[list[AgendaItem], int]:
        """The items to be written of in the order of the agenda, and how many are withheld from the reader.

        What was taken off before anything was said of it is no part of the meeting.
        """
        found = (
            AgendaItem.objects.filter(meeting=self.meeting)
            .select_related("issue__repository", "issue__current")
            .only(
                "meeting", "round", "issue", "position", "parked_at", "parked_why", "released_at",
                "issue__number", "issue__url", "issue__repository__path", "issue__current__title",
            )
            .order_by("position", "pk")
        )  # fmt: skip
        on_it = list(found)
        off = {item.pk for item in on_it if self._is_off(item)}
        off -= set(came_up(AgendaItem.objects.filter(pk__in=off)).values_list("pk", flat=True))
        on_it = [item for item in on_it if item.pk not in off]
        # Not by their disagreements: a later version can end one, and the meeting has talked about it.
        differs = Disagreement.objects.filter(round=self.round, issue=OuterRef("issue")).values("chosen")
        places = revealed(self.round).filter(issue__in=[item.issue_id for item in on_it])
        held = held_back(self.round, self.member)
        seen = places if held.query.is_empty() else places.exclude(pk__in=held.values("pk"))
        told = seen.values_list("issue", "labels", Subquery(differs[:1]))
        self.chosen = {issue: chosen or self._agreed(labels) for issue, labels, chosen in told}
        shown = [item for item in on_it if item.issue_id in self.chosen]
        return shown, len(on_it) - len(shown)

    def _agreed(self, labels: str) -> list[int]:
        """The category at the round's depth that labels agree on which differed once."""
        said = [int(one) for one in labels.split() if one != "0"]
        depth = self.round.depth
        return list(dict.fromkeys(self.book.at_depth(one, depth).category_id for one in said))

    def _is_off(self, item: AgendaItem) -> bool:
        closed = self.meeting.closed_at
        return item.released_at is not None and (closed is None or item.released_at < closed)

    def _comments(self, issues: Sequence[int]) -> QuerySet[Comment]:
        if self.meeting.opened_at is None:
            return Comment.objects.none()
        said = Comment.objects.filter(round=self.round, issue__in=issues)
        return said.filter(said_at__range=(self.meeting.opened_at, self.as_of)).order_by("pk")

    def _begun(self, item: AgendaItem) -> datetime | None:
        """When the meeting first came to this item; None if it never did."""
        moments = [
            *(spell.began_at for spell in self.spells[item.pk]),
            *(vote.opened_at for vote in self.votes[item.pk]),
            *(decision.decided_at for decision in self.decisions[item.pk]),
            *(comment.said_at for comment in self.comments[item.issue_id]),
            *([item.parked_at] if item.parked_at else []),
        ]
        return min(moments, default=None)

    def _minute(self, item: AgendaItem) -> Minute:
        spells = self.spells[item.pk]
        snapshot = item.issue.current
        state = self._state(item)
        return Minute(
            issue_id=item.issue_id,
            repository=item.issue.repository.path,
            number=item.issue.number,
            title=snapshot.title if snapshot else "",
            url=item.issue.url,
            state=state,
            pair=self._pair(self.chosen[item.issue_id]),
            labels=tuple(map(self._label, self.labels[item.issue_id])),
            votes=tuple(map(self._vote, self.votes[item.pk])),
            decisions=tuple(map(self._decided, self.decisions[item.pk])),
            thread=tuple(map(self._said, self.comments[item.issue_id])),
            following=tuple(map(self._follow, self.following[item.pk])),
            outside=self._outside(item) if state in OUTSIDE else None,
            parked_why=item.parked_why if item.parked_at else "",
            seconds=sum((self._spent(spell) for spell in spells), 0.0) if spells else None,
        )

    def _spent(self, spell: Spell) -> float:
        return ((spell.ended_at or self.as_of) - spell.began_at).total_seconds()

    def _state(self, item: AgendaItem) -> str:
        made = self.decisions[item.pk]
        if made and self._held(made[-1]):
            return "decided"
        if item.issue_id in self.settled:
            return "anew" if made else "elsewhere"
        if made:
            return "reopened"
        if item.parked_at:
            return "parked"
        return "waiting" if self._begun(item) is None else "open"

    def _held(self, decision: Decision) -> bool:
        """Did the decision stand at the end of the meeting? What was done to it later does not undo that."""
        closed = self.meeting.closed_at
        return decision.superseded_at is None or (closed is not None and decision.superseded_at > closed)

    def _pair(self, chosen: Sequence[int]) -> tuple[str, ...]:
        """The two categories that most labels stand for, in the order of the tree."""
        states = sorted((self.book.states[id_] for id_ in chosen[:2]), key=attrgetter("position"))
        return tuple(state.code for state in states)

    def _code(self, category: int | None) -> str:
        return "" if category is None else self.book.states[category].code

    def _label(self, label: Label) -> OneLabel:
        proposes = label.proposal.name if label.category_id is None and label.proposal else ""
        return OneLabel(self.people[label.volunteer_id], self._code(label.category_id), proposes)

    def _vote(self, vote: Vote) -> ClosedVote:
        ballots = self.ballots[vote.pk]
        chosen = Counter(one.category_id for one in ballots if one.category_id is not None)
        places = {id_: self.book.states[id_].position for id_ in chosen}
        split = sorted(chosen.items(), key=lambda one: (-one[1], places[one[0]]))
        return ClosedVote(
            number=vote.number,
            at=vote.opened_at,
            present=vote.present or 0,
            ballots=tuple((self.people[one.member_id], self._code(one.category_id)) for one in ballots),
            split=tuple((self._code(id_), n) for id_, n in split),
            abstained=len(ballots) - chosen.total(),
            revealed_by="" if vote.closed_by_id is None else self.people[vote.closed_by_id],
        )

    def _decided(self, decision: Decision) -> Decided:
        vote = self.vote.get(decision.vote_id or 0)
        for_it = self.ballots[vote.pk] if vote else []
        state = self.book.states[decision.category_id]
        ended_by = decision.superseded_by_id
        return Decided(
            number=decision.number,
            code=state.code,
            name=state.name,
            how=decision.how,
            votes=sum(one.category_id == decision.category_id for one in for_it),
            present=(vote.present or 0) if vote else 0,
            by="" if decision.decided_by_id is None else self.people[decision.decided_by_id],
            at=decision.decided_at,
            rationale=decision.rationale,
            cause=str(decision.get_cause_display()) if decision.cause else "",
            alike=self.alike[decision.bulk_id] if decision.bulk_id else 0,
            ended_at=decision.superseded_at,
            ended_by="" if ended_by is None else self.people[ended_by],
            ended_why=decision.superseded_why,
        )

    def _outside(self, item: AgendaItem) -> Outside:
        decision = self.settled[item.issue_id]
        by = "" if decision.decided_by_id is None else self.people[decision.decided_by_id]
        return Outside(self._code(decision.category_id), decision.method, by, decision.decided_at)

    def _said(self, comment: Comment) -> Said:
        who = self.people[comment.author_id]
        return Said(who, comment.said_at, self._code(comment.category_id), comment.text)

    def _follow(self, one: FollowUp) -> Following:
        named = [one.proposal.name] if one.proposal else []
        return Following(
            kind=str(one.get_kind_display()),
            code=self._code(one.category_id),
            text=": ".join([*named, *([one.text] if one.text else [])]),
            by=self.people[one.made_by_id],
            is_done=one.done_at is not None,
        )

    def _who(self) -> tuple[tuple[Attendance, ...], tuple[str, ...]]:
        taking = list(Participant.objects.filter(meeting=self.meeting).order_by("joined_at", "member"))
        end = self.meeting.closed_at
        there = tuple(
            Attendance(self.people[one.member_id], one.joined_at, one.left_at or end)
            for one in taking
            if one.joined_at is not None
        )
        return there, tuple(self.people[one.member_id] for one in taking if one.joined_at is None)

    def _chairs(self) -> tuple[str, ...]:
        """Who chaired, in turn: who opened a vote or decided in a meeting together, and who has the chair."""
        acts = []
        if self.meeting.kind == Meeting.Kind.TOGETHER:
            acts = [
                *((vote.opened_at, vote.opened_by_id) for held in self.votes.values() for vote in held),
                *((one.decided_at, one.decided_by_id) for made in self.decisions.values() for one in made),
            ]
        in_turn = [id_ for _at, id_ in sorted(acts) if id_ is not None]
        return tuple(self.people[id_] for id_ in dict.fromkeys([*in_turn, self.meeting.chair_id]))


def came_up(items: QuerySet[AgendaItem]) -> QuerySet[AgendaItem]:
    """Those of the items that their meeting looked at, voted on or decided."""
    own = [rows.objects.filter(item=OuterRef("pk")) for rows in (Spell, Vote, Decision)]
    return items.filter(Q(Exists(own[0])) | Q(Exists(own[1])) | Q(Exists(own[2])))


def _by(rows: Iterable[Any], name: str) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found


def _grouped(lines: Iterable[Minute]) -> tuple[MinuteGroup, ...]:
    """By pair; the pair that was discussed first stands first."""
    pairs: dict[tuple[str, ...], list[Minute]] = defaultdict(list)
    for line in lines:
        pairs[line.pair].append(line)
    return tuple(MinuteGroup(pair, tuple(found)) for pair, found in pairs.items())


def _totals(lines: Sequence[Minute]) -> Totals:
    states = Counter(line.state for line in lines)
    made = [line.decision for line in lines if line.decision]
    how = Counter(decision.how for decision in made)
    outside = Counter(line.outside.method for line in lines if line.outside)
    lead, bulk = outside[Decision.Method.LEAD], outside[Decision.Method.MAJORITY]
    times = [line.seconds for line in lines if line.decision and line.seconds is not None]
    return Totals(
        agenda=len(lines),
        discussed=len(lines) - states["waiting"] - states["elsewhere"],
        decided=len(made) + outside.total(),
        unanimity=how[Decision.How.UNANIMITY],
        majority=how[Decision.How.MAJORITY],
        chair=how[Decision.How.CHAIR],
        parked=states["parked"],
        open=states["open"] + states["reopened"],
        waiting=states["waiting"],
        median_seconds=median(times) if times else None,
        causes=tuple(Counter(one.cause for one in made if one.cause).most_common()),
        lead=lead,
        bulk=bulk,
        elsewhere=outside.total() - lead - bulk,
    )


# --- a round, for its method section


@dataclass(frozen=True)
class ConsensusNumbers:
    """How the disagreements of a round, or of one meeting, were settled: the numbers of a method section.

    `there`: the fewest and the most who took part in a meeting, None before anybody did. What stands counts,
    once each: `unanimity`, `majority` and `chair` are of meetings, `pair` of two volunteers between them.
    `bulk` are majorities of the labels, `lead` decisions of a lead alone; `open` are not settled.
    """

    meetings: int
    there: tuple[int, int] | None
    discussed: int
    unanimity: int
    majority: int
    chair: int
    pair: int
    lead: int
    bulk: int
    open: int
    median_seconds: float | None

    @property
    def settled(self) -> int:
        """By meetings and pairs: what shares are of."""
        return self.unanimity + self.majority + self.chair + self.pair


def consensus_numbers(round_: Round, member: Membership | None) -> ConsensusNumbers:
    """The numbers of all meetings of a round, of what nothing keeps from this member. Six queries at most."""
    seen = seen_by(Disagreement.objects.filter(round=round_), round_, member)
    standing = Decision.objects.filter(round=round_, superseded_at=None, issue__in=seen.values("issue"))
    counted: Counter[str] = Counter()
    rows = standing.order_by().values_list("method", "how", "item__meeting__kind").annotate(n=Count("pk"))
    for method, how, kind, n in rows:
        counted[_settled_by(method, how, kind)] += n
    items = AgendaItem.objects.filter(round=round_, issue__in=seen.values("issue"))
    spent = (
        Spell.objects.filter(item__in=items.values("pk"), ended_at__isnull=False)
        .filter(Exists(Decision.objects.filter(item=OuterRef("item"), superseded_at=None)))
        .order_by()
        .values("item")
        .annotate(spent=Sum(F("ended_at") - F("began_at")))
        .values_list("spent", flat=True)
    )
    times = [one.total_seconds() for one in spent]
    meetings = Meeting.objects.filter(round=round_, opened_at__isnull=False).annotate(
        came=Count("participants", filter=Q(participants__joined_at__isnull=False))
    )
    came = list(meetings.values_list("came", flat=True))
    there = [number for number in came if number]
    return ConsensusNumbers(
        meetings=len(came),
        there=(min(there), max(there)) if there else None,
        discussed=came_up(items).order_by().values("issue").distinct().count(),
        unanimity=counted["unanimity"],
        majority=counted["majority"],
        chair=counted["chair"],
        pair=counted["pair"],
        lead=counted["lead"],
        bulk=counted["bulk"],
        open=seen.count() - counted.total(),
        median_seconds=median(times) if times else None,
    )


def meeting_numbers(written: Minutes) -> ConsensusNumbers:
    """The same numbers of one meeting, from its minutes."""
    totals = written.totals
    is_pair = written.meeting.kind == Meeting.Kind.PAIR
    there = len(written.there)
    return ConsensusNumbers(
        meetings=1,
        there=(there, there) if there else None,
        discussed=totals.discussed,
        unanimity=0 if is_pair else totals.unanimity,
        majority=totals.majority,
        chair=totals.chair,
        pair=totals.unanimity if is_pair else 0,
        lead=totals.lead,
        bulk=totals.bulk,
        open=totals.parked + totals.open,
        median_seconds=totals.median_seconds,
    )


def _settled_by(method: str, how: str, kind: str | None) -> str:
    if method == Decision.Method.MEETING:
        # Before there were agendas a lead wrote down what a meeting had decided.
        return "pair" if kind == Meeting.Kind.PAIR else how or "lead"
    return "bulk" if method == Decision.Method.MAJORITY else "lead"
