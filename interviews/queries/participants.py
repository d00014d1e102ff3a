"""Participants, audiences and consents, under pseudonyms; nothing here is decrypted."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Exists, Max, OuterRef, Prefetch, Q, QuerySet

from accounts.models import User
from interviews.models import Audience, Consent, ConsentText, Identity, Interviewer, Participant, Session
from studies.models import Membership, Study
from studies.queries import studies_for


def participants_for(user: User | AnonymousUser) -> QuerySet[Participant]:
    """The participants of the studies that this user is a member of."""
    return Participant.objects.filter(study__in=studies_for(user)).select_related("study", "audience")


def audiences_of(study: Study) -> QuerySet[Audience]:
    """The audiences of a study in their order; `people` counts their participants."""
    return Audience.objects.filter(study=study).annotate(people=Count("participants"))


@dataclass(frozen=True)
class ParticipantLine:
    """A participant in a list: number of interviews, what the newest consent permits, None without one."""

    participant: Participant
    interviews: int
    consent: Consent | None
    is_named: bool


def participant_lines(study: Study) -> list[ParticipantLine]:
    """The participants of a study by audience and number. Two queries."""
    newest = Consent.objects.order_by("participant_id", "-pk").distinct("participant_id")
    found = (
        Participant.objects.filter(study=study)
        .select_related("audience")
        .prefetch_related(Prefetch("consents", queryset=newest, to_attr="newest"))
        .annotate(
            interviews=Count("sessions"),
            is_named=Exists(Identity.objects.filter(participant=OuterRef("pk"))),
        )
    )
    return [ParticipantLine(one, one.interviews, next(iter(one.newest), None), one.is_named) for one in found]


def next_number(audience: Audience) -> int:
    """The number after the highest of an audience."""
    return int(audience.participants.aggregate(last=Max("number"))["last"] or 0) + 1


def consents_of(participant: Participant) -> QuerySet[Consent]:
    """All consents of a participant, newest first."""
    return participant.consents.select_related("text", "recorded_by").order_by("-pk")


def consent_texts(study: Study) -> QuerySet[ConsentText]:
    """The versions of the consent text, newest first; `given` counts the consents to each."""
    texts = ConsentText.objects.filter(study=study).select_related("published_by")
    return texts.annotate(given=Count("consents")).order_by("-number")


def interviewers_of(study: Study) -> list[tuple[Membership, Interviewer | None]]:
    """Who interviews or describes themselves as an interviewer, with the description. One query."""
    seats = Membership.objects.filter(study=study).select_related("interviewer").order_by("pk")
    held = Exists(Session.objects.filter(interviewer=OuterRef("pk")))
    chosen = seats.filter(Q(held) | Q(interviewer__isnull=False))
    return [(seat, getattr(seat, "interviewer", None)) for seat in chosen]
