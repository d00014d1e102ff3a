"""Why kappa of all issues, kappas within decided types, and kappa of types alone differ."""

from django.utils.translation import gettext as _

from reports.agreement_report import AgreementReport
from reports.formats.tables import number
from reports.level_agreement import agreement_of
from taxonomy.models import Level

HEADLINE = "fleiss_kappa"


def why_types_differ(report: AgreementReport) -> str:
    """Which issues the kappa of a type counts, and how it compares with all issues and with types alone; ""
    at the level of types, and where one of these kappas is undefined.
    """
    if report.level == Level.TYPE:
        return ""
    within = [
        (group.agreement.issues, value)
        for group in report.by("type")
        if (value := group.agreement.coefficients[HEADLINE].value) is not None
    ]
    whole = report.overall.coefficients[HEADLINE].value
    alone = agreement_of(report.numbers.labels, report.codebook, Level.TYPE).coefficients[HEADLINE].value
    if not within or whole is None or alone is None:
        return ""
    mean = sum(issues * value for issues, value in within) / sum(issues for issues, _value in within)
    text = _(
        "Each κ of a type counts only the issues decided as this type. All issues together give"
        " κ = %(whole)s, and types alone give κ = %(alone)s."
    )
    if mean < whole < alone:
        text = _(
            "Each κ of a type counts only the issues decided as this type. All issues together give"
            " κ = %(whole)s. Distinguishing the types counts there too, and on this volunteers agree more:"
            " κ of types alone is %(alone)s."
        )
    return text % {"whole": number(whole), "alone": number(alone)}
