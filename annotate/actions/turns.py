"""Taking turns: the next issue, skipping an issue, taking a skip back."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Case, Q, Value, When

from annotate.actions.repeats import put_off_repeat
from annotate.errors import AlreadyLabelled, QuotaReached, ReasonMissing, SlotTaken
from annotate.models import Skip
from annotate.queries.turns import OF_SLOT, Turn, current_turn, own_slots, repeat_turn, turn_of
from annotate.rules import may_take_turns
from core import clock
from core.sql.retry import retried
from ingest.models import Issue
from rounds.actions.locks import lock_open_round, lock_volunteer, require_open
from rounds.allocation import entrance, repository_of
from rounds.errors import NotYourTurn
from rounds.models import Label, Round, RoundVolunteer
from studies.models import Membership

DOUBLE_CLICK = timedelta(seconds=2)
MOST_HELD = 3
"""The most slots of a k-of-n round that one member claims at once; the page fetches some of them ahead."""

FREE = "a.volunteer_id IS NULL"
EXPIRED = "a.lease_until < %(now)s AND a.volunteer_id <> %(member)s"

NOT_SKIPPED = """AND NOT EXISTS (
    SELECT FROM annotate_skip s
    WHERE s.round_id = a.round_id AND s.volunteer_id = %(member)s AND s.issue_id = a.issue_id
    OFFSET 0
)"""
AHEAD = f"AND a.rank >= %(start)s {NOT_SKIPPED}"
BEHIND = f"AND a.rank < %(start)s {NOT_SKIPPED}"
SKIPPED = """AND a.issue_id IN (
    SELECT s.issue_id FROM annotate_skip s WHERE s.round_id = a.round_id AND s.volunteer_id = %(member)s
)"""
THIS_ISSUE = "AND a.issue_id = %(issue)s"

# Within one repository, in a round by repository.
WITHIN = "AND a.rank BETWEEN %(first)s AND %(last)s"
# Leaves out issues on which the member has a slot or a label already.
NOT_THEIRS = """AND NOT EXISTS (
    SELECT FROM rounds_assignment o
    WHERE o.round_id = a.round_id AND o.issue_id = a.issue_id AND o.volunteer_id = %(member)s
    OFFSET 0
) AND NOT EXISTS (
    SELECT FROM rounds_label l
    WHERE l.round_id = a.round_id AND l.issue_id = a.issue_id AND l.volunteer_id = %(member)s
    OFFSET 0
)"""

# The order of the index turns_to_come: PostgreSQL does not infer it from volunteer_id being NULL everywhere.
BY_RANK = "a.volunteer_id, a.rank"
BY_LEASE = "a.lease_until, a.id"
BY_SKIP = """(
    SELECT max(s.skipped_at) FROM annotate_skip s
    WHERE s.round_id = a.round_id AND s.volunteer_id = %(member)s AND s.issue_id = a.issue_id
), a.slot"""

# Where a k-of-n round looks for the next slot, in this order.
PLACES = [
    (FREE, AHEAD, BY_RANK),
    (FREE, BEHIND, BY_RANK),
    (EXPIRED, NOT_SKIPPED, BY_LEASE),
    (FREE, SKIPPED, BY_SKIP),
    (EXPIRED, SKIPPED, BY_SKIP),
]


def next_turn(*, round_: Round, member: Membership, holding: Sequence[int] = ()) -> Turn | None:
    """The member's next issue, None when nothing is left for the member now.

    `holding`: the ids of the issues that the page has already, the shown issue first; the next issue is none
    of these. Fully crossed: reads only. k of n: an issue whose slot the member has claimed, otherwise a new
    claim. A member claims at most MOST_HELD slots at once, and labels and claimed slots never exceed the
    quota. The leases of all claimed slots are renewed. Raises RoundNotOpen, RoundClosed, NotYourTurn.
    """
    require_open(round_)
    if round_.allocation != Round.Allocation.K_OF_N:
        turn = current_turn(round_, member, holding=holding)
        if turn is None and not may_take_turns(member, round_):
            raise NotYourTurn
        return turn
    return _claimed(round_, member, holding)


@retried
@transaction.atomic
def _claimed(round_: Round, member: Membership, holding: Sequence[int]) -> Turn | None:
    volunteer = lock_volunteer(round_, member)
    held = own_slots(round_, member).filter(submitted_at=None).order_by("-lease_until", "id")
    slots = {issue: slot for slot, issue in held.values_list("pk", "issue")}
    slot = next((slots[issue] for issue in slots if issue not in holding), None)
    again = None if slot else repeat_turn(round_, member, holding)
    if slot is None and not again and len(slots) < MOST_HELD and not _has_quota(volunteer, len(slots)):
        slot = _claim_next(round_, volunteer)
    renew(round_, member, Q(issue=holding[0]) if holding else Q(pk=slot))
    if slot is not None:
        return _turn(round_, member, slot)
    return again or repeat_turn(round_, member, holding, is_last=True)


def _claim_next(round_: Round, volunteer: RoundVolunteer) -> int | None:
    start = _start(round_, volunteer)
    if round_.order == Round.Order.BY_REPOSITORY:
        slot = _claim_by_repository(round_, volunteer, start)
        if slot is not None:
            return slot
        start = 2**63 - 1  # any slot that came free behind the volunteer since
    for which, where, order in PLACES:
        slot = _claim(round_, volunteer.member, which, where, order, start=start)
        if slot is not None:
            return slot
    return None


def _claim_by_repository(round_: Round, volunteer: RoundVolunteer, start: int) -> int | None:
    """Claim a free slot in the current repository, or in the next repository that has a free slot."""
    at: int | None = start
    while at is not None:
        first, last = repository_of(at)
        for where in (AHEAD, BEHIND):
            slot = _claim(
                round_, volunteer.member, FREE, f"{where} {WITHIN}", BY_RANK, start=at, first=first, last=last
            )
            if slot is not None:
                return slot
        at = _next_repository(round_, volunteer, last)
    return None


def _next_repository(round_: Round, volunteer: RoundVolunteer, last: int) -> int | None:
    """The rank where the volunteer enters the next repository after `last` that has a free slot."""
    parameters = {"round": round_.pk, "member": volunteer.member_id, "start": last + 1}
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT a.rank FROM rounds_assignment a"  # noqa: S608 - the pieces are constants
            f" WHERE a.round_id = %(round)s AND a.submitted_at IS NULL AND {FREE} {AHEAD} {NOT_THEIRS}"
            f" ORDER BY {BY_RANK} LIMIT 1",
            parameters,
        )
        row = cursor.fetchone()
    return None if row is None else entrance(row[0], volunteer.seed)


def _has_quota(volunteer: RoundVolunteer, held: int) -> bool:
    """Have the volunteer's labels, together with `held` slots, reached the quota?"""
    if volunteer.quota is None:
        return False
    own = Label.objects.filter(round=volunteer.round_id, volunteer=volunteer.member_id, surplus=False)
    return own.count() + held >= volunteer.quota


