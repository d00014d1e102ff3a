"""The outcome of the consensus of a round over REST."""

from dataclasses import asdict

from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.queries.changed_votes import changed_votes
from consensus.queries.consensus_numbers import consensus_numbers
from consensus.rules import may_see_disagreements
from reports.agreement_report import LEVELS
from reports.api.parameters import COACHED, leaves_out_coached, level_asked_for
from reports.queries.before_after import before_and_after
from rounds.pages import seat_in
from rounds.queries.blindness import NOTHING
from rounds.queries.coached import coached_in_report


class Consensus(Endpoint):
    """Who changed their mind between label and last ballot, agreement before and after, and how issues were
    settled. Agreement is always that of the independent labels: the numbers after are no measure of it.
    """

    @extend_schema(
        responses=inline_serializer(
            "ConsensusSerializer",
            {
                "agreement": serializers.DictField(),
                "withheld": serializers.IntegerField(),
                "minds": serializers.ListField(child=serializers.DictField()),
                "total": serializers.DictField(child=serializers.IntegerField()),
                "turns": serializers.ListField(child=serializers.DictField()),
                "other_ballots": serializers.IntegerField(),
                "settled": serializers.DictField(),
            },
        ),
        parameters=[
            OpenApiParameter("level", str, enum=list(LEVELS), description="Down to the round's depth"),
            COACHED,
        ],
    )
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        without = coached_in_report(round_, NOTHING)[0] if leaves_out_coached(request) else NOTHING
        found = changed_votes(round_, member, without=without)
        both = before_and_after(round_, member, level=level_asked_for(request), found=found, without=without)
        return Response(
            {
                "agreement": both.as_dict(),
                "withheld": both.withheld,
                "minds": [
                    {
                        "volunteer": mind.member.pseudonym,
                        "voted": mind.voted,
                        "kept": mind.kept,
                        "joined": mind.joined,
                        "away": mind.away,
                        "abstained": mind.abstained,
                        "none_fits": mind.none_fits,
                    }
                    for mind in found.minds
                ],
                "total": found.total,
                "turns": [
                    {"from": turn.before, "to": turn.after, "count": turn.count, "issues": turn.issues}
                    for turn in found.turns
                ],
                "other_ballots": found.others,
                "settled": asdict(consensus_numbers(round_, member)),
            }
        )
