"""Whether the labels of a report look as if they had been given independently."""

import numpy as np

from agreement import MISSING, Sign, signs_of_dependence
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.level_agreement import places_at
from reports.queries.label_tuples import labels_in_order


@computed_of_labels
def suspicions(report: AgreementReport) -> tuple[tuple[Sign, int | None], ...]:
    """Patterns in the order or the sameness of labels that independent volunteers would hardly produce.

    At the level of the report; a run comes with the id of its first issue. () where columns are no
    volunteers. It takes a second or two for a full study, so the page shows it on request. Two queries.
    """
    if not report.columns:
        return ()
    places = np.append(places_at(report.codebook, report.level), np.int32(MISSING))
    found = labels_in_order(report.round, report.codebook, report.blind)
    signs = signs_of_dependence(
        {path: (places[one.codes], places[one.decided]) for path, one in found.items()}
    )
    return tuple(
        (sign, None if sign.first is None else found[sign.part].issues[sign.first]) for sign in signs
    )
