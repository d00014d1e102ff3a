"""Opening a coding, and finishing it: the last coder who is done reveals it, nobody else."""

from collections.abc import Collection

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from interviews.actions.coding_locks import hold_coding, share_participant
from interviews.actions.leading import hold, require_lead
from interviews.actions.settling import settle_equal
from interviews.errors import (
    CoderReleased,
    CodingOpened,
    CodingRevealed,
    InterviewRefused,
    NotYourCoding,
)
from interviews.models import Coder, Coding, Session
from interviews.rules import may_code, may_lead_interviews, may_settle_coding
from studies.actions import record
from studies.models import Membership, Role
from taxonomy.models import Version


@transaction.atomic
def open_coding(
    *, session: Session, version: Version, coders: Collection[Membership], by: Membership
) -> Coding:
    """Open the coding of an interview with a stored transcript. Raises InterviewRefused, CodingOpened,
    ParticipantErased and PermissionDenied.
    """
    require_lead(session.study_id, by)
    participant = hold(session.participant)
    if Coding.objects.filter(session=session).exists():
        raise CodingOpened
    if not session.transcripts.exists():
        raise InterviewRefused(_("This interview has no stored transcript. Nothing was changed."))
    if version.published_at is None or version.taxonomy.study_id != session.study_id:
        raise InterviewRefused(
            _("Choose a published version of a taxonomy. Nothing was changed."), field="version"
        )
    chosen = {coder.pk: coder for coder in coders}
    if len(chosen) < 2:
        raise InterviewRefused(_("Choose at least two coders. Nothing was changed."), field="coders")
    if not all(may_code(coder, session) for coder in chosen.values()):
        raise InterviewRefused(
            _("Only owners, leads and volunteers can code. Nothing was changed."), field="coders"
        )
    coding = Coding.objects.create(session=session, version=version, opened_by=by)
    Coder.objects.bulk_create(Coder(coding=coding, member=coder) for coder in chosen.values())
    record(session.study, "codings.opened", by.user, participant=str(participant))
    return coding


@transaction.atomic
def finish_coding(*, coding: Coding, member: Membership, done: bool = True) -> Coding:
    """Say that the coder is done, or goes on. The last one reveals the coding: then equal codes are settled.
    Raises NotYourCoding, CoderReleased and CodingRevealed.
    """
    # A correction that is under way carries the quotes first: equal codes are settled on the new transcript.
    share_participant(coding.session.participant_id, may_be_erased=True)
    held = hold_coding(coding)
    coder = Coder.objects.filter(coding=held, member=member).first()
    if coder is None:
        raise NotYourCoding
    if held.revealed_at:
        if done:
            return held
        raise CodingRevealed
    if coder.released_at:
        raise CoderReleased
    coder.done_at = (coder.done_at or clock.now()) if done else None
    coder.save(update_fields=["done_at"])
    # Who left, was released, or became a viewer, cannot code any more: nobody waits for them.
    waits = Coder.objects.filter(coding=held, done_at=None, released_at=None, member__left_at=None)
    if not waits.exclude(member__role__in=[Role.VIEWER, Role.MODEL]).exists():
        held.revealed_at = clock.now()
        held.save(update_fields=["revealed_at"])
        settle_equal(held)
        participant = str(held.session.participant)
        record(held.session.study, "codings.revealed", member.user, participant=participant)
    return held


@transaction.atomic
def reopen_coding(*, coding: Coding, by: Membership) -> Coding:
    """Take back that a coding is settled, so that its quotes can change. Raises PermissionDenied."""
    held = hold_coding(coding)
    if not (may_settle_coding(by, held, codes=False) and may_lead_interviews(by)):
        raise PermissionDenied
    if held.settled_at:
        held.settled_at, held.settled_by = None, None
        held.save(update_fields=["settled_at", "settled_by"])
        record(held.session.study, "codings.reopened", by.user, participant=str(held.session.participant))
    return held
