"""The pictures of the agreement page as files, and as specifications for the page's script."""

import json

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from drawing.vega import FORMS, render
from reports.agreement_report import PAGE_BY, agreement_report
from reports.pictures.catalogue import PICTURES, specification, specifications
from reports.pictures.widths import WIDTHS
from reports.views.agreement import level_asked_for, sent
from reports.views.shortcuts import leaves_out_coached, round_to_read
from rounds.queries.blindness import Reader, withheld_issues

ALL = "all"


@require_safe
def agreement_picture(request: AuthedRequest, round_id: int, name: str, form: str) -> HttpResponse:
    """Send a picture of the report at `?level=` and `?width=`: svg, pdf, png, or its specification as json.

    The name `all` as json sends the specifications of all pictures by name, for the page's script.
    """
    round_, member = round_to_read(request, round_id)
    width = request.GET.get("width", "column")
    is_all = name == ALL and form == "json"
    if (not is_all and (name not in PICTURES or form not in (*FORMS, "json"))) or width not in WIDTHS:
        raise Http404
    blind, level = withheld_issues(round_, member), level_asked_for(request)
    report = agreement_report(
        round_,
        level=level,
        by=PAGE_BY,
        blind=blind,
        reader=Reader(member),
        without_coached=leaves_out_coached(request),
    )
    if is_all:
        return sent(report, specifications(report, width), f"pictures-{width}.json", "application/json")
    spec = specification(report, name, width)
    if form == "json":
        return sent(report, json.dumps(spec), f"{name}-{width}.json", "application/json")
    return sent(report, render(spec, form), f"{name}-{width}.{form}", FORMS[form])
