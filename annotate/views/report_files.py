"""The whole agreement report as one file."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from annotate.queries.rounds import rounds_for
from annotate.queries.withheld import Reader, held_back
from annotate.report_files import FORMS
from annotate.reports import agreement_report
from annotate.views.agreement import BY, attached, level_asked_for
from core.http import require
from studies.queries import membership_of
from studies.rules import may_read_revealed


@require_safe
def agreement_file(request: AuthedRequest, round_id: int, form: str) -> HttpResponse:
    """Send the whole report at `?level=` as html or pdf."""
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(may_read_revealed(member))
    if form not in FORMS:
        raise Http404
    held = held_back(round_, member)
    report = agreement_report(round_, level=level_asked_for(request), by=BY, held=held, reader=Reader(member))
    kind, write = FORMS[form]
    return attached(report, write(report), f"agreement.{form}", kind)
