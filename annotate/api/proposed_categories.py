"""Over REST: the names that open labels wait for, and answers to names without a vote."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from annotate.queries.proposed_categories import (
    MissingCategory,
    missing_categories,
    name_that_waits,
    names_to_join,
)
from studies.api import allow
from studies.rules import may_lead, may_read_revealed
from taxonomy.actions import answer, join_names
from taxonomy.models import CategoryState
from taxonomy.pages import taxonomy_of
from taxonomy.queries.taxonomies import published_version


class MissingNameSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    labels = serializers.IntegerField(help_text="So many revealed labels wait for it")
    issues = serializers.IntegerField(help_text="On so many issues")
    reasons = serializers.ListField(child=serializers.CharField(), help_text="Some, each with who gave it")
    nearest = serializers.CharField(allow_null=True, help_text="Code of the category that comes nearest")
    proposal = serializers.IntegerField(allow_null=True, help_text="Number of the latest vote on it")
    answer = serializers.CharField(allow_null=True, help_text="Code of the category that answers it")
    joined = serializers.ListField(child=serializers.CharField(), help_text="Names that were joined with it")
    is_voted_for = serializers.BooleanField(help_text="Then no lead answers it")


class NameAnswerSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=200)
    category = serializers.CharField(
        allow_null=True,
        required=False,
        max_length=32,
        help_text="Its code in the newest version; null takes the answer back",
    )
    into = serializers.CharField(
        allow_null=True,
        required=False,
        max_length=200,
        help_text="In place of a category: the name to join it with; null separates a joined name",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("category" in given) == ("into" in given):
            raise ValidationError({"category": ["Give a category, or a name to join with."]})
        return given


class MissingNames(Endpoint):
    """The names of categories that revealed labels miss, most labels first."""

    @extend_schema(responses=MissingNameSerializer(many=True))
    def get(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, member = taxonomy_of(request, taxonomy_id, may_read_revealed)
        return Response([_as_data(one) for one in missing_categories(taxonomy, member)])

    @extend_schema(request=NameAnswerSerializer, responses=MissingNameSerializer(many=True))
    def post(self, request: Request, taxonomy_id: int) -> Response:
        """Say without a vote which category answers a name, or join it with another name: owner and leads.
        Labels with an answer are asked for again, and no longer in the list.
        """
        taxonomy, member = taxonomy_of(request, taxonomy_id, may_read_revealed)
        allow(may_lead(member))
        asked = NameAnswerSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        if "into" in asked.validated_data:
            given = asked.validated_data
            seen = names_to_join(taxonomy, member, given["name"], given["into"])
            if seen is None:
                raise Http404
            join_names(taxonomy=taxonomy, name=seen[0], into=seen[1], by=member)
            return Response([_as_data(one) for one in missing_categories(taxonomy, member)])
        name, code = asked.validated_data["name"], asked.validated_data["category"]
        known = name_that_waits(taxonomy, member, name)
        if known is None:
            raise Http404
        state = None
        if code is not None:
            state = get_object_or_404(CategoryState, version=published_version(taxonomy), code=code)
        category = state.category if state else None
        answer(taxonomy=taxonomy, name=known, category=category, by=member)
        return Response([_as_data(one) for one in missing_categories(taxonomy, member)])


def _as_data(one: MissingCategory) -> dict[str, Any]:
    return MissingNameSerializer(
        {
            "name": one.name,
            "labels": one.labels,
            "issues": one.on,
            "reasons": [f"{who}: {why}" for who, why in one.reasons],
            "nearest": one.nearest.code if one.nearest else None,
            "proposal": one.motion.number if one.motion else None,
            "answer": one.answer.code if one.answer else None,
            "joined": list(one.joined),
            "is_voted_for": one.is_voted_for,
        }
    ).data
