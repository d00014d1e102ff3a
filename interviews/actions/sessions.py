"""Interviews: who asked whom, when, by which guide."""

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from interviews.actions.leading import hold, is_future, require_lead
from interviews.errors import InterviewRefused
from interviews.models import Guide, Participant, Session
from studies.actions import record
from studies.models import Membership

MOST_MINUTES = 24 * 60


@transaction.atomic
def add_session(
    *,
    participant: Participant,
    interviewer: Membership,
    held_on: date,
    by: Membership,
    guide: Guide | None = None,
    minutes: int | None = None,
) -> Session:
    """Add an interview with a participant. Raises InterviewRefused, ParticipantErased, PermissionDenied."""
    require_lead(participant.study_id, by)
    held = hold(participant)
    session = Session(study_id=held.study_id, participant=held)
    _fill(session, interviewer, held_on, guide, minutes)
    session.save()
    record(session.study, "interviews.added", by.user, participant=str(held))
    return session


@transaction.atomic
def change_session(
    *,
    session: Session,
    interviewer: Membership,
    held_on: date,
    by: Membership,
    guide: Guide | None = None,
    minutes: int | None = None,
) -> Session:
    """Change who, when and by which guide. Raises InterviewRefused and PermissionDenied."""
    require_lead(session.study_id, by)
    held = Session.objects.select_for_update(of=("self",)).select_related("participant__audience")
    found = held.get(pk=session.pk)
    if guide != found.guide and found.rankings.exists():
        raise InterviewRefused(
            _("This interview has rankings, so its guide no longer changes. Nothing was changed."),
            field="guide",
        )
    _fill(found, interviewer, held_on, guide, minutes)
    found.save()
    record(found.study, "interviews.changed", by.user, participant=str(found.participant))
    return found


def _fill(
    session: Session, interviewer: Membership, held_on: date, guide: Guide | None, minutes: int | None
) -> None:
    if interviewer.study_id != session.study_id:
        raise InterviewRefused(_("This study has no such member. Nothing was stored."), field="interviewer")
    if guide and guide.study_id != session.study_id:
        raise InterviewRefused(_("This study has no such guide. Nothing was stored."), field="guide")
    if is_future(held_on):
        raise InterviewRefused(_("This date is in the future. Nothing was stored."), field="held_on")
    if minutes is not None and not 1 <= minutes <= MOST_MINUTES:
        raise InterviewRefused(
            _("A length is between 1 and %(most)s minutes. Nothing was stored.") % {"most": MOST_MINUTES},
            field="minutes",
        )
    session.interviewer, session.held_on = interviewer, held_on
    session.guide, session.minutes = guide, minutes
