"""Imports over REST, and taking issues out of a study again."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.endpoints import Endpoint
from core.api import KeysetPagination
from ingest import actions, rules
from ingest.actions.removal import LONGEST_WHY
from ingest.models import Import
from ingest.queries.imports import imports_for, imports_of, may_be_taken_back, reported, state_of
from ingest.queries.issues import issues_for
from ingest.queries.references import references_to_import
from ingest.queries.removal import going_with
from studies.pages import study_of


class ImportSerializer(serializers.ModelSerializer[Import]):
    state = serializers.SerializerMethodField(help_text="waiting, queued, running, done, failed or cancelled")
    counts = serializers.SerializerMethodField(help_text="Rows by outcome")

    class Meta:
        model = Import
        fields = ("id", "kind", "name", "size", "sha256", "created_at", "state", "counts")

    def get_state(self, run: Import) -> str:
        return state_of(run)

    def get_counts(self, run: Import) -> dict[str, int]:
        return reported(run)


class ImportPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    previous = serializers.URLField(allow_null=True)
    results = ImportSerializer(many=True)


class GoingSerializer(serializers.Serializer[Any]):
    issues = serializers.IntegerField(help_text="Issues that this import was the first to bring")
    texts = serializers.IntegerField()
    repositories = serializers.ListField(
        child=serializers.CharField(), help_text="Repositories that have no other issues"
    )
    renewed = serializers.IntegerField(help_text="Texts of other issues that this import renewed; these stay")
    later = serializers.IntegerField(help_text="Later imports that can have named some of these issues, too")
    references = serializers.ListField(
        child=serializers.CharField(), help_text="What refers to the issues; not empty: nothing can go"
    )
    possible = serializers.BooleanField(help_text="Can the import be taken back now?")


class WhySerializer(serializers.Serializer[Any]):
    why = serializers.CharField(max_length=LONGEST_WHY, help_text="One sentence for the audit")


class GoneSerializer(serializers.Serializer[Any]):
    issues = serializers.IntegerField()
    texts = serializers.IntegerField()


class Imports(Endpoint):
    """The imports of a study, for owners and leads, a page at a time."""

    @extend_schema(
        operation_id="studies_imports_list",
        responses=ImportPageSerializer,
        parameters=[
            OpenApiParameter("cursor", str, description="From the former answer's next or previous"),
            OpenApiParameter("page_size", int),
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, rules.may_import)
        pages = KeysetPagination()
        page = pages.paginate_queryset(imports_of(study), request, view=self)
        return pages.get_paginated_response(ImportSerializer(page, many=True).data)


class TakenBack(Endpoint):
    """What would go with an import of issues from a file, and the act. 409 if anything refers to one of the
    issues.
    """

    @extend_schema(responses=GoingSerializer)
    def get(self, request: Request, slug: str, import_id: int) -> Response:
        _by, run = _run(request, slug, import_id)
        references = references_to_import(run)
        told = {
            **vars(going_with(run)),
            "references": [one.words for one in references],
            "possible": may_be_taken_back(run) and not references,
        }
        return Response(GoingSerializer(told).data)

    @extend_schema(request=None, responses=GoneSerializer)
    def post(self, request: Request, slug: str, import_id: int) -> Response:
        by, run = _run(request, slug, import_id)
        return Response(GoneSerializer(actions.take_back_import(run=run, by=by)).data)


class RemovedIssue(Endpoint):
    """Remove an issue that nothing refers to; 409 otherwise. A later import of the issue brings it back."""

    @extend_schema(request=WhySerializer, responses=GoneSerializer)
    def post(self, request: Request, slug: str, issue_id: int) -> Response:
        study, member = study_of(request, slug, rules.may_import)
        issue = get_object_or_404(issues_for(request.user).filter(repository__study=study), pk=issue_id)
        given = WhySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        gone = actions.remove_issue(issue=issue, why=given.validated_data["why"], by=member.user)
        return Response(GoneSerializer(gone).data)


def _run(request: Request, slug: str, import_id: int) -> tuple[User | None, Import]:
    study, member = study_of(request, slug, rules.may_import)
    return member.user, get_object_or_404(imports_for(request.user).filter(study=study), pk=import_id)
