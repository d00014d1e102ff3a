"""The protocol over REST: frozen versions, the draft, and deviations with their reasons."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from protocols.actions.drafts import freeze_protocol, save_draft, start_draft
from protocols.actions.reasons import explain_deviation
from protocols.errors import NoDraft
from protocols.models import Protocol
from protocols.plan import LONGEST
from protocols.queries.deviations import deviations_of
from protocols.queries.protocols import draft_of, frozen_versions
from protocols.rules import may_plan, may_read_protocol
from studies.models import Study
from studies.pages import study_of


class ProtocolSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    plan = serializers.DictField(help_text="Values by field; a field without a value is not fixed")
    taken_from_rows = serializers.ListField(
        child=serializers.CharField(), source="taken", help_text="Fields that nobody wrote"
    )
    reason = serializers.CharField(help_text="Why the plan changed; empty in the first version")
    revision = serializers.IntegerField(help_text="Grows with each change of a draft")
    frozen_at = serializers.DateTimeField(allow_null=True)
    frozen_by = serializers.CharField(source="frozen_by.pseudonym", default=None, allow_null=True)
    document = serializers.CharField(help_text="The frozen version as canonical JSON; empty for a draft")
    sha256 = serializers.CharField(source="digest", help_text="Of the document; empty for a draft")


class TypedPlanSerializer(serializers.Serializer[Any]):
    plan = serializers.DictField(
        child=serializers.JSONField(allow_null=True), help_text="Fields to change; null empties a field"
    )
    reason = serializers.CharField(
        max_length=LONGEST, allow_blank=True, required=False, help_text="Kept as it is if not given"
    )
    revision = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="As you read it; else nothing is stored"
    )


class ReasonSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()


class DeviationSerializer(serializers.Serializer[Any]):
    deviation = serializers.CharField(source="key", help_text="Its name, to send a reason")
    kind = serializers.CharField()
    about = serializers.CharField()
    protocol = serializers.IntegerField(source="version", help_text="Number of the version compared with")
    planned = serializers.CharField()
    happened = serializers.CharField()
    hidden = serializers.BooleanField(source="is_hidden", help_text="Shown after reveal")
    evidence = serializers.CharField(source="url", help_text="The page with the evidence")
    reasons = ReasonSerializer(many=True, help_text="Oldest first; the last one counts")


class TypedReasonSerializer(serializers.Serializer[Any]):
    deviation = serializers.CharField(max_length=80)
    text = serializers.CharField(max_length=LONGEST)


def _given(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    read = serializer(data=request.data)
    read.is_valid(raise_exception=True)
    values: dict[str, Any] = read.validated_data
    return values


def _draft(study: Study) -> Protocol:
    found = draft_of(study)
    if found is None:
        raise NoDraft
    return found


class Protocols(Endpoint):
    """The frozen versions of the protocol, oldest first; the last one is in force."""

    @extend_schema(responses=ProtocolSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, may_read_protocol)
        return Response(ProtocolSerializer(frozen_versions(study), many=True).data)


class OneProtocol(Endpoint):
    """One frozen version."""

    @extend_schema(responses=ProtocolSerializer)
    def get(self, request: Request, slug: str, number: int) -> Response:
        study, _member = study_of(request, slug, may_read_protocol)
        return Response(ProtocolSerializer(get_object_or_404(frozen_versions(study), number=number)).data)


class ProtocolDraft(Endpoint):
    """The draft, for owners and leads: a POST starts it, a PUT changes the fields that it names."""

    @extend_schema(responses=ProtocolSerializer)
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, may_plan)
        return Response(ProtocolSerializer(_draft(study)).data)

    @extend_schema(request=None, responses={201: ProtocolSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_plan)
        made = start_draft(study=study, by=member)
        return Response(ProtocolSerializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=TypedPlanSerializer, responses=ProtocolSerializer)
    def put(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_plan)
        values = _given(TypedPlanSerializer, request)
        values.setdefault("reason", _draft(study).reason)
        return Response(ProtocolSerializer(save_draft(study=study, by=member, **values)).data)


class ProtocolFreeze(Endpoint):
    """Freeze the draft. A frozen version never changes."""

    @extend_schema(request=None, responses=ProtocolSerializer)
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_plan)
        return Response(ProtocolSerializer(freeze_protocol(study=study, by=member)).data)


class Deviations(Endpoint):
    """Deviations from the protocol, as you may know them; a POST sends the reason of one."""

    @extend_schema(responses=DeviationSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_read_protocol)
        return Response(DeviationSerializer(deviations_of(member, study), many=True).data)

    @extend_schema(request=TypedReasonSerializer, responses=DeviationSerializer(many=True))
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_plan)
        explain_deviation(study=study, by=member, **_given(TypedReasonSerializer, request))
        return Response(DeviationSerializer(deviations_of(member, study), many=True).data)
