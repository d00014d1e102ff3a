"""Taxonomies over REST: what can be said, by version."""

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from studies.pages import study_of
from taxonomy.api.translations import translations_of
from taxonomy.models import CategoryState, Taxonomy, Version
from taxonomy.pages import taxonomy_of
from taxonomy.queries.codebooks import codebook
from taxonomy.queries.taxonomies import taxonomies_for
from taxonomy.tree import TEXTS, TRANSLATED


class VersionSerializer(serializers.ModelSerializer[Version]):
    class Meta:
        model = Version
        fields = ("id", "number", "published_at", "note")


class TaxonomySerializer(serializers.ModelSerializer[Taxonomy]):
    versions = VersionSerializer(many=True, read_only=True)

    class Meta:
        model = Taxonomy
        fields = ("id", "name", "versions")


class CategorySerializer(serializers.ModelSerializer[CategoryState]):
    key = serializers.UUIDField(
        source="category.key", help_text="The category's identity, through all versions"
    )
    # The stubs take it for the attribute of the same name that the metaclass moves aside.
    parent = serializers.SerializerMethodField(  # type: ignore[assignment]
        help_text="Code of the category above it, null for a type"
    )

    translations = serializers.SerializerMethodField(
        help_text="Name and texts by language, such as `zh-hans`, as far as they are translated"
    )

    class Meta:
        model = CategoryState
        fields = ("key", "code", "level", "parent", "name", *TEXTS, "translations")

    def get_parent(self, state: CategoryState) -> str | None:
        codes: dict[int, str] = self.context["codes"]
        return codes[state.parent_id] if state.parent_id else None

    def get_translations(self, state: CategoryState) -> dict[str, dict[str, str]]:
        return translations_of({name: getattr(state, name) for name in TRANSLATED})


class Taxonomies(Endpoint):
    """The taxonomies of a study and their published versions."""

    @extend_schema(responses=TaxonomySerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug)
        published = Prefetch(
            "versions", Version.objects.filter(published_at__isnull=False).order_by("number")
        )
        found = taxonomies_for(request.user).filter(study=study).prefetch_related(published)
        return Response(TaxonomySerializer(found, many=True).data)


class Categories(Endpoint):
    """The categories of one version, in the order of the tree."""

    @extend_schema(responses=CategorySerializer(many=True))
    def get(self, request: Request, taxonomy_id: int, number: int) -> Response:
        taxonomy, _member = taxonomy_of(request, taxonomy_id)
        version = get_object_or_404(taxonomy.versions.filter(published_at__isnull=False), number=number)
        book = codebook(version)
        states = CategoryState.objects.filter(version=version).select_related("category").order_by("position")
        codes = {state.category_id: state.code for state in book.states}
        return Response(CategorySerializer(states, many=True, context={"codes": codes}).data)
