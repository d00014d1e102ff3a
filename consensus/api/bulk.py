"""Bulk decisions over REST: the forecast of a majority, a decision by majority, and the list."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiTypes, extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.actions.bulk import decide_majority, take_back
from consensus.models import BulkDecision
from consensus.queries.bulk import bulk_decisions, forecast
from consensus.queries.disagreement_filters import Narrowing, Split
from consensus.rules import may_see_disagreements, may_settle
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.categories import codebook
from studies.models import Membership

FILTERS = ("pair", "type", "repository", "volunteer", "split", "parts_at", "keyword", "cause", "state")


class BulkDecisionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    at_least = serializers.IntegerField(allow_null=True)
    by = serializers.CharField(source="by.pseudonym", help_text="Pseudonym")
    at = serializers.DateTimeField()
    taken_back_at = serializers.DateTimeField(allow_null=True)
    taken_back_by = serializers.CharField(source="taken_back_by.pseudonym", allow_null=True)
    issues = serializers.IntegerField(help_text="Decided by it, of those that you may see")
    standing = serializers.IntegerField(help_text="Of these the ones whose decision still stands")


class MajoritySerializer(serializers.Serializer[Any]):
    at_least = serializers.IntegerField(
        min_value=1, max_value=32_767, help_text="So many equal labels decide"
    )
    dry_run = serializers.BooleanField(default=True, help_text="Only say what would be decided")
    filters = serializers.DictField(
        child=serializers.CharField(allow_blank=True, max_length=200),
        default=dict,
        help_text=f"As in the address of the disagreements: {', '.join(FILTERS)}",
    )

    def validate_filters(self, given: dict[str, str]) -> Narrowing:
        if unknown := sorted(set(given) - set(FILTERS)):
            raise ValidationError(f"There is no filter {', '.join(unknown)}.")
        try:
            return Narrowing.from_query(given)
        except ValueError as error:
            raise ValidationError("A filter has a value that no address of the disagreements has.") from error


_SPLITS = serializers.DictField(child=serializers.IntegerField(), help_text="Issues by split: 4:2:1")


class BulkDecisions(Endpoint):
    """The bulk decisions of a round, newest first; and a majority of the labels, decided by owner or lead."""

    @extend_schema(responses=BulkDecisionSerializer(many=True))
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        return Response(BulkDecisionSerializer(bulk_decisions(round_, member), many=True).data)

    @extend_schema(
        request=MajoritySerializer,
        responses={
            200: inline_serializer(
                "ForecastSerializer",
                {
                    "at_least": serializers.IntegerField(),
                    "total": serializers.IntegerField(help_text="Issues that would be decided"),
                    "categories": serializers.DictField(child=serializers.IntegerField()),
                    "decided": _SPLITS,
                    "left": _SPLITS,
                    "agenda": serializers.IntegerField(help_text="Left to the meeting that has them"),
                },
            ),
            201: BulkDecisionSerializer,
            409: OpenApiTypes.OBJECT,
        },
    )
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_settle)
        form = MajoritySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        at_least, narrowing = form.validated_data["at_least"], form.validated_data["filters"]
        if form.validated_data["dry_run"]:
            return Response(_foreseen(round_, member, at_least, narrowing))
        made = decide_majority(round_=round_, by=member, at_least=at_least, narrowing=narrowing)
        return Response(_made(round_, member, made), status=status.HTTP_201_CREATED)


class BulkTakenBack(Endpoint):
    """Take a bulk decision back: what it decided and still stands is open again. Back twice is back."""

    @extend_schema(request=None, responses=BulkDecisionSerializer)
    def post(self, request: Request, round_id: int, bulk_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        bulk = get_object_or_404(BulkDecision, pk=bulk_id, round=round_)
        bulk.round = round_
        # The action checks the role: leads, and the chair of the meeting that decided.
        take_back(bulk=bulk, by=member)
        return Response(_made(round_, member, bulk))


def _made(round_: Round, member: Membership, bulk: BulkDecision) -> dict[str, Any]:
    [made] = [one for one in bulk_decisions(round_, member) if one.pk == bulk.pk]
    return dict(BulkDecisionSerializer(made).data)


def _foreseen(round_: Round, member: Membership, at_least: int, narrowing: Narrowing) -> dict[str, Any]:
    found = forecast(round_, member, at_least, narrowing)
    states = codebook(round_.version_id).states
    return {
        "at_least": at_least,
        "total": found.total,
        "categories": {states[id_].code: issues for id_, issues in found.categories.items()},
        "decided": _splits(found.decided),
        "left": _splits(found.left),
        "agenda": found.agenda,
    }


def _splits(counted: dict[Split, int]) -> dict[str, int]:
    return {":".join(map(str, sizes)): issues for sizes, issues in counted.items()}
