"""The agenda of a meeting: leads put issues on it and take them off."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, F, QuerySet

from consensus import errors
from consensus.actions.locks import changed, lock_meeting
from consensus.actions.records import record_in_meeting
from consensus.models import AgendaItem, Decision, Disagreement, Meeting, Participant, Spell, Vote
from consensus.queries.disagreement_filters import Narrowing, found
from consensus.rules import may_chair, may_plan_meeting
from core import clock
from core.sql.retry import retried
from rounds.actions.locks import lock_issue, lock_round
from rounds.errors import NotAllowed
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import seen_by
from rounds.rules import may_be_volunteer
from studies.models import Membership


@retried
@transaction.atomic
def put_on_agenda(*, meeting: Meeting, by: Membership, issues: Collection[int]) -> int:
    """Put disagreements of a round on the agenda of its meeting; returns how many were added.

    Decided issues, issues on the agenda of an open meeting, and issues withheld from `by` are left out.
    Raises NotAllowed, MeetingClosed.
    """
    chosen = Disagreement.objects.filter(round=meeting.round_id, issue__in=list(issues))
    return _put(meeting, by, seen_by(chosen, meeting.round, by))


@retried
@transaction.atomic
def put_found_on_agenda(*, meeting: Meeting, by: Membership, narrowing: Narrowing) -> int:
    """Put every disagreement on the agenda that the filters find for `by`. Three statements at any size."""
    return _put(meeting, by, found(meeting.round, narrowing, by))


@retried
@transaction.atomic
def take_off_agenda(*, item: AgendaItem, by: Membership) -> None:
    """Release an issue that the meeting has not decided; its comments and votes are kept. A second call does
    nothing. For leads and the chair. Raises NotAllowed, MeetingClosed, ItemDecided, VoteStillOpen.
    """
    meeting = lock_meeting(item.meeting)
    if not may_plan_meeting(by, meeting.round) and not may_chair(by, meeting):
        raise NotAllowed
    if meeting.closed_at is not None:
        raise errors.MeetingClosed
    lock_issue(meeting.round, item.issue)
    current = AgendaItem.objects.select_for_update().get(pk=item.pk)
    if current.released_at is not None:
        return
    if Decision.objects.filter(item=current, superseded_at=None).exists():
        raise errors.ItemDecided
    if current.votes.filter(closed_at=None).exists():
        raise errors.VoteStillOpen
    now = clock.now()
    AgendaItem.objects.filter(pk=current.pk).update(released_at=now)
    if meeting.item_id == current.pk:
        Spell.objects.filter(meeting=meeting, ended_at=None).update(ended_at=now)
    changed(meeting, item_id=None if meeting.item_id == current.pk else meeting.item_id)
    record_in_meeting("meetings.taken_off_agenda", meeting, by, round=meeting.round.name, issue=item.issue_id)


@retried
@transaction.atomic
def assign_pair(
    *, round_: Round, by: Membership, first: Membership, second: Membership, issues: Collection[int]
) -> Meeting:
    """Open a meeting of two volunteers, who settle these disagreements between them. Its agenda has only
    issues that `by` and both volunteers may see. Raises NotAllowed, NotAPair, NothingForTheAgenda.
    """
    current = lock_round(round_)
    if not may_plan_meeting(by, current):
        raise NotAllowed
    if first.pk == second.pk or not all(may_be_volunteer(one, current.study) for one in (first, second)):
        raise errors.NotAPair
    now = clock.now()
    meeting = Meeting.objects.create(
        round=current,
        name=f"{first.pseudonym} & {second.pseudonym}",
        kind=Meeting.Kind.PAIR,
        chair=by,
        quorum=2,
        created_by=by,
        opened_at=now,
    )
    Participant.objects.bulk_create(Participant(meeting=meeting, member=one) for one in (first, second))
    chosen = Disagreement.objects.filter(round=current, issue__in=list(issues))
    for member in (by, first, second):
        chosen = seen_by(chosen, round_, member)
    if not _put(meeting, by, chosen):
        raise errors.NothingForTheAgenda
    return meeting


def lock_places(round_: Round, chosen: QuerySet[Disagreement]) -> list[int]:
    """Lock the rows of these issues in the round, in the order of ids; returns the ids of the issues. Every
    action that locks many rows uses this order. Later reads see what others have stored.
    """
    places = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_).order_by("pk")
    locked = places.filter(issue__in=chosen.order_by().values("issue"))
    return list(locked.values_list("issue_id", flat=True))


def tell_its_meeting(round_: Round, issue_id: int) -> None:
    """Raise the revision of the meeting with this issue on its agenda. Call it before locking the issue."""
    items = AgendaItem.objects.filter(round=round_, issue=issue_id, released_at=None)
    Meeting.objects.filter(pk__in=items.values("meeting"), closed_at=None).update(revision=F("revision") + 1)


def leave_agendas(round_: Round, issues: Collection[int], at: datetime) -> None:
    """Take issues that are blind again off their agendas; open votes on them end without a decision. The
    caller has locked the round, so that no meeting changes meanwhile.
    """
    items = AgendaItem.objects.filter(round=round_, issue__in=issues, released_at=None)
    found = dict(items.values_list("pk", "meeting"))
    if not found:
        return
    for vote in Vote.objects.filter(item__in=found, closed_at=None).annotate(cast=Count("ballots")):
        Vote.objects.filter(pk=vote.pk).update(closed_at=at, present=vote.cast)
    Spell.objects.filter(item__in=found, ended_at=None).update(ended_at=at)
    meetings = Meeting.objects.filter(pk__in=set(found.values()))
    meetings.filter(item__in=found).update(item=None)
    meetings.update(revision=F("revision") + 1)
    items.update(released_at=at)


_PUT = """
    INSERT INTO consensus_agendaitem
        (meeting_id, round_id, issue_id, position, added_by_id, added_at, parked_why)
    SELECT %(meeting)s, g.round_id, g.issue_id,
           (SELECT coalesce(max(a.position), 0) FROM consensus_agendaitem a WHERE a.meeting_id = %(meeting)s)
               + row_number() OVER (ORDER BY g.ways, g.margin, g.position),
           %(by)s, %(now)s, ''
    FROM consensus_disagreement g
    WHERE g.round_id = %(round)s AND g.issue_id = ANY(%(issues)s::bigint[])
      AND NOT EXISTS (
        SELECT FROM consensus_decision d
        WHERE d.round_id = g.round_id AND d.issue_id = g.issue_id AND d.superseded_at IS NULL
      )
      AND NOT EXISTS (
        SELECT FROM consensus_agendaitem a
        WHERE a.round_id = g.round_id AND a.issue_id = g.issue_id AND a.released_at IS NULL
      )
    ON CONFLICT (meeting_id, issue_id) DO UPDATE
    SET released_at = NULL, parked_at = NULL, parked_why = '', position = EXCLUDED.position,
        added_by_id = EXCLUDED.added_by_id, added_at = EXCLUDED.added_at
"""


def _put(meeting: Meeting, by: Membership, chosen: QuerySet[Disagreement]) -> int:
    """Add the undecided issues that are on no agenda, those first that one argument can settle."""
    locked = lock_meeting(meeting)
    if not may_plan_meeting(by, locked.round):
        raise NotAllowed
    if locked.closed_at is not None:
        raise errors.MeetingClosed
    given: dict[str, Any] = {"meeting": locked.pk, "round": locked.round_id, "by": by.pk}
    given |= {"issues": lock_places(locked.round, chosen), "now": clock.now()}
    with connection.cursor() as cursor:
        cursor.execute(_PUT, given)
        added = int(cursor.rowcount)
    if added:
        changed(locked)
        record_in_meeting("meetings.put_on_agenda", locked, by, round=locked.round.name, issues=added)
    return added
