"""The rankings of a study in numbers over REST."""

from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.csv import csv_file
from interviews.api.coding_reports import ValueSerializer
from interviews.queries.ranking_groups import UnknownGroupError, groups_asked
from interviews.queries.ranking_numbers import RankedQuestion, StudyRankings, rankings_of
from interviews.queries.ranking_rows import HEADER, ranking_rows
from interviews.rules import may_enter_interviews
from studies.pages import study_of

PARAMETERS = [
    OpenApiParameter(
        "by",
        str,
        description="Column that divides the participants: audience without it. For owners and leads also "
        "experience, role, context and attribute:NAME.",
    ),
    OpenApiParameter("first", str, description="Value of the first group"),
    OpenApiParameter("second", str, description="Value of the second group; empty for all others"),
    OpenApiParameter("at", float, description="In a column of numbers: where the second group begins"),
]


class BoundsSerializer(serializers.Serializer[Any]):
    low = serializers.FloatField()
    high = serializers.FloatField()


class RankDifferenceSerializer(serializers.Serializer[Any]):
    first = serializers.FloatField(help_text="Mean rank in the first group")
    second = serializers.FloatField()
    difference = serializers.FloatField(help_text="Below 0 the first group ranks the category higher")
    interval = BoundsSerializer(allow_null=True)
    by_chance = serializers.ListField(
        child=serializers.FloatField(),
        allow_null=True,
        help_text="95 % of the differences lie between these bounds if groups do not matter",
    )
    p = serializers.FloatField(allow_null=True, help_text="Of the permutation test")
    p_holm = serializers.FloatField(
        source="adjusted", allow_null=True, help_text="Adjusted for all categories"
    )
    reason = serializers.CharField(source="reason.text", default="")


class RankLineSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(source="state.code")
    name = serializers.CharField(source="state.title")
    ranked_by = serializers.IntegerField(source="numbers.ranked_by")
    mean_rank = serializers.FloatField(
        source="numbers.mean_rank",
        help_text="Of all participants; categories without a place share the last rank",
    )
    interval = BoundsSerializer(source="numbers.interval", allow_null=True)
    mean_given = serializers.FloatField(
        source="numbers.mean_given", allow_null=True, help_text="Of who ranked the category"
    )
    top = ValueSerializer(source="numbers.top", help_text="Share with the category in the first places")
    reason = serializers.CharField(
        source="numbers.reason.text", default="", help_text="Why there is no interval"
    )
    difference = RankDifferenceSerializer(allow_null=True)


class ConcordanceSerializer(serializers.Serializer[Any]):
    w = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    chi2 = serializers.FloatField(allow_null=True)
    df = serializers.IntegerField(allow_null=True)
    p = serializers.FloatField(allow_null=True, help_text="Of chi-square")
    permutation_p = serializers.FloatField(allow_null=True)
    exact = serializers.BooleanField(help_text="The permutation test counted all orders")
    reason = serializers.CharField(source="reason.text", default="")


class ComparisonSerializer(serializers.Serializer[Any]):
    first = serializers.CharField(help_text="Name of the first group")
    second = serializers.CharField()
    first_participants = serializers.IntegerField()
    second_participants = serializers.IntegerField()
    p = serializers.FloatField(allow_null=True, help_text="Of all categories at once")
    exact = serializers.BooleanField()
    reason = serializers.CharField()


class AnswerSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField()
    order = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))


class RankedQuestionSerializer(serializers.Serializer[Any]):
    question = serializers.IntegerField(source="question.pk")
    text = serializers.CharField(source="question.text")
    asked_for = serializers.IntegerField(
        source="question.top", allow_null=True, help_text="First places; null for all categories"
    )
    participants = serializers.IntegerField()
    top = serializers.IntegerField(help_text="First places in the shares")
    is_mixed = serializers.BooleanField(help_text="Versions of the taxonomy with other categories")
    answers = serializers.SerializerMethodField()
    categories = RankLineSerializer(source="lines", many=True)
    concordance = ConcordanceSerializer(help_text="Kendall's W")
    comparison = serializers.SerializerMethodField()

    @extend_schema_field(AnswerSerializer(many=True))
    def get_answers(self, ranked: RankedQuestion) -> list[dict[str, Any]]:
        return [{"participant": who, "order": order} for who, order in ranked.answers]

    @extend_schema_field(ComparisonSerializer)
    def get_comparison(self, ranked: RankedQuestion) -> Any:
        found, groups = ranked.comparison, self.context["groups"]
        row = {
            "first": groups.first,
            "second": groups.second,
            "first_participants": found.first,
            "second_participants": found.second,
            "p": found.p,
            "exact": found.exact,
            "reason": found.reason.text if found.reason else "",
        }
        return ComparisonSerializer(row).data


class Rankings(Endpoint):
    """The answers to ranking questions, of the interviews that you may read, and their numbers."""

    @extend_schema(responses=RankedQuestionSerializer(many=True), parameters=PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        found = _found(request, slug)
        rows = RankedQuestionSerializer(found.questions, many=True, context={"groups": found.groups})
        return Response(rows.data)


class RankingsCsv(Endpoint):
    """The same numbers, a row for each question and category."""

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR}, parameters=PARAMETERS)
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        return csv_file(f"{slug}-rankings.csv", HEADER, ranking_rows(_found(request, slug)))


def _found(request: Request, slug: str) -> StudyRankings:
    study, member = study_of(request, slug, may_enter_interviews)
    try:
        return rankings_of(study, member, groups_asked(request.query_params))
    except UnknownGroupError:
        raise ValidationError(
            {"by": ["No participant of these rankings has such a column or value."]}
        ) from None
