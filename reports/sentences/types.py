"""Why kappa of all issues, kappas within decided types, and kappa of types alone differ."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from agreement import Agreement
from reports.agreement_report import AgreementReport, computed_once
from reports.formats.tables import number
from reports.level_agreement import agreement_of
from taxonomy.models import Level

HEADLINE = "fleiss_kappa"


@dataclass(frozen=True)
class GroupsAndWhole:
    """Fleiss' kappas: of the issues of each decided type (with their number), of all issues, and at the
    level of types, of which the agreement is `alone`.
    """

    types: tuple[tuple[str, int, float], ...]
    whole: float
    types_alone: float
    alone: Agreement


@computed_once
def groups_and_whole(report: AgreementReport) -> GroupsAndWhole | None:
    """None at the level of types, without groups by type, and where one of these kappas is undefined."""
    if report.level == Level.TYPE:
        return None
    within = tuple(
        (group.key["type"], group.agreement.issues, value)
        for group in report.by("type")
        if (value := group.agreement.coefficients[HEADLINE].value) is not None
    )
    whole = report.overall.coefficients[HEADLINE].value
    if not within or whole is None:
        return None
    alone = agreement_of(report.numbers.labels, report.codebook, Level.TYPE)
    value = alone.coefficients[HEADLINE].value
    return None if value is None else GroupsAndWhole(within, whole, value, alone)


def why_types_differ(report: AgreementReport) -> str:
    """Which issues the kappa of a type counts, and how it compares with all issues and with types alone; ""
    where `groups_and_whole` is None.
    """
    found = groups_and_whole(report)
    if found is None:
        return ""
    issues = sum(issues for _type, issues, _value in found.types)
    mean = sum(issues * value for _type, issues, value in found.types) / issues
    text = _(
        "Each κ of a type counts only the issues decided as this type. All issues together give"
        " κ = %(whole)s, and types alone give κ = %(alone)s."
    )
    if mean < found.whole < found.types_alone:
        text = _(
            "Each κ of a type counts only the issues decided as this type. All issues together give"
            " κ = %(whole)s. Distinguishing the types counts there too, and on this volunteers agree more:"
            " κ of types alone is %(alone)s."
        )
    return text % {"whole": number(found.whole), "alone": number(found.types_alone)}


def groups_and_whole_as_dict(report: AgreementReport) -> dict[str, Any] | None:
    found = groups_and_whole(report)
    if found is None:
        return None
    return {
        "sentence": why_types_differ(report),
        "whole": found.whole,
        "types_alone": found.types_alone,
        "types": [
            {"group": {"type": code}, "issues": issues, HEADLINE: value}
            for code, issues, value in found.types
        ],
    }
