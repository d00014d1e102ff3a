"""The locks of a coding, always taken in this order: participant, coding, coder.

A quote shares locks on participant and coding (FOR SHARE): an erasure, a correction and a reveal wait for it
or are seen by it, and coders of one interview never wait for each other.
"""

from dataclasses import dataclass

from interviews.errors import (
    CoderReleased,
    CodingBlind,
    CodingDone,
    CodingRevealed,
    CodingSettled,
    NotYourCoding,
    ParticipantErased,
)
from interviews.models import Coder, Coding, Participant
from studies.models import Membership


@dataclass(frozen=True)
class HeldCoding:
    """A coding that is still blind, and the coder who changes it, locked for this transaction."""

    coding: Coding
    coder: Coder


def _share(table: str, pk: int) -> str:
    return f"SELECT * FROM interviews_{table} WHERE id = {int(pk)} FOR SHARE"  # noqa: S608 - a number


def share_participant(participant_id: int, *, may_be_erased: bool = False) -> None:
    """Keep a participant from being erased and transcripts from being corrected. Raises ParticipantErased."""
    [participant] = Participant.objects.raw(_share("participant", participant_id))
    if participant.erased_at and not may_be_erased:
        raise ParticipantErased


def hold_to_code(coding: Coding, member: Membership) -> HeldCoding:
    """Lock for a change of own quotes. Raises ParticipantErased, NotYourCoding, CodingRevealed, CoderReleased
    and CodingDone.
    """
    share_participant(coding.session.participant_id)
    [held] = Coding.objects.raw(_share("coding", coding.pk))
    coder = Coder.objects.select_for_update(no_key=True).filter(coding=held, member=member).first()
    if coder is None:
        raise NotYourCoding
    if held.revealed_at:
        raise CodingRevealed
    if coder.released_at:
        raise CoderReleased
    if coder.done_at:
        raise CodingDone
    return HeldCoding(held, coder)


def hold_coding(coding: Coding) -> Coding:
    """Lock a coding alone: no quote of it is under way."""
    return (
        Coding.objects.select_for_update(no_key=True, of=("self",))
        .select_related("session__study", "session__participant__audience")
        .get(pk=coding.pk)
    )


def hold_to_settle(coding: Coding) -> Coding:
    """Lock a revealed coding that is not settled. Raises CodingBlind, CodingSettled and ParticipantErased."""
    share_participant(coding.session.participant_id)
    held = hold_coding(coding)
    if held.revealed_at is None:
        raise CodingBlind
    if held.settled_at:
        raise CodingSettled
    return held
