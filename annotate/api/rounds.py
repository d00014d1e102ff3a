"""Rounds over REST, and the way to one."""

from collections.abc import Callable

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotate.models import Round
from annotate.queries.rounds import rounds_for
from studies.api import study_of
from studies.models import Membership
from studies.queries import membership_of


class RoundSerializer(serializers.ModelSerializer[Round]):
    taxonomy = serializers.IntegerField(source="version.taxonomy_id")
    version = serializers.IntegerField(source="version.number")

    class Meta:
        model = Round
        fields = (
            "id", "name", "kind", "taxonomy", "version", "depth", "labels_per_issue", "allocation", "reveal",
            "opened_at", "closed_at",
        )  # fmt: skip


def round_of(
    request: Request, round_id: int, may: Callable[[Membership | None, Round], bool]
) -> tuple[Round, Membership]:
    """The round, if this user may see it (Http404) and do this (403), and their seat in its study."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    if member is None or not may(member, round_):
        raise PermissionDenied
    return round_, member


class Rounds(APIView):
    """The rounds of a study."""

    @extend_schema(responses=RoundSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug)
        return Response(
            RoundSerializer(rounds_for(request.user).filter(study=study).order_by("id"), many=True).data
        )


class OneRound(APIView):
    """One round."""

    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, round_id: int) -> Response:
        return Response(RoundSerializer(get_object_or_404(rounds_for(request.user), pk=round_id)).data)
