"""Participants, audiences, consents and identities over REST: for owner and leads."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from interviews.actions.audiences import add_audience, change_audience
from interviews.actions.consents import (
    describe_interviewer,
    publish_consent_text,
    record_consent,
    withdraw_consent,
)
from interviews.actions.erasing import erase_participant
from interviews.actions.identities import look_at_identity, name_participant
from interviews.actions.participants import Background, add_participant, change_background
from interviews.models import Audience, Consent, ConsentText, Participant
from interviews.queries.participants import (
    audiences_of,
    consent_texts,
    consents_of,
    interviewers_of,
    participant_lines,
    participants_for,
)
from interviews.rules import may_lead_interviews
from studies.api import allow
from studies.models import Membership, Study
from studies.pages import own_seat, study_of
from studies.queries import members


class AudienceSerializer(serializers.ModelSerializer[Audience]):
    class Meta:
        model = Audience
        fields = ("id", "name", "prefix")


class NewAudienceSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=80)
    prefix = serializers.CharField(max_length=4, help_text="Capital letters, such as U")


class BackgroundSerializer(serializers.Serializer[Any]):
    role = serializers.CharField(max_length=300, allow_blank=True, default="")
    experience = serializers.CharField(max_length=120, allow_blank=True, default="")
    context = serializers.CharField(  # type: ignore[assignment]  # a field, which the class keeps apart
        max_length=300, allow_blank=True, default="", help_text="Frameworks"
    )
    incentive = serializers.CharField(max_length=200, allow_blank=True, default="")
    attributes = serializers.DictField(
        child=serializers.CharField(max_length=500, allow_blank=True), default=dict
    )


class NewParticipantSerializer(BackgroundSerializer):
    audience = serializers.CharField(max_length=4, help_text="Prefix of the audience")
    number = serializers.IntegerField(
        min_value=1, max_value=99_999, required=False, help_text="Empty: the next one"
    )


class ChangedParticipantSerializer(BackgroundSerializer):
    member_check = serializers.ChoiceField(
        Participant.MemberCheck.choices, default=Participant.MemberCheck.NOT_ASKED
    )
    checked_on = serializers.DateField(allow_null=True, default=None)


class ParticipantSerializer(serializers.ModelSerializer[Participant]):
    participant = serializers.CharField(source="__str__", help_text="Pseudonym", read_only=True)
    audience = serializers.CharField(source="audience.prefix")
    attributes = serializers.DictField(child=serializers.CharField(allow_blank=True))

    class Meta:
        model = Participant
        fields = (
            "id", "participant", "audience", "role", "experience", "context", "attributes", "incentive",
            "member_check", "checked_on", "erased_at",
        )  # fmt: skip


class ConsentSerializer(serializers.ModelSerializer[Consent]):
    text = serializers.IntegerField(source="text.number", help_text="Version of the consent text")

    class Meta:
        model = Consent
        fields = ("id", "text", "given_on", "permits", "withdrawn_on")


class NewConsentSerializer(serializers.Serializer[Any]):
    text = serializers.IntegerField(min_value=1, max_value=2**31 - 1)
    given_on = serializers.DateField()
    permits = serializers.MultipleChoiceField(choices=Consent.Permission.choices, default=set)


class WithdrawalSerializer(serializers.Serializer[Any]):
    withdrawn_on = serializers.DateField()


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    class Meta:
        model = ConsentText
        fields = ("number", "text", "published_at")


class NewConsentTextSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=60_000, trim_whitespace=False)


class IdentitySerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200, allow_blank=True)
    contact = serializers.CharField(max_length=1000, allow_blank=True, default="")


class ErasureSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(max_length=12, help_text="The pseudonym, as a confirmation")


class InterviewerSerializer(serializers.Serializer[Any]):
    member = serializers.CharField(max_length=32, help_text="Pseudonym")
    role = serializers.CharField(max_length=300, allow_blank=True, default="")
    experience = serializers.CharField(max_length=300, allow_blank=True, default="")
    bias = serializers.CharField(max_length=4000, allow_blank=True, default="")


def led(request: Request, slug: str) -> tuple[Study, Membership]:
    return study_of(request, slug, may_lead_interviews)


def led_participant(request: Request, participant_id: int) -> tuple[Participant, Membership]:
    """A participant of a study whose interviews the caller leads. Http404, PermissionDenied."""
    found = get_object_or_404(participants_for(request.user), pk=participant_id)
    member = own_seat(request, found.study)
    allow(may_lead_interviews(member))
    return found, member


def given(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The valid values of the request's body. Raises ValidationError."""
    asked = serializer(data=request.data)
    asked.is_valid(raise_exception=True)
    return dict(asked.validated_data)


