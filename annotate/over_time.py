"""The labels of an agreement report over time, as the JSON and the tables give them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotate.reports import AgreementReport


def as_dict(report: "AgreementReport") -> dict[str, Any]:
    """What was labelled and decided in each month, and whether the decisions changed by more than chance."""
    periods = report.periods
    used = [place for place, labels in enumerate(periods.labels.sum(axis=0)) if labels]
    codes = [category.code for category in report.overall.categories]
    return {
        "months": [
            {
                "month": name,
                "issues": int(periods.issues[at]),
                "labels": int(periods.labels[at].sum()),
                "categories": {
                    codes[place]: {
                        "labels": int(periods.labels[at, place]),
                        "decided": int(periods.decided[at, place]),
                    }
                    for place in used
                },
            }
            for at, name in enumerate(periods.names)
        ],
        "change": change(report),
    }


def change(report: "AgreementReport") -> dict[str, Any]:
    """The test of the decisions, over the most frequent categories and all others together."""
    found = report.periods.change
    return {
        "decided_issues": found.labels,
        "months": found.periods,
        "categories": found.categories,
        "chi2": found.chi2,
        "df": found.df,
        "p": found.p,
        "cramers_v": found.cramers_v,
        "smallest_expected": found.smallest,
        "reason": found.reason and found.reason.text,
    }


def rows(report: "AgreementReport") -> Iterator[tuple[str, str, int, float | None, int, float | None]]:
    """(month, code, labels, their share, issues decided so, their share); shares are of the month."""
    for month in as_dict(report)["months"]:
        decided = sum(found["decided"] for found in month["categories"].values())
        for code, found in month["categories"].items():
            yield (
                month["month"],
                code,
                found["labels"],
                found["labels"] / month["labels"] if month["labels"] else None,
                found["decided"],
                found["decided"] / decided if decided else None,
            )