def renew(round_: Round, member: Membership, shown: Q) -> None:
    """Renew the leases of all slots that the member has claimed: the member is at work, on any of their
    issues. The slot `shown` gets a lease one second longer than the others, so that it comes first when the
    page is opened again.
    """
    until = lease(round_)
    own_slots(round_, member).filter(submitted_at=None).update(
        lease_until=Case(When(shown, then=Value(until)), default=Value(until - timedelta(seconds=1)))
    )


@retried
@transaction.atomic
def skip_issue(*, round_: Round, issue: Issue, member: Membership, reason: str) -> Skip:
    """Skip an issue, with a reason: it comes again after the others. k of n: its slot is free again. A draft
    of the issue stays. A second skip at once (a double click) returns the first. Raises ReasonMissing,
    AlreadyLabelled, NotYourTurn, RoundNotOpen, RoundClosed.
    """
    reason = reason.strip()[:500]
    if not reason:
        raise ReasonMissing
    lock_open_round(round_)
    lock_volunteer(round_, member)
    label = Label.objects.filter(round=round_, issue=issue, volunteer=member).first()
    if label is not None:
        if put_off_repeat(round_, issue.pk, member, clock.now()):
            return Skip.objects.create(round=round_, issue=issue, volunteer=member, reason=reason)
        raise AlreadyLabelled(label)
    earlier = Skip.objects.filter(round=round_, issue=issue, volunteer=member).order_by("id").last()
    held = own_slots(round_, member).filter(issue=issue, submitted_at=None)
    if round_.allocation == Round.Allocation.K_OF_N:
        if not held.update(volunteer=None, lease_until=None):
            if earlier is None:
                raise NotYourTurn
            return earlier
    elif not held.exists():
        raise NotYourTurn
    elif earlier is not None and earlier.reason == reason and clock.now() - earlier.skipped_at < DOUBLE_CLICK:
        return earlier
    return Skip.objects.create(round=round_, issue=issue, volunteer=member, reason=reason)


