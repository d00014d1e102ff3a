"""Parts of a report's JSON that take about a second in a large study: on request, and in every package."""

from collections.abc import Callable, Collection
from typing import Any

from reports.agreement_report import AgreementReport
from reports.formats.json_report import report_as_dict
from reports.sections.dissents import dissents_as_list, trends_as_list
from reports.sections.pairwise import pair_categories_as_list
from reports.sections.probable import probable_as_dict

PARTS: dict[str, Callable[[AgreementReport], Any]] = {
    "dissents": dissents_as_list,
    "dissents_trend": trends_as_list,
    "pair_categories": pair_categories_as_list,
    "probable": probable_as_dict,
}


def report_with(
    report: AgreementReport, more: Collection[str], *, but: Collection[str] = ()
) -> dict[str, Any]:
    """The report as JSON, with `more` of PARTS, and without the keys of `but`."""
    return report_as_dict(report, but=but) | {name: PARTS[name](report) for name in PARTS if name in more}
