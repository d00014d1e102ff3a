"""Rounds over REST: list, plan, open and close them."""

from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from annotate.actions.rounds import LONGEST_REASON, begin_opening, close_round, create_round
from annotate.api.round_plans import PlanSerializer
from annotate.models import LeftOut
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.rounds import rounds_for
from rounds.rules import may_close, may_create_round, may_open
from rounds.wording import loses_repeats
from studies.api import allow
from studies.pages import study_of
from taxonomy.models import CategoryState


class LeftOutSerializer(serializers.ModelSerializer[LeftOut]):
    source = serializers.CharField(source="value", help_text="round:<id> or sample:<id>")  # type: ignore[assignment]  # a field, not where a value comes from
    name = serializers.CharField()

    class Meta:
        model = LeftOut
        fields = ("source", "name", "issues")


class RoundSerializer(serializers.ModelSerializer[Round]):
    taxonomy = serializers.IntegerField(source="version.taxonomy_id")
    version = serializers.IntegerField(source="version.number")
    excludes = serializers.CharField(
        source="excluded_code", allow_null=True, help_text="Screening: code of the type whose issues leave"
    )
    selection = serializers.DictField(help_text="How the issues were chosen")
    left_out = LeftOutSerializer(many=True, help_text="What the plan left out of its source of issues")

    class Meta:
        model = Round
        fields: tuple[str, ...] = (
            "id", "name", "kind", "taxonomy", "version", "depth", "labels_per_issue", "allocation", "order",
            "reveal", "forge_labels", "rule", "majority", "deadline", "excludes", "pass_mark", "training",
            "drift_percent", "drift_hours", "selection", "left_out", "created_at", "opened_at", "closed_at",
        )  # fmt: skip


class PlannedRoundSerializer(RoundSerializer):
    warnings = serializers.SerializerMethodField(help_text="What the plan loses, in sentences; mostly none")

    class Meta(RoundSerializer.Meta):
        fields = (*RoundSerializer.Meta.fields, "warnings")

    def get_warnings(self, round_: Round) -> list[str]:
        return loses_repeats(round_)


class OpeningSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=LONGEST_REASON,
        help_text="Why the round does not wait for open rounds of earlier stages; needed while there are any",
    )


class Rounds(Endpoint):
    """The rounds of a study; and a new one, planned by an owner or a lead."""

    @extend_schema(responses=RoundSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, _member = study_of(request, slug)
        rounds = shown(rounds_for(request.user)).filter(study=study).order_by("id")
        return Response(RoundSerializer(rounds, many=True).data)

    @extend_schema(request=PlanSerializer, responses={201: PlannedRoundSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug)
        allow(may_create_round(member, study))
        plan = PlanSerializer(data=request.data, context={"study": study})
        plan.is_valid(raise_exception=True)
        made = create_round(study=study, by=member, **plan.validated_data)
        now: Any = shown(rounds_for(request.user)).get(pk=made.pk)
        return Response(PlannedRoundSerializer(now).data, status=status.HTTP_201_CREATED)


class OneRound(Endpoint):
    """One round."""

    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, round_id: int) -> Response:
        return _answer(request, get_object_or_404(rounds_for(request.user), pk=round_id))


class OpenRound(Endpoint):
    """Open a round. 202 where its assignments take a while: read the round again until `opened_at` is set."""

    @extend_schema(request=OpeningSerializer, responses={200: RoundSerializer, 202: RoundSerializer})
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_open)
        given = OpeningSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        job = begin_opening(round_=round_, by=member, reason=given.validated_data["reason"])
        return _answer(request, round_, status.HTTP_200_OK if job is None else status.HTTP_202_ACCEPTED)


class CloseRound(Endpoint):
    """Close a round, which reveals all of its labels. This cannot be undone."""

    @extend_schema(request=None, responses=RoundSerializer)
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_close)
        close_round(round_=round_, by=member)
        return _answer(request, round_)


def shown(rounds: QuerySet[Round]) -> QuerySet[Round]:
    """These rounds with the columns that RoundSerializer needs."""
    excluded = CategoryState.objects.filter(version=OuterRef("version"), category=OuterRef("excludes"))
    found = rounds.annotate(excluded_code=Subquery(excluded.values("code")))
    left_out = LeftOut.objects.select_related("other", "sample").order_by("pk")
    return found.prefetch_related(Prefetch("left_out", left_out))


def _answer(request: Request, round_: Round, code: int = status.HTTP_200_OK) -> Response:
    now: Any = shown(rounds_for(request.user)).get(pk=round_.pk)
    return Response(RoundSerializer(now).data, status=code)
