"""Evidence of findings over REST."""

from collections.abc import Callable
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from findings.actions.evidence import (
    LONGEST_NOTE,
    attach_issue,
    attach_number,
    attach_quote,
    attach_ranking,
    confirm_evidence,
    remove_evidence,
)
from findings.api.findings import finding_to_change, given, shown
from findings.api.serializers import FindingSerializer
from findings.models import Evidence
from findings.queries.choices import ranked_questions, reported_rounds
from findings.queries.evidence import common_quotes, reference_of
from ingest.models import Issue
from interviews.queries.rankings import states_to_rank
from reports.agreement_report import LEVELS
from studies.models import Membership, Study
from taxonomy.queries.taxonomies import published_version

MOST = 2**31 - 1


class NewEvidenceSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(Evidence.Kind.choices)
    note = serializers.CharField(max_length=LONGEST_NOTE, allow_blank=True, default="")
    quote = serializers.CharField(
        required=False,
        max_length=80,
        help_text="Participant, number of the interview, turn from 1, characters: U1.1.2.9-15",
    )
    issue = serializers.IntegerField(required=False, max_value=MOST)
    round = serializers.IntegerField(
        required=False, allow_null=True, max_value=MOST, help_text="Of an issue or number"
    )
    question = serializers.IntegerField(required=False, max_value=MOST, help_text="Of a ranking, with `code`")
    code = serializers.CharField(required=False, max_length=40)
    level = serializers.ChoiceField(list(LEVELS), required=False, help_text="Of a number, with `figure`")
    figure = serializers.ListField(child=serializers.CharField(max_length=300), required=False, max_length=3)


class RemovedSerializer(serializers.Serializer[Any]):
    back = serializers.BooleanField(default=False, help_text="true brings it back")


class NumbersSerializer(serializers.Serializer[Any]):
    numbers = serializers.ListField(
        child=serializers.IntegerField(max_value=MOST),
        required=False,
        help_text="Without it, all that changed",
    )


def _needs(values: dict[str, Any], *names: str) -> None:
    if missing := [name for name in names if values.get(name) is None]:
        raise serializers.ValidationError({name: [_("This kind of evidence needs it.")] for name in missing})


def _quote(study: Study, member: Membership, values: dict[str, Any]) -> dict[str, Any]:
    _needs(values, "quote")
    quotes = common_quotes(member, study.pk)
    found = next((one for one in quotes if reference_of(one) == values["quote"]), None)
    if found is None:
        raise serializers.ValidationError({"quote": [_("No settled quote has this reference.")]})
    return {"quote": found}


def _issue(study: Study, _member: Membership, values: dict[str, Any]) -> dict[str, Any]:
    _needs(values, "issue")
    round_ = None
    if values.get("round") is not None:
        round_ = get_object_or_404(reported_rounds(study), pk=values["round"])
    return {
        "issue": get_object_or_404(Issue, pk=values["issue"], repository__study=study),
        "round_": round_,
    }


def _ranking(study: Study, _member: Membership, values: dict[str, Any]) -> dict[str, Any]:
    _needs(values, "question", "code")
    question = get_object_or_404(ranked_questions(study), pk=values["question"])
    version = published_version(question.taxonomy) if question.taxonomy else None
    states = states_to_rank(question, version) if version else []
    state = next((one for one in states if one.code == values["code"]), None)
    if state is None:
        raise serializers.ValidationError({"code": [_("The question does not rank this category.")]})
    return {"question": question, "category": state.category}


def _number(study: Study, _member: Membership, values: dict[str, Any]) -> dict[str, Any]:
    _needs(values, "round", "level", "figure")
    round_ = get_object_or_404(reported_rounds(study), pk=values["round"])
    return {"round_": round_, "level": values["level"], "figure": values["figure"]}


Named = Callable[[Study, Membership, dict[str, Any]], dict[str, Any]]
KINDS: dict[str, tuple[Callable[..., Evidence], Named]] = {
    "quote": (attach_quote, _quote),
    "issue": (attach_issue, _issue),
    "ranking": (attach_ranking, _ranking),
    "number": (attach_number, _number),
}


class FindingEvidence(Endpoint):
    """Attach a quote, an issue, a ranking or a number."""

    @extend_schema(request=NewEvidenceSerializer, responses={201: FindingSerializer})
    def post(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        values = given(NewEvidenceSerializer, request)
        attach, named = KINDS[values["kind"]]
        attach(finding=found, by=member, note=values["note"], **named(found.study, member, values))
        return shown(found, member, status.HTTP_201_CREATED)


class RemovedEvidence(Endpoint):
    """Remove a piece of evidence, or bring it back."""

    @extend_schema(request=RemovedSerializer, responses=FindingSerializer)
    def post(self, request: Request, finding_id: int, number: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        remove_evidence(finding=found, number=number, by=member, **given(RemovedSerializer, request))
        return shown(found, member)


class ConfirmedEvidence(Endpoint):
    """Say that the finding holds with its evidence as it is now."""

    @extend_schema(request=NumbersSerializer, responses=FindingSerializer)
    def post(self, request: Request, finding_id: int) -> Response:
        found, member = finding_to_change(request, finding_id)
        confirm_evidence(finding=found, by=member, **given(NumbersSerializer, request))
        return shown(found, member)
