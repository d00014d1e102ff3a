"""The codebook of the interviews in the published shape over REST: for owner and leads."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.views.decorators.debug import sensitive_variables
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.api import AsItIs
from core.numbers import number_asked
from interviews.actions.codebooks import LONGEST_NAME, import_codebook
from interviews.api.people import given, led
from interviews.errors import InterviewRefused
from interviews.qdpx import write_qdpx
from interviews.queries.codebooks import codebook_file, flaws_in, imported_book, imported_of, settled_book
from interviews.queries.codings import versions_to_code_with
from interviews.queries.projects import project_of
from interviews.queries.reading import Unread

MOST_CHARACTERS = 1 << 20


class CodebookRowSerializer(serializers.Serializer[Any]):
    participant = serializers.CharField(allow_blank=True)
    type = serializers.CharField(source="kind", allow_blank=True)
    experience = serializers.CharField(allow_blank=True)
    context = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # a field, kept apart
    prompt_category = serializers.CharField(source="prompt", allow_blank=True)
    quote = serializers.CharField(allow_blank=True)
    linked = serializers.CharField(allow_blank=True, help_text="As the file has it")
    insight = serializers.CharField(allow_blank=True)


class EntriesLeftOutSerializer(serializers.Serializer[Any]):
    consent = serializers.IntegerField(help_text="Quotes without a consent that permits quoting")
    names = serializers.IntegerField(help_text="Quotes that contain a listed name")


class CodebookSerializer(serializers.Serializer[Any]):
    rows = CodebookRowSerializer(many=True)
    left_out = EntriesLeftOutSerializer()


class NewCodebookSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=LONGEST_NAME)
    text = serializers.CharField(max_length=MOST_CHARACTERS, trim_whitespace=False, help_text="The CSV file")
    taxonomy = serializers.IntegerField(
        min_value=1,
        allow_null=True,
        default=None,
        help_text="The links are compared with its newest version",
    )
    is_published = serializers.BooleanField(
        default=False, help_text="Rows of people whom the study does not know can be exported"
    )
    preview = serializers.BooleanField(default=False, help_text="Store nothing, name the flaws")


class ReadCodebookSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(allow_null=True, help_text="null for a preview")
    rows = serializers.IntegerField()
    flaws = serializers.ListField(child=serializers.CharField())


class ImportedCodebookSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    is_published = serializers.BooleanField()
    imported_at = serializers.DateTimeField()


class InterviewCodebook(Endpoint):
    """The quotes of settled interviews that may leave the study; with `?imported=` those of an imported
    codebook.
    """

    @extend_schema(
        responses=CodebookSerializer,
        parameters=[OpenApiParameter("imported", int, description="Id of an imported codebook")],
    )
    def get(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        number = number_asked(request.query_params, "imported", digits=9)
        if number is None:
            return Response(CodebookSerializer(settled_book(study, member)).data)
        found = get_object_or_404(imported_of(study).select_related("study"), pk=number)
        return Response(CodebookSerializer(imported_book(found)).data)


class QdaProject(Endpoint):
    """Transcripts and quotes that may leave the study, as a project of REFI-QDA (`.qdpx`)."""

    content_negotiation_class = AsItIs

    @extend_schema(responses={(200, "application/zip"): OpenApiTypes.BINARY})
    def get(self, request: Request, slug: str) -> HttpResponse:
        study, member = led(request, slug)
        name = content_disposition_header(as_attachment=True, filename=f"{study.slug}.qdpx") or "attachment"
        return HttpResponse(
            write_qdpx(project_of(study, member)),
            content_type="application/zip",
            headers={"Content-Disposition": name},
        )


class ImportedCodebooks(Endpoint):
    """The imported codebooks, newest first; a POST imports one, whole or not at all."""

    @extend_schema(responses=ImportedCodebookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = led(request, slug)
        return Response(ImportedCodebookSerializer(imported_of(study), many=True).data)

    @sensitive_variables()
    @extend_schema(
        request=NewCodebookSerializer,
        responses={200: ReadCodebookSerializer, 201: ReadCodebookSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        study, member = led(request, slug)
        values = given(NewCodebookSerializer, request)
        try:
            read = codebook_file(values["text"].encode())
        except Unread as refused:
            raise InterviewRefused(str(refused), field="text") from None
        version = None
        if values["taxonomy"] is not None:
            version = versions_to_code_with(study).filter(taxonomy=values["taxonomy"]).first()
            if version is None:
                raise serializers.ValidationError({"taxonomy": ["The study has no such taxonomy."]})
        row: dict[str, Any] = {"id": None, "rows": len(read.rows), "flaws": flaws_in(read, version, study)}
        if values["preview"]:
            return Response(row)
        made = import_codebook(
            study=study,
            name=values["name"],
            rows=read.rows,
            version=version,
            is_published=values["is_published"],
            by=member,
        )
        return Response(row | {"id": made.pk}, status=status.HTTP_201_CREATED)
