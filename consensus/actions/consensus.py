"""Decisions of a meeting: by the ballots of a closed vote, or by the chair with a rationale."""

from datetime import datetime

from django.db import transaction

from consensus import errors
from consensus.actions.decisions import next_number, require_category, standing_decision
from consensus.actions.locks import changed, lock_item_to_lead
from consensus.actions.records import record_in_meeting
from consensus.models import AgendaItem, Decision, Meeting, Vote
from consensus.queries.votes import VoteTally, last_closed_vote, open_vote_on, present_for, tally_of
from core import clock
from core.sql.retry import retried
from rounds.actions.locks import lock_issue
from rounds.queries.categories import codebook
from studies.models import Membership
from taxonomy.models import Category, CategoryState


@retried
@transaction.atomic
def decide_item(
    *,
    item: AgendaItem,
    by: Membership,
    category: Category,
    how: str,
    rationale: str,
    cause: str = "",
    seen_number: int,
) -> Decision:
    """Record the meeting's decision on one issue; an earlier decision is superseded and kept.

    `how`: unanimity and majority need ballots in the last closed vote on the item; the chair needs a
    rationale, and a present quorum (over days: a quorum in that vote). The category counts at the round's
    depth. `seen_number`: the number of the standing decision that the form showed, 0 without one. The same
    decision by the same person again returns the stored decision.
    Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, UnknownCategory, TooShallow,
    RationaleMissing, StaleDecision, VoteStillOpen, VoteMissing, NoQuorum, VotesDoNotSuffice,
    NobodyDecidesForAPair.
    """
    how, cause = Decision.How(how), Decision.Cause(cause) if cause else ""
    rationale = rationale.replace("\x00", "\ufffd").strip()
    current = lock_item_to_lead(item, by)
    meeting = current.meeting
    lock_issue(meeting.round, current.issue)
    state = state_at_depth(meeting, category)
    if how == Decision.How.CHAIR and meeting.kind == Meeting.Kind.PAIR:
        raise errors.NobodyDecidesForAPair
    if how == Decision.How.CHAIR and not rationale:
        raise errors.RationaleMissing
    standing = standing_decision(meeting.round, current.issue_id)
    if standing is not None and (
        standing.category_id, standing.rationale, standing.cause, standing.how, standing.item_id,
        standing.decided_by_id,
    ) == (state.category_id, rationale, cause, how, current.pk, by.pk):  # fmt: skip
        return standing
    if seen_number != (standing.number if standing else 0):
        raise errors.StaleDecision(standing, kept={"category": state.code, "rationale": rationale})
    if open_vote_on(current) is not None:
        raise errors.VoteStillOpen
    vote = last_closed_vote(current)
    _require_that_it_suffices(current, how, state.category_id, vote)
    return store_decision(
        item=current,
        by=by,
        category_id=state.category_id,
        how=how,
        vote=vote,
        rationale=rationale,
        cause=cause,
        standing=standing,
        now=clock.now(),
    )


def state_at_depth(meeting: Meeting, category: Category) -> CategoryState:
    """The category at the depth of the meeting's round. Raises UnknownCategory, TooShallow."""
    require_category(meeting.round, category)
    return codebook(meeting.round.version_id).at_depth(category.pk, meeting.round.depth)


def store_decision(
    *,
    item: AgendaItem,
    by: Membership,
    category_id: int,
    how: str,
    vote: Vote | None,
    rationale: str,
    cause: str,
    standing: Decision | None,
    now: datetime,
) -> Decision:
    """Supersede the standing decision and store a new one. The caller has locked meeting and issue."""
    meeting = item.meeting
    if standing is not None:
        Decision.objects.filter(pk=standing.pk).update(superseded_at=now)
    decision = Decision.objects.create(
        round=meeting.round,
        issue_id=item.issue_id,
        number=next_number(meeting.round, item.issue_id),
        category_id=category_id,
        version_id=meeting.round.version_id,
        method=Decision.Method.MEETING,
        item=item,
        how=how,
        vote=vote,
        rationale=rationale,
        cause=cause,
        decided_by=by,
        decided_at=now,
    )
    if item.parked_at is not None:
        AgendaItem.objects.filter(pk=item.pk).update(parked_at=None, parked_why="")
    changed(meeting)
    record_in_meeting("meetings.decided", meeting, by, issue=item.issue_id, number=decision.number)
    return decision


def _require_that_it_suffices(item: AgendaItem, how: str, category_id: int, vote: Vote | None) -> None:
    """Raises VoteMissing, NoQuorum, VotesDoNotSuffice."""
    meeting = item.meeting
    if how == Decision.How.CHAIR and meeting.kind == Meeting.Kind.TOGETHER:
        require_quorum(meeting, len(present_for(meeting, item.issue_id)))
        return
    if vote is None:
        raise errors.VoteMissing
    require_quorum(meeting, vote.present or 0)
    if how != Decision.How.CHAIR and decides(meeting, tally_of(vote), how) != category_id:
        raise errors.VotesDoNotSuffice


def require_quorum(meeting: Meeting, there: int) -> None:
    """Raises NoQuorum if fewer members than the quorum take part."""
    if there < meeting.quorum:
        raise errors.NoQuorum(needs=meeting.quorum, there=there)


def decides(meeting: Meeting, ballots: VoteTally, how: str) -> int | None:
    """The category that these ballots choose unanimously, or by majority; None if they do not suffice.
    Ballots count as they were cast: a category that was merged, split or retired since then never suffices,
    because nobody voted for its successor.
    """
    given = ballots.unanimity
    if how == Decision.How.MAJORITY:
        given = ballots.majority if meeting.by_majority else None
    return given if given in codebook(meeting.round.version_id).states else None
