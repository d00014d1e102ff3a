"""The pictures of the agreement page as files, and as the specifications that its script draws."""

import json

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.pictures import TITLES, WIDTHS, specification, specifications
from annotate.queries.rounds import rounds_for
from annotate.queries.withheld import Reader, held_back
from annotate.rendering import FORMS, render
from annotate.report_document import BY
from annotate.reports import agreement_report
from annotate.views.agreement import attached, level_asked_for
from core.http import require
from studies.queries import membership_of
from studies.rules import may_read_revealed

ALL = "all"


@require_safe
def agreement_picture(request: AuthedRequest, round_id: int, name: str, form: str) -> HttpResponse:
    """One picture of the report at `?level=` and `?width=`: svg, pdf, png, or its specification as json.

    The picture `all`: the specifications of all that can be drawn, by name, as the page's script wants them.
    """
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(may_read_revealed(member))
    width = request.GET.get("width", "column")
    is_all = name == ALL and form == "json"
    if (not is_all and (name not in TITLES or form not in (*FORMS, "json"))) or width not in WIDTHS:
        raise Http404
    held, level = held_back(round_, member), level_asked_for(request)
    report = agreement_report(round_, level=level, by=BY, held=held, reader=Reader(member))
    if is_all:
        return attached(report, specifications(report, width), f"pictures-{width}.json", "application/json")
    spec = specification(report, name, width)
    if form == "json":
        return attached(report, json.dumps(spec), f"{name}-{width}.json", "application/json")
    return attached(report, render(spec, form), f"{name}-{width}.{form}", FORMS[form])
