"""Findings over REST: read, written, ordered, frozen, deleted and brought back; and what a report offers."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from core.numbers import number_asked
from findings.actions.findings import (
    LONGEST,
    add_finding,
    change_finding,
    delete_finding,
    freeze_finding,
    move_finding,
    restore_finding,
    thaw_finding,
)
from findings.api.serializers import FindingSerializer
from findings.models import Finding
from findings.queries.choices import figure_choices, reported_rounds
from findings.queries.evidence import report_figures
from findings.queries.findings import finding_line, finding_lines, findings_for
from findings.rules import may_read_finding, may_read_findings, may_write_findings
from reports.agreement_report import LEVELS
from reports.api.parameters import one_of
from studies.api import allow
from studies.models import Membership
from studies.pages import own_seat, study_of


class TypedFindingSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=LONGEST, help_text="{1} is the value of evidence 1")
    revision = serializers.IntegerField(
        required=False,
        max_value=2**31 - 1,
        help_text="The one that you read; a text that changed since is not overwritten",
    )


class FindingPlaceSerializer(serializers.Serializer[Any]):
    to = serializers.IntegerField(min_value=1, max_value=100_000, help_text="Its number afterwards")


class FrozenSerializer(serializers.Serializer[Any]):
    frozen = serializers.BooleanField(default=True, help_text="false lets the finding change again")


class FigureSerializer(serializers.Serializer[Any]):
    figure = serializers.ListField(
        child=serializers.CharField(), help_text="Part of the report, its element, name of the number"
    )
    name = serializers.CharField()
    value = serializers.FloatField()


def given(serializer: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    """The valid values of the request's body. Raises ValidationError."""
    read = serializer(data=request.data)
    read.is_valid(raise_exception=True)
    values: dict[str, Any] = read.validated_data
    return values


def finding_to_read(request: Request, finding_id: int) -> tuple[Finding, Membership]:
    """A finding that the caller may read. Http404, PermissionDenied."""
    found = get_object_or_404(findings_for(request.user), pk=finding_id)
    member = own_seat(request, found.study)
    allow(may_read_finding(member, found))
    return found, member


def finding_to_change(request: Request, finding_id: int) -> tuple[Finding, Membership]:
    """A finding that the caller may change. Http404, PermissionDenied."""
    found, member = finding_to_read(request, finding_id)
    allow(may_write_findings(member))
    return found, member


def shown(finding: Finding, member: Membership, code: int = status.HTTP_200_OK) -> Response:
    return Response(FindingSerializer(finding_line(finding, member)).data, status=code)


class Findings(Endpoint):
    """The findings that you may read, in their order; a POST adds one."""

    @extend_schema(responses=FindingSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_read_findings)
        return Response(FindingSerializer(finding_lines(study, member), many=True).data)

    @extend_schema(request=TypedFindingSerializer, responses={201: FindingSerializer})
    def post(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_write_findings)
        text = given(TypedFindingSerializer, request)["text"]
        return shown(add_finding(study=study, text=text, by=member), member, status.HTTP_201_CREATED)


class OneFinding(Endpoint):
    """One finding with its evidence; a PUT changes the text, a DELETE deletes it."""

    @extend_schema(responses=FindingSerializer)
    def get(self, request: Request, finding_id: int) -> Response:
        return shown(*finding_to_read(request, finding_id))

    @extend_schema(request=TypedFindingSerializer, responses=FindingSerializer)
    def put(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        values = given(TypedFindingSerializer, request)
        return shown(change_finding(finding=found, by=member, **values), member)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        delete_finding(finding=found, by=member)
        return Response(status=status.HTTP_204_NO_CONTENT)


class FindingRestored(Endpoint):
    """Bring back a deleted finding, as the last one."""

    @extend_schema(request=None, responses=FindingSerializer)
    def post(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        return shown(restore_finding(finding=found, by=member), member)


class FindingMoved(Endpoint):
    """Move a finding to another number."""

    @extend_schema(request=FindingPlaceSerializer, responses=FindingSerializer)
    def post(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        return shown(move_finding(finding=found, by=member, **given(FindingPlaceSerializer, request)), member)


class FindingFrozenState(Endpoint):
    """Freeze a finding, or let it change again."""

    @extend_schema(request=FrozenSerializer, responses=FindingSerializer)
    def post(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        act = freeze_finding if given(FrozenSerializer, request)["frozen"] else thaw_finding
        return shown(act(finding=found, by=member), member)


class Figures(Endpoint):
    """The numbers of a round's report that can be evidence."""

    @extend_schema(
        parameters=[
            OpenApiParameter("round", int, required=True),
            OpenApiParameter("level", str, enum=list(LEVELS), required=True),
        ],
        responses=FigureSerializer(many=True),
    )
    def get(self, request: Request, slug: str) -> Response:
        study, member = study_of(request, slug, may_write_findings)
        level = request.query_params.get("level", "")
        if level not in LEVELS:
            raise serializers.ValidationError({"level": [one_of(LEVELS)]})
        asked = number_asked(request.query_params, "round", digits=9)
        round_ = get_object_or_404(reported_rounds(study), pk=asked)
        values = report_figures(round_, level)
        found = figure_choices(round_, level, member)
        allow(found is not None)
        keys = {"|".join(key): key for key in values}
        return Response(
            [
                {"figure": list(keys[key]), "name": name, "value": values[keys[key]]["value"]}
                for key, name, _shown in found or ()
            ]
        )
