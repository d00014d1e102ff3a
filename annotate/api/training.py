"""A member's own training over REST."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from annotate.rules import may_see_own_labels
from rounds.models import Round
from rounds.pages import seat_in
from rounds.queries.training import TrainingResult, training_result


class TrainingSerializer(serializers.Serializer[TrainingResult]):
    """`right` of `done` labels match the right one, of `total`; `pass_mark` is a percentage of `total`."""

    total = serializers.IntegerField()
    done = serializers.IntegerField()
    right = serializers.IntegerField()
    pass_mark = serializers.IntegerField(allow_null=True)
    passed = serializers.BooleanField()


class Training(Endpoint):
    """How far the asking member is in a training round, by their own labels alone."""

    @extend_schema(responses=TrainingSerializer)
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_own_labels)
        if round_.kind != Round.Kind.TRAINING:
            raise NotFound
        return Response(TrainingSerializer(training_result(round_, member)).data)
