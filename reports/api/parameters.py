"""Parameters that several endpoints of reports read."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from reports.agreement_report import LEVELS
from taxonomy.models import Level


def one_of(values: Iterable[str]) -> str:
    """What a refusal tells about a parameter that has one of these values."""
    return _("Use one of these values: %(values)s.") % {"values": ", ".join(values)}


COACHED = OpenApiParameter(
    "coached", str, enum=["yes", "no"], description="no: without the issues that volunteers were coached on"
)


def leaves_out_coached(request: Request) -> bool:
    asked_for = request.query_params.get("coached", "yes")
    if asked_for not in {"yes", "no"}:
        raise ValidationError({"coached": [one_of(("yes", "no"))]})
    return asked_for == "no"


def level_asked_for(request: Request) -> Level | None:
    """The level of `?level=`; None without this parameter."""
    level = request.query_params.get("level")
    if level and level not in LEVELS:
        raise ValidationError({"level": [one_of(LEVELS)]})
    return LEVELS[level] if level else None
