"""The agreement report as JSON: the same for page, command, REST, frozen reports and packages."""

from collections.abc import Collection
from typing import Any

from django.utils import translation

from reports import planned
from reports.agreement_report import AgreementReport, level_name
from reports.sections.registry import JSON_PARTS
from reports.sentences.types import groups_and_whole_as_dict


def of_report(report: AgreementReport) -> dict[str, Any]:
    """What the report is about, and what it leaves out."""
    return {
        "study": report.round.study.slug,
        "round": report.round.name,
        "level": level_name(report.level),
        "as_of": report.as_of.isoformat(),
        "withheld": report.withheld,
        "coached": report.coached,
        "coached_left_out": report.without_coached,
        **planned.as_dict(report),
    }


@translation.override("en")
def report_as_dict(report: AgreementReport, *, but: Collection[str] = ()) -> dict[str, Any]:
    """The report at full precision; an undefined number is null with a reason, in English whoever asks: the
    same report is the same file. Ten queries at most. `but`: keys of parts to leave out.
    """
    return {
        **of_report(report),
        "without_training": {
            "let_in": len(report.admissions.volunteers),
            "of": report.admissions.of,
            "volunteers": [{"volunteer": name} for name in report.admissions.volunteers],
        }
        if report.round.training_id
        else None,
        "drift_check": report.repeats
        and {name: getattr(report.repeats, name) for name in ("planned", "labelled", "lost")},
        "groups_and_whole": groups_and_whole_as_dict(report),
        **{part.key: part.value(report) for part in JSON_PARTS if part.key not in but},
    }
