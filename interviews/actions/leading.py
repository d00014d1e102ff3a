"""What each action of this room checks first."""

from datetime import date, timedelta

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from core import clock
from interviews.errors import InterviewRefused, ParticipantErased
from interviews.models import Participant
from interviews.rules import may_lead_interviews
from studies.models import Membership


def require_lead(study_id: int, by: Membership) -> None:
    """Raise PermissionDenied unless `by` is owner or lead of this study."""
    if by.study_id != study_id or not may_lead_interviews(by):
        raise PermissionDenied


def hold(participant: Participant) -> Participant:
    """Lock the participant's row until the transaction ends. Raises ParticipantErased."""
    held = Participant.objects.select_for_update(no_key=True, of=("self",)).select_related("audience")
    found = held.get(pk=participant.pk)
    if found.erased_at:
        raise ParticipantErased
    return found


def is_future(day: date) -> bool:
    """Has this day begun nowhere yet? Members are in all time zones: in Shanghai it is tomorrow already."""
    return day > (clock.now() + timedelta(hours=14)).date()


def one_line(text: str) -> str:
    return " ".join(text.split())


def require_length(text: str, most: int, field: str) -> None:
    """Raise InterviewRefused for a text of more characters, and for one that no database stores."""
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InterviewRefused(
            _("The text contains characters that cannot be stored. Nothing was stored."), field=field
        )
    if len(text) > most:
        words = _("The text is longer than %(most)s characters. Nothing was stored. Shorten the text.")
        raise InterviewRefused(words % {"most": most}, field=field)
