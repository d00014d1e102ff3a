"""Versions of taxonomies as files over REST."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from accounts.rest.endpoints import Endpoint
from core.api import AsItIs
from taxonomy.codebooks import FORMS, codebook_file
from taxonomy.models import Version
from taxonomy.pages import taxonomy_of
from taxonomy.queries.taxonomies import published_versions


def version_of(request: Request, taxonomy_id: int, number: int) -> Version:
    """A published version of a taxonomy by its number; 404 if the caller is no member of the study."""
    taxonomy, _member = taxonomy_of(request, taxonomy_id)
    return get_object_or_404(published_versions(taxonomy).select_related("taxonomy__study"), number=number)


class CodebookFile(Endpoint):
    """A version as a file: CSV that it can be loaded from, Markdown, LaTeX, or SKOS as JSON-LD."""

    content_negotiation_class = AsItIs

    @extend_schema(
        parameters=[OpenApiParameter("form", str, OpenApiParameter.PATH, enum=list(FORMS))],
        responses={
            (200, mime.partition(";")[0]): OpenApiTypes.OBJECT if form == "jsonld" else OpenApiTypes.STR
            for form, (mime, _write) in FORMS.items()
        },
    )
    def get(self, request: Request, taxonomy_id: int, number: int, form: str) -> HttpResponse:
        return codebook_file(version_of(request, taxonomy_id, number), form)
