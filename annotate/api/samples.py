"""Samples over REST: how they were drawn, and their issues."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from annotate.models import Sample
from annotate.queries.samples import drawn_urls, samples_for
from rounds.rules import may_read_samples
from studies.api import allow
from studies.models import Study
from studies.pages import study_of


class SampleSerializer(serializers.ModelSerializer[Sample]):
    issues = serializers.IntegerField(source="size", help_text="How many were drawn")

    class Meta:
        model = Sample
        fields: tuple[str, ...] = ("id", "name", "seed", "issues", "plan", "created_at")


class WholeSampleSerializer(SampleSerializer):
    urls = serializers.SerializerMethodField(help_text="In the order of the draw")

    class Meta(SampleSerializer.Meta):
        fields = (*SampleSerializer.Meta.fields, "urls")

    @extend_schema_field(serializers.ListField(child=serializers.URLField()))
    def get_urls(self, sample: Sample) -> list[str]:
        return [url for _path, url in drawn_urls(sample)]


def _study(request: Request, slug: str) -> Study:
    study, member = study_of(request, slug)
    allow(may_read_samples(member, study))
    return study


class Samples(Endpoint):
    """The samples of a study, newest first."""

    @extend_schema(responses=SampleSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        found = samples_for(request.user).filter(study=_study(request, slug))
        return Response(SampleSerializer(found, many=True).data)


class OneSample(Endpoint):
    """One sample with the URLs of its issues."""

    @extend_schema(responses=WholeSampleSerializer)
    def get(self, request: Request, slug: str, sample_id: int) -> Response:
        found = get_object_or_404(samples_for(request.user), study=_study(request, slug), pk=sample_id)
        return Response(WholeSampleSerializer(found).data)
