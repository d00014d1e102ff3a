"""Consensus meetings: a lead plans a meeting; a chair opens it, turns from issue to issue, and closes it."""

from collections.abc import Collection
from datetime import datetime
from typing import Required, TypedDict, Unpack

from django.db import transaction
from django.utils.translation import gettext as _

from consensus import errors
from consensus.actions.decisions import standing_decision
from consensus.actions.locks import changed, lock_item_to_lead, lock_meeting, lock_open_meeting
from consensus.actions.records import record_in_meeting, record_in_round
from consensus.actions.votes import close_votes_with_the_meeting
from consensus.errors import MeetingRefused
from consensus.models import AgendaItem, Decision, Meeting, Participant, Spell, Vote
from consensus.queries.votes import open_vote_on
from consensus.rules import may_chair, may_plan_meeting, may_run_meeting, may_take_the_chair
from core import clock
from core.sql.retry import retried
from core.text.joining import listed as joined
from rounds.actions.locks import lock_round
from rounds.actions.seals import seal_round
from rounds.errors import NotAllowed
from rounds.models import Round, Seal
from rounds.queries.blindness import is_withheld
from rounds.queries.rounds import candidates, could_come, reveals_complete_issues
from rounds.rules import may_be_volunteer
from studies.models import Membership

LONGEST_NAME = 120


class MeetingPlan(TypedDict, total=False):
    """The settings of a meeting; a pair has exactly two members, a quorum of two and no majority."""

    name: Required[str]
    chair: Required[Membership]
    quorum: Required[int]
    kind: str
    by_majority: bool
    shows_names: bool
    starts_at: datetime | None
    ends_at: datetime | None
    participants: Collection[Membership]


@retried
@transaction.atomic
def plan_meeting(*, round_: Round, by: Membership, **plan: Unpack[MeetingPlan]) -> Meeting:
    """Plan a meeting on the disagreements of a round, with an empty agenda; votes begin once it is open.
    `participants` are invited, by default the volunteers of the round, and always the chair. Raises
    NotAllowed, NotRevealed, and MeetingRefused with the field to change.
    """
    current = lock_round(round_)
    if not may_plan_meeting(by, current):
        raise NotAllowed
    if not reveals_complete_issues(current):
        raise errors.NotRevealed
    meeting = Meeting(round=current, kind=_kind_in(plan), created_by=by)
    participants = plan.get("participants", ())
    if not participants and meeting.kind != Meeting.Kind.PAIR:
        participants = list(could_come(current))
    _set_rules(meeting, plan)
    _describe(meeting, plan, participants)
    meeting.save()
    Participant.objects.bulk_create(
        Participant(meeting=meeting, member=member) for member in _asked(meeting, participants)
    )
    record_in_round("meetings.planned", current, by, meeting=meeting.name)
    return meeting


@retried
@transaction.atomic
def change_meeting(*, meeting: Meeting, by: Membership, **plan: Unpack[MeetingPlan]) -> Meeting:
    """Change a meeting that is not closed. Without `participants` all members stay invited.

    The kind is fixed after opening; quorum and majority are fixed after a first vote or decision. Members who
    are no longer invited and never came are removed. Raises NotAllowed, MeetingClosed, and MeetingRefused
    with the field to change.
    """
    current = lock_meeting(meeting)
    if not may_plan_meeting(by, current.round):
        raise NotAllowed
    if current.closed_at is not None:
        raise errors.MeetingClosed
    kind = _kind_in(plan)
    if kind != current.kind and current.opened_at is not None:
        raise MeetingRefused(
            _("You cannot change the kind of a meeting after the meeting was opened."), field="kind"
        )
    before = (current.quorum, current.by_majority)
    current.kind = kind
    _set_rules(current, plan)
    if before != (current.quorum, current.by_majority) and (
        current.votes.exists() or Decision.objects.filter(item__meeting=current).exists()
    ):
        raise MeetingRefused(
            _("You cannot change quorum or majority after the first vote or decision."),
            field="quorum",
        )
    listed = Participant.objects.filter(meeting=current).select_related("member")
    participants = plan.get("participants", ())
    asked = participants or [row.member for row in listed]
    _describe(current, plan, asked)
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
    record_in_meeting("meetings.changed", current, by)
    return current


