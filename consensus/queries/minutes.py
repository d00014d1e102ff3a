"""The minutes of a meeting, computed from the presence, votes, decisions and times that it stored. Withheld
issues are left out and counted; ballots come from closed votes alone. Minutes of a closed meeting keep the
categories, codes and names of the version that its round used when it closed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from statistics import median
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from consensus.models import (
    AgendaItem,
    Ballot,
    Comment,
    Decision,
    Disagreement,
    FollowUp,
    Meeting,
    Participant,
    Spell,
    Vote,
)
from consensus.queries import minute_records as records
from consensus.queries.agendas import standing
from consensus.queries.consensus_numbers import came_up
from consensus.queries.threads import called
from consensus.queries.votes import NO_CATEGORY_CODE
from core import clock
from core.text.joining import colon
from rounds.models import Label
from rounds.queries.blindness import NOTHING, WithheldIssues, withheld_issues
from rounds.queries.categories import ShownCodebook, codebook
from rounds.queries.rounds import revealed
from rounds.queries.seals import head_at, shown_head
from studies.models import Membership
from studies.rules import may_see_names

OUTSIDE = ("anew", "elsewhere")
"""The states of issues that somebody outside of the meeting decided."""


def minutes(
    meeting: Meeting,
    member: Membership | None,
    *,
    without: WithheldIssues = NOTHING,
    by_name: bool | None = None,
) -> records.Minutes:
    """The minutes until now, or of the whole meeting once it is closed. At most 17 queries at any size.

    `without`: issues of the round to leave out, beside those that are withheld from the member. `by_name`:
    people by their names, if the member may see names; None for what the meeting says.
    """
    return _MinutesWriter(meeting, member, without, by_name=by_name).write()


class _MinutesWriter:
    """Reads each table of a meeting once, and combines the rows."""

    def __init__(
        self, meeting: Meeting, member: Membership | None, without: WithheldIssues, *, by_name: bool | None
    ) -> None:
        self.meeting = meeting
        self.member = member
        self.without = without
        self.round = meeting.round
        self.as_of = meeting.closed_at or clock.now()
        self.version = now = self.round.version
        if meeting.version is not None and meeting.version_id != now.pk:
            self.version, self.version.taxonomy = meeting.version, now.taxonomy
        self.book: ShownCodebook = codebook(self.version.pk)
        by_name = (meeting.shows_names if by_name is None else by_name) and may_see_names(member)
        people = Membership.objects.filter(study=self.round.study_id).select_related("user")
        self.people: dict[int | None, str] = {one.pk: called(one, by_name=by_name) for one in people}
        self.people[None] = ""  # nobody: the labels or the last ballot did it

    def write(self) -> records.Minutes:
        items, withheld = self._items()
        ids = [item.pk for item in items]
        issues = [item.issue_id for item in items]
        self.spells = _by(Spell.objects.filter(item__in=ids).order_by("began_at", "pk"), "item_id")
        votes = Vote.objects.filter(item__in=ids, closed_at__isnull=False).order_by("number")
        self.votes = _by(votes, "item_id")
        self.vote = {vote.pk: vote for votes in self.votes.values() for vote in votes}
        cast = Ballot.objects.filter(vote__in=votes.order_by().values("pk"))
        self.ballots = _by(cast.order_by("member"), "vote_id")
        made = Decision.objects.filter(item__in=ids).select_related("version").order_by("number")
        self.decisions = _by(made, "item_id")
        follow = FollowUp.objects.filter(item__in=ids).select_related("proposal")
        self.following = _by(follow.order_by("pk"), "item_id")
        self.comments = _by(self._comments(issues), "issue_id")
        self.labels = self._labels({item.issue_id: item for item in items})
        stood = Decision.objects.filter(standing(self.meeting.closed_at), round=self.round, issue__in=issues)
        self.settled = {decision.issue_id: decision for decision in stood}
        self.alike = Counter(decision.bulk_id for decision in made if decision.bulk_id is not None)
        lines = [self._minute(item) for item in items]
        begun = {item.issue_id: self._begun(item) for item in items}
        # Issues that the meeting never came to are last, in the order of the agenda.
        lines.sort(key=lambda line: (begun[line.issue_id] is None, begun[line.issue_id] or self.as_of))
        there, absent = self._who()
        return records.Minutes(
            meeting=self.meeting,
            version=self.version,
            earlier_versions=self._earlier_versions(),
            as_of=self.as_of,
            chairs=self._chairs(),
            there=there,
            absent=absent,
            groups=_grouped(line for line in lines if line.state != "waiting"),
            not_reached=tuple(line for line in lines if line.state == "waiting"),
            withheld=withheld,
            totals=_totals(lines),
            names={state.code: state.title for state in self.book.states.values()},
            chain_head=self._chain_head(),
        )

    def _chain_head(self) -> str:
        """The head of the round's chain when the meeting closed; "" for whom may not see the chain."""
        closed = self.meeting.closed_at
        head = head_at(self.round, closed) if closed and shown_head(self.round, self.member) else None
        return head.digest if head else ""

    def _earlier_versions(self) -> tuple[int, ...]:
        made = {decision.version.number for chain in self.decisions.values() for decision in chain}
        return tuple(sorted(number for number in made if number < self.version.number))

    def _items(self) -> tuple[list[AgendaItem], int]:
        """The items of the minutes in the order of the agenda, and the number of withheld items. An item that
        was taken off before the meeting came to it is not in the minutes.
        """
        found = (
            AgendaItem.objects.filter(meeting=self.meeting)
            .select_related("issue__repository", "issue__current")
            .only(
                "meeting", "round", "issue", "position", "added_at", "parked_at", "parked_why", "released_at",
                "issue__number", "issue__url", "issue__repository__path", "issue__current__title",
            )
            .order_by("position", "pk")
        )  # fmt: skip
        on_it = list(found)
        closed = self.meeting.closed_at
        off = {item.pk for item in on_it if item.released_at and (not closed or item.released_at < closed)}
        off -= set(came_up(AgendaItem.objects.filter(pk__in=off)).values_list("pk", flat=True))
        on_it = [item for item in on_it if item.pk not in off]
        # Not from Disagreement: a later version can end a disagreement that the meeting discussed.
        differs = Disagreement.objects.filter(round=self.round, issue=OuterRef("issue")).values("chosen")
        places = revealed(self.round).filter(issue__in=[item.issue_id for item in on_it])
        blind = withheld_issues(self.round, self.member)
        seen = places if blind.query.is_empty() else places.exclude(pk__in=blind.values("pk"))
        if not self.without.query.is_empty():
            seen = seen.exclude(pk__in=self.without.values("pk"))
        told = seen.values_list("issue", "labels", Subquery(differs[:1]))
        self.chosen = {issue: chosen or self._agreed(labels) for issue, labels, chosen in told}
        shown = [item for item in on_it if item.issue_id in self.chosen]
        return shown, len(on_it) - len(shown)

    def _labels(self, items: Mapping[int, AgendaItem]) -> dict[int, list[Label]]:
        """The labels of each issue that counted when it was put on the agenda: those of an earlier second
        look in place of those before.
        """
        given = Label.objects.filter(
            Q(round=self.round) | Q(round__of=self.round), issue__in=items, surplus=False
        ).select_related("proposal")
        last: dict[tuple[int, int], Label] = {}
        for label in given.order_by("volunteer", "round"):
            if label.round_id == self.round.pk or label.submitted_at <= items[label.issue_id].added_at:
                last[label.issue_id, label.volunteer_id] = label
        return _by(last.values(), "issue_id")

    def _differed(self, labels: Iterable[Label]) -> list[int]:
        """The categories at the round's depth that these labels counted as, the largest group first."""
        states, depth = self.book.states, self.round.depth
        counted: Counter[int] = Counter()
        for label in labels:
            if label.category_id is not None:
                stands = states.stands_as(label.category_id, label.version_id)
                counted[self.book.at_depth(stands or label.category_id, depth).category_id] += 1
        return sorted(counted, key=lambda one: (-counted[one], states[one].position))

    def _agreed(self, labels: str) -> list[int]:
        """The categories at the round's depth of labels that are no disagreement any more: mostly one."""
        said = [int(one) for one in labels.split() if one != "0"]
        depth = self.round.depth
        return list(dict.fromkeys(self.book.at_depth(one, depth).category_id for one in said))

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

    def _minute(self, item: AgendaItem) -> records.Minute:
        times = [
            ((spell.ended_at or self.as_of) - spell.began_at).total_seconds()
            for spell in self.spells[item.pk]
        ]
        snapshot = item.issue.current
        state = self._state(item)
        return records.Minute(
            issue_id=item.issue_id,
            repository=item.issue.repository.path,
            number=item.issue.number,
            title=snapshot.title if snapshot else "",
            url=item.issue.url,
            state=state,
            pair=self.book.codes_in_order(self._chosen(item)[:2]),
            labels=tuple(map(self._label, self.labels[item.issue_id])),
            votes=tuple(map(self._vote, self.votes[item.pk])),
            decisions=tuple(map(self._decided, self.decisions[item.pk])),
            thread=tuple(map(self._said, self.comments[item.issue_id])),
            following=tuple(map(self._follow, self.following[item.pk])),
            outside=self._outside(item) if state in OUTSIDE else None,
            parked_why=item.parked_why if item.parked_at else "",
            seconds=sum(times, 0.0) if times else None,
        )

    def _chosen(self, item: AgendaItem) -> list[int]:
        """The categories that the labels differ by: of an open meeting as they are now."""
        if self.meeting.closed_at is None:
            return self.chosen[item.issue_id]
        return self._differed(self.labels[item.issue_id])

    def _state(self, item: AgendaItem) -> str:
        made = self.decisions[item.pk]
        if made and self._stood(made[-1]):
            return "decided"
        if item.issue_id in self.settled:
            return "anew" if made else "elsewhere"
        if made:
            return "reopened"
        if item.parked_at:
            return "parked"
        return "waiting" if self._begun(item) is None else "open"

    def _stood(self, decision: Decision) -> bool:
        """Did the decision stand at the end of the meeting? A later supersession does not count."""
        closed = self.meeting.closed_at
        return decision.superseded_at is None or (closed is not None and decision.superseded_at > closed)

    def _label(self, label: Label) -> records.MinuteLabel:
        proposes = label.proposal.name if label.category_id is None and label.proposal else ""
        return records.MinuteLabel(
            self.people[label.volunteer_id], self.book.code(label.category_id), proposes
        )

    def _vote(self, vote: Vote) -> records.MinuteVote:
        ballots = self.ballots[vote.pk]
        chosen = Counter(one.category_id for one in ballots if one.category_id is not None)
        none_fits = sum(one.none_fits for one in ballots)
        places = {id_: self.book.states[id_].position for id_ in chosen}
        split = sorted(chosen.items(), key=lambda one: (-one[1], places[one[0]]))
        return records.MinuteVote(
            number=vote.number,
            at=vote.opened_at,
            present=vote.present or 0,
            ballots=tuple(
                (
                    self.people[one.member_id],
                    NO_CATEGORY_CODE if one.none_fits else self.book.code(one.category_id),
                )
                for one in ballots
            ),
            split=tuple((self.book.code(id_), n) for id_, n in split),
            abstained=len(ballots) - chosen.total() - none_fits,
            none_fits=none_fits,
            revealed_by=self.people[vote.closed_by_id],
        )

    def _decided(self, decision: Decision) -> records.MinuteDecision:
        vote = self.vote.get(decision.vote_id or 0)
        for_it = self.ballots[vote.pk] if vote else []
        state = self.book.states[decision.category_id]
        return records.MinuteDecision(
            number=decision.number,
            code=state.code,
            name=state.title,
            how=decision.how,
            votes=sum(one.category_id == decision.category_id for one in for_it),
            present=(vote.present or 0) if vote else 0,
            by=self.people[decision.decided_by_id],
            at=decision.decided_at,
            rationale=decision.rationale,
            cause=str(decision.get_cause_display()) if decision.cause else "",
            alike=self.alike[decision.bulk_id] if decision.bulk_id else 0,
            ended_at=decision.superseded_at,
            ended_by=self.people[decision.superseded_by_id],
            ended_why=decision.why_superseded,
        )

    def _outside(self, item: AgendaItem) -> records.OutsideDecision:
        decision = self.settled[item.issue_id]
        by = self.people[decision.decided_by_id]
        return records.OutsideDecision(
            self.book.code(decision.category_id), decision.method, by, decision.decided_at
        )

    def _said(self, comment: Comment) -> records.MinuteArgument:
        who = self.people[comment.author_id]
        return records.MinuteArgument(who, comment.said_at, self.book.code(comment.category_id), comment.text)

    def _follow(self, one: FollowUp) -> records.MinuteFollowUp:
        named = [one.proposal.name] if one.proposal else []
        return records.MinuteFollowUp(
            kind=str(one.get_kind_display()),
            code=self.book.code(one.category_id),
            text=colon().join([*named, *([one.text] if one.text else [])]),
            by=self.people[one.made_by_id],
            is_done=one.done_at is not None,
        )

    def _who(self) -> tuple[tuple[records.Attendance, ...], tuple[str, ...]]:
        taking = list(Participant.objects.filter(meeting=self.meeting).order_by("joined_at", "member"))
        end = self.meeting.closed_at
        there = tuple(
            records.Attendance(self.people[one.member_id], one.joined_at, one.left_at or end)
            for one in taking
            if one.joined_at is not None
        )
        return there, tuple(self.people[one.member_id] for one in taking if one.joined_at is None)

    def _chairs(self) -> tuple[str, ...]:
        """In order, the members who opened votes or decided at one time, and the last chair."""
        acts = []
        if self.meeting.kind == Meeting.Kind.TOGETHER:
            acts = [
                *((vote.opened_at, vote.opened_by_id) for votes in self.votes.values() for vote in votes),
                *((one.decided_at, one.decided_by_id) for made in self.decisions.values() for one in made),
            ]
        in_turn = [id_ for _at, id_ in sorted(acts) if id_ is not None]
        return tuple(self.people[id_] for id_ in dict.fromkeys([*in_turn, self.meeting.chair_id]))


def _by(rows: Iterable[Any], name: str) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found


def _grouped(lines: Iterable[records.Minute]) -> tuple[records.MinuteGroup, ...]:
    """The lines by pair of categories; the pair that was discussed first comes first."""
    pairs: dict[tuple[tuple[str, ...], bool], list[records.Minute]] = defaultdict(list)
    for line in lines:
        pairs[line.pair, line.is_beside_names].append(line)
    return tuple(records.MinuteGroup(*pair, tuple(found)) for pair, found in pairs.items())


def _totals(lines: Sequence[records.Minute]) -> records.MinuteTotals:
    states = Counter(line.state for line in lines)
    made = [line.decision for line in lines if line.decision]
    how = Counter(decision.how for decision in made)
    outside = Counter(line.outside.method for line in lines if line.outside)
    lead, bulk = outside[Decision.Method.LEAD], outside[Decision.Method.MAJORITY]
    times = [line.seconds for line in lines if line.decision and line.seconds is not None]
    return records.MinuteTotals(
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
