"""Models beside the volunteers, as the agreement page shows them."""

from typing import Any

from annotate import statements as say
from annotate.model_raters import ModelLine
from annotate.reports import AgreementReport
from annotate.tables import number
from annotate.views import charts


def model_rows(report: AgreementReport) -> list[dict[str, Any]]:
    """A row of texts per model: the numbers, or why there are none."""
    return [_row(line) for line in report.models]


def _row(line: ModelLine) -> dict[str, Any]:
    found, decision = line.found, line.found.decision
    return {
        "name": line.model,
        "labels": found.labels,
        "agreement": number(found.agreement.value) or say.undefined(found.agreement.reason),
        "span": say.span(found.agreement.low, found.agreement.high),
        "kappa": number(found.kappa.value) or say.undefined(found.kappa.reason),
        "among_agreement": number(found.among_agreement.value) or say.undefined(found.among_agreement.reason),
        "among_kappa": number(found.among_kappa.value) or say.undefined(found.among_kappa.reason),
        "decision": number(decision.kappa) or say.undefined(decision.reason),
        "same": charts.percent(decision.agreement) if decision.agreement is not None else "",
        "decided": decision.issues,
    }
