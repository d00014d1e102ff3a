"""Proposals over REST: read, put to the vote, voted on."""

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from studies.models import Membership
from taxonomy import actions, errors, rules
from taxonomy.actions.motions import COMMENT_LENGTH
from taxonomy.api.drafts import NewChangeSerializer, values_of
from taxonomy.api.translations import with_translations
from taxonomy.models import Ballot, Motion, Taxonomy
from taxonomy.pages import taxonomy_of
from taxonomy.queries.motions import ShownMotion, motion_lines

VOTING = {"reasons", "examples", "deadline", "quorum", "waits"}


class ProposalBallotSerializer(serializers.ModelSerializer[Ballot]):
    member = serializers.StringRelatedField[Any]()

    class Meta:
        model = Ballot
        fields = ("member", "choice", "argument", "cast_at")


class ProposalCommentSerializer(serializers.Serializer[Any]):
    author = serializers.CharField()
    text = serializers.CharField()
    said_at = serializers.DateTimeField()


class ProposalSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(source="motion.number")
    title = serializers.CharField(source="motion.heading")
    kind = serializers.CharField(source="motion.kind")
    key = serializers.UUIDField(source="motion.key")
    values = serializers.SerializerMethodField()
    reasons = serializers.CharField(source="motion.reasons")
    examples = serializers.CharField(source="motion.examples", allow_blank=True)
    opened_by = serializers.CharField(source="motion.opened_by")
    opened_at = serializers.DateTimeField(source="motion.opened_at")
    deadline = serializers.DateTimeField(source="motion.deadline")
    electorate = serializers.IntegerField(source="motion.electorate", help_text="So many may vote")
    quorum = serializers.IntegerField(source="motion.quorum", help_text="So many must vote")
    by_majority = serializers.BooleanField(source="motion.by_majority")
    closed_at = serializers.DateTimeField(source="motion.closed_at", allow_null=True)
    outcome = serializers.CharField(
        source="motion.outcome", allow_blank=True, help_text="Empty while it is open"
    )
    in_favour = serializers.IntegerField(
        source="motion.in_favour", allow_null=True, help_text="Null while it is open"
    )
    against = serializers.IntegerField(source="motion.against", allow_null=True)
    abstained = serializers.IntegerField(source="motion.abstained", allow_null=True)
    change = serializers.IntegerField(
        source="motion.change.number", allow_null=True, help_text="Number of the change that it became"
    )
    refused = serializers.CharField(
        source="motion.refused", allow_blank=True, help_text="Why an accepted one could not be made"
    )
    voted = serializers.ListField(child=serializers.CharField(), help_text="Who has voted")
    mine = ProposalBallotSerializer(allow_null=True, help_text="Your own ballot; null: you have none")
    ballots = ProposalBallotSerializer(many=True, help_text="Empty until the vote is over")
    comments = ProposalCommentSerializer(source="said", many=True)

    def get_values(self, line: ShownMotion) -> dict[str, Any]:
        return with_translations(line.motion.values)


class NewProposalSerializer(NewChangeSerializer):
    reasons = serializers.CharField()
    examples = serializers.CharField(required=False, allow_blank=True)
    deadline = serializers.DateTimeField()
    quorum = serializers.IntegerField(required=False, min_value=1)
    waits = serializers.CharField(
        required=False, allow_blank=True, help_text="The name that open labels wait for"
    )


class NewProposalBallotSerializer(serializers.Serializer[Any]):
    choice = serializers.ChoiceField(Ballot.Choice.choices)
    argument = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class NewProposalCommentSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=COMMENT_LENGTH, help_text="@R3 tells that member")


class Proposals(Endpoint):
    """The proposals of a taxonomy, newest first, and a new one. How others vote is hidden until the end."""

    @extend_schema(responses=ProposalSerializer(many=True))
    def get(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, member = taxonomy_of(request, taxonomy_id, rules.may_read_taxonomies)
        return Response(ProposalSerializer(motion_lines(taxonomy, member, with_threads=True), many=True).data)

    @extend_schema(request=NewProposalSerializer, responses={201: ProposalSerializer})
    def post(self, request: Request, taxonomy_id: int) -> Response:
        taxonomy, member = _voter(request, taxonomy_id)
        asked = NewProposalSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        kind, key = given["kind"], given.get("key")
        motion = actions.open_motion(
            taxonomy=taxonomy,
            by=member,
            kind=kind,
            key=str(key) if key else None,
            values=values_of(kind, key, {name: given[name] for name in given if name not in VOTING}),
            **{name: given[name] for name in given if name in VOTING},
        )
        return Response(_one(motion, member), status=status.HTTP_201_CREATED)


class ProposalBallot(Endpoint):
    """Vote on a proposal, or change your vote, while it is open."""

    @extend_schema(request=NewProposalBallotSerializer, responses=ProposalSerializer)
    def put(self, request: Request, taxonomy_id: int, number: int) -> Response:
        taxonomy, member = _voter(request, taxonomy_id)
        motion = get_object_or_404(Motion, taxonomy=taxonomy, number=number)
        asked = NewProposalBallotSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        now = actions.cast(motion=motion, member=member, **asked.validated_data)
        if now.closed_at is not None and now.closed_at >= now.deadline:
            raise errors.MotionClosed
        return Response(_one(now, member))


class ProposalComments(Endpoint):
    """Say something about a proposal, open or decided. Everybody reads it at once."""

    @extend_schema(request=NewProposalCommentSerializer, responses={201: ProposalSerializer})
    def post(self, request: Request, taxonomy_id: int, number: int) -> Response:
        taxonomy, member = _voter(request, taxonomy_id)
        motion = get_object_or_404(Motion, taxonomy=taxonomy, number=number)
        asked = NewProposalCommentSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        actions.comment(motion=motion, by=member, text=asked.validated_data["text"])
        return Response(_one(motion, member), status=status.HTTP_201_CREATED)


def _voter(request: Request, taxonomy_id: int) -> tuple[Taxonomy, Membership]:
    """The taxonomy, and the seat of a member who may propose and vote. First closes the votes now due."""
    taxonomy, member = taxonomy_of(request, taxonomy_id, rules.may_propose)
    actions.close_due(taxonomy)
    return taxonomy, member


def _one(motion: Motion, member: Membership) -> dict[str, Any]:
    lines = motion_lines(motion.taxonomy, member, with_threads=True)
    return ProposalSerializer(next(line for line in lines if line.motion.pk == motion.pk)).data
