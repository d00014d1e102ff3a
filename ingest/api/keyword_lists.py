"""Keyword lists over REST: lists, versions, and terms with what each found."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from ingest.models import KeywordList, KeywordListVersion
from ingest.queries.keyword_counts import ListCounts, list_counts, term_counts
from ingest.queries.keyword_lists import lists_for, versions_of
from ingest.rules import may_read_issues
from studies.pages import study_of


class KeywordListSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    retired_at = serializers.DateTimeField(allow_null=True)
    version = serializers.IntegerField(help_text="Number of the current version")
    searched = serializers.IntegerField(help_text="Issues of its repositories that it is searched in")
    unsearched = serializers.IntegerField(help_text="Issues whose text still waits for the search")
    found = serializers.IntegerField(help_text="Issues with a term where it counts")
    masked = serializers.IntegerField(help_text="Issues with terms only where they do not count")


class KeywordVersionSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    stored_at = serializers.DateTimeField()
    note = serializers.CharField()
    repositories = serializers.ListField(
        child=serializers.CharField(), help_text="host/path; empty for all repositories"
    )
    switches = serializers.DictField(help_text="How the terms match")
    terms = serializers.IntegerField(source="size", help_text="How many terms")


class KeywordTermSerializer(serializers.Serializer[Any]):
    position = serializers.IntegerField()
    term = serializers.CharField(source="term.text")
    kind = serializers.CharField(source="term.kind", help_text="word, model or module")
    is_case_sensitive = serializers.BooleanField(source="term.is_case_sensitive")
    issues = serializers.IntegerField(help_text="Issues with the term where it counts")
    hits = serializers.IntegerField(help_text="Occurrences in them")
    title = serializers.IntegerField(help_text="Issues with the term in the title")
    prose = serializers.IntegerField(help_text="Issues with the term in the text outside code")
    code = serializers.IntegerField(help_text="Issues with the term in code")
    masked_only = serializers.IntegerField(source="masked")
    alone = serializers.IntegerField(help_text="Issues that no other term of the list finds")


class KeywordVersionTermsSerializer(KeywordVersionSerializer):
    searched = serializers.IntegerField()
    unsearched = serializers.IntegerField()
    found = serializers.IntegerField()
    masked = serializers.IntegerField()
    terms = KeywordTermSerializer(many=True)  # type: ignore[assignment]  # a count above


class KeywordLists(Endpoint):
    """The keyword lists of a study with what they found: those in use by name, then retired ones."""

    @extend_schema(responses=KeywordListSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, may_read_issues)
        found: list[Any] = list(lists_for(request.user).filter(study=study))
        counts = list_counts([one.current for one in found])
        rows = [_row(one, counts[one.current]) for one in found]
        return Response(KeywordListSerializer(rows, many=True).data)


class OneKeywordList(Endpoint):
    """One keyword list."""

    @extend_schema(responses=KeywordListSerializer)
    def get(self, request: Request, slug: str, list_id: int) -> Response:
        found = _list(request, slug, list_id)
        return Response(KeywordListSerializer(_row(found, list_counts([found.current])[found.current])).data)


class KeywordListVersions(Endpoint):
    """The versions of a keyword list, newest first."""

    @extend_schema(responses=KeywordVersionSerializer(many=True))
    def get(self, request: Request, slug: str, list_id: int) -> Response:
        versions = versions_of(_list(request, slug, list_id))
        return Response(KeywordVersionSerializer(versions, many=True).data)


class OneKeywordListVersion(Endpoint):
    """One version of a keyword list with its terms, and the issues that each of them finds now."""

    @extend_schema(responses=KeywordVersionTermsSerializer)
    def get(self, request: Request, slug: str, list_id: int, number: int) -> Response:
        versions = versions_of(_list(request, slug, list_id))
        version: KeywordListVersion = get_object_or_404(versions, number=number)
        counts = list_counts([version.pk])[version.pk]
        fields = ("number", "stored_at", "note", "repositories", "switches")
        row = {name: getattr(version, name) for name in fields}
        return Response(
            KeywordVersionTermsSerializer(row | vars(counts) | {"terms": term_counts(version.pk)}).data
        )


def _list(request: Request, slug: str, list_id: int) -> Any:
    study, _member = study_of(request, slug, may_read_issues)
    return get_object_or_404(lists_for(request.user).filter(study=study), pk=list_id)


def _row(one: KeywordList, counts: ListCounts) -> dict[str, Any]:
    number: int = getattr(one, "current_number")  # noqa: B009 - annotated by lists_for
    own = {"id": one.pk, "name": one.name, "retired_at": one.retired_at, "version": number}
    return own | vars(counts)
