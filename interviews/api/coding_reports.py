"""Numbers over revealed codings over REST: agreement, coverage, new codes."""

from collections.abc import Iterator
from typing import Any

from django.http import Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.queries.category_counts import LabelCount, label_counts
from core.api import AsItIs, asked
from core.csv import csv_file
from core.numbers import number_asked
from interviews.api.codings import revealed
from interviews.models import Coding
from interviews.queries.agreement_rows import HEADER, LEVELS, agreement_rows
from interviews.queries.coded import CodedStudy, coded_interviews, coded_study
from interviews.queries.coding_agreement import CodingAgreement, agreement_of
from interviews.queries.coverage import coverage, saturation
from interviews.rules import may_enter_interviews
from studies.models import Membership
from studies.pages import study_of
from taxonomy.queries.codebooks import codebook

PARAMETERS = [
    OpenApiParameter("level", str, enum=list(LEVELS), description="theme without it"),
    OpenApiParameter("taxonomy", int, description="That of the newest revealed coding without it"),
]


class ValueSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(source="reason.text", default="", help_text="Why there is no number")


class ValuesSerializer(serializers.Serializer[Any]):
    percent_agreement = ValueSerializer()
    fleiss_kappa = ValueSerializer()
    krippendorff_alpha = ValueSerializer()
    gwet_ac1 = ValueSerializer()


class CategoryAgreementSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(source="state.code")
    any_coder = serializers.IntegerField(help_text="Answers to which any coder gave the category")
    all_coders = serializers.IntegerField()
    coefficients = ValuesSerializer()


class PairOverlapSerializer(serializers.Serializer[Any]):
    first = serializers.CharField()
    second = serializers.CharField()
    quotes = serializers.IntegerField()
    met = serializers.IntegerField(help_text="Quotes that overlap a quote of the other coder")
    equal = serializers.IntegerField(help_text="Of these with an equal code")
    characters = serializers.FloatField(source="characters.value", default=None, allow_null=True)


class CodingAgreementSerializer(serializers.Serializer[Any]):
    interviews = serializers.ListField(child=serializers.CharField())
    answers = serializers.IntegerField(help_text="Turns that can be coded")
    categories = CategoryAgreementSerializer(many=True)
    by_interview = serializers.BooleanField(
        help_text="Intervals resample whole interviews; false below five, where they resample answers"
    )
    is_narrow = serializers.BooleanField(
        help_text="Intervals cover less than 95 %: with five to seven interviews"
    )
    outside = serializers.IntegerField(
        help_text="Codes above the level, or of categories split or retired since; they do not count"
    )
    left_behind = serializers.IntegerField(
        help_text="Quotes that lost their words in a corrected transcript; they do not count"
    )
    unfinished = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Interview and coder who did not finish: their quotes do not count",
    )
    pooled = ValuesSerializer(allow_null=True, help_text="All answers and categories; null without answers")
    pairs = PairOverlapSerializer(many=True)


class CoverageRowSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    counts = serializers.ListField(child=serializers.IntegerField(), help_text="In the order of `interviews`")
    interviews = serializers.IntegerField()
    labels = serializers.IntegerField(help_text="Of revealed issues that you may see")


class NewCodesSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(source="interview.name")
    categories = serializers.IntegerField()
    open_codes = serializers.IntegerField()
    so_far = serializers.IntegerField()


class CoverageSerializer(serializers.Serializer[Any]):
    interviews = serializers.ListField(child=serializers.CharField())
    rows = CoverageRowSerializer(many=True)
    new_codes = NewCodesSerializer(many=True)
    withheld = serializers.IntegerField()


class CodingAgreementOf(Endpoint):
    """The agreement of the coders of one revealed interview."""

    @extend_schema(responses=CodingAgreementSerializer, parameters=PARAMETERS[:1])
    def get(self, request: Request, coding_id: int) -> Response:
        coding, _member = revealed(request, coding_id)
        interviews = coded_interviews(Coding.objects.filter(pk=coding.pk))
        return Response(_agreement(interviews, coding.version_id, _level(request)))


