"""Meetings over REST: planning, reading, voting, deciding, and the minutes."""

from dataclasses import asdict
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.actions.consensus import decide_item
from consensus.actions.meetings import LONGEST_NAME, plan_meeting
from consensus.actions.votes import cast_ballot
from consensus.models import AgendaItem, Decision, Meeting
from consensus.queries.agendas import agenda
from consensus.queries.meeting_items import items_seen_by
from consensus.queries.meetings import meetings_for, meetings_of
from consensus.queries.minutes import minutes
from consensus.rules import may_chair, may_plan_meeting, may_see_disagreements, may_see_meeting, may_take_part
from rounds.api.shortcuts import category_of
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.categories import codebook
from rounds.queries.rounds import candidates, usual_quorum
from studies.api import allow
from studies.models import Membership
from studies.pages import refuse_read_only
from studies.queries import membership_of

MOST_PARTICIPANTS = 500


class MeetingSerializer(serializers.ModelSerializer[Meeting]):
    chair = serializers.CharField(source="chair.pseudonym")

    class Meta:
        model = Meeting
        fields: tuple[str, ...] = (
            "id", "round", "name", "kind", "chair", "quorum", "by_majority", "shows_names", "starts_at",
            "ends_at", "created_at", "opened_at", "closed_at",
        )  # fmt: skip


class AgendaVoteSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    is_open = serializers.BooleanField()
    voted = serializers.ListField(child=serializers.CharField(), help_text="Pseudonyms of who has voted")
    own = serializers.CharField(
        allow_null=True, help_text="Your ballot: a code, empty to abstain, ∅ if no category fits, or null"
    )
    ballots = serializers.DictField(
        child=serializers.CharField(allow_blank=True),
        allow_null=True,
        help_text="Code by pseudonym, empty to abstain, ∅ if no category fits; null while the vote is open",
    )


class AgendaLineSerializer(serializers.Serializer[Any]):
    item = serializers.IntegerField()
    issue = serializers.IntegerField()
    url = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(["waiting", "now", "parked", "decided"])
    decision = serializers.CharField(allow_null=True)
    decision_number = serializers.IntegerField(help_text="0 without a decision; sent back when deciding")
    votes = AgendaVoteSerializer(many=True)


class MeetingWithAgendaSerializer(MeetingSerializer):
    participants = serializers.DictField(
        child=serializers.BooleanField(), help_text="By pseudonym: are they there now?"
    )
    agenda = AgendaLineSerializer(many=True)
    withheld = serializers.IntegerField(
        help_text="Issues of the agenda that you have still to label elsewhere: they are not in it"
    )

    class Meta(MeetingSerializer.Meta):
        fields = (*MeetingSerializer.Meta.fields, "participants", "agenda", "withheld")


class MeetingPlanSerializer(serializers.Serializer[Any]):
    """People by their pseudonyms; without a chair it is you, without participants the round's volunteers."""

    name = serializers.CharField(max_length=LONGEST_NAME)
    kind = serializers.ChoiceField(Meeting.Kind.choices, default=Meeting.Kind.TOGETHER)
    chair = serializers.CharField(max_length=32, required=False)
    quorum = serializers.IntegerField(
        min_value=1,
        max_value=32_767,
        required=False,
        help_text="More than half of the volunteers if not given",
    )
    by_majority = serializers.BooleanField(default=False)
    shows_names = serializers.BooleanField(default=False)
    starts_at = serializers.DateTimeField(required=False, allow_null=True, default=None)
    ends_at = serializers.DateTimeField(required=False, allow_null=True, default=None)
    participants = serializers.ListField(
        child=serializers.CharField(max_length=32), max_length=MOST_PARTICIPANTS, required=False, default=list
    )


class BallotSerializer(serializers.Serializer[Any]):
    """`category` is null to abstain, and with `none_fits` to say that no category fits. `number`: of the vote
    that it is meant for, as it was read.
    """

    category = serializers.CharField(max_length=32, allow_null=True)
    none_fits = serializers.BooleanField(default=False)
    number = serializers.IntegerField(
        min_value=1, max_value=32_767, required=False, allow_null=True, default=None
    )


class BallotStoredSerializer(serializers.Serializer[Any]):
    vote = serializers.IntegerField(help_text="Its number")
    category = serializers.CharField(allow_null=True)
    none_fits = serializers.BooleanField()
    is_open = serializers.BooleanField(help_text="false: yours was the last ballot, and all are shown now")


class ItemDecisionSerializer(serializers.Serializer[Any]):
    category = serializers.CharField(max_length=32)
    how = serializers.ChoiceField(Decision.How.choices)
    rationale = serializers.CharField(max_length=10_000, allow_blank=True, default="")
    cause = serializers.ChoiceField(Decision.Cause.choices, allow_blank=True, default="")
    seen = serializers.IntegerField(
        source="seen_number",
        min_value=0,
        max_value=32_767,
        help_text="decision_number of the item as it was read",
    )


class ItemDecidedSerializer(serializers.Serializer[Any]):
    issue = serializers.IntegerField()
    category = serializers.CharField()
    how = serializers.CharField()
    number = serializers.IntegerField()
    decided_at = serializers.DateTimeField()


