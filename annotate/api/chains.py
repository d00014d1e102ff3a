"""The chain of a round over REST."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from rounds import rules
from rounds.models import Seal
from rounds.pages import seat_in
from rounds.queries.seals import shown_seals


class SealSerializer(serializers.ModelSerializer[Seal]):
    class Meta:
        model = Seal
        fields = ("number", "previous", "at", "why", "events", "digest")


class ChainSerializer(serializers.Serializer[dict[str, object]]):
    """`head` is the digest of the last seal; null, and without seals, while the round is open, or while
    issues are hidden from who asks.
    """

    head = serializers.CharField(allow_null=True)
    seals = SealSerializer(many=True)


class Chain(Endpoint):
    """The seals of a closed round, in order. They prove order, and that nothing was changed since."""

    @extend_schema(responses=ChainSerializer)
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, rules.may_see_progress)
        seals = list(shown_seals(round_, member))
        head = seals[-1].digest if seals else None
        return Response(ChainSerializer({"head": head, "seals": seals}).data)
