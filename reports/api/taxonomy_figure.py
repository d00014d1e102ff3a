"""The figure of a taxonomy over REST."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from accounts.rest.endpoints import Endpoint
from core.api import AsItIs
from drawing.vega import FORMS
from reports.api.parameters import one_of
from reports.file_responses import figure_asked_for, figure_response
from reports.queries.category_shares import UNITS
from studies.queries import membership_of
from taxonomy.api.files import version_of


class TaxonomyFigureFile(Endpoint):
    """A version drawn as a tree, two columns of a paper wide, with the shares of a round.

    Issues that you still have to label in another round are in no share; the header `Crosscheck-Withheld`
    says how many these are. A model gets the tree without shares.
    """

    content_negotiation_class = AsItIs

    @extend_schema(
        parameters=[
            OpenApiParameter("form", str, OpenApiParameter.PATH, enum=list(FORMS)),
            OpenApiParameter("round", str, description="Id, or `none`; the newest main round if not given"),
            OpenApiParameter("of", str, enum=list(UNITS), description="What is counted"),
        ],
        responses={(200, kind): OpenApiTypes.BINARY for kind in FORMS.values()},
    )
    def get(self, request: Request, taxonomy_id: int, number: int, form: str) -> HttpResponse:
        version = version_of(request, taxonomy_id, number)
        if request.query_params.get("of") not in {None, "", *UNITS}:
            raise ValidationError({"of": [one_of(UNITS)]})
        member = membership_of(request.user, version.taxonomy.study)
        asked = figure_asked_for(version, member, request.query_params.dict())
        return figure_response(asked, version, form)