class Meetings(Endpoint):
    """The meetings on the disagreements of a round, newest first; and a new one, planned by owner or lead."""

    @extend_schema(operation_id="rounds_meetings_list", responses=MeetingSerializer(many=True))
    def get(self, request: Request, round_id: int) -> Response:
        round_, _member = seat_in(request, round_id, may_see_disagreements)
        return Response(MeetingSerializer(meetings_of(round_), many=True).data)

    @extend_schema(request=MeetingPlanSerializer, responses={201: MeetingSerializer})
    def post(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_plan_meeting)
        form = MeetingPlanSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        chair, names = given.pop("chair", ""), given.pop("participants")
        quorum = given.pop("quorum", None)
        made = plan_meeting(
            round_=round_,
            by=member,
            chair=_people(round_, [chair], "chair")[0] if chair else member,
            quorum=usual_quorum(round_) if quorum is None else quorum,
            participants=_people(round_, names, "participants"),
            **given,
        )
        return Response(MeetingSerializer(made).data, status=status.HTTP_201_CREATED)


class OneMeeting(Endpoint):
    """One meeting with its agenda: what waits, was voted and decided. Open votes say only who has voted."""

    @extend_schema(responses=MeetingWithAgendaSerializer)
    def get(self, request: Request, meeting_id: int) -> Response:
        meeting, member = meeting_of(request, meeting_id)
        lines, withheld = agenda(meeting, member)
        there = meeting.participants.order_by("member__pseudonym").values_list(
            "member__pseudonym", "joined_at", "left_at"
        )
        answer = dict(MeetingSerializer(meeting).data) | {
            "participants": {who: bool(joined and not left) for who, joined, left in there},
            "agenda": lines,
            "withheld": withheld,
        }
        return Response(answer)


class OneBallot(Endpoint):
    """Your vote on one item; sent again it changes, as long as the vote is open."""

    @extend_schema(request=BallotSerializer, responses=BallotStoredSerializer)
    def put(self, request: Request, meeting_id: int, item_id: int) -> Response:
        meeting, member, item = _item(request, meeting_id, item_id)
        allow(may_take_part(member, meeting))
        form = BallotSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        code, none_fits = form.validated_data["category"], form.validated_data["none_fits"]
        if none_fits and code is not None:
            raise serializers.ValidationError({"none_fits": ["It comes with the category null."]})
        ballot = cast_ballot(
            item=item,
            member=member,
            category=category_of(meeting.round, code) if code is not None else None,
            none_fits=none_fits,
            number=form.validated_data["number"],
        )
        ballot.vote.refresh_from_db()
        answer = {"vote": ballot.vote.number, "category": _code(meeting, ballot.category_id)}
        answer["none_fits"] = ballot.none_fits
        return Response(answer | {"is_open": ballot.vote.closed_at is None})


class ItemDecisions(Endpoint):
    """Record what the meeting decides on an item: by the ballots of its last closed vote, or as its chair."""

    @extend_schema(request=ItemDecisionSerializer, responses={201: ItemDecidedSerializer})
    def post(self, request: Request, meeting_id: int, item_id: int) -> Response:
        meeting, member, item = _item(request, meeting_id, item_id)
        is_pair = meeting.kind == Meeting.Kind.PAIR
        allow(may_take_part(member, meeting) if is_pair else may_chair(member, meeting))
        form = ItemDecisionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        category = category_of(meeting.round, form.validated_data["category"])
        decision = decide_item(item=item, by=member, **form.validated_data | {"category": category})
        answer = {
            "issue": decision.issue_id,
            "category": _code(meeting, decision.category_id),
            "how": decision.how,
            "number": decision.number,
            "decided_at": decision.decided_at,
        }
        return Response(ItemDecidedSerializer(answer).data, status=status.HTTP_201_CREATED)


class MeetingMinutes(Endpoint):
    """The minutes of a meeting, so far while it goes on: who was there, labels, votes, decisions, times."""

    @extend_schema(responses=inline_serializer("MinutesSerializer", {"meeting": MeetingSerializer()}))
    def get(self, request: Request, meeting_id: int) -> Response:
        meeting, member = meeting_of(request, meeting_id)
        written = minutes(meeting, member)
        return Response(
            {
                "meeting": MeetingSerializer(meeting).data,
                "taxonomy_version": written.version.number,
                "as_of": written.as_of,
                "is_final": written.is_final,
                "chairs": written.chairs,
                "there": [asdict(one) for one in written.there],
                "absent": written.absent,
                "groups": [asdict(group) for group in written.groups],
                "not_reached": [asdict(line) for line in written.not_reached],
                "withheld": written.withheld,
                "totals": asdict(written.totals),
            }
        )


def meeting_of(request: Request, meeting_id: int) -> tuple[Meeting, Membership]:
    """The meeting, and this user's membership of its study. Http404 and 403 if the user may not see it."""
    meeting = get_object_or_404(meetings_for(request.user), pk=meeting_id)
    member = membership_of(request.user, meeting.round.study)
    if member is None or not may_see_meeting(member, meeting):
        raise PermissionDenied
    refuse_read_only(request, meeting.round.study)
    return meeting, member


def _item(request: Request, meeting_id: int, item_id: int) -> tuple[Meeting, Membership, AgendaItem]:
    """An item of the meeting whose issue is not withheld from this user. Http404 for any other item."""
    meeting, member = meeting_of(request, meeting_id)
    item = get_object_or_404(items_seen_by(meeting, member).select_related("issue"), pk=item_id)
    item.meeting = meeting
    return meeting, member, item


def _people(round_: Round, names: list[str], field: str) -> list[Membership]:
    """The members with these pseudonyms who could take part; a 400 that lists unknown pseudonyms."""
    known = {member.pseudonym.lower(): member for member in candidates(round_.study)} if names else {}
    if unknown := [name for name in names if name.lower() not in known]:
        raise ValidationError({field: [f"Nobody who could take part is called {', '.join(unknown)}."]})
    return [known[name.lower()] for name in dict.fromkeys(names)]


def _code(meeting: Meeting, category_id: int | None) -> str | None:
    if category_id is None:
        return None
    return codebook(meeting.round.version_id).states[category_id].code
