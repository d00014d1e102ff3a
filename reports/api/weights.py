"""The weights of categories for agreement with partial credit over REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from reports.actions.weights import set_weights
from reports.queries.weight_matrices import matrix_in_use, matrix_of_tree
from reports.rules import may_set_weights
from studies.models import Membership
from studies.queries import membership_of
from taxonomy.api.files import version_of
from taxonomy.models import Version
from taxonomy.queries.codebooks import codebook


class WeightsSerializer(serializers.Serializer[Any]):
    weights = serializers.ChoiceField(["tree", "matrix"], read_only=True)
    number = serializers.IntegerField(read_only=True, allow_null=True, help_text="Of the matrix; null: tree")
    csv = serializers.CharField(
        trim_whitespace=False, help_text="Codes as heads of columns and rows, weights from 0 to 1"
    )


def _weights(version: Version) -> dict[str, Any]:
    matrix = matrix_in_use(version.pk)
    if matrix:
        return {"weights": "matrix", "number": matrix.number, "csv": matrix.text}
    return {"weights": "tree", "number": None, "csv": matrix_of_tree(codebook(version)).as_csv()}


def _to_set(request: Request, taxonomy_id: int, number: int) -> tuple[Version, Membership]:
    version = version_of(request, taxonomy_id, number)
    member = membership_of(request.user, version.taxonomy.study)
    if member is None or not may_set_weights(member, version):
        raise PermissionDenied
    return version, member


class TaxonomyWeights(Endpoint):
    """The weights of the categories of a version, for agreement with partial credit: those of the tree, or a
    matrix of the study. Owners and leads set a matrix, or delete it to go back to the tree.
    """

    @extend_schema(responses=WeightsSerializer)
    def get(self, request: Request, taxonomy_id: int, number: int) -> Response:
        return Response(_weights(version_of(request, taxonomy_id, number)))

    @extend_schema(request=WeightsSerializer, responses=WeightsSerializer)
    def put(self, request: Request, taxonomy_id: int, number: int) -> Response:
        version, member = _to_set(request, taxonomy_id, number)
        given = WeightsSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        set_weights(version=version, by=member, text=given.validated_data["csv"])
        return Response(_weights(version))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, taxonomy_id: int, number: int) -> Response:
        version, member = _to_set(request, taxonomy_id, number)
        set_weights(version=version, by=member, text="")
        return Response(status=status.HTTP_204_NO_CONTENT)