class Audiences(Endpoint):
    """The audiences of a study, and a new one."""

    @extend_schema(responses=AudienceSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = led(request, slug)
        return Response(AudienceSerializer(audiences_of(study), many=True).data)

    @extend_schema(request=NewAudienceSerializer, responses={201: AudienceSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        made = add_audience(study=study, by=member, **given(NewAudienceSerializer, request))
        return Response(AudienceSerializer(made).data, status=status.HTTP_201_CREATED)


class OneAudience(Endpoint):
    """Change the name of an audience, and its prefix while the audience has no participants."""

    @extend_schema(request=NewAudienceSerializer, responses=AudienceSerializer)
    def put(self, request: Request, slug: str, audience_id: int) -> Response:
        study, member = led(request, slug)
        audience = get_object_or_404(audiences_of(study), pk=audience_id)
        made = change_audience(audience=audience, by=member, **given(NewAudienceSerializer, request))
        return Response(AudienceSerializer(made).data)


class Participants(Endpoint):
    """The participants of a study under their pseudonyms, and a new one."""

    @extend_schema(responses=ParticipantSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = led(request, slug)
        people = [line.participant for line in participant_lines(study)]
        return Response(ParticipantSerializer(people, many=True).data)

    @extend_schema(request=NewParticipantSerializer, responses={201: ParticipantSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        values = given(NewParticipantSerializer, request)
        audience = get_object_or_404(audiences_of(study), prefix=values.pop("audience"))
        number = values.pop("number", None)
        made = add_participant(
            study=study, audience=audience, number=number, background=Background(**values), by=member
        )
        return Response(ParticipantSerializer(made).data, status=status.HTTP_201_CREATED)


class OneParticipant(Endpoint):
    """One participant; a PUT replaces the background and the state of the member check."""

    @extend_schema(responses=ParticipantSerializer)
    def get(self, request: Request, participant_id: int) -> Response:
        found, _member = led_participant(request, participant_id)
        return Response(ParticipantSerializer(found).data)

    @extend_schema(request=ChangedParticipantSerializer, responses=ParticipantSerializer)
    def put(self, request: Request, participant_id: int) -> Response:
        found, member = led_participant(request, participant_id)
        values = given(ChangedParticipantSerializer, request)
        check = {name: values.pop(name) for name in ("member_check", "checked_on")}
        made = change_background(participant=found, background=Background(**values), by=member, **check)
        return Response(ParticipantSerializer(made).data)


class ParticipantIdentity(Endpoint):
    """Who a participant is. A POST shows name and contact, and the audit notes the look; a PUT stores them,
    encrypted, and empty ones delete the identity.
    """

    @extend_schema(request=None, responses=IdentitySerializer)
    def post(self, request: Request, participant_id: int) -> Response:
        found, member = led_participant(request, participant_id)
        person = look_at_identity(participant=found, by=member)
        shown = {"name": person.name if person else "", "contact": person.contact if person else ""}
        return Response(shown)

    @extend_schema(request=IdentitySerializer, responses={204: None})
    def put(self, request: Request, participant_id: int) -> Response:
        found, member = led_participant(request, participant_id)
        name_participant(participant=found, by=member, **given(IdentitySerializer, request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class Consents(Endpoint):
    """The consents of a participant, newest first, and a new one, which replaces the earlier ones."""

    @extend_schema(responses=ConsentSerializer(many=True))
    def get(self, request: Request, participant_id: int) -> Response:
        found, _member = led_participant(request, participant_id)
        return Response(ConsentSerializer(consents_of(found), many=True).data)

    @extend_schema(request=NewConsentSerializer, responses={201: ConsentSerializer})
    def post(self, request: Request, participant_id: int) -> Response:
        found, member = led_participant(request, participant_id)
        values = given(NewConsentSerializer, request)
        text = get_object_or_404(consent_texts(found.study), number=values.pop("text"))
        made = record_consent(participant=found, text=text, by=member, **values)
        return Response(ConsentSerializer(made).data, status=status.HTTP_201_CREATED)


class ConsentWithdrawal(Endpoint):
    """Record that a consent was withdrawn."""

    @extend_schema(request=WithdrawalSerializer, responses=ConsentSerializer)
    def post(self, request: Request, participant_id: int, consent_id: int) -> Response:
        found, member = led_participant(request, participant_id)
        consent = get_object_or_404(consents_of(found), pk=consent_id)
        made = withdraw_consent(consent=consent, by=member, **given(WithdrawalSerializer, request))
        return Response(ConsentSerializer(consents_of(found).get(pk=made.pk)).data)


class ParticipantErasure(Endpoint):
    """Erase a participant; the pseudonym in the body confirms it. It cannot be undone."""

    @extend_schema(request=ErasureSerializer, responses=ParticipantSerializer)
    def post(self, request: Request, participant_id: int) -> Response:
        found, member = led_participant(request, participant_id)
        if given(ErasureSerializer, request)["participant"] != str(found):
            raise serializers.ValidationError({"participant": ["This is not the pseudonym."]})
        return Response(ParticipantSerializer(erase_participant(participant=found, by=member)).data)


class ConsentTexts(Endpoint):
    """The versions of the consent text, newest first, and the next one."""

    @extend_schema(responses=ConsentTextSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = led(request, slug)
        return Response(ConsentTextSerializer(consent_texts(study), many=True).data)

    @extend_schema(request=NewConsentTextSerializer, responses={201: ConsentTextSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        made = publish_consent_text(study=study, by=member, **given(NewConsentTextSerializer, request))
        return Response(ConsentTextSerializer(made).data, status=status.HTTP_201_CREATED)


class Interviewers(Endpoint):
    """How interviewers are described; a POST describes one."""

    @extend_schema(responses=InterviewerSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = led(request, slug)
        return Response(_described(study))

    @extend_schema(request=InterviewerSerializer, responses=InterviewerSerializer(many=True))
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        values = given(InterviewerSerializer, request)
        seat = get_object_or_404(members(study), pseudonym=values.pop("member"))
        describe_interviewer(member=seat, by=member, **values)
        return Response(_described(study))


def _described(study: Study) -> list[dict[str, str]]:
    names = ("role", "experience", "bias")
    return [
        {"member": seat.pseudonym} | {name: getattr(told, name, "") for name in names}
        for seat, told in interviewers_of(study)
    ]
