"""Votes: opened, cast and closed. Until a vote is closed, others learn only who has voted."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Max, OuterRef

from consensus import errors
from consensus.actions.consensus import decides, state_at_depth, store_decision
from consensus.actions.decisions import next_numbers, standing_decision
from consensus.actions.locks import changed, lock_item, lock_item_to_lead, lock_open_meeting
from consensus.actions.records import record_in_meeting
from consensus.models import AgendaItem, Ballot, Decision, Disagreement, Meeting, Participant, Vote
from consensus.queries.votes import (
    NO_CATEGORY,
    VoteTally,
    awaited,
    choice,
    last_closed_vote,
    open_vote_on,
    present_for,
    present_in,
    tally,
    tally_of,
)
from consensus.rules import may_chair, may_take_part
from core import clock
from core.sql.retry import retried
from rounds.actions.locks import lock_issue
from rounds.errors import NotAllowed
from rounds.models import RoundIssue
from rounds.queries.blindness import is_withheld, seen_by
from studies.models import Membership
from taxonomy.models import Category


@dataclass(frozen=True)
class ClosedVotes:
    """The number of votes that were closed, and of issues that these or earlier closed votes decided."""

    closed: int
    decided: int


@retried
@transaction.atomic
def open_vote(*, item: AgendaItem, by: Membership) -> Vote:
    """Open a first or another vote on this issue. A second call returns the open vote. Raises NotAllowed,
    MeetingNotOpen, MeetingClosed, OffTheAgenda.
    """
    current = lock_item_to_lead(item, by)
    vote = open_vote_on(current)
    if vote is None:
        vote = _open(current, by, clock.now())
        changed(current.meeting)
    return vote


@retried
@transaction.atomic
def cast_ballot(
    *,
    item: AgendaItem,
    member: Membership,
    category: Category | None,
    none_fits: bool = False,
    number: int | None = None,
) -> Ballot:
    """Cast or change a ballot while the vote is open; the category None abstains, or says that no category
    fits (`none_fits`): such a ballot is against each category, and the issue can be parked for a new one.

    Over days and in a pair the first ballot opens the vote; in a pair the first ballot after a closed vote
    opens the next. The last expected ballot closes the vote, and two equal ballots decide for a pair.
    `number`: the vote that the form showed or would open. A repeated ballot changes nothing.
    Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, NotPresent, UnknownCategory, TooShallow,
    NoneFitsNotAsked (in a screening), VoteNotOpen, VoteClosed, ItemDecided.
    """
    current = lock_item(item)
    meeting = current.meeting
    if not may_take_part(member, meeting):
        raise NotAllowed
    if is_withheld(meeting.round, current.issue_id, member):
        raise errors.OffTheAgenda
    if none_fits and meeting.round.excludes_id is not None:
        raise errors.NoneFitsNotAsked
    state = None if category is None else state_at_depth(meeting, category)
    chosen = choice(None if state is None else state.category_id, none_fits)
    now = clock.now()
    _require_to_be_there(meeting, member, now)
    vote = open_vote_on(current)
    if vote is None or number not in {None, vote.number}:
        cast = _cast_already(current, member, chosen, number)
        if cast is not None:
            return cast
        _require_that_a_ballot_opens(current, vote, number, kept=state.code if state else "")
        vote = _open(current, member, now)
    ballot = Ballot.objects.filter(vote=vote, member=member).first()
    if ballot is not None and choice(ballot.category_id, ballot.none_fits) == chosen:
        return ballot
    given = {"category_id": chosen or None, "none_fits": chosen == NO_CATEGORY}
    if ballot is not None:
        # The revision stays: others would learn that somebody changed their ballot.
        Ballot.objects.filter(pk=ballot.pk).update(**given, changed_at=now)
        ballot.category_id, ballot.none_fits, ballot.changed_at = chosen or None, none_fits, now
        return ballot
    ballot = Ballot.objects.create(meeting=meeting, vote=vote, member=member, **given, cast_at=now)
    changed(meeting)
    if close_if_all_voted(current, vote, now) and meeting.kind == Meeting.Kind.PAIR:
        _decide_for_a_pair(current, vote, member, now)
    return ballot


@retried
@transaction.atomic
def close_vote(*, vote: Vote, by: Membership) -> Vote:
    """Reveal the ballots before everybody has voted. A closed vote stays closed. Raises NotAllowed,
    MeetingNotOpen, MeetingClosed, OffTheAgenda.
    """
    item = lock_item(vote.item)
    if item.meeting.kind == Meeting.Kind.PAIR or not may_chair(by, item.meeting):
        raise NotAllowed
    if is_withheld(item.meeting.round, item.issue_id, by):
        raise errors.OffTheAgenda
    current = Vote.objects.get(pk=vote.pk)
    if current.closed_at is None:
        _close(item, current, clock.now(), by=by)
    return current


@retried
@transaction.atomic
def close_votes_with_quorum(*, meeting: Meeting, by: Membership) -> ClosedVotes:
    """Over days: close every open vote with its quorum, and decide the issues whose ballots suffice.

    Ballots suffice unanimously, or by majority if the meeting allows it. Votes that were closed before decide
    too if their issue still waits. Issues that are withheld from `by` are left out. A fixed number of
    statements, however many votes there are. Raises NotAllowed, MeetingNotOpen, MeetingClosed.
    """
    current = lock_open_meeting(meeting)
    if current.kind != Meeting.Kind.APART or not may_chair(by, current):
        raise NotAllowed
    now = clock.now()
    seen = seen_by(Disagreement.objects.filter(round=current.round), current.round, by)
    items = AgendaItem.objects.filter(
        meeting=current, released_at=None, parked_at=None, issue__in=seen.values("issue")
    )
    cast: dict[int, list[int | None]] = defaultdict(list)
    for vote_id, category_id, none_fits in (
        Ballot.objects.filter(meeting=current, vote__item__in=items)
        .order_by("id")
        .values_list("vote", "category", "none_fits")
    ):
        cast[vote_id].append(choice(category_id, none_fits))
    votes = list(Vote.objects.filter(item__in=items).order_by("number"))
    to_close = [vote for vote in votes if vote.closed_at is None and len(cast[vote.pk]) >= current.quorum]
    for vote in to_close:
        vote.closed_at, vote.closed_by, vote.present = now, by, len(cast[vote.pk])
    Vote.objects.bulk_update(to_close, ["closed_at", "closed_by", "present"])
    # The last vote of an item decides, unless it is open. A reopened issue needs a new vote.
    last = {vote.item_id: vote for vote in votes}
    spent = set(Decision.objects.filter(vote__in=last.values()).values_list("vote", flat=True))
    spent |= _older_than_a_reopening(last.values())
    decided = _decide_by_votes(
        current,
        by,
        {
            item_id: (vote, tally(cast[vote.pk], vote.present or 0))
            for item_id, vote in last.items()
            if vote.pk not in spent and vote.closed_at is not None and (vote.present or 0) >= current.quorum
        },
        now,
    )
    if to_close or decided:
        changed(current)
        record_in_meeting("meetings.votes_closed", current, by, closed=len(to_close), decided=decided)
    return ClosedVotes(len(to_close), decided)


def close_what_all_voted(meeting: Meeting, now: datetime) -> bool:
    """Close the votes that wait only for members who have left; were there any? Lock the meeting first."""
    closed = False
    for vote in Vote.objects.filter(meeting=meeting, closed_at=None).select_related("item__issue"):
        vote.item.meeting = meeting
        closed |= close_if_all_voted(vote.item, vote, now)
    return closed


def close_if_all_voted(item: AgendaItem, vote: Vote, now: datetime) -> bool:
    """Close the vote if it waits for nobody; returns whether it did. The caller has locked the meeting."""
    meeting = item.meeting
    voted = set(Ballot.objects.filter(vote=vote).values_list("member", flat=True))
    if not voted or not awaited(meeting, item.issue_id, now) <= voted:
        return False
    if meeting.kind == Meeting.Kind.TOGETHER and len(present_for(meeting, item.issue_id)) < meeting.quorum:
        return False
    _close(item, vote, now)
    return True


def close_votes_with_the_meeting(meeting: Meeting, now: datetime) -> None:
    """Close the open votes of a meeting over days or of a pair. The caller has locked the meeting."""
    for vote in Vote.objects.filter(meeting=meeting, closed_at=None).select_related("item"):
        vote.item.meeting = meeting
        _close(vote.item, vote, now)


def _open(item: AgendaItem, by: Membership, now: datetime) -> Vote:
    before = Vote.objects.filter(item=item).aggregate(last=Max("number"))["last"]
    return Vote.objects.create(
        meeting=item.meeting, item=item, number=(before or 0) + 1, opened_at=now, opened_by=by
    )


def _close(item: AgendaItem, vote: Vote, now: datetime, *, by: Membership | None = None) -> None:
    present = Ballot.objects.filter(vote=vote).count()
    if item.meeting.kind == Meeting.Kind.TOGETHER:
        present = max(present, len(present_for(item.meeting, item.issue_id)))
    vote.closed_at, vote.closed_by, vote.present = now, by, present
    vote.save(update_fields=["closed_at", "closed_by", "present"])
    changed(item.meeting)


def _require_to_be_there(meeting: Meeting, member: Membership, now: datetime) -> None:
    """In a meeting at one time, check that the voter is present; otherwise, their ballot makes them present.
    Raises NotPresent.
    """
    if member.pk in present_in(meeting):
        return
    if meeting.kind == Meeting.Kind.TOGETHER:
        raise errors.NotPresent
    Participant.objects.update_or_create(
        meeting=meeting, member=member, defaults={"joined_at": now, "left_at": None, "last_seen_at": now}
    )


def _cast_already(
    item: AgendaItem, member: Membership, chosen: int | None, number: int | None
) -> Ballot | None:
    """The member's equal ballot in a closed vote, for the second click after a first that closed the vote. In
    a pair a ballot without a number belongs to the next vote.
    """
    if number is None and item.meeting.kind == Meeting.Kind.PAIR:
        return None
    last = last_closed_vote(item) if number is None else Vote.objects.filter(item=item, number=number).first()
    same = {"category": chosen or None, "none_fits": chosen == NO_CATEGORY}
    return Ballot.objects.filter(vote=last, member=member, **same).first() if last else None


def _require_that_a_ballot_opens(
    item: AgendaItem, vote: Vote | None, number: int | None, *, kept: str
) -> None:
    """Check that a ballot may open a vote on this item. Raises VoteClosed, VoteNotOpen, ItemDecided."""
    last = last_closed_vote(item)
    if vote is not None or (last and (number == last.number or item.meeting.kind != Meeting.Kind.PAIR)):
        raise errors.VoteClosed(kept={"category": kept})
    if item.meeting.kind == Meeting.Kind.TOGETHER:
        raise errors.VoteNotOpen(kept={"category": kept})
    lock_issue(item.meeting.round, item.issue)
    if standing_decision(item.meeting.round, item.issue_id) is not None:
        raise errors.ItemDecided(kept={"category": kept})


def _decide_for_a_pair(item: AgendaItem, vote: Vote, by: Membership, now: datetime) -> None:
    """Store two equal ballots as the decision of a pair, if nobody decided during the vote."""
    ballots: VoteTally = tally_of(vote)
    category_id = decides(item.meeting, ballots, Decision.How.UNANIMITY)
    if category_id is None or ballots.present < item.meeting.quorum:
        return
    lock_issue(item.meeting.round, item.issue)
    standing = standing_decision(item.meeting.round, item.issue_id)
    if standing is not None and standing.decided_at > vote.opened_at:
        return
    store_decision(
        item=item,
        by=by,
        category_id=category_id,
        how=Decision.How.UNANIMITY,
        vote=vote,
        rationale="",
        cause="",
        standing=standing,
        now=now,
    )


def _older_than_a_reopening(votes: Iterable[Vote]) -> set[int]:
    """The votes that closed before a decision of their issue was superseded: they decide nothing any more."""
    closed = Vote.objects.filter(pk__in=[vote.pk for vote in votes])
    superseded = Decision.objects.filter(
        round=OuterRef("meeting__round"),
        issue=OuterRef("item__issue"),
        superseded_at__gt=OuterRef("closed_at"),
    )
    return set(closed.filter(Exists(superseded)).values_list("pk", flat=True))


def _decide_by_votes(
    meeting: Meeting, by: Membership, votes: dict[int, tuple[Vote, VoteTally]], now: datetime
) -> int:
    """Decide the undecided items whose ballots suffice; returns how many."""
    found: dict[int, tuple[Vote, int, str]] = {}
    for item_id, (vote, ballots) in votes.items():
        for how in (Decision.How.UNANIMITY, Decision.How.MAJORITY):
            category_id = decides(meeting, ballots, how)
            if category_id is not None:
                found[item_id] = (vote, category_id, how)
                break
    issues = dict(AgendaItem.objects.filter(pk__in=found).values_list("issue", "pk"))
    places = RoundIssue.objects.select_for_update(no_key=True).filter(round=meeting.round, issue__in=issues)
    locked = [place.issue_id for place in places.order_by("pk")]
    stands = Decision.objects.filter(round=meeting.round, issue__in=locked, superseded_at=None)
    standing = set(stands.values_list("issue", flat=True))
    numbers = next_numbers(meeting.round, locked)
    made = Decision.objects.bulk_create(
        Decision(
            round=meeting.round,
            issue_id=issue_id,
            number=numbers[issue_id],
            category_id=found[issues[issue_id]][1],
            version_id=meeting.round.version_id,
            method=Decision.Method.MEETING,
            item_id=issues[issue_id],
            how=found[issues[issue_id]][2],
            vote=found[issues[issue_id]][0],
            decided_by=by,
            decided_at=now,
        )
        for issue_id in locked
        if issue_id not in standing
    )
    return len(made)
