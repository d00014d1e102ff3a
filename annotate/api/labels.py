"""Labelling over REST: take a turn, label an issue, change a label, list the member's own labels."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Scope
from accounts.rest.endpoints import Endpoint
from annotate.actions.labels import change_label, submit_label
from annotate.actions.turns import next_turn
from annotate.label_input import LabelInput
from annotate.queries.labels import own_labels
from annotate.queries.outcomes import KINDS, Outcome, OutcomeFilter, outcomes_of
from annotate.queries.turns import Turn
from annotate.rules import may_see_own_labels
from ingest.api.issues import IssueTextSerializer, labels_hidden
from ingest.models import Issue
from ingest.queries.issues import issues_for
from rounds.actions.proposals import NAME_LENGTH, REASON_LENGTH
from rounds.api.shortcuts import category_of
from rounds.models import Label, Round
from rounds.pages import seat_in
from rounds.queries.categories import categories_of
from taxonomy.models import Version
from taxonomy.queries.codebooks import States


class DraftSerializer(serializers.Serializer[Any]):
    summary = serializers.CharField()
    unsure = serializers.BooleanField()
    revision = serializers.IntegerField()


class TurnSerializer(serializers.Serializer[Turn]):
    issue = IssueTextSerializer()
    draft = DraftSerializer(allow_null=True)
    lease_until = serializers.DateTimeField(allow_null=True)


class ProposedSerializer(serializers.Serializer[Any]):
    """A category that is missing, and why; `nearest` is the code of what comes nearest, if anything does."""

    name = serializers.CharField(max_length=NAME_LENGTH)
    reason = serializers.CharField(max_length=REASON_LENGTH)
    nearest = serializers.CharField(max_length=32, allow_blank=True, default="")


class LabelSerializer(serializers.Serializer[Label]):
    issue = serializers.IntegerField(source="issue_id")
    category = serializers.SerializerMethodField(
        help_text="Code in the round's version, the last one where that lacks it; empty for an open label"
    )
    proposal = serializers.SerializerMethodField(help_text="Of an open label: what is missing")
    summary = serializers.CharField()
    unsure = serializers.BooleanField()
    surplus = serializers.BooleanField()
    submitted_at = serializers.DateTimeField()
    changed_at = serializers.DateTimeField(allow_null=True)

    def get_category(self, label: Label) -> str:
        states: States = self.context["states"]
        return states[label.category_id].code if label.category_id else ""

    @extend_schema_field(ProposedSerializer(allow_null=True))
    def get_proposal(self, label: Label) -> dict[str, str] | None:
        states: States = self.context["states"]
        if label.proposal is None:
            return None
        nearest = states[label.nearest_id].code if label.nearest_id else ""
        return {"name": label.proposal.name, "reason": label.proposed_reason, "nearest": nearest}


class ChoiceSerializer(serializers.Serializer[Any]):
    """Either a category or a proposal."""

    category = serializers.CharField(
        max_length=32, allow_blank=True, default="", help_text="Code in `version`"
    )
    version = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        required=False,
        allow_null=True,
        default=None,
        help_text="Number of the version that the codes were read from; without it the round's own",
    )
    proposal = ProposedSerializer(required=False, allow_null=True, default=None)
    summary = serializers.CharField(max_length=500, allow_blank=True, default="")
    unsure = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if bool(attrs["category"]) == bool(attrs["proposal"]):
            raise ValidationError({"category": [_("Give a category, or propose a missing category.")]})
        return attrs


class SubmissionSerializer(ChoiceSerializer):
    issue = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    key = serializers.UUIDField(
        required=False, default=None, help_text="Sent again with the same key, the label is stored once"
    )


class ChangeSerializer(ChoiceSerializer):
    seen = serializers.DateTimeField(help_text="changed_at, or submitted_at, of the label that was read")


class OutcomeSerializer(serializers.Serializer[Outcome]):
    """What was decided on the issue of a revealed label."""

    category = serializers.CharField(
        source="state.code", default="", help_text="Code of the final label; empty while there is none"
    )
    method = serializers.CharField(source="decision.method", default="")
    rationale = serializers.CharField(source="decision.rationale", default="")
    stands = serializers.BooleanField(
        allow_null=True, help_text="Does the label say the same? None without a decision, or if surplus"
    )


class OwnLabelSerializer(LabelSerializer):
    outcome = serializers.SerializerMethodField(help_text="None before the issue is revealed")

    @extend_schema_field(OutcomeSerializer(allow_null=True))
    def get_outcome(self, label: Label) -> dict[str, Any] | None:
        outcome = self.context["outcomes"].get(label.issue_id)
        return dict(OutcomeSerializer(outcome).data) if outcome else None


class OwnLabelsSerializer(serializers.Serializer[Any]):
    results = OwnLabelSerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="Give it as `after` to read on")


def label_input(round_: Round, data: dict[str, Any]) -> LabelInput:
    """The validated data for the actions. A 400 names the field of an unknown code or version."""
    proposal, version = data["proposal"], _version_of(round_, data["version"])
    code = proposal["nearest"] if proposal else data["category"]
    return LabelInput(
        category=category_of(round_, code, version).pk if code else None,
        summary=data["summary"],
        unsure=data["unsure"],
        proposed_name=proposal["name"] if proposal else "",
        proposed_reason=proposal["reason"] if proposal else "",
        form_key=data.get("key"),
        version=version.pk if version else None,
        seen=data.get("seen"),
    )


def _version_of(round_: Round, number: int | None) -> Version | None:
    """The published version with this number; None without a number. Raises ValidationError."""
    if number is None:
        return None
    published = Version.objects.filter(taxonomy=round_.version.taxonomy_id, published_at__isnull=False)
    found = published.filter(number=number).first()
    if found is None:
        raise ValidationError({"version": [f"The round's taxonomy has no published version {number}."]})
    return found


def issue_in(round_: Round, request: Request, issue_id: int) -> Issue:
    """An issue of this round. Http404 for every other issue."""
    return get_object_or_404(issues_for(request.user).filter(in_rounds__round=round_), pk=issue_id)


def _answer(round_: Round, label: Label) -> dict[str, Any]:
    return dict(LabelSerializer(label, context={"states": _states(round_)}).data)


def _states(round_: Round) -> States:
    return categories_of(round_.version_id).by_id


class Claim(Endpoint):
    """Take the next issue: the one that is held already, or a new one. 204 when nothing is left."""

    scopes: ClassVar = {"POST": Scope.LABEL}

    @extend_schema(request=None, responses={200: TurnSerializer, 204: None})
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_own_labels)
        turn = next_turn(round_=round_, member=member)
        if turn is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(TurnSerializer(turn, context=labels_hidden(request, [turn.issue])).data)


class Labels(Endpoint):
    """The caller's own labels, newest first; and a new one."""

    scopes: ClassVar = {"POST": Scope.LABEL}

    @extend_schema(
        responses=OwnLabelsSerializer,
        parameters=[OpenApiParameter("after", str), OpenApiParameter("outcome", str, enum=KINDS)],
    )
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_own_labels)
        outcome = request.query_params.get("outcome", "")
        if outcome and outcome not in KINDS:
            raise ValidationError({"outcome": [f"Give one of {', '.join(KINDS)}."]})
        among = OutcomeFilter(outcome).labels(round_, member)
        try:
            found = own_labels(round_, member, after=request.query_params.get("after"), among=among)
        except ValueError as error:
            raise ValidationError({"after": ["Give the next of a former answer."]}) from error
        labels: Any = [row.label for row in found.rows]
        context = {"states": _states(round_), "outcomes": outcomes_of(round_, member, labels)}
        data = OwnLabelSerializer(labels, many=True, context=context).data
        return Response({"results": data, "next": found.next})

    @extend_schema(request=SubmissionSerializer, responses={201: LabelSerializer, 200: LabelSerializer})
    def post(self, request: Request, round_id: int) -> Response:
        """Label an issue. 200 instead of 201 if the same key or the same content is stored already."""
        round_, member = seat_in(request, round_id, may_see_own_labels)
        form = SubmissionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        done = submit_label(
            round_=round_,
            issue=issue_in(round_, request, data["issue"]),
            member=member,
            given=label_input(round_, data),
        )
        return Response(
            _answer(round_, done.label),
            status=status.HTTP_200_OK if done.repeated else status.HTTP_201_CREATED,
        )


class OneLabel(Endpoint):
    """One's own label of an issue, to be changed until reveal."""

    scopes: ClassVar = {"PUT": Scope.LABEL}

    @extend_schema(request=ChangeSerializer, responses=LabelSerializer)
    def put(self, request: Request, round_id: int, issue_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_own_labels)
        form = ChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        data = form.validated_data
        label = change_label(
            round_=round_,
            issue=issue_in(round_, request, issue_id),
            member=member,
            given=label_input(round_, data),
        )
        return Response(_answer(round_, label))
