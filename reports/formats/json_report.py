"""The agreement report as JSON: the same for page, command, REST, frozen reports and packages."""

from typing import Any

from reports.agreement_report import AgreementReport, level_name
from reports.sections.registry import JSON_PARTS


def report_as_dict(report: AgreementReport) -> dict[str, Any]:
    """The report at full precision; an undefined number is null with a reason. Five queries at most."""
    return {
        "study": report.round.study.slug,
        "round": report.round.name,
        "level": level_name(report.level),
        "as_of": report.as_of.isoformat(),
        "withheld": report.withheld,
        **{part.key: part.value(report) for part in JSON_PARTS},
    }
