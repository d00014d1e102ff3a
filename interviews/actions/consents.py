"""What participants agree to: the text in its versions, consents, and their withdrawal; and how interviewers
are described.
"""

from collections.abc import Collection
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from interviews.actions.leading import hold, is_future, require_lead, require_length
from interviews.errors import InterviewRefused
from interviews.models import Consent, ConsentText, Interviewer, Participant
from studies.actions import record, remove_copies
from studies.models import Membership, Study

LONGEST_TEXT = 60_000


@transaction.atomic
def publish_consent_text(*, study: Study, text: str, by: Membership) -> ConsentText:
    """Publish the next version. Raises InterviewRefused for an empty or unchanged text, and
    PermissionDenied.
    """
    require_lead(study.pk, by)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    text = text.replace("\r\n", "\n").strip("\n")
    require_length(text, LONGEST_TEXT, "text")
    last = ConsentText.objects.filter(study=study).order_by("-number").first()
    if not text.strip():
        raise InterviewRefused(_("The text is empty. Nothing was published."), field="text")
    if last and last.text == text:
        raise InterviewRefused(
            _("The text is the same as the current version. Nothing was published."), field="text"
        )
    made = ConsentText.objects.create(
        study=study, number=last.number + 1 if last else 1, text=text, published_by=by
    )
    record(study, "consents.published", by.user, number=made.number)
    return made


@transaction.atomic
def record_consent(
    *, participant: Participant, text: ConsentText, given_on: date, permits: Collection[str], by: Membership
) -> Consent:
    """Record what a participant agreed to; it replaces earlier consents. Raises InterviewRefused,
    ParticipantErased and PermissionDenied.
    """
    require_lead(participant.study_id, by)
    held = hold(participant)
    if text.study_id != held.study_id:
        raise InterviewRefused(_("This study has no such consent text. Nothing was stored."), field="text")
    if is_future(given_on):
        raise InterviewRefused(_("This date is in the future. Nothing was stored."), field="given_on")
    known = [one for one in Consent.Permission.values if one in permits]
    if len(known) != len(set(permits)):
        raise InterviewRefused(_("This is no known permission. Nothing was stored."), field="permits")
    made = Consent.objects.create(
        participant=held, text=text, given_on=given_on, permits=known, recorded_by=by
    )
    record(held.study, "consents.recorded", by.user, participant=str(held), permits=known)
    remove_copies(held.study_id)  # it may permit less than the consent before
    return made


@transaction.atomic
def withdraw_consent(*, consent: Consent, withdrawn_on: date, by: Membership) -> Consent:
    """Record that the participant withdrew this consent. Raises InterviewRefused and PermissionDenied."""
    require_lead(consent.participant.study_id, by)
    held = Consent.objects.select_for_update(of=("self",)).select_related("participant").get(pk=consent.pk)
    if held.withdrawn_on:
        raise InterviewRefused(_("This consent is already withdrawn. Nothing was changed."))
    if withdrawn_on < held.given_on or is_future(withdrawn_on):
        raise InterviewRefused(
            _("Choose a day from the consent until today. Nothing was changed."), field="withdrawn_on"
        )
    held.withdrawn_on = withdrawn_on
    held.save(update_fields=["withdrawn_on"])
    record(held.participant.study, "consents.withdrawn", by.user, participant=str(held.participant))
    remove_copies(held.participant.study_id)
    return held


@transaction.atomic
def describe_interviewer(
    *, member: Membership, role: str, experience: str, bias: str, by: Membership
) -> None:
    """Describe who asks the questions: owner and leads describe each interviewer. Raises InterviewRefused
    and PermissionDenied.
    """
    require_lead(member.study_id, by)
    require_length(role, 300, "role")
    require_length(experience, 300, "experience")
    require_length(bias, 4000, "bias")
    values = {"role": role.strip(), "experience": experience.strip(), "bias": bias.strip()}
    Interviewer.objects.update_or_create(member=member, defaults=values)
    record(member.study, "interviewers.described", by.user, member=member.pseudonym)
