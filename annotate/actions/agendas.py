"""What a meeting is to talk about: issues put on its agenda, and taken off it again."""

from collections.abc import Collection
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone

from annotate import errors
from annotate.actions.locks import hold_issue, hold_meeting, hold_round
from annotate.models import (
    AgendaItem,
    Decision,
    Disagreement,
    Meeting,
    Participant,
    Round,
    RoundIssue,
    Spell,
    Vote,
)
from annotate.queries.narrowing import Narrowing, found
from annotate.queries.withheld import seen_by
from annotate.rules import may_be_volunteer, may_chair, may_plan_meeting
from core.retry import retried
from studies.actions import record
from studies.models import Membership


@retried
@transaction.atomic
def put_on_agenda(*, meeting: Meeting, by: Membership, issues: Collection[int]) -> int:
    """Put disagreements of its round on a meeting's agenda; how many were added.

    What is decided, on the agenda of another open meeting or kept from `by` is left out without a word.
    Raises NotAllowed, MeetingClosed.
    """
    chosen = Disagreement.objects.filter(round=meeting.round_id, issue__in=list(issues))
    return _put(meeting, by, seen_by(chosen, meeting.round, by))


@retried
@transaction.atomic
def put_found_on_agenda(*, meeting: Meeting, by: Membership, narrowing: Narrowing) -> int:
    """The same for all that these filters find for `by`; three statements however many they are."""
    return _put(meeting, by, found(meeting.round, narrowing, by))


@retried
@transaction.atomic
def take_off_agenda(*, item: AgendaItem, by: Membership) -> None:
    """Release an issue that the meeting has not decided; what was said and voted on it stays in its record.

    Leads may, and the chair. Off twice is off.
    Raises NotAllowed, MeetingClosed, ItemDecided, VoteStillOpen.
    """
    meeting = hold_meeting(item.meeting)
    if not may_plan_meeting(by, meeting.round) and not may_chair(by, meeting):
        raise errors.NotAllowed
    if meeting.closed_at is not None:
        raise errors.MeetingClosed
    hold_issue(meeting.round, item.issue)
    current = AgendaItem.objects.select_for_update().get(pk=item.pk)
    if current.released_at is not None:
        return
    if Decision.objects.filter(item=current, superseded_at=None).exists():
        raise errors.ItemDecided
    if current.votes.filter(closed_at=None).exists():
        raise errors.VoteStillOpen
    now = timezone.now()
    AgendaItem.objects.filter(pk=current.pk).update(released_at=now)
    if meeting.item_id == current.pk:
        Spell.objects.filter(meeting=meeting, ended_at=None).update(ended_at=now)
        Meeting.objects.filter(pk=meeting.pk).update(item=None)
    raise_revision(meeting)
    record(
        meeting.round.study,
        "meetings.taken_off_agenda",
        by.user,
        round=meeting.round.name,
        meeting=meeting.name,
        issue=item.issue_id,
    )


@retried
@transaction.atomic
def assign_pair(
    *, round_: Round, by: Membership, first: Membership, second: Membership, issues: Collection[int]
) -> Meeting:
    """Leave disagreements to two people to settle between them: a meeting of both, open from now on.

    Only issues that both may see are on its agenda. Raises NotAllowed, NotAPair, NothingForTheAgenda.
    """
    current = hold_round(round_)
    if not may_plan_meeting(by, current):
        raise errors.NotAllowed
    if first.pk == second.pk or not all(may_be_volunteer(one, current.study) for one in (first, second)):
        raise errors.NotAPair
    now = timezone.now()
    meeting = Meeting.objects.create(
        round=current,
        name=f"{first.pseudonym} and {second.pseudonym}",
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


def hold_places(round_: Round, chosen: QuerySet[Disagreement]) -> list[int]:
    """The ids of these issues, with their rows in the round locked, in one order for all who lock many.

    What is read after it sees what others have stored.
    """
    places = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_)
    return list(
        places.filter(issue__in=chosen.order_by().values("issue"))
        .order_by("pk")
        .values_list("issue_id", flat=True)
    )


def raise_revision(meeting: Meeting) -> None:
    """Say to every screen of the meeting that what it shows is out of date."""
    Meeting.objects.filter(pk=meeting.pk).update(revision=F("revision") + 1)


def tell_its_meeting(round_: Round, issue_id: int) -> None:
    """The same to the meeting that has the issue on its agenda, if one has: locked, before the issue is."""
    items = AgendaItem.objects.filter(round=round_, issue=issue_id, released_at=None)
    Meeting.objects.filter(pk__in=items.values("meeting"), closed_at=None).update(revision=F("revision") + 1)


def leave_agendas(round_: Round, issues: Collection[int], at: datetime) -> None:
    """Take issues that are blind again off the agendas that they wait on; open votes on them end undecided.

    The caller holds the round, so that no meeting acts meanwhile.
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
    INSERT INTO annotate_agendaitem
        (meeting_id, round_id, issue_id, position, added_by_id, added_at, parked_why)
    SELECT %(meeting)s, g.round_id, g.issue_id,
           (SELECT coalesce(max(a.position), 0) FROM annotate_agendaitem a WHERE a.meeting_id = %(meeting)s)
               + row_number() OVER (ORDER BY g.ways, g.margin, g.position),
           %(by)s, %(now)s, ''
    FROM annotate_disagreement g
    WHERE g.round_id = %(round)s AND g.issue_id = ANY(%(issues)s::bigint[])
      AND NOT EXISTS (
        SELECT FROM annotate_decision d
        WHERE d.round_id = g.round_id AND d.issue_id = g.issue_id AND d.superseded_at IS NULL
      )
      AND NOT EXISTS (
        SELECT FROM annotate_agendaitem a
        WHERE a.round_id = g.round_id AND a.issue_id = g.issue_id AND a.released_at IS NULL
      )
    ON CONFLICT (meeting_id, issue_id) DO UPDATE
    SET released_at = NULL, parked_at = NULL, parked_why = '', position = EXCLUDED.position,
        added_by_id = EXCLUDED.added_by_id, added_at = EXCLUDED.added_at
"""


def _put(meeting: Meeting, by: Membership, chosen: QuerySet[Disagreement]) -> int:
    """Add what waits for a decision and is on no agenda, in the order of what one argument can settle."""
    held = hold_meeting(meeting)
    if not may_plan_meeting(by, held.round):
        raise errors.NotAllowed
    if held.closed_at is not None:
        raise errors.MeetingClosed
    issues = hold_places(held.round, chosen)
    with connection.cursor() as cursor:
        cursor.execute(
            _PUT,
            {
                "meeting": held.pk,
                "round": held.round_id,
                "issues": issues,
                "by": by.pk,
                "now": timezone.now(),
            },
        )
        added = int(cursor.rowcount)
    if added:
        raise_revision(held)
        record(
            held.round.study,
            "meetings.put_on_agenda",
            by.user,
            round=held.round.name,
            meeting=held.name,
            issues=added,
        )
    return added
