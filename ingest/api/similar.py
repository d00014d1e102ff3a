"""Similar reports over REST."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.api import KeysetPagination
from ingest import rules
from ingest.api.issues import IssueSerializer
from ingest.models import SimilarMark, SimilarPair
from ingest.queries.groups import GroupsAsked
from ingest.queries.similar import marks_on
from ingest.similarity import LEAST
from studies.pages import study_of


class SimilarPairSerializer(serializers.ModelSerializer[SimilarPair]):
    first = IssueSerializer()
    second = IssueSerializer()
    mark = serializers.SerializerMethodField()
    note = serializers.SerializerMethodField()

    class Meta:
        model = SimilarPair
        fields = ("id", "first", "second", "likeness", "is_across", "mark", "note")

    def get_mark(self, pair: SimilarPair) -> str:
        """`duplicate`, `related` or `distinct`; empty without a mark."""
        mark = self._mark_on(pair)
        return mark.kind if mark else ""

    def get_note(self, pair: SimilarPair) -> str:
        mark = self._mark_on(pair)
        return mark.note if mark else ""

    def _mark_on(self, pair: SimilarPair) -> SimilarMark | None:
        marks: dict[tuple[int, int], SimilarMark] = self.context["marks"]
        return marks.get((pair.first_id, pair.second_id))


class SimilarPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = SimilarPairSerializer(many=True)


class SimilarReports(Endpoint):
    """The pairs of similar reports of a study with their marks, for owners and leads, a page at a time."""

    @extend_schema(
        operation_id="studies_similar_list",
        responses=SimilarPageSerializer,
        parameters=[
            OpenApiParameter("level", int, description="Likeness of at least so many percent: 50, 60, … 100"),
            OpenApiParameter("across", int, description="1: of two repositories only"),
            OpenApiParameter("cursor", str, description="From the former answer's next or previous"),
            OpenApiParameter("page_size", int),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, rules.may_mark_similar)
        narrowed = GroupsAsked.from_query(request.query_params)
        level = narrowed.level if "level" in request.query_params else LEAST
        found = SimilarPair.objects.filter(study=study, likeness__gte=level)
        if narrowed.across:
            found = found.filter(is_across=True)
        ends = [f"{end}__{part}" for end in ("first", "second") for part in ("repository", "current")]
        texts = [f"{end}__current__{text}" for end in ("first", "second") for text in ("body", "comments")]
        pages = KeysetPagination()
        page = pages.paginate_queryset(found.select_related(*ends).defer(*texts), request, view=self) or []
        marks = marks_on(study.pk, {(pair.first_id, pair.second_id) for pair in page})
        told = SimilarPairSerializer(page, many=True, context={"marks": marks})
        return pages.get_paginated_response(told.data)
