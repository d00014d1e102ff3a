"""Forecasts: how many issues or volunteers an interval needs, from labels and before any label."""

from typing import Any

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from accounts.http import AuthedRequest
from agreement import issues_before, issues_for, issues_range, volunteers_for, volunteers_range
from agreement.coefficients import half_width
from core.http import render_page
from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.forms.agreement import BeforeForm, WithinForm
from reports.queries.population import population_of
from reports.sections.chart_rows import HEADLINE
from reports.sections.composition import composition
from reports.sentences.forecasts import doubt_of_forecasts, issues_needed, volunteers_needed
from studies.pages import frame, study_of
from studies.rules import may_read_revealed

STEP = 0.1


def forecast_card(request: AuthedRequest, report: AgreementReport) -> dict[str, Any] | None:
    """The issues or volunteers that narrow Fleiss' kappa to ± `?within=`; None if kappa has no error."""
    kappa = report.overall.coefficients[HEADLINE]
    if kappa.se is None:
        return None
    form = WithinForm(request.GET if "within" in request.GET else None)
    told: dict[str, Any] = {
        "form": form,
        "half": number(half_width(kappa.se, report.overall.issues)),
    }
    if not form.is_valid():
        return told
    within, patterns, issues = form.cleaned_data["within"], report.numbers.patterns, report.overall.issues
    excluded = composition(report)[-1]["false_positives"] or 0
    population = max(population_of(report.round, excluded), issues)
    needed = issues_for(within, kappa.se, issues, population)
    return told | {
        "sentences": [
            *issues_needed(report, within, needed, issues_range(patterns, within, population), population),
            *volunteers_needed(volunteers_for(patterns, within), volunteers_range(patterns, within)),
            *doubt_of_forecasts(report),
        ]
    }


@require_safe
def forecast(request: AuthedRequest, slug: str) -> HttpResponse:
    """Show how many issues a planned round needs, from an assumed kappa and shares of the categories."""
    study, member = study_of(request, slug, may_read_revealed)
    form = BeforeForm(request.GET if "kappa" in request.GET else None)
    context: dict[str, Any] = {**frame(study, member, "study_report"), "form": form}
    if form.is_valid():
        given = form.cleaned_data
        kappas = [given["kappa"] - STEP, given["kappa"], given["kappa"] + STEP]
        context["lines"] = [
            {
                "kappa": number(kappa, 2),
                "issues": issues_before(given["within"], kappa, given["shares"], given["volunteers"]),
                "is_asked": kappa == given["kappa"],
            }
            for kappa in kappas
            if 0 <= kappa < 1
        ]
    return render_page(request, "reports/forecast.html", context, status=422 if form.errors else 200)
