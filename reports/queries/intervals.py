"""The coefficients of a report with intervals over issues, over repositories and over volunteers."""

import numpy as np

from agreement import (
    FROM_COUNTS,
    MISSING,
    Coefficient,
    Patterns,
    Reason,
    UnitIntervals,
    over_clusters,
    over_raters,
)
from reports.agreement_report import AgreementReport, computed_of_labels


@computed_of_labels
def intervals(report: AgreementReport) -> dict[str, UnitIntervals]:
    """By what is taken as a sample: "issues" as in the rest of the report, "repositories", "volunteers"."""
    found = report.overall.coefficients
    return {
        "issues": UnitIntervals(report.overall.issues, {name: found[name] for name in FROM_COUNTS}),
        "repositories": _over_repositories(report),
        "volunteers": _over_volunteers(report),
    }


def _over_repositories(report: AgreementReport) -> UnitIntervals:
    numbers = report.numbers
    codes = np.append(numbers.places, np.int32(MISSING))[numbers.labels.codes]
    patterns = Patterns(codes, numbers.labels.counts, numbers.patterns.categories, numbers.patterns.q)
    return over_clusters(patterns, numbers.labels.repositories)


def _over_volunteers(report: AgreementReport) -> UnitIntervals:
    """Without intervals if columns are slots: different volunteers labelled different issues."""
    if report.columns:
        return over_raters(report.numbers.patterns)
    without = {
        name: one if one.value is None else Coefficient(one.value, reason=Reason.SLOTS)
        for name, one in report.overall.coefficients.items()
        if name in FROM_COUNTS
    }
    return UnitIntervals(report.overall.raters, without)
