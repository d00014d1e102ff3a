"""The locks of an action of a meeting, always in the order: round, meeting, issue, item."""

from typing import Any

from django.db.models import F

from consensus.errors import MeetingClosed, MeetingNotOpen, OffTheAgenda
from consensus.models import AgendaItem, Meeting
from consensus.rules import may_chair, may_take_part
from rounds.actions.locks import lock_round
from rounds.errors import NotAllowed
from rounds.models import Round
from rounds.queries.blindness import is_withheld
from studies.models import Membership


def lock_meeting(meeting: Meeting) -> Meeting:
    """Lock and return the meeting, with its round (see `lock_round`). The lock leaves the key of the row
    free: other transactions can store rows that refer to the meeting.
    """
    round_ = lock_round(Round(pk=meeting.round_id))
    for name, known in meeting.round._state.fields_cache.items():  # noqa: SLF001 - spares reading them again
        if known.pk == getattr(round_, f"{name}_id"):
            setattr(round_, name, known)
    locked = Meeting.objects.select_for_update(no_key=True).get(pk=meeting.pk)
    locked.round = round_
    return locked


def lock_open_meeting(meeting: Meeting) -> Meeting:
    """Lock a meeting that has to be open. Raises MeetingNotOpen, MeetingClosed."""
    locked = lock_meeting(meeting)
    if locked.closed_at is not None:
        raise MeetingClosed
    if locked.opened_at is None:
        raise MeetingNotOpen
    return locked


def lock_item(item: AgendaItem) -> AgendaItem:
    """Lock an open meeting and return an item that is on its agenda now. Raises MeetingNotOpen,
    MeetingClosed, OffTheAgenda.
    """
    locked = lock_open_meeting(item.meeting)
    current = AgendaItem.objects.select_related("issue").get(pk=item.pk)
    if current.meeting_id != locked.pk or current.released_at is not None:
        raise OffTheAgenda
    current.meeting = locked
    current.round = locked.round
    return current


def lock_item_to_lead(item: AgendaItem, by: Membership) -> AgendaItem:
    """`lock_item` for a member who leads the meeting: its chair, or a member of a pair. Raises NotAllowed
    too; OffTheAgenda also for an issue that is withheld from the member.
    """
    current = lock_item(item)
    may = may_take_part if current.meeting.kind == Meeting.Kind.PAIR else may_chair
    if not may(by, current.meeting):
        raise NotAllowed
    if is_withheld(current.round, current.issue_id, by):
        raise OffTheAgenda
    return current


def changed(meeting: Meeting, **fields: Any) -> None:
    """Store these fields of a locked meeting, and raise its revision, so that every screen reads it again."""
    Meeting.objects.filter(pk=meeting.pk).update(revision=F("revision") + 1, **fields)
    meeting.revision += 1
    for name, value in fields.items():
        setattr(meeting, name, value)
