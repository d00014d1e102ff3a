"""The terms of a round that can change until it closes: quotas, the deadline, admissions without training."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from annotate.actions.rounds import LONGEST_REASON
from consensus.actions.records import record_in_round
from core import clock
from core.sql.retry import retried
from rounds.actions.volunteers import lock_active, lock_to_change
from rounds.errors import VolunteerRefused
from rounds.models import PastAdmission, Round, RoundVolunteer
from studies.models import Membership


@retried
@transaction.atomic
def set_quota(*, round_: Round, member: Membership, by: Membership, quota: int | None) -> RoundVolunteer:
    """Set the number of labels after which a volunteer of a k-of-n round is given no more; None for no limit.
    Volunteers may still label the slots that they have claimed. Raises NotAllowed, RoundClosed, and
    VolunteerRefused with what to change.
    """
    current = lock_to_change(round_, by, opened=False)
    if current.allocation == Round.Allocation.CROSSED:
        raise VolunteerRefused(
            _("Everyone labels everything in this round, so nobody has a quota."), field="quota"
        )
    if quota is not None and quota < 1:
        raise VolunteerRefused(
            _("A quota is one label or more. Leave the field empty for no quota."), field="quota"
        )
    volunteer = lock_active(current, member)
    before, volunteer.quota = volunteer.quota, quota
    if before != quota:
        volunteer.save(update_fields=["quota"])
        values = {"before": before or "", "after": quota or ""}
        record_in_round("rounds.quota_set", current, by, member=member.pseudonym, **values)
    return volunteer


@retried
@transaction.atomic
def set_deadline(*, round_: Round, by: Membership, deadline: datetime | None) -> Round:
    """Set the moment until which labels are wanted; None for no deadline. Nothing ends by itself. Raises
    NotAllowed, RoundClosed, and VolunteerRefused for a moment in the past.
    """
    current = lock_to_change(round_, by, opened=False)
    if deadline is not None and deadline != current.deadline and deadline <= clock.now():
        raise VolunteerRefused(
            _("This deadline is in the past. Choose a later day, or no deadline."), field="deadline"
        )
    before, current.deadline = current.deadline, deadline
    if before != deadline:
        current.save(update_fields=["deadline"])
        values = {
            name: moment.isoformat() if moment else ""
            for name, moment in (("before", before), ("after", deadline))
        }
        record_in_round("rounds.deadline_set", current, by, **values)
    return current


@retried
@transaction.atomic
def admit(*, round_: Round, member: Membership, by: Membership, reason: str) -> RoundVolunteer:
    """Let a volunteer into a round without a passed training. Repeating it changes nothing. Raises
    NotAllowed, RoundClosed, and VolunteerRefused where the round asks for no training, or the reason is
    missing or too long.
    """
    reason = reason.strip()
    current = lock_to_change(round_, by, opened=False)
    if current.training_id is None:
        raise VolunteerRefused(_("This round needs no training. Its volunteers can already label."))
    if not reason:
        raise VolunteerRefused(
            _("Give the reason why this volunteer may label without the training."), field="reason"
        )
    if len(reason) > LONGEST_REASON:
        said = _("The reason is longer than %(limit_value)d characters. Shorten it.")
        raise VolunteerRefused(said % {"limit_value": LONGEST_REASON}, field="reason")
    volunteer = lock_active(current, member)
    if volunteer.admitted_at is None:
        volunteer.admitted_at, volunteer.admitted_by = clock.now(), by
        volunteer.admitted_reason = reason
        volunteer.save(update_fields=["admitted_at", "admitted_by", "admitted_reason"])
        record_in_round("rounds.admitted", current, by, member=member.pseudonym, reason=reason)
    return volunteer


@retried
@transaction.atomic
def take_back_admission(*, round_: Round, member: Membership, by: Membership) -> RoundVolunteer:
    """Ask an admitted volunteer for the training again. Labels stay, and so does the record of the admission:
    the report names who labelled under it.
    """
    current = lock_to_change(round_, by, opened=False)
    volunteer = lock_active(current, member)
    if volunteer.admitted_at and volunteer.admitted_by:
        PastAdmission.objects.create(
            seat=volunteer,
            admitted_at=volunteer.admitted_at,
            admitted_by=volunteer.admitted_by,
            admitted_reason=volunteer.admitted_reason,
            taken_back_at=clock.now(),
            taken_back_by=by,
        )
        volunteer.admitted_at = volunteer.admitted_by = None
        volunteer.admitted_reason = ""
        volunteer.save(update_fields=["admitted_at", "admitted_by", "admitted_reason"])
        record_in_round("rounds.admission_taken_back", current, by, member=member.pseudonym)
    return volunteer
