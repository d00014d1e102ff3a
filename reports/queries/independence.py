"""Signs that the labels of a report are not independent, and who among the volunteers led the study."""

from typing import Any

import numpy as np

from agreement import MISSING, Sign, signs_of_dependence
from reports.agreement_report import AgreementReport, computed_once
from reports.level_agreement import places_at
from reports.queries.label_tuples import labels_in_order
from rounds.models import RoundVolunteer
from studies.models import Role

Signs = tuple[tuple[Sign, int | None], ...]
"""Each sign with the id of its first issue, if it is about a run."""

QUICK = 3000
"""Up to this number of issues a page waits for the search; which takes a tenth of a second at most."""
MOST_KEPT = 32
_kept: dict[Any, Signs] = {}


def suspicions(report: AgreementReport) -> Signs:
    """Patterns of repeated or equal labels that independent volunteers would hardly produce.

    Labels are compared at the level of the report. () if columns are not volunteers. This process keeps the
    signs until the labels change. A full study takes about a second. Two queries; none for kept signs.
    """
    found = suspicions_at_hand(report)
    if found is None:
        found = _search(report)
        if report.numbers.labels.edition:
            _kept[_key(report)] = found
            while len(_kept) > MOST_KEPT:
                _kept.pop(next(iter(_kept)), None)
    return found


def suspicions_at_hand(report: AgreementReport) -> Signs | None:
    """The signs if they are kept, or if nothing can be searched; else None."""
    return _kept.get(_key(report)) if report.columns else ()


def suspicions_for_page(report: AgreementReport) -> Signs | None:
    """The signs; None if a page would have to wait for them."""
    return suspicions(report) if report.complete <= QUICK else suspicions_at_hand(report)


def _key(report: AgreementReport) -> Any:
    """Labels without an edition equal only themselves, so nothing is kept of them."""
    return report.numbers.labels, report.codebook, report.level


def _search(report: AgreementReport) -> Signs:
    places = np.append(places_at(report.codebook, report.level), np.int32(MISSING))
    found = labels_in_order(report.round, report.codebook, report.blind, had_looks=report.had_looks)
    signs = signs_of_dependence(
        {path: (places[one.codes], places[one.decided]) for path, one in found.items()}
    )
    return tuple(
        (sign, None if sign.first is None else found[sign.part].issues[sign.first]) for sign in signs
    )


@computed_once
def leading_volunteers(report: AgreementReport) -> list[str]:
    """The pseudonyms of the round's volunteers who are owners or leads of the study. One query."""
    seats = RoundVolunteer.objects.filter(round=report.round, member__role__in=(Role.OWNER, Role.LEAD))
    return list(seats.order_by("column").values_list("member__pseudonym", flat=True))
