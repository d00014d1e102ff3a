"""Who participants are: kept encrypted, and each look is noted. No detail of the audit holds a name."""

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from core import clock
from interviews.actions.leading import hold, one_line, require_lead, require_length
from interviews.errors import InterviewRefused
from interviews.models import Identity, Participant, Session
from interviews.queries.identities import Person, person_of, sealed
from studies.actions import record
from studies.models import Event, Membership

LONGEST_NAME, LONGEST_CONTACT = 200, 1000
ONE_LOOK = timedelta(minutes=30)
"""Work on a transcript with names within this time is one look."""


@sensitive_variables()
@transaction.atomic
def name_participant(*, participant: Participant, name: str, contact: str, by: Membership) -> None:
    """Keep name and contact, encrypted; without both the identity is deleted. Raises InterviewRefused,
    ParticipantErased and PermissionDenied.
    """
    require_lead(participant.study_id, by)
    held = hold(participant)
    name, contact = one_line(name), contact.replace("\r\n", "\n").strip()
    require_length(name, LONGEST_NAME, "name")
    require_length(contact, LONGEST_CONTACT, "contact")
    if contact and not name:
        raise InterviewRefused(_("Enter a name for this contact. Nothing was stored."), field="name")
    if name:
        values = {"name": sealed(name), "contact": sealed(contact)}
        Identity.objects.update_or_create(participant=held, defaults=values)
    else:
        Identity.objects.filter(participant=held).delete()
    record(held.study, "participants.named", by.user, participant=str(held))


@sensitive_variables()
@transaction.atomic
def look_at_identity(*, participant: Participant, by: Membership) -> Person | None:
    """Who the participant is, noted in the audit; None without an identity. Raises IdentityUnreadable and
    PermissionDenied.
    """
    require_lead(participant.study_id, by)
    found = person_of(participant)
    record(participant.study, "participants.looked_at", by.user, participant=str(participant))
    return found


@transaction.atomic
def note_look_at_transcript(*, session: Session, by: Membership) -> None:
    """Note in the audit that `by` sees the transcript with names; once for work within half an hour. Raises
    PermissionDenied.
    """
    require_lead(session.study_id, by)
    verb, of = "transcripts.looked_at", {"participant": str(session.participant), "interview": session.pk}
    recent = Event.objects.filter(study=session.study_id, verb=verb, by=by.user, detail=of)
    if not recent.filter(at__gt=clock.now() - ONE_LOOK).exists():
        record(session.study, verb, by.user, **of)
