"""Consensus meetings: planned, opened, led from issue to issue, closed; and who is there."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import errors
from annotate.actions.locks import changed, hold_item, hold_meeting, hold_open_meeting, hold_round
from annotate.actions.votes import close_votes_with_the_meeting, close_what_all_voted
from annotate.errors import MeetingRefused
from annotate.models import AgendaItem, Decision, Meeting, Participant, Round, Spell, Vote
from annotate.queries.rounds import candidates, could_come, reveals_complete_issues
from annotate.queries.votes import GRACE
from annotate.queries.withheld import is_withheld
from annotate.rules import (
    may_be_volunteer,
    may_chair,
    may_plan_meeting,
    may_run_meeting,
    may_take_part,
    may_take_the_chair,
)
from core.retry import retried
from studies.actions import record
from studies.models import Membership

LONGEST_NAME = 120
SEEN_EVERY = timedelta(seconds=5)
"""A sign of life is written down no more often than this."""
SILENT_AFTER = timedelta(seconds=30)
"""Without one for so long a participant counts as gone."""


@retried
@transaction.atomic
def plan_meeting(
    *,
    round_: Round,
    by: Membership,
    name: str,
    kind: str = Meeting.Kind.TOGETHER,
    chair: Membership,
    quorum: int,
    by_majority: bool = False,
    shows_names: bool = False,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    participants: Collection[Membership] = (),
) -> Meeting:
    """Plan a meeting on the disagreements of a round, with an empty agenda; nobody votes before it is opened.

    `participants` are asked to come: the volunteers of the round if nobody is named, and always the chair.
    A pair is exactly two, its quorum two, without a majority, whatever is said.
    Raises NotAllowed, NotRevealed, and MeetingRefused with the field to change.
    """
    current = hold_round(round_)
    if not may_plan_meeting(by, current):
        raise errors.NotAllowed
    if not reveals_complete_issues(current):
        raise errors.NotRevealed
    if not participants and kind != Meeting.Kind.PAIR:
        participants = list(could_come(current))
    meeting = Meeting(round=current, kind=Meeting.Kind(kind), created_by=by)
    _set_rules(meeting, quorum, by_majority=by_majority)
    _describe(meeting, name, chair, participants, starts_at, ends_at, shows_names=shows_names)
    meeting.save()
    Participant.objects.bulk_create(
        Participant(meeting=meeting, member=member) for member in _asked(meeting, participants)
    )
    record(current.study, "meetings.planned", by.user, round=current.name, meeting=meeting.name)
    return meeting


@retried
@transaction.atomic
def change_meeting(
    *,
    meeting: Meeting,
    by: Membership,
    name: str,
    kind: str = Meeting.Kind.TOGETHER,
    chair: Membership,
    quorum: int,
    by_majority: bool = False,
    shows_names: bool = False,
    starts_at: datetime | None = None,
    ends_at: datetime | None = None,
    participants: Collection[Membership] = (),
) -> Meeting:
    """Change a meeting that is not closed; all is as it is said here, as for `plan_meeting`.

    Its kind stays once it was opened, quorum and majority once there was a vote or a decision. Who is asked
    no more and was never there is taken off it; without `participants` they stay as they are.
    Raises NotAllowed, MeetingClosed, and MeetingRefused with the field to change.
    """
    current = hold_meeting(meeting)
    if not may_plan_meeting(by, current.round):
        raise errors.NotAllowed
    if current.closed_at is not None:
        raise errors.MeetingClosed
    if kind != current.kind and current.opened_at is not None:
        raise MeetingRefused(_("The kind of a meeting stays once it was opened."), field="kind")
    before = (current.quorum, current.by_majority)
    current.kind = Meeting.Kind(kind)
    _set_rules(current, quorum, by_majority=by_majority)
    if before != (current.quorum, current.by_majority) and _has_begun(current):
        raise MeetingRefused(
            _("Quorum and majority stay as they were once a vote was opened or a decision made."),
            field="quorum",
        )
    listed = Participant.objects.filter(meeting=current).select_related("member")
    asked = participants or [row.member for row in listed]
    _describe(current, name, chair, asked, starts_at, ends_at, shows_names=shows_names)
    if participants:
        _require_two(current, participants, listed)
        listed.filter(joined_at=None).exclude(member__in=[member.pk for member in participants]).delete()
    Participant.objects.bulk_create(
        (Participant(meeting=current, member=member) for member in _asked(current, asked)),
        ignore_conflicts=True,
    )
    current.save(
        update_fields=[
            "name", "kind", "chair", "quorum", "by_majority", "shows_names", "starts_at", "ends_at",
        ]
    )  # fmt: skip
    changed(current)
    record(current.round.study, "meetings.changed", by.user, meeting=current.name)
    return current


@retried
@transaction.atomic
def open_meeting(*, meeting: Meeting, by: Membership) -> Meeting:
    """Let it begin: from now on it votes and decides. Open is open. Raises NotAllowed, MeetingClosed."""
    current = hold_meeting(meeting)
    if not may_run_meeting(by, current):
        raise errors.NotAllowed
    if current.closed_at is not None:
        raise errors.MeetingClosed
    if current.opened_at is None:
        changed(current, opened_at=timezone.now())
        record(current.round.study, "meetings.opened", by.user, meeting=current.name)
    return current


@retried
@transaction.atomic
def close_meeting(*, meeting: Meeting, by: Membership) -> Meeting:
    """End it: its agenda is free for other meetings, and nothing of it changes any more. Closed is closed.

    A meeting that is held together reveals its open votes first; over days they end with what was cast.
    Raises NotAllowed, MeetingNotOpen, VoteStillOpen.
    """
    current = hold_meeting(meeting)
    if not may_run_meeting(by, current):
        raise errors.NotAllowed
    if current.opened_at is None:
        raise errors.MeetingNotOpen
    if current.closed_at is not None:
        return current
    now = max(timezone.now(), current.opened_at)
    if current.kind == Meeting.Kind.TOGETHER:
        if Vote.objects.filter(meeting=current, closed_at=None).exists():
            raise errors.VoteStillOpen
        _end_spell(current, now)
    else:
        close_votes_with_the_meeting(current, now)
    Participant.objects.filter(meeting=current, joined_at__isnull=False, left_at=None).update(left_at=now)
    AgendaItem.objects.filter(meeting=current, released_at=None).update(released_at=now)
    changed(current, closed_at=now, item=None)
    record(current.round.study, "meetings.closed", by.user, meeting=current.name)
    return current


@retried
@transaction.atomic
def take_chair(*, meeting: Meeting, by: Membership) -> Meeting:
    """Lead the meeting in place of who did. Raises NotAllowed, MeetingClosed."""
    current = hold_meeting(meeting)
    if current.closed_at is not None:
        raise errors.MeetingClosed
    if not may_take_the_chair(by, current) or current.kind == Meeting.Kind.PAIR:
        raise errors.NotAllowed
    if current.chair_id != by.pk:
        changed(current, chair=by)
        record(current.round.study, "meetings.chair_taken", by.user, meeting=current.name)
    return current


def here(*, meeting: Meeting, member: Membership) -> Participant:
    """A sign of life from an open page: who sends one is there, who sends none for a while is not.

    Each screen says so every second: mostly this is one query, and it writes what changed only. The meeting
    of the row that is returned is as it is now. Over days who was not asked takes part with their first
    ballot only: their row is not stored. A closed meeting keeps its people as they were.
    Raises NotAllowed.
    """
    now = timezone.now()
    own, is_somebody_gone = _own_row(meeting, member, now)
    # Two of a pair are those who have a row.
    is_of_a_pair = meeting.kind == Meeting.Kind.PAIR and own is not None
    if not (
        may_be_volunteer(member, meeting.round.study) if is_of_a_pair else may_take_part(member, meeting)
    ):
        raise errors.NotAllowed
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
    """Leave a meeting that is held together; over days one leaves no seat empty.

    A vote that waits for this member goes on waiting for a moment: they may only be loading the page again.
    """
    current = hold_meeting(meeting)
    if current.closed_at is not None or current.kind != Meeting.Kind.TOGETHER:
        return
    there = Participant.objects.filter(meeting=current, member=member, joined_at__isnull=False, left_at=None)
    if there.update(left_at=timezone.now()):
        changed(current)


@retried
@transaction.atomic
def turn_to(*, meeting: Meeting, item: AgendaItem | None, by: Membership) -> Meeting:
    """Show everybody this issue, or none; its time begins, that of the one before ends.

    Raises NotAllowed, MeetingNotOpen, MeetingClosed, NotTogether, OffTheAgenda.
    """
    current = hold_open_meeting(meeting)
    if current.kind != Meeting.Kind.TOGETHER:
        raise errors.NotTogether
    if not may_chair(by, current):
        raise errors.NotAllowed
    if item is not None:
        on_agenda = AgendaItem.objects.filter(pk=item.pk, meeting=current, released_at=None).first()
        if on_agenda is None or is_withheld(current.round, on_agenda.issue_id, by):
            raise errors.OffTheAgenda
    if current.item_id == (item.pk if item else None):
        return current
    now = timezone.now()
    _end_spell(current, now)
    if item is not None:
        Spell.objects.create(meeting=current, item=item, began_at=now)
    changed(current, item=item)
    return current


@retried
@transaction.atomic
def park(*, item: AgendaItem, by: Membership, why: str = "") -> AgendaItem:
    """Leave an issue for later. Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, ItemDecided,
    VoteStillOpen.
    """
    current = _hold_as_chair(item, by)
    decided = Decision.objects.filter(round=current.round, issue=current.issue_id, superseded_at=None)
    if decided.exists():
        raise errors.ItemDecided
    if Vote.objects.filter(item=current, closed_at=None).exists():
        raise errors.VoteStillOpen
    why = " ".join(why.replace("\x00", "\ufffd").split())[:500]
    if current.parked_at is None or current.parked_why != why:
        current.parked_at, current.parked_why = current.parked_at or timezone.now(), why
        current.save(update_fields=["parked_at", "parked_why"])
        changed(current.meeting)
    return current


@retried
@transaction.atomic
def come_back(*, item: AgendaItem, by: Membership) -> AgendaItem:
    """Take up again what was parked. Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda."""
    current = _hold_as_chair(item, by)
    if current.parked_at is not None:
        current.parked_at, current.parked_why = None, ""
        current.save(update_fields=["parked_at", "parked_why"])
        changed(current.meeting)
    return current


def _hold_as_chair(item: AgendaItem, by: Membership) -> AgendaItem:
    """The item, held for whoever leads the meeting: its chair, or both of a pair."""
    current = hold_item(item)
    may = may_take_part if current.meeting.kind == Meeting.Kind.PAIR else may_chair
    if not may(by, current.meeting):
        raise errors.NotAllowed
    if is_withheld(current.round, current.issue_id, by):
        raise errors.OffTheAgenda
    return current


def _own_row(meeting: Meeting, member: Membership, now: datetime) -> tuple[Participant | None, bool]:
    """The member's row, and whether there is anybody whose absence is to be noticed now. One query."""
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
    """Take note of who has come, and of who is gone without a word."""
    current = hold_meeting(meeting)
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


