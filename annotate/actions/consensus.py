"""What a meeting decides: by the ballots of a closed vote, or by its chair with a rationale."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from annotate import errors
from annotate.actions.locks import changed, hold_issue, hold_item
from annotate.models import AgendaItem, Decision, Meeting, Vote
from annotate.queries.categories import codebook
from annotate.queries.votes import Tally, last_closed_vote, open_vote_on, present_for, tally_of
from annotate.queries.withheld import is_withheld
from annotate.rules import may_chair, may_take_part
from core.retry import retried
from studies.actions import record
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
    """Record what the meeting decides on one issue; a decision that stood is superseded, and kept.

    `how`: unanimity and majority rest on the last closed vote on the item; the chair needs a rationale, and
    the quorum there (over days: in a closed vote). The category counts at the round's depth.
    `seen_number` is that of the standing decision that the form showed, 0 without one. The same decision by
    the same person again returns the one that stands.
    Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, UnknownCategory, TooShallow,
    RationaleMissing, StaleDecision, VoteStillOpen, VoteMissing, NoQuorum, VotesDoNotSuffice,
    NobodyDecidesForAPair.
    """
    how, cause = Decision.How(how), Decision.Cause(cause) if cause else ""
    rationale = rationale.replace("\x00", "\ufffd").strip()
    current = hold_item(item)
    meeting = current.meeting
    may = may_take_part if meeting.kind == Meeting.Kind.PAIR else may_chair
    if not may(by, meeting):
        raise errors.NotAllowed
    if is_withheld(meeting.round, current.issue_id, by):
        raise errors.OffTheAgenda
    hold_issue(meeting.round, current.issue)
    state = state_at_depth(meeting, category)
    if how == Decision.How.CHAIR and meeting.kind == Meeting.Kind.PAIR:
        raise errors.NobodyDecidesForAPair
    if how == Decision.How.CHAIR and not rationale:
        raise errors.RationaleMissing
    standing = standing_on(current)
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
        now=timezone.now(),
    )


def state_at_depth(meeting: Meeting, category: Category) -> CategoryState:
    """What this category counts as in the meeting's round. Raises UnknownCategory, TooShallow."""
    book = codebook(meeting.round.version_id)
    if category.pk not in book.states:
        raise errors.UnknownCategory
    if category.pk not in book.choosable(meeting.round.depth):
        raise errors.TooShallow
    return book.at_depth(category.pk, meeting.round.depth)


def standing_on(item: AgendaItem) -> Decision | None:
    """The decision on its issue that stands, whoever made it. The caller holds the issue's row."""
    return Decision.objects.filter(round=item.round_id, issue=item.issue_id, superseded_at=None).first()


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
    """Supersede what stands, and store what follows it. The caller holds meeting and issue."""
    meeting = item.meeting
    if standing is not None:
        Decision.objects.filter(pk=standing.pk).update(superseded_at=now)
    # A decision that was taken back has no successor, and keeps its number.
    before = Decision.objects.filter(round=item.round_id, issue=item.issue_id).aggregate(last=Max("number"))
    decision = Decision.objects.create(
        round_id=item.round_id,
        issue_id=item.issue_id,
        number=(before["last"] or 0) + 1,
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
    record(
        meeting.round.study,
        "meetings.decided",
        by.user,
        meeting=meeting.name,
        issue=item.issue_id,
        number=decision.number,
    )
    return decision


def _require_that_it_suffices(item: AgendaItem, how: str, category_id: int, vote: Vote | None) -> None:
    """Raises VoteMissing, NoQuorum, VotesDoNotSuffice."""
    meeting = item.meeting
    if how == Decision.How.CHAIR and meeting.kind == Meeting.Kind.TOGETHER:
        _require_quorum(meeting, len(present_for(meeting, item.issue_id)))
        return
    if vote is None:
        raise errors.VoteMissing
    _require_quorum(meeting, vote.present or 0)
    if how != Decision.How.CHAIR and decides(meeting, tally_of(vote), how) != category_id:
        raise errors.VotesDoNotSuffice


def _require_quorum(meeting: Meeting, there: int) -> None:
    if there < meeting.quorum:
        raise errors.NoQuorum(needs=meeting.quorum, there=there)


def decides(meeting: Meeting, ballots: Tally, how: str) -> int | None:
    """The category that these ballots give the meeting in this way, if they give one of the round's version.

    Ballots count as they were cast: those of a category that was merged, split or retired since do not
    suffice, since nobody said so of what it became.
    """
    given = ballots.unanimity
    if how == Decision.How.MAJORITY:
        given = ballots.majority if meeting.by_majority else None
    return given if given in codebook(meeting.round.version_id).states else None
