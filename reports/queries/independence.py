"""Signs that the labels of a report are not independent."""

import numpy as np

from agreement import MISSING, Sign, signs_of_dependence
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.level_agreement import places_at
from reports.queries.label_tuples import labels_in_order


@computed_of_labels
def suspicions(report: AgreementReport) -> tuple[tuple[Sign, int | None], ...]:
    """Patterns of repeated or equal labels that independent volunteers would hardly produce.

    Labels are compared at the level of the report; a run has the id of its first issue. () if columns are not
    volunteers. A full study takes a second or two, so the page shows this on request. Two queries.
    """
    if not report.columns:
        return ()
    places = np.append(places_at(report.codebook, report.level), np.int32(MISSING))
    found = labels_in_order(report.round, report.codebook, report.blind, had_looks=report.had_looks)
    signs = signs_of_dependence(
        {path: (places[one.codes], places[one.decided]) for path, one in found.items()}
    )
    return tuple(
        (sign, None if sign.first is None else found[sign.part].issues[sign.first]) for sign in signs
    )
