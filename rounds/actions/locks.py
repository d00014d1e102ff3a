"""The locks of a round. Every action takes them in this order: round, volunteer, issue, slot, label, draft.

An action of a meeting takes them in this order: round, meeting, issue, item, votes, decisions. The lock on
the row of the meeting makes all changes of one meeting take turns, so an action can read and then write.
A submit locks its round FOR SHARE: a closing either waits for the submit or sees its label. In a second look
an action locks the round of the first labels first. The row of the volunteer makes two windows of one person
take turns; the row of the issue makes the last labels of an issue take turns.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from core import clock
from core.sql.models import Rows
from core.sql.prepared import Prepared
from core.sql.snapshots import snapshot
from ingest.models import Issue
from rounds.errors import NotYourTurn, RemovedFromRound, RoundClosed, RoundNotOpen, TrainingFirst
from rounds.models import Round, RoundIssue, RoundVolunteer
from rounds.queries.training import training_to_pass
from rounds.rules import may_be_volunteer
from studies.models import Membership

_ROUND = Rows(Round)


# Each part reads the rows of the part before, so the locks are taken in the order of the parts.
_LOCK_PLACE = Prepared(
    "lock_place",
    f"""
    WITH rounds AS (
        SELECT * FROM rounds_round
        WHERE id = %(round)s OR id = (SELECT of_id FROM rounds_round WHERE id = %(round)s)
        ORDER BY id FOR SHARE
    ), r AS (
        SELECT * FROM rounds WHERE id = %(round)s
    ), v AS (
        SELECT v.* FROM r JOIN rounds_roundvolunteer v ON v.round_id = r.id AND v.member_id = %(member)s
        FOR NO KEY UPDATE OF v
    ), i AS (
        SELECT i.* FROM v JOIN rounds_roundissue i ON i.round_id = v.round_id AND i.issue_id = %(issue)s
        FOR NO KEY UPDATE OF i
    )
    SELECT v.id, v.seed, v.left_at, v.quota, v.admitted_at, m.role, m.user_id, m.left_at,
           i.id, i.position, i.completed_at, i.was_completed_at, x.current_id, {_ROUND.columns}
    FROM r p0
    LEFT JOIN v ON true
    LEFT JOIN studies_membership m ON m.id = v.member_id
    LEFT JOIN i ON true
    LEFT JOIN ingest_issue x ON x.id = i.issue_id
    """,  # noqa: S608 - the pieces are constants
)


@dataclass(frozen=True)
class LockedPlace:
    """The current rows of a round, a volunteer and an issue of the round, locked by this transaction."""

    round: Round
    volunteer: RoundVolunteer
    place: RoundIssue
    snapshot: int | None

    @property
    def own(self) -> dict[str, int]:
        """The fields that identify the volunteer's slot, label, draft and skip for this issue."""
        return {
            "round_id": self.round.pk,
            "issue_id": self.place.issue_id,
            "volunteer_id": self.volunteer.member_id,
        }


def lock_place(round_: Round, issue: Issue, member: Membership) -> LockedPlace:
    """Lock round, volunteer and issue in one statement. A later statement sees what others have stored.

    `require_seat` checks that the volunteer may label now; this lock does not. Raises NotYourTurn if the
    member is no volunteer of the round, or the issue is not in the round.
    """
    with connection.cursor() as cursor:
        _LOCK_PLACE.run(cursor, {"round": round_.pk, "member": member.pk, "issue": issue.pk})
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
    return LockedPlace(current, volunteer, place, snapshot)


def lock_round(round_: Round) -> Round:
    """Lock and return the round: nobody closes or changes it before this transaction ends."""
    return Round.objects.raw("SELECT * FROM rounds_round WHERE id = %s FOR SHARE", [round_.pk])[0]


@contextmanager
def settled_snapshot(round_: Round) -> Iterator[datetime]:
    """Open a transaction that sees the round at one moment, while no decision is under way, and may write.

    Yields that moment: the snapshot contains every decision made until then, and no later decision. The
    reason: a deciding action locks the round before it reads the clock, and until it commits. The first
    statement of a transaction takes the snapshot, and a lock is a statement too; so a second connection locks
    the round (FOR NO KEY UPDATE) until the snapshot is taken. If the caller is in a transaction, the caller
    takes that lock.
    """
    with ExitStack() as stack:
        if connection.in_atomic_block:
            stack.enter_context(snapshot(read_only=False))
            moment = clock.now()
        else:
            with closing(connection.copy()) as other, other.cursor() as cursor:
                other.set_autocommit(False)
                cursor.execute("SELECT FROM rounds_round WHERE id = %s FOR NO KEY UPDATE", [round_.pk])
                stack.enter_context(snapshot(read_only=False))
                with connection.cursor() as first:
                    first.execute("SELECT")
                moment = clock.now()
        yield moment


def lock_open_round(round_: Round) -> Round:
    """Lock a round that has to be open. Raises RoundNotOpen, RoundClosed."""
    locked = lock_round(round_)
    require_open(locked)
    return locked


def require_open(round_: Round) -> None:
    if round_.opened_at is None:
        raise RoundNotOpen
    if round_.closed_at is not None:
        raise RoundClosed


def lock_volunteer(round_: Round, member: Membership) -> RoundVolunteer:
    """Lock and return the member's row in the round. Raises what `require_seat` raises."""
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
    """Check that the volunteer may label in the round.

    Raises NotYourTurn if the member can label in no round of the study any more, RemovedFromRound if a lead
    took the member out of this round, TrainingFirst if the member has yet to pass its training.
    """
    if not may_be_volunteer(volunteer.member, volunteer.round.study):
        raise NotYourTurn
    if volunteer.left_at is not None:
        raise RemovedFromRound
    if training_to_pass(round_, volunteer) is not None:
        raise TrainingFirst


def lock_issue(round_: Round, issue: Issue) -> RoundIssue:
    """Lock and return the row of the issue in the round. Raises NotYourTurn if there is no such row."""
    found = RoundIssue.objects.select_for_update(no_key=True).filter(round=round_, issue=issue).first()
    if found is None:
        raise NotYourTurn
    return found