@retried
@transaction.atomic
def open_meeting(*, meeting: Meeting, by: Membership) -> Meeting:
    """Open a meeting. A second call does nothing. Raises NotAllowed, MeetingClosed."""
    current = lock_meeting(meeting)
    if not may_run_meeting(by, current):
        raise NotAllowed
    if current.closed_at is not None:
        raise errors.MeetingClosed
    if current.opened_at is None:
        changed(current, opened_at=clock.now())
        record_in_meeting("meetings.opened", current, by)
    return current


@retried
@transaction.atomic
def close_meeting(*, meeting: Meeting, by: Membership) -> Meeting:
    """Close a meeting and free its agenda for other meetings. A second call does nothing.

    A meeting at one time has to reveal its open votes first; over days and in a pair, open votes close with
    their ballots. Raises NotAllowed, MeetingNotOpen, VoteStillOpen.
    """
    current = lock_meeting(meeting)
    if not may_run_meeting(by, current):
        raise NotAllowed
    if current.opened_at is None:
        raise errors.MeetingNotOpen
    if current.closed_at is not None:
        return current
    seal_round(round_=current.round, why=Seal.Why.MINUTES)
    now = max(clock.now(), current.opened_at)
    if current.kind == Meeting.Kind.TOGETHER:
        if Vote.objects.filter(meeting=current, closed_at=None).exists():
            raise errors.VoteStillOpen
        _end_spell(current, now)
    else:
        close_votes_with_the_meeting(current, now)
    Participant.objects.filter(meeting=current, joined_at__isnull=False, left_at=None).update(left_at=now)
    AgendaItem.objects.filter(meeting=current, released_at=None).update(released_at=now)
    changed(current, closed_at=now, item=None, version_id=current.round.version_id)
    record_in_meeting("meetings.closed", current, by)
    return current


@retried
@transaction.atomic
def take_chair(*, meeting: Meeting, by: Membership) -> Meeting:
    """Make `by` the chair of the meeting. Raises NotAllowed, MeetingClosed."""
    current = lock_meeting(meeting)
    if current.closed_at is not None:
        raise errors.MeetingClosed
    if not may_take_the_chair(by, current) or current.kind == Meeting.Kind.PAIR:
        raise NotAllowed
    if current.chair_id != by.pk:
        changed(current, chair=by)
        record_in_meeting("meetings.chair_taken", current, by)
    return current


@retried
@transaction.atomic
def turn_to(*, meeting: Meeting, item: AgendaItem | None, by: Membership) -> Meeting:
    """Turn all screens to this issue, or to none; its time begins, and that of the issue before ends. Raises
    NotAllowed, MeetingNotOpen, MeetingClosed, NotTogether, OffTheAgenda.
    """
    current = lock_open_meeting(meeting)
    if current.kind != Meeting.Kind.TOGETHER:
        raise errors.NotTogether
    if not may_chair(by, current):
        raise NotAllowed
    if item is not None:
        on_agenda = AgendaItem.objects.filter(pk=item.pk, meeting=current, released_at=None).first()
        if on_agenda is None or is_withheld(current.round, on_agenda.issue_id, by):
            raise errors.OffTheAgenda
    if current.item_id == (item.pk if item else None):
        return current
    now = clock.now()
    _end_spell(current, now)
    if item is not None:
        Spell.objects.create(meeting=current, item=item, began_at=now)
    changed(current, item=item)
    return current


@retried
@transaction.atomic
def park(*, item: AgendaItem, by: Membership, why: str = "") -> AgendaItem:
    """Park an issue. Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda, ItemDecided,
    VoteStillOpen.
    """
    current = lock_item_to_lead(item, by)
    if standing_decision(current.round, current.issue_id) is not None:
        raise errors.ItemDecided
    if open_vote_on(current) is not None:
        raise errors.VoteStillOpen
    why = " ".join(why.replace("\x00", "\ufffd").split())[:500]
    if current.parked_at is None or current.parked_why != why:
        current.parked_at, current.parked_why = current.parked_at or clock.now(), why
        current.save(update_fields=["parked_at", "parked_why"])
        changed(current.meeting)
    return current


