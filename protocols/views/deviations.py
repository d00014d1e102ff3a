"""Deviations from the protocol: the list, its file, and the reasons that owners and leads write."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.idempotency import once
from protocols.actions.reasons import explain_deviation
from protocols.files import deviations_csv
from protocols.forms import ReasonForm
from protocols.queries.deviations import deviations_of
from protocols.queries.protocols import protocol_in_force
from protocols.views.pages import around, planned_study, read_study


@require_safe
def deviations(request: AuthedRequest, slug: str) -> HttpResponse:
    """What was planned, what happened, and why."""
    study, member = read_study(request, slug)
    found = deviations_of(member, study)
    context = {
        **around(study, member, "deviations"),
        "protocol": protocol_in_force(study),
        "deviations": found,
        "unexplained": sum(not one.is_explained and not one.is_hidden for one in found),
    }
    return render_page(request, "protocols/deviations.html", context)


@require_safe
def deviations_file(request: AuthedRequest, slug: str) -> StreamingHttpResponse:
    """The deviations as CSV."""
    study, member = read_study(request, slug)
    named = {"Content-Disposition": 'attachment; filename="deviations.csv"'}
    rows = deviations_csv(deviations_of(member, study))
    return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=named)


@require_POST
def explain(request: AuthedRequest, slug: str) -> HttpResponse:
    """Store the reason of one deviation."""
    study, member = planned_study(request, slug)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        context = {**around(study, member, "deviations"), "form": form}
        return render_page(request, "protocols/explain.html", context, status=422)
    given = form.cleaned_data
    once(
        request,
        lambda: explain_deviation(study=study, deviation=given["deviation"], text=given["text"], by=member),
    )
    messages.success(request, _("The reason is stored. Earlier reasons stay in the history."))
    return go_to(request, "deviations", slug)
