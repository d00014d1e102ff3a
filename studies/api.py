"""Studies, their members and guidelines over REST."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.numbers import whole_number
from studies import rules
from studies.models import Guideline, Membership, Study
from studies.pages import study_of
from studies.queries import guidelines, members, studies_for


class StudySerializer(serializers.ModelSerializer[Study]):
    class Meta:
        model = Study
        fields = ("slug", "name", "description", "created_at", "archived_at", "delete_at")


class MemberSerializer(serializers.ModelSerializer[Membership]):
    class Meta:
        model = Membership
        fields = ("id", "pseudonym", "role", "joined_at", "left_at")


class GuidelineVersionSerializer(serializers.ModelSerializer[Guideline]):
    published_by = serializers.CharField(source="published_by.pseudonym", default=None)

    class Meta:
        model = Guideline
        fields: tuple[str, ...] = ("number", "note", "published_at", "published_by")


class GuidelineSerializer(GuidelineVersionSerializer):
    translations = serializers.SerializerMethodField(
        help_text="The text by language, such as `zh-hans`, as far as it is translated"
    )

    class Meta(GuidelineVersionSerializer.Meta):
        fields = (*GuidelineVersionSerializer.Meta.fields, "text", "translations")

    def get_translations(self, guideline: Guideline) -> dict[str, str]:
        return {"zh-hans": guideline.text_zh} if guideline.text_zh else {}


def allow(may: Any) -> None:
    """Raise PermissionDenied (403) unless `may` is true."""
    if not may:
        raise PermissionDenied


class Studies(Endpoint):
    """The studies that the caller is a member of."""

    @extend_schema(responses=StudySerializer(many=True))
    def get(self, request: Request) -> Response:
        return Response(StudySerializer(studies_for(request.user).order_by("id"), many=True).data)


class OneStudy(Endpoint):
    """One study."""

    @extend_schema(responses=StudySerializer)
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug)
        return Response(StudySerializer(study).data)


class Members(Endpoint):
    """Who takes part, under their pseudonyms."""

    @extend_schema(responses=MemberSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, rules.may_see_people)
        return Response(MemberSerializer(members(study), many=True).data)


class OneGuideline(Endpoint):
    """The guideline that holds, or one version of it; 404 while the study has none."""

    @extend_schema(
        operation_id="studies_guideline",
        responses=GuidelineSerializer,
        parameters=[OpenApiParameter("version", int, description="Number; without it the current one")],
    )
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, rules.may_read_guideline)
        found = guidelines(study)
        if number := request.query_params.get("version", ""):
            found = found.filter(number=whole_number(number) or 0)
        guideline = found.first()
        if guideline is None:
            raise Http404
        return Response(GuidelineSerializer(guideline).data)


class GuidelineVersions(Endpoint):
    """The versions of the guideline, newest first, without their texts."""

    @extend_schema(operation_id="studies_guideline_versions", responses=GuidelineVersionSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug, rules.may_read_guideline)
        return Response(
            GuidelineVersionSerializer(guidelines(study).defer("text", "text_zh"), many=True).data
        )