@retried
@transaction.atomic
def come_back(*, item: AgendaItem, by: Membership) -> AgendaItem:
    """Take a parked issue up again. Raises NotAllowed, MeetingNotOpen, MeetingClosed, OffTheAgenda."""
    current = lock_item_to_lead(item, by)
    if current.parked_at is not None:
        current.parked_at, current.parked_why = None, ""
        current.save(update_fields=["parked_at", "parked_why"])
        changed(current.meeting)
    return current


def _end_spell(meeting: Meeting, now: datetime) -> None:
    Spell.objects.filter(meeting=meeting, ended_at=None).update(ended_at=now)


def _kind_in(plan: MeetingPlan) -> Meeting.Kind:
    return Meeting.Kind(plan.get("kind", Meeting.Kind.TOGETHER))


def _set_rules(meeting: Meeting, plan: MeetingPlan) -> None:
    """Raises MeetingRefused."""
    quorum, by_majority = plan["quorum"], plan.get("by_majority", False)
    if meeting.kind == Meeting.Kind.PAIR:
        quorum, by_majority = 2, False
    most = candidates(meeting.round.study).count()
    if not 1 <= quorum <= max(most, 1):
        raise MeetingRefused(
            _("Choose a quorum from 1 to %(most)s, the number of people who can join.") % {"most": most},
            field="quorum",
        )
    meeting.quorum, meeting.by_majority = quorum, by_majority


def _describe(meeting: Meeting, plan: MeetingPlan, participants: Collection[Membership]) -> None:
    """Raises MeetingRefused."""
    name, chair = " ".join(plan["name"].replace("\x00", "\ufffd").split()), plan["chair"]
    starts_at, ends_at = plan.get("starts_at"), plan.get("ends_at")
    if not 1 <= len(name) <= LONGEST_NAME:
        raise MeetingRefused(_("Give the meeting a name of at most 120 characters."), field="name")
    if starts_at is not None and ends_at is not None and ends_at < starts_at:
        raise MeetingRefused(_("The meeting would end before it begins."), field="ends_at")
    if not may_be_volunteer(chair, meeting.round.study) or chair.user_id is None:
        raise MeetingRefused(_("Choose a chair who labels in this study."), field="chair")
    misfits = [str(one) for one in participants if not may_be_volunteer(one, meeting.round.study)]
    if misfits:
        raise MeetingRefused(
            _("%(who)s cannot take part. Only people who label in this study can take part.")
            % {"who": joined(misfits)},
            field="participants",
        )
    if meeting.kind == Meeting.Kind.PAIR and len({member.pk for member in participants}) != 2:
        raise MeetingRefused(_("Choose exactly two people for a pair."), field="participants")
    meeting.name, meeting.chair, meeting.shows_names = name, chair, plan.get("shows_names", False)
    meeting.starts_at, meeting.ends_at = starts_at, ends_at


def _require_two(
    meeting: Meeting, participants: Collection[Membership], listed: Collection[Participant]
) -> None:
    """A pair keeps every member who came, so it gets no third member. Raises MeetingRefused."""
    asked = {member.pk for member in participants}
    stay = [str(row.member) for row in listed if row.joined_at is not None and row.member_id not in asked]
    if meeting.kind == Meeting.Kind.PAIR and stay:
        raise MeetingRefused(
            _("%(who)s already joined this meeting. Plan another meeting for two other people.")
            % {"who": joined(stay)},
            field="participants",
        )


def _asked(meeting: Meeting, participants: Collection[Membership]) -> list[Membership]:
    """The invited members, each once, and the chair; in a pair only its two members."""
    chair = [] if meeting.kind == Meeting.Kind.PAIR else [meeting.chair]
    return list({member.pk: member for member in [*participants, *chair]}.values())
