"""Issues over REST."""

from collections.abc import Iterable
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.api import KeysetPagination, asked
from core.numbers import whole_number
from ingest.models import Issue, Snapshot
from ingest.queries.forge_labels import hidden_forge_labels
from ingest.queries.issues import issues_for
from studies.pages import study_of


class SnapshotSerializer(serializers.ModelSerializer[Snapshot]):
    """Its context comes from `labels_hidden`."""

    labels = serializers.SerializerMethodField(
        help_text="The labels on the forge; null while a round hides them from you"
    )

    class Meta:
        model = Snapshot
        fields = (
            "id", "taken_at", "title", "body", "author", "author_association", "labels", "state",
            "state_reason", "opened_at", "closed_at", "updated_at", "comments", "comment_count",
        )  # fmt: skip

    @extend_schema_field(serializers.ListField(child=serializers.CharField(), allow_null=True))
    def get_labels(self, snapshot: Snapshot) -> list[str] | None:
        return None if snapshot.issue_id in self.context["hidden"] else snapshot.labels


def labels_hidden(request: Request, issues: Iterable[Issue]) -> dict[str, Any]:
    """The context of serializers with the texts of these issues: which labels are hidden. One query."""
    return {"hidden": hidden_forge_labels(request.user.pk, [issue.pk for issue in issues])}


class IssueSerializer(serializers.ModelSerializer[Issue]):
    repository = serializers.CharField(source="repository.path")
    title = serializers.CharField(source="current.title", default="")

    class Meta:
        model = Issue
        fields: tuple[str, ...] = ("id", "repository", "number", "url", "is_pull_request", "year", "title")


class IssueTextSerializer(IssueSerializer):
    text = SnapshotSerializer(source="current", allow_null=True)

    class Meta(IssueSerializer.Meta):
        fields = (*IssueSerializer.Meta.fields, "text")


class IssuePageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = IssueSerializer(many=True)


class Issues(Endpoint):
    """The issues of a study, in the order in which they came, a page at a time."""

    @extend_schema(
        operation_id="studies_issues_list",
        responses=IssuePageSerializer,
        parameters=[
            OpenApiParameter("repository", str, description="Path on the forge, such as vllm-project/vllm"),
            OpenApiParameter("year", int),
            OpenApiParameter("cursor", str, description="From the former answer's next or previous"),
            OpenApiParameter("page_size", int),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug)
        found = issues_for(request.user).filter(repository__study=study)
        if path := asked(request, "repository"):
            found = found.filter(repository__path__iexact=path)
        year = request.query_params.get("year", "")
        if year:
            found = found.filter(year=whole_number(year, digits=4) or 0)
        pages = KeysetPagination()
        page = pages.paginate_queryset(found.defer("current__body", "current__comments"), request, view=self)
        return pages.get_paginated_response(IssueSerializer(page, many=True).data)


class OneIssue(Endpoint):
    """One issue with its text as fetched; `text` is null while only its address is known."""

    @extend_schema(responses=IssueTextSerializer)
    def get(self, request: Request, slug: str, issue_id: int) -> Response:
        study, _member = study_of(request, slug)
        issue = get_object_or_404(issues_for(request.user).filter(repository__study=study), pk=issue_id)
        return Response(IssueTextSerializer(issue, context=labels_hidden(request, [issue])).data)
