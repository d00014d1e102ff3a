"""Frozen agreement reports over REST: list reports, freeze a report, read it, and compare it with now."""

import json
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.rules import may_see_disagreements
from reports.actions.frozen import freeze_report
from reports.errors import ReportHeldBack
from reports.frozen.document import difference
from reports.models import FrozenReport
from reports.queries.final_labels import change_counts
from reports.queries.frozen import frozen_reports
from reports.rules import may_freeze
from reports.sections.registry import JSON_PARTS
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.blindness import keeps_frozen
from studies.models import Membership


class FrozenReportSerializer(serializers.ModelSerializer[FrozenReport]):
    by = serializers.SerializerMethodField(help_text="Pseudonym; null: by a command")
    version = serializers.IntegerField(source="version.number", help_text="Of the round's taxonomy")
    crosscheck = serializers.CharField(source="code_version", help_text="Version of Crosscheck")
    held_back = serializers.SerializerMethodField(
        help_text="You still have to label some of its issues in another round"
    )
    issues = serializers.SerializerMethodField(help_text="null while issues are hidden from you")
    inputs_sha256 = serializers.SerializerMethodField(
        help_text="SHA-256 of labels_long.csv at that moment; null while issues are hidden from you"
    )

    class Meta:
        model = FrozenReport
        fields = (
            "id", "name", "frozen_at", "by", "version", "crosscheck", "held_back", "issues",
            "without_coached", "inputs_sha256",
        )  # fmt: skip

    def get_by(self, frozen: FrozenReport) -> str | None:
        return frozen.frozen_by.pseudonym if frozen.frozen_by else None

    def get_held_back(self, frozen: FrozenReport) -> bool:  # noqa: ARG002 - the same for all of a round
        return bool(self.context["withheld"])

    def get_issues(self, frozen: FrozenReport) -> int | None:
        return None if self.context["withheld"] else frozen.issues

    def get_inputs_sha256(self, frozen: FrozenReport) -> str | None:
        return None if self.context["withheld"] else frozen.inputs_hash


class FreezingSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=120)
    without_coached = serializers.BooleanField(
        default=False, help_text="Leave out the issues that volunteers were coached on"
    )


class ReportChangeSerializer(serializers.Serializer[Any]):
    part = serializers.CharField(help_text=", ".join(name for part in JSON_PARTS for name in part.parts))
    of = serializers.CharField(help_text="Which one: all, type C, a code, a pseudonym, the sizes of a split")
    name = serializers.CharField(help_text="Which number of it")
    then = serializers.FloatField(allow_null=True)
    now = serializers.FloatField(allow_null=True)
    change = serializers.FloatField(allow_null=True, help_text="null where there is no number then or now")
    then_interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="Low and high, where it had an interval"
    )
    now_interval = serializers.ListField(child=serializers.FloatField(), allow_null=True)


class ReportDifferenceSerializer(serializers.Serializer[Any]):
    report = serializers.IntegerField()
    frozen_at = serializers.DateTimeField()
    as_of = serializers.DateTimeField(help_text="Of the numbers of now")
    issues_added = serializers.IntegerField(help_text="Issues that came to be complete and revealed")
    altered = serializers.BooleanField(
        help_text="Labels and decisions are the same as then, but numbers that follow from them are not"
    )
    final_labels = serializers.DictField(
        child=serializers.IntegerField(), help_text="Final labels changed, reopened and new since"
    )
    levels = serializers.DictField(
        child=ReportChangeSerializer(many=True), help_text="By level; nothing changed where it is empty"
    )


def _of_round(request: Request, round_id: int) -> tuple[Round, Membership, int]:
    """The round, the reader's membership, and the number of issues that withhold its frozen reports."""
    round_, member = seat_in(request, round_id, may_see_disagreements)
    return round_, member, keeps_frozen(round_, member).count()


def _readable(request: Request, round_id: int, frozen_id: int) -> tuple[FrozenReport, Membership]:
    round_, member, withheld = _of_round(request, round_id)
    frozen = get_object_or_404(frozen_reports(round_), pk=frozen_id)
    if withheld:
        raise ReportHeldBack
    return frozen, member


class FrozenReports(Endpoint):
    """The frozen agreement reports of a round, newest first; and freezing the report of now, as a lead."""

    @extend_schema(responses=FrozenReportSerializer(many=True))
    def get(self, request: Request, round_id: int) -> Response:
        round_, _member, withheld = _of_round(request, round_id)
        found = FrozenReportSerializer(frozen_reports(round_), many=True, context={"withheld": withheld})
        return Response(found.data)

    @extend_schema(request=FreezingSerializer, responses={201: FrozenReportSerializer})
    def post(self, request: Request, round_id: int) -> Response:
        round_, member, withheld = _of_round(request, round_id)
        if not may_freeze(member, round_):
            raise PermissionDenied
        given = FreezingSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        frozen = freeze_report(round_=round_, by=member, **given.validated_data)
        answer = FrozenReportSerializer(frozen, context={"withheld": withheld})
        return Response(answer.data, status=status.HTTP_201_CREATED)


class OneFrozenReport(Endpoint):
    """A report as it was frozen: the JSON of its file.

    409 `ReportHeldBack` while you still have to label some of its issues in another round.
    """

    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, round_id: int, frozen_id: int) -> Response:
        frozen, _member = _readable(request, round_id, frozen_id)
        return Response(json.loads(frozen.document))


class FrozenDifference(Endpoint):
    """What is other now than in a frozen report, by level: only what changed.

    409 `ReportHeldBack` while you still have to label some of its issues in another round.
    """

    @extend_schema(responses=ReportDifferenceSerializer)
    def get(self, request: Request, round_id: int, frozen_id: int) -> Response:
        frozen, member = _readable(request, round_id, frozen_id)
        found = difference(frozen)
        answer = {
            "report": frozen.pk,
            "frozen_at": frozen.frozen_at,
            "as_of": found.as_of,
            "issues_added": found.issues_added,
            "altered": found.altered,
            "final_labels": change_counts(frozen.round, member, frozen.frozen_at),
            "levels": {name: [one.as_dict() for one in changed] for name, changed in found.levels.items()},
        }
        return Response(ReportDifferenceSerializer(answer).data)
