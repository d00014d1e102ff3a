"""Models over REST: the issues of a round with their texts, storing labels, and the model's own labels."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from accounts.rest.endpoints import Endpoint
from annotate.actions.model_labels import ModelRow, label_as_model
from annotate.models import ModelLabel
from annotate.queries.model_labels import own_model_labels
from core.api import KeysetPagination
from ingest.api.issues import IssueTextSerializer, labels_hidden
from ingest.queries.issues import issues_for
from rounds.pages import seat_in
from rounds.queries.categories import codebook
from rounds.rules import may_label_as_model, may_read_issues

MOST_ROWS = 1000
PAGE = [
    OpenApiParameter("cursor", str, description="From the former answer's next or previous"),
    OpenApiParameter("page_size", int),
]


class ModelRowSerializer(serializers.Serializer[Any]):
    issue = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    category = serializers.CharField(max_length=32, help_text="Code in the round's version")
    summary = serializers.CharField(max_length=500, allow_blank=True, default="")


class ModelRowsSerializer(serializers.ListSerializer[Any]):
    """At most 1,000 labels at once."""

    child = ModelRowSerializer()


class ModelLabelSerializer(serializers.Serializer[ModelLabel]):
    issue = serializers.IntegerField(source="issue_id")
    category = serializers.SerializerMethodField(help_text="Code in the round's version")
    summary = serializers.CharField()
    submitted_at = serializers.DateTimeField()

    def get_category(self, label: ModelLabel) -> str:
        return codebook(label.version_id).states[label.category_id].code


class ModelLabelPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = ModelLabelSerializer(many=True)


class ModelLabelledSerializer(serializers.Serializer[Any]):
    stored = serializers.IntegerField()
    repeated = serializers.IntegerField(help_text="There already, with the same category")


class RoundIssuePageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = IssueTextSerializer(many=True)


class RoundIssues(Endpoint):
    """The issues of a round with their texts, in the order in which they came: for models and leads.

    Nothing is said of labels or decisions.
    """

    @extend_schema(responses=RoundIssuePageSerializer, parameters=PAGE)
    def get(self, request: Request, round_id: int) -> Response:
        round_, _member = seat_in(request, round_id, may_read_issues)
        pages = KeysetPagination()
        issues = issues_for(request.user).filter(in_rounds__round=round_)
        page = pages.paginate_queryset(issues, request, view=self)
        hidden = labels_hidden(request, page or ())
        return pages.get_paginated_response(IssueTextSerializer(page, many=True, context=hidden).data)


class ModelLabels(Endpoint):
    """The labels of the model that asks, oldest first; and new ones, all or none."""

    scopes: ClassVar = {"POST": Scope.LABEL}

    @extend_schema(responses=ModelLabelPageSerializer, parameters=PAGE)
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_label_as_model)
        pages = KeysetPagination()
        page: Any = pages.paginate_queryset(own_model_labels(round_, member), request, view=self)
        return pages.get_paginated_response(ModelLabelSerializer(page, many=True).data)

    @extend_schema(
        request=ModelRowSerializer(many=True),
        responses={201: ModelLabelledSerializer, 200: ModelLabelledSerializer},
    )
    def post(self, request: Request, round_id: int) -> Response:
        """Label up to 1,000 issues. 200 instead of 201 when all of it was said before.

        422 `ModelLabelsRefused` and 409 `ModelLabelsStay` name each row in the way, and store nothing.
        """
        round_, member = seat_in(request, round_id, may_label_as_model)
        form = ModelRowsSerializer(data=request.data, min_length=1, max_length=MOST_ROWS)
        form.is_valid(raise_exception=True)
        rows = [ModelRow(row["issue"], row["category"], row["summary"]) for row in form.validated_data]
        done = label_as_model(round_=round_, member=member, rows=rows)
        return Response(
            ModelLabelledSerializer(done).data,
            status=status.HTTP_201_CREATED if done.stored else status.HTTP_200_OK,
        )
