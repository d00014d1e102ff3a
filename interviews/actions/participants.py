"""Participants and their background, under pseudonyms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from interviews.actions.leading import hold, one_line, require_lead, require_length
from interviews.errors import InterviewRefused, NamesLeft
from interviews.models import Audience, Participant
from interviews.queries.participants import next_number
from interviews.queries.pseudonyms import names_left
from studies.actions import record
from studies.models import Membership, Study

LONGEST = {"role": 300, "experience": 120, "context": 300, "incentive": 200}
MOST_ATTRIBUTES = 40
LONGEST_NAME, LONGEST_VALUE = 80, 500
MOST_NUMBER = 99_999


@dataclass(frozen=True)
class Background:
    """What the study may know of a participant."""

    role: str = ""
    experience: str = ""
    context: str = ""
    incentive: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NewParticipant:
    """A participant to add; without a number they get the next one of the audience."""

    audience: Audience
    background: Background
    number: int | None = None


@transaction.atomic
def add_participant(
    *, study: Study, audience: Audience, background: Background, by: Membership, number: int | None = None
) -> Participant:
    """Add a participant. Raises InterviewRefused and PermissionDenied."""
    require_lead(study.pk, by)
    made = _add(study, NewParticipant(audience, background, number), by)
    record(study, "participants.added", by.user, participant=str(made))
    return made


@transaction.atomic
def import_participants(
    *, study: Study, people: Sequence[NewParticipant], by: Membership
) -> list[Participant]:
    """Add all of these, or none. Raises InterviewRefused and PermissionDenied."""
    require_lead(study.pk, by)
    made = [_add(study, one, by) for one in people]
    if made:
        record(study, "participants.imported", by.user, count=len(made))
    return made


def _add(study: Study, new: NewParticipant, by: Membership) -> Participant:
    audience = Audience.objects.select_for_update(no_key=True).filter(study=study, pk=new.audience.pk).first()
    if audience is None:
        raise InterviewRefused(_("This study has no such audience. Nothing was stored."), field="audience")
    given = _checked(new.background)
    _require_unnamed(study.pk, given)
    number = next_number(audience) if new.number is None else new.number
    if not 1 <= number <= MOST_NUMBER:
        raise InterviewRefused(
            _("A number is between 1 and %(most)s. Nothing was stored.") % {"most": MOST_NUMBER},
            field="number",
        )
    pseudonym = f"{audience.prefix}{number}"
    if audience.participants.filter(number=number).exists():
        words = _("The participant %(participant)s already exists. Nothing was stored.")
        raise InterviewRefused(words % {"participant": pseudonym}, field="number")
    return Participant.objects.create(
        study=study,
        audience=audience,
        number=number,
        role=given.role,
        experience=given.experience,
        context=given.context,
        incentive=given.incentive,
        attributes=dict(given.attributes),
        added_by=by,
    )


@transaction.atomic
def change_background(
    *,
    participant: Participant,
    background: Background,
    by: Membership,
    member_check: str = Participant.MemberCheck.NOT_ASKED,
    checked_on: date | None = None,
) -> Participant:
    """Replace the background and the state of the member check. Raises InterviewRefused, ParticipantErased
    and PermissionDenied.
    """
    require_lead(participant.study_id, by)
    held = hold(participant)
    given = _checked(background)
    if member_check not in Participant.MemberCheck.values:
        raise InterviewRefused(
            _("This is no state of a member check. Nothing was stored."), field="member_check"
        )
    _require_unnamed(held.study_id, given)
    held.role, held.experience, held.context = given.role, given.experience, given.context
    held.incentive, held.attributes = given.incentive, dict(given.attributes)
    held.member_check, held.checked_on = member_check, checked_on
    held.save()
    record(held.study, "participants.changed", by.user, participant=str(held))
    return held


def _require_unnamed(study_id: int, given: Background) -> None:
    """Raise NamesLeft for a background with a listed name: more people read it than may read names."""
    texts = [given.role, given.experience, given.context, given.incentive]
    if names_left(study_id, [*texts, *given.attributes, *given.attributes.values()]):
        raise NamesLeft(_("The background contains a listed name. Nothing was stored. Remove that name."))


def _checked(given: Background) -> Background:
    texts = {name: one_line(getattr(given, name)) for name in LONGEST}
    for name, most in LONGEST.items():
        require_length(texts[name], most, name)
    attributes = {one_line(name): one_line(value) for name, value in given.attributes.items()}
    attributes.pop("", None)
    if len(attributes) > MOST_ATTRIBUTES:
        words = _("A participant has at most %(most)s further columns. Nothing was stored.")
        raise InterviewRefused(words % {"most": MOST_ATTRIBUTES}, field="attributes")
    for name, value in attributes.items():
        require_length(name, LONGEST_NAME, "attributes")
        require_length(value, LONGEST_VALUE, "attributes")
    return Background(**texts, attributes=attributes)
