"""Who codes an interview, changed by owner or lead while the coding is blind.

Nothing here asks what a coder coded, or whether they began: the answer would tell. Nothing reveals the
coding, either: only a coder who finishes does (docs/decisions/0043).
"""

from collections.abc import Callable

from django.db import transaction
from django.utils.translation import gettext as _

from core import clock
from interviews.actions.coding_locks import hold_coding, share_participant
from interviews.actions.leading import require_lead
from interviews.errors import CoderDone, CodingRevealed, InterviewRefused
from interviews.models import Coder, Coding
from interviews.rules import may_code
from studies.actions import record
from studies.models import Membership, Role

ADD, RELEASE, REOPEN = "add", "release", "reopen"


@transaction.atomic
def add_coder(*, coding: Coding, member: Membership, by: Membership) -> Coder:
    """Add a coder, or take back that one was released. The same twice changes nothing. Raises
    InterviewRefused, CodingRevealed, ParticipantErased and PermissionDenied.
    """
    held = _hold(coding, by)
    if not may_code(member, held.session) or member.left_at:
        raise InterviewRefused(
            _("Only owners, leads and volunteers can code. Nothing was changed."), field="who"
        )
    coder, made = Coder.objects.get_or_create(coding=held, member=member)
    if made or coder.released_at:
        coder.released_at = None
        coder.save(update_fields=["released_at"])
        _note("codings.coder_added", held, coder, by)
    return coder


@transaction.atomic
def release_coder(*, coding: Coding, member: Membership, by: Membership) -> Coder:
    """Take a coder off who has not finished. Their quotes stay theirs, hidden as before, and count in no
    number. The same twice changes nothing. Raises InterviewRefused, CoderDone, CodingRevealed,
    ParticipantErased and PermissionDenied.
    """
    held = _hold(coding, by)
    coder = _coder(held, member)
    if coder.released_at:
        return coder
    if coder.done_at:
        raise CoderDone
    left = Coder.objects.filter(coding=held, released_at=None, member__left_at=None).exclude(pk=coder.pk)
    if left.exclude(member__role__in=[Role.VIEWER, Role.MODEL]).count() < 2:
        raise InterviewRefused(
            _("A coding needs two coders. Nothing was changed. Add another coder first."), field="who"
        )
    coder.released_at = clock.now()
    coder.save(update_fields=["released_at"])
    _note("codings.coder_released", held, coder, by)
    return coder


@transaction.atomic
def reopen_for_coder(*, coding: Coding, member: Membership, by: Membership) -> Coder:
    """Let a coder who has finished go on. The same twice changes nothing. Raises InterviewRefused,
    CodingRevealed, ParticipantErased and PermissionDenied.
    """
    held = _hold(coding, by)
    coder = _coder(held, member)
    if coder.done_at:
        coder.done_at = None
        coder.save(update_fields=["done_at"])
        _note("codings.coder_reopened", held, coder, by)
    return coder


CHANGES: dict[str, Callable[..., Coder]] = {ADD: add_coder, RELEASE: release_coder, REOPEN: reopen_for_coder}


def _hold(coding: Coding, by: Membership) -> Coding:
    require_lead(coding.session.study_id, by)
    share_participant(coding.session.participant_id)
    held = hold_coding(coding)
    if held.revealed_at:
        raise CodingRevealed
    return held


def _coder(coding: Coding, member: Membership) -> Coder:
    found = Coder.objects.select_for_update(no_key=True).filter(coding=coding, member=member).first()
    if found is None:
        raise InterviewRefused(
            _("This member is no coder of the interview. Nothing was changed."), field="who"
        )
    return found


def _note(verb: str, coding: Coding, coder: Coder, by: Membership) -> None:
    participant, who = str(coding.session.participant), coder.member.pseudonym
    record(coding.session.study, verb, by.user, participant=participant, coder=who)
