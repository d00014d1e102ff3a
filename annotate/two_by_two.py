"""Volunteers and categories two by two, as the JSON and the tables of an agreement report give them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from annotate.agreement import confusion

if TYPE_CHECKING:
    from annotate.reports import AgreementReport


def pairs(report: "AgreementReport") -> Iterator[dict[str, Any]]:
    """Cohen's kappa of every two volunteers."""
    for pair in report.overall.pairs:
        yield {
            "first": report.columns[pair.first],
            "second": report.columns[pair.second],
            "issues": pair.issues,
            "percent_agreement": pair.agreement,
            "cohen_kappa": pair.kappa,
            "reason": pair.reason and pair.reason.text,
        }


def meeting_categories(report: "AgreementReport") -> list[dict[str, Any]]:
    """In how many issues two categories were both chosen, most first; each pair once, in the tree's order."""
    codes = [category.code for category in report.overall.categories]
    table = confusion(report.patterns)
    found = [
        {"first": code, "second": codes[column], "issues": int(table[row, column])}
        for row, code in enumerate(codes)
        for column in range(row + 1, len(codes))
        if table[row, column]
    ]
    return sorted(found, key=lambda pair: -pair["issues"])


def against_decision(report: "AgreementReport") -> list[dict[str, Any]]:
    """How many labels of one category lie on issues decided as another, most first."""
    codes = [category.code for category in report.overall.categories]
    table = report.against_decision
    found = [
        {"label": code, "decision": codes[column], "labels": int(table[row, column])}
        for row, code in enumerate(codes)
        for column in range(len(codes))
        if row != column and table[row, column]
    ]
    return sorted(found, key=lambda pair: -pair["labels"])