class CodingsAgreement(Endpoint):
    """The agreement of all coders in the revealed interviews that you may read."""

    @extend_schema(responses=CodingAgreementSerializer, parameters=PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        coded, _member = _coded(request, slug)
        if coded.version is None:
            empty = CodingAgreement((), 0, (), {}, ())
            return Response(_agreed(empty))
        return Response(_agreement(coded.interviews, coded.version.pk, _level(request)))


class CodingAgreementCsv(Endpoint):
    """The agreement of the coders of one revealed interview as CSV, a row for each number with its unit."""

    content_negotiation_class = AsItIs

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR}, parameters=PARAMETERS[:1])
    def get(self, request: Request, coding_id: int) -> StreamingHttpResponse:
        coding, _member = revealed(request, coding_id)
        name = _level_name(request)
        interviews = coded_interviews(Coding.objects.filter(pk=coding.pk))
        found = agreement_of(interviews, codebook(coding.version_id), LEVELS[name])
        rows = agreement_rows(found, coding.version.taxonomy.name, name)
        return csv_file(f"{coding.session.study.slug}-{coding.session}-agreement.csv", HEADER, rows)


class CodingsAgreementCsv(Endpoint):
    """The agreement of all coders as CSV, a row for each number with its unit."""

    content_negotiation_class = AsItIs

    @extend_schema(responses={(200, "text/csv"): OpenApiTypes.STR}, parameters=PARAMETERS)
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        coded, _member = _coded(request, slug)
        name = _level_name(request)
        rows: Iterator[tuple[object, ...]] = iter(())
        if coded.version:
            found = agreement_of(coded.interviews, codebook(coded.version), LEVELS[name])
            rows = agreement_rows(found, coded.version.taxonomy.name, name)
        return csv_file(f"{slug}-coder-agreement.csv", HEADER, rows)


class Coverage(Endpoint):
    """Categories by interviews, new codes in their order, and labels of issues beside them."""

    @extend_schema(responses=CoverageSerializer, parameters=PARAMETERS)
    def get(self, request: Request, slug: str) -> Response:
        coded, member = _coded(request, slug)
        level = _level(request)
        if coded.version is None:
            empty: dict[str, Any] = {"interviews": [], "rows": [], "new_codes": [], "withheld": 0}
            return Response(CoverageSerializer(empty).data)
        book, counts = codebook(coded.version), label_counts(coded.version, member)
        rows = [
            {
                "code": row.state.code,
                "counts": row.counts,
                "interviews": row.participants,
                "labels": counts.get(row.state.category_id, LabelCount()).labels,
            }
            for row in coverage(coded.interviews, book, level)
        ]
        found = {
            "interviews": [one.name for one in coded.interviews],
            "rows": rows,
            "new_codes": saturation(coded.interviews, book, level),
            "withheld": counts.withheld,
        }
        return Response(CoverageSerializer(found).data)


def _coded(request: Request, slug: str) -> tuple[CodedStudy, Membership]:
    study, member = study_of(request, slug, may_enter_interviews)
    found = coded_study(study, member, number_asked(request.query_params, "taxonomy", digits=9))
    if found is None:
        raise Http404
    return found, member


def _level(request: Request) -> int:
    return LEVELS[_level_name(request)]


def _level_name(request: Request) -> str:
    name = asked(request, "level") or "theme"
    if name not in LEVELS:
        raise ValidationError({"level": [f"It is one of {', '.join(LEVELS)}."]})
    return name


def _agreement(interviews: Any, version_id: int, level: int) -> Any:
    return _agreed(agreement_of(interviews, codebook(version_id), level))


def _agreed(found: CodingAgreement) -> Any:
    row = {**vars(found), "pooled": found.pooled or None, "is_narrow": found.is_narrow}
    return CodingAgreementSerializer(row).data
