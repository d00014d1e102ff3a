"""Presence: the page of a participant sends signs of life; without them the participant leaves."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from consensus.actions.locks import changed, lock_meeting
from consensus.actions.votes import close_what_all_voted
from consensus.models import Meeting, Participant, Vote
from consensus.queries.votes import GRACE
from consensus.rules import may_take_part
from core import clock
from core.sql.retry import retried
from rounds.errors import NotAllowed
from rounds.rules import may_be_volunteer
from studies.models import Membership

SEEN_EVERY = timedelta(seconds=5)
"""The least time between two stored signs of life."""
SILENT_AFTER = timedelta(seconds=30)
"""A participant whose page is silent for longer counts as absent."""


def here(*, meeting: Meeting, member: Membership) -> Participant:
    """Take a sign of life from an open page, and mark participants with silent pages as absent.

    Every screen calls this once a second: most calls are one query, and only changes are written. The
    returned row has the current meeting. Over days a member without an invitation takes part from their first
    ballot on: until then the returned row is not stored. A closed meeting keeps its participants. Raises
    NotAllowed.
    """
    now = clock.now()
    own, is_somebody_gone = _own_row(meeting, member, now)
    # The members with a row are the two of a pair.
    is_of_a_pair = meeting.kind == Meeting.Kind.PAIR and own is not None
    if not (
        may_be_volunteer(member, meeting.round.study) if is_of_a_pair else may_take_part(member, meeting)
    ):
        raise NotAllowed
    if own is None and meeting.kind == Meeting.Kind.APART:
        return Participant(meeting=Meeting.objects.get(pk=meeting.pk), member=member)
    if own is not None and own.meeting.closed_at is not None:
        return own
    if own is None or is_somebody_gone or own.joined_at is None or own.left_at is not None:
        return _arrive(meeting=meeting, member=member, now=now)
    if own.last_seen_at is None or own.last_seen_at <= now - SEEN_EVERY:
        there = Participant.objects.filter(pk=own.pk, left_at=None)
        if not there.update(last_seen_at=now):
            return _arrive(meeting=meeting, member=member, now=now)
    return own


@retried
@transaction.atomic
def away(*, meeting: Meeting, member: Membership) -> None:
    """Leave a meeting at one time; other meetings need no presence. An open vote waits a moment longer for
    the member, who may only be loading the page again.
    """
    current = lock_meeting(meeting)
    if current.closed_at is not None or current.kind != Meeting.Kind.TOGETHER:
        return
    there = Participant.objects.filter(meeting=current, member=member, joined_at__isnull=False, left_at=None)
    if there.update(left_at=clock.now()):
        changed(current)


def _own_row(meeting: Meeting, member: Membership, now: datetime) -> tuple[Participant | None, bool]:
    """The member's row, and whether another participant's absence must be noted now. One query."""
    silent = Q(left_at=None, last_seen_at__lt=now - SILENT_AFTER)
    waits = Vote.objects.filter(meeting=OuterRef("meeting"), closed_at=None)
    left = Q(left_at__lte=now - GRACE, left_at__gt=now - GRACE - SILENT_AFTER) & Exists(waits)
    gone = Participant.objects.filter(
        silent | left,
        meeting=OuterRef("meeting"),
        meeting__kind=Meeting.Kind.TOGETHER,
        meeting__closed_at=None,
        joined_at__isnull=False,
    )
    rows = Participant.objects.filter(meeting=meeting, member=member).select_related("meeting")
    own = rows.annotate(is_somebody_gone=Exists(gone)).first()
    return own, own is not None and own.is_somebody_gone


@retried
@transaction.atomic
def _arrive(*, meeting: Meeting, member: Membership, now: datetime) -> Participant:
    """Store that the member has come, and that participants with silent pages have left."""
    current = lock_meeting(meeting)
    own = Participant.objects.filter(meeting=current, member=member).first()
    if own is None:
        own = Participant(meeting=current, member=member)
    own.meeting = current
    if current.closed_at is not None:
        return own
    has_come = own.joined_at is None or own.left_at is not None
    own.joined_at, own.left_at, own.last_seen_at = own.joined_at or now, None, now
    own.save()
    if current.kind != Meeting.Kind.TOGETHER:
        if has_come:
            changed(current)
        return own
    silent = Participant.objects.filter(
        meeting=current, joined_at__isnull=False, left_at=None, last_seen_at__lt=now - SILENT_AFTER
    )
    have_gone = silent.update(left_at=F("last_seen_at"))
    if has_come or have_gone:
        changed(current)
    if current.is_open:
        close_what_all_voted(current, now)
    return own
