"""Audit entries for the acts of this room; `consensus.audit` has their sentences."""

from typing import Any

from consensus.models import Meeting
from rounds.models import Round
from studies.actions import record
from studies.models import Membership


def record_in_round(verb: str, round_: Round, by: Membership, **facts: Any) -> None:
    record(round_.study, verb, by.user, round=round_.name, **facts)


def record_in_meeting(verb: str, meeting: Meeting, by: Membership, **facts: Any) -> None:
    record(meeting.round.study, verb, by.user, meeting=meeting.name, **facts)
