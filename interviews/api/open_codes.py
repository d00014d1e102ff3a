"""Open codes over REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from interviews.actions.open_codes import propose_open_code
from interviews.actions.quotes import LONGEST_NAME
from interviews.api.people import given
from interviews.queries.open_codes import open_code_lines
from interviews.rules import may_enter_interviews
from studies.pages import study_of


class OpenCodeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(source="code.name")
    made_by = serializers.CharField(source="code.made_by.pseudonym")
    quotes = serializers.IntegerField(help_text="Of coders, in interviews whose quotes you may read")
    interviews = serializers.IntegerField()
    taxonomy = serializers.IntegerField(
        source="code.proposal.taxonomy_id", default=None, allow_null=True, help_text="In which it is proposed"
    )


class ProposedCodeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=LONGEST_NAME)


class OpenCodes(Endpoint):
    """The open codes of revealed interviews; a POST proposes one as a category."""

    @extend_schema(responses=OpenCodeSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_enter_interviews)
        return Response(OpenCodeSerializer(open_code_lines(study, member), many=True).data)

    @extend_schema(request=ProposedCodeSerializer, responses=OpenCodeSerializer(many=True))
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_enter_interviews)
        propose_open_code(study=study, by=member, **given(ProposedCodeSerializer, request))
        return Response(OpenCodeSerializer(open_code_lines(study, member), many=True).data)
