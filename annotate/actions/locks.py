"""The locks of a round, always taken in this order: round, volunteer, issue, slot, then label and draft.

Around a meeting: round, meeting, issue, then its item, votes and decisions. All changes of one meeting take
turns by its row, so that whoever holds it may look first and write then.

A submit holds the round as it is (FOR SHARE), so that a close waits for it or is seen by it; in a second look
the round that it is of as well, and before it. The row of the
volunteer makes two windows of one person take turns; the row of the issue makes its last labels do so.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F
from django.utils import timezone

from annotate.errors import (
    MeetingClosed,
    MeetingNotOpen,
    NotYourTurn,
    OffTheAgenda,
    RemovedFromRound,
    RoundClosed,
    RoundNotOpen,
    TrainingFirst,
)
from annotate.models import AgendaItem, Meeting, Round, RoundIssue, RoundVolunteer
from annotate.queries.rows import Rows
from annotate.queries.training import training_to_pass
from annotate.rules import may_be_volunteer
from core.snapshots import snapshot
from ingest.models import Issue
from studies.models import Membership

_ROUND = Rows(Round)
# Each part waits for the rows of the one before it, so the order of the locks is the order of the parts.
_ALL = f"""
    WITH rounds AS (
        SELECT * FROM annotate_round
        WHERE id = %(round)s OR id = (SELECT of_id FROM annotate_round WHERE id = %(round)s)
        ORDER BY id FOR SHARE
    ), r AS (
        SELECT * FROM rounds WHERE id = %(round)s
    ), v AS (
        SELECT v.* FROM r JOIN annotate_roundvolunteer v ON v.round_id = r.id AND v.member_id = %(member)s
        FOR NO KEY UPDATE OF v
    ), i AS (
        SELECT i.* FROM v JOIN annotate_roundissue i ON i.round_id = v.round_id AND i.issue_id = %(issue)s
        FOR NO KEY UPDATE OF i
    )
    SELECT v.id, v.seed, v.left_at, v.quota, v.admitted_at, m.role, m.user_id, m.left_at,
           i.id, i.position, i.completed_at, i.was_completed_at, x.current_id, {_ROUND.columns}
    FROM r p0
    LEFT JOIN v ON true
    LEFT JOIN studies_membership m ON m.id = v.member_id
    LEFT JOIN i ON true
    LEFT JOIN ingest_issue x ON x.id = i.issue_id
"""  # noqa: S608 - the pieces are constants


@dataclass(frozen=True)
class Held:
    """A round, a volunteer in it and one of its issues, locked for this transaction, as they are now."""

    round: Round
    volunteer: RoundVolunteer
    place: RoundIssue
    snapshot: int | None


def hold(round_: Round, issue: Issue, member: Membership) -> Held:
    """Lock round, volunteer and issue in one statement. What is read after it sees what others have stored.

    Says nothing of whether they may label now: see `require_seat`. Raises NotYourTurn for who is no volunteer
    of the round, and for an issue that is not in it.
    """
    with connection.cursor() as cursor:
        cursor.execute(_ALL, {"round": round_.pk, "member": member.pk, "issue": issue.pk})
        row = cursor.fetchone()
    if row is None:
        raise Round.DoesNotExist
    seat_id, seed, seat_left_at, quota, admitted_at, role, user_id, left_at = row[:8]
    place_id, position, completed_at, was_completed_at, snapshot = row[8:13]
    if seat_id is None or place_id is None:
        raise NotYourTurn
    [current] = _ROUND.models(row[13:])
    for name, known in round_._state.fields_cache.items():  # noqa: SLF001 - spares reading them again
        if known.pk == getattr(current, f"{name}_id"):
            setattr(current, name, known)
    seat = Membership(
        pk=member.pk, study_id=member.study_id, user_id=user_id, role=role, pseudonym=member.pseudonym,
        left_at=left_at,
    )  # fmt: skip
    volunteer = RoundVolunteer(
        pk=seat_id, round=current, member=seat, seed=seed, left_at=seat_left_at, quota=quota,
        admitted_at=admitted_at,
    )  # fmt: skip
    place = RoundIssue(
        pk=place_id, round=current, issue_id=issue.pk, position=position, completed_at=completed_at,
        was_completed_at=was_completed_at,
    )  # fmt: skip
    return Held(current, volunteer, place, snapshot)


def hold_round(round_: Round) -> Round:
    """The round as it is now; nobody closes or changes it before this transaction ends."""
    return Round.objects.raw("SELECT * FROM annotate_round WHERE id = %s FOR SHARE", [round_.pk])[0]


@contextmanager
def settled_snapshot(round_: Round) -> Iterator[datetime]:
    """One transaction that sees the round at one moment, with nothing under way in it, and that may write.

    Gives the moment: what was decided by then is all in it, and what is not in it is decided later. For who
    decides holds the round before they look at the clock, and until they commit. The first statement takes
    the snapshot, and a lock is a statement: so the round is held by a connection of its own, without its key,
    from before the snapshot until it is there. Inside somebody's transaction that is theirs to do.
    """
    with ExitStack() as stack:
        if connection.in_atomic_block:
            stack.enter_context(snapshot(read_only=False))
            moment = timezone.now()
        else:
            with closing(connection.copy()) as other, other.cursor() as cursor:
                other.set_autocommit(False)
                cursor.execute("SELECT FROM annotate_round WHERE id = %s FOR NO KEY UPDATE", [round_.pk])
                stack.enter_context(snapshot(read_only=False))
                with connection.cursor() as first:
                    first.execute("SELECT")
                moment = timezone.now()
        yield moment


def hold_open_round(round_: Round) -> Round:
    """The same, for an open round only. Raises RoundNotOpen, RoundClosed."""
    held = hold_round(round_)
    require_open(held)
    return held


def require_open(round_: Round) -> None:
    if round_.opened_at is None:
        raise RoundNotOpen
    if round_.closed_at is not None:
        raise RoundClosed


def hold_volunteer(round_: Round, member: Membership) -> RoundVolunteer:
    """The member's row in the round, for this transaction alone. Raises what `require_seat` raises."""
    volunteer = (
        RoundVolunteer.objects.select_for_update(no_key=True, of=("self",))
        .select_related("member", "round__study")
        .filter(round=round_, member=member)
        .first()
    )
    if volunteer is None:
        raise NotYourTurn
    require_seat(round_, volunteer)
    return volunteer


