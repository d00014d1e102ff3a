"""One group of an agreement report over REST."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.endpoints import Endpoint
from consensus.rules import may_see_disagreements
from core.api import asked
from reports.agreement_report import LEVELS, agreement_report
from reports.api.parameters import COACHED, leaves_out_coached, level_asked_for, one_of
from reports.formats.group_json import GROUPED_BY, ON_REQUEST, group_as_dict
from rounds.pages import seat_in
from rounds.queries.blindness import Reader, withheld_issues


class AgreementGroup(Endpoint):
    """Everything that the agreement report says of all issues, for one group of issues: coefficients,
    categories, splits, pairs, confusion, labels against decisions, volunteers; on request the bootstrap and
    the signs that labels do not look independent.

    The group has all the values that you send. Without any, it is all issues. `withheld` issues, which you
    still have to label in another round, are in none of the numbers.
    """

    @extend_schema(
        responses=OpenApiTypes.OBJECT,
        parameters=[
            OpenApiParameter("type", str, description="Code of the decided type: C"),
            OpenApiParameter("category", str, description="Code of the decided category at this level: C.3"),
            OpenApiParameter("repository", str, description="As the report names it: vllm-project/vllm"),
            OpenApiParameter("month", str, description="Month of the last label, UTC: 2026-11"),
            OpenApiParameter("level", str, enum=list(LEVELS)),
            OpenApiParameter(
                "with", str, many=True, enum=list(ON_REQUEST), description="Takes seconds in a large study"
            ),
            COACHED,
        ],
    )
    def get(self, request: Request, round_id: int) -> Response:
        round_, member = seat_in(request, round_id, may_see_disagreements)
        more = request.query_params.getlist("with")
        if not set(more) <= set(ON_REQUEST):
            raise ValidationError({"with": [one_of(ON_REQUEST)]})
        key = {name: value for name in GROUPED_BY if (value := asked(request, name))}
        report = agreement_report(
            round_,
            level=level_asked_for(request),
            by=[list(key)] if key else (),
            blind=withheld_issues(round_, member),
            reader=Reader(member),
            without_coached=leaves_out_coached(request),
        )
        return Response(group_as_dict(report, key, more))