def _end_spell(meeting: Meeting, now: datetime) -> None:
    Spell.objects.filter(meeting=meeting, ended_at=None).update(ended_at=now)


def _set_rules(meeting: Meeting, quorum: int, *, by_majority: bool) -> None:
    """Raises MeetingRefused."""
    if meeting.kind == Meeting.Kind.PAIR:
        quorum, by_majority = 2, False
    most = candidates(meeting.round.study).count()
    if not 1 <= quorum <= max(most, 1):
        raise MeetingRefused(
            _("Choose a quorum from 1 to %(most)s: so many could come.") % {"most": most},
            field="quorum",
        )
    meeting.quorum, meeting.by_majority = quorum, by_majority


def _describe(
    meeting: Meeting,
    name: str,
    chair: Membership,
    participants: Collection[Membership],
    starts_at: datetime | None,
    ends_at: datetime | None,
    *,
    shows_names: bool,
) -> None:
    """Raises MeetingRefused."""
    name = " ".join(name.replace("\x00", "\ufffd").split())
    if not 1 <= len(name) <= LONGEST_NAME:
        raise MeetingRefused(_("Give the meeting a name of at most 120 characters."), field="name")
    if starts_at is not None and ends_at is not None and ends_at < starts_at:
        raise MeetingRefused(_("The meeting would end before it begins."), field="ends_at")
    if not may_be_volunteer(chair, meeting.round.study) or chair.user_id is None:
        raise MeetingRefused(_("The chair is somebody who labels in this study."), field="chair")
    misfits = [str(one) for one in participants if not may_be_volunteer(one, meeting.round.study)]
    if misfits:
        raise MeetingRefused(
            _("%(who)s cannot take part: who does labels in this study.") % {"who": ", ".join(misfits)},
            field="participants",
        )
    if meeting.kind == Meeting.Kind.PAIR and len({member.pk for member in participants}) != 2:
        raise MeetingRefused(_("A pair is exactly two people."), field="participants")
    meeting.name, meeting.chair, meeting.shows_names = name, chair, shows_names
    meeting.starts_at, meeting.ends_at = starts_at, ends_at


def _require_two(
    meeting: Meeting, participants: Collection[Membership], listed: Collection[Participant]
) -> None:
    """Who was there stays in a meeting, and a pair has no third. Raises MeetingRefused."""
    asked = {member.pk for member in participants}
    stay = [str(row.member) for row in listed if row.joined_at is not None and row.member_id not in asked]
    if meeting.kind == Meeting.Kind.PAIR and stay:
        raise MeetingRefused(
            _("%(who)s was there already: for two others plan a pair of their own.")
            % {"who": ", ".join(stay)},
            field="participants",
        )


def _asked(meeting: Meeting, participants: Collection[Membership]) -> list[Membership]:
    """Each of them once, and the chair, who leads no pair."""
    chair = [] if meeting.kind == Meeting.Kind.PAIR else [meeting.chair]
    return list({member.pk: member for member in [*participants, *chair]}.values())


def _has_begun(meeting: Meeting) -> bool:
    return (
        Vote.objects.filter(meeting=meeting).exists()
        or Decision.objects.filter(item__meeting=meeting).exists()
    )