def require_seat(round_: Round, volunteer: RoundVolunteer) -> None:
    """Raises NotYourTurn for who labels in no round of the study any more, RemovedFromRound for who was taken
    out of this one, and TrainingFirst for who has not passed the training that it asks for.
    """
    if not may_be_volunteer(volunteer.member, volunteer.round.study):
        raise NotYourTurn
    if volunteer.left_at is not None:
        raise RemovedFromRound
    if training_to_pass(round_, volunteer) is not None:
        raise TrainingFirst


def hold_issue(round_: Round, issue: Issue) -> RoundIssue:
    """The issue's row in the round, for this transaction alone. Raises NotYourTurn where it is not in it."""
    found = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_, issue=issue).first()
    if found is None:
        raise NotYourTurn
    return found


def hold_meeting(meeting: Meeting) -> Meeting:
    """The meeting as it is now, for this transaction alone, with its round, held as `hold_round` does.

    Its row is locked without its key: what refers to it can be stored meanwhile.
    """
    round_ = hold_round(Round(pk=meeting.round_id))
    for name, known in meeting.round._state.fields_cache.items():  # noqa: SLF001 - spares reading them again
        if known.pk == getattr(round_, f"{name}_id"):
            setattr(round_, name, known)
    held = Meeting.objects.select_for_update(no_key=True).get(pk=meeting.pk)
    held.round = round_
    return held


def hold_open_meeting(meeting: Meeting) -> Meeting:
    """The same, for an open meeting only. Raises MeetingNotOpen, MeetingClosed."""
    held = hold_meeting(meeting)
    if held.closed_at is not None:
        raise MeetingClosed
    if held.opened_at is None:
        raise MeetingNotOpen
    return held


def hold_item(item: AgendaItem) -> AgendaItem:
    """An item on the agenda of an open meeting as it is now, with its meeting, which is held.

    Raises MeetingNotOpen, MeetingClosed, OffTheAgenda.
    """
    held = hold_open_meeting(item.meeting)
    current = AgendaItem.objects.select_related("issue").get(pk=item.pk)
    if current.meeting_id != held.pk or current.released_at is not None:
        raise OffTheAgenda
    current.meeting = held
    current.round = held.round
    return current


def changed(meeting: Meeting, **fields: Any) -> None:
    """Store these fields of a meeting that is held, and tell every screen that it is out of date."""
    Meeting.objects.filter(pk=meeting.pk).update(revision=F("revision") + 1, **fields)
    meeting.revision += 1
    for name, value in fields.items():
        setattr(meeting, name, value)