@retried
@transaction.atomic
def take_back_skip(*, round_: Round, issue: Issue, member: Membership) -> Turn:
    """Take a skip back, as if the issue had not been skipped. Raises SlotTaken when others have all of its
    slots by now (the skip then stays), NotYourTurn when it was not skipped, QuotaReached, RoundNotOpen,
    RoundClosed.
    """
    lock_open_round(round_)
    volunteer = lock_volunteer(round_, member)
    skips = Skip.objects.filter(round=round_, issue=issue, volunteer=member)
    if not skips.exists():
        raise NotYourTurn
    held = own_slots(round_, member).filter(issue=issue, submitted_at=None).first()
    if held is None and _has_quota(volunteer, len(own_slots(round_, member).filter(submitted_at=None))):
        raise QuotaReached
    slot = held.pk if held else claim_on(round_, issue, member)
    if slot is None:
        raise SlotTaken
    skips.delete()
    return _turn(round_, member, slot)


def claim_on(round_: Round, issue: Issue, member: Membership) -> int | None:
    """Claim a free slot of this issue, otherwise an expired slot; returns its id, or None without such a
    slot. The caller locks the volunteer's row.
    """
    for which, order in ((FREE, BY_RANK), (EXPIRED, BY_LEASE)):
        slot = _claim(round_, member, which, THIS_ISSUE, order, issue=issue.pk)
        if slot is not None:
            return slot
    return None


def lease(round_: Round) -> datetime:
    """The end of the lease of a slot that is claimed or renewed now."""
    return clock.now() + timedelta(minutes=round_.lease_minutes)


def _claim(
    round_: Round, member: Membership, which: str, where: str, order: str, **parameters: int
) -> int | None:
    """Claim one slot for the member in one statement; returns its id, or None when no slot can be claimed.
    Slots that another claim has locked at this moment are passed over, without waiting. An issue on which the
    member has a slot or a label is never claimed. A volunteer who loses an expired lease gets an empty draft,
    unless they have a draft: the draft tells later that a label was late, so that the label is kept.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            claim_query(which, where, order),
            {
                "round": round_.pk,
                "member": member.pk,
                "now": clock.now(),
                "lease": lease(round_),
                **parameters,
            },
        )
        row = cursor.fetchone()
    return None if row is None else int(row[0])


def claim_query(which: str, where: str, order: str) -> str:
    """The statement of one claim. OFFSET 0 stops PostgreSQL from turning the conditions into joins: it would
    fetch and sort every free slot of the round to take the first.
    """
    return f"""
    WITH taken AS (
        SELECT a.id, a.round_id, a.issue_id, a.volunteer_id
        FROM rounds_assignment a
        WHERE a.round_id = %(round)s AND a.submitted_at IS NULL AND {which} {where} {NOT_THEIRS}
        ORDER BY {order}
        LIMIT 1
        FOR UPDATE OF a SKIP LOCKED
    ), trace AS (
        INSERT INTO annotate_draft (round_id, issue_id, volunteer_id, summary, unsure, revision, saved_at)
        SELECT round_id, issue_id, volunteer_id, '', false, 0, %(now)s
        FROM taken WHERE volunteer_id IS NOT NULL
        ON CONFLICT DO NOTHING
    )
    UPDATE rounds_assignment a SET volunteer_id = %(member)s, lease_until = %(lease)s
    FROM taken WHERE a.id = taken.id
    RETURNING a.id
    """  # noqa: S608 - the pieces are constants of this module


def _start(round_: Round, volunteer: RoundVolunteer) -> int:
    """The rank from which the volunteer looks for the next slot: that of the latest label, or a place of the
    volunteer's own at first. docs/decisions/0003-order-in-k-of-n-rounds.md gives the reason.
    """
    rank: int | None = (
        Label.objects.filter(round=round_, volunteer=volunteer.member_id, surplus=False)
        .order_by("-submitted_at")
        .values_list("assignment__rank", flat=True)
        .first()
    )
    if rank is not None:
        return rank
    return entrance(0, volunteer.seed) if round_.order == Round.Order.BY_REPOSITORY else volunteer.seed


def _turn(round_: Round, member: Membership, slot: int) -> Turn:
    turn = turn_of(round_, member, OF_SLOT, slot=slot)
    if turn is None:
        raise NotYourTurn
    return turn
