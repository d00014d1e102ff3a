"""Whether the labels of a report look as if they had been given independently."""

from dataclasses import dataclass

import numpy as np

from agreement import MISSING, Sign, signs_of_dependence
from reports.agreement_report import AgreementReport, computed_of_labels
from reports.level_agreement import places_at
from reports.queries.label_tuples import labels_in_order


@dataclass(frozen=True)
class Suspicion:
    """A sign that labels were not given independently; of a run, with the issue at which it begins."""

    sign: Sign
    issue_id: int | None


@computed_of_labels
def suspicions(report: AgreementReport) -> tuple[Suspicion, ...]:
    """What in the order and the equality of a round's labels independent labels would hardly show, at the
    report's level; () where columns are no volunteers.

    A second or two for a full study: asked for, not shown by itself. Two queries.
    """
    if not report.columns:
        return ()
    places = np.append(places_at(report.codebook, report.level), np.int32(MISSING))
    found = labels_in_order(report.round, report.codebook, report.blind)
    signs = signs_of_dependence(
        {path: (places[one.codes], places[one.decided]) for path, one in found.items()}
    )
    return tuple(
        Suspicion(sign, None if sign.first is None else found[sign.part].issues[sign.first]) for sign in signs
    )
