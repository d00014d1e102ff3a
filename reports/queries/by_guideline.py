"""The labels of a round by the version of the guideline that its volunteers labelled by."""

from collections import defaultdict
from typing import Any

import numpy as np

from agreement import MISSING, Coefficient, Patterns
from agreement.coefficients import coefficient
from agreement.tally import Tally
from reports.agreement_report import AgreementReport
from reports.level_agreement import places_at
from reports.queries.label_tuples import rows_of
from rounds.queries.first_labels import OVERRIDDEN, first_labels
from studies.models import Guideline

_BY_GUIDELINE = """
    SELECT given.number, {labels}, count(*)
    FROM rounds_roundissue c {join_first}
    JOIN (
        SELECT l.issue_id, max(g.number) AS number
        FROM rounds_label l LEFT JOIN studies_guideline g ON g.id = l.guideline_id
        WHERE l.round_id = %(round)s AND NOT l.surplus
        GROUP BY l.issue_id
        HAVING count(DISTINCT coalesce(g.number, 0)) = 1 AND max(g.number) IS NOT NULL
    ) given ON given.issue_id = c.issue_id
    WHERE c.round_id = %(round)s AND c.labels <> '' AND {complete} AND {seen}
    GROUP BY 1, 2
"""


def kappa_by_guideline(report: AgreementReport) -> dict[int, tuple[int, Coefficient]]:
    """By number of the guideline, in order: the issues whose labels were all given by it, and their Fleiss'
    kappa. {} if no guideline was published while the round was open.

    One query for an open or closed round that was not imported, and one that reads all labels if there was
    such a guideline; those of `first_labels` after second looks.
    """
    round_, book = report.round, report.codebook
    if round_.is_imported or round_.opened_at is None:
        return {}
    later = Guideline.objects.filter(study=round_.study_id, published_at__gt=round_.opened_at)
    if round_.closed_at:
        later = later.filter(published_at__lt=round_.closed_at)
    if not later.exists():
        return {}
    labels, join, given = "c.labels", "", dict[str, Any]()
    if report.had_looks:
        given = first_labels(round_.pk, round_.version_id).parameters
        labels, join = "coalesce(f.labels, c.labels)", OVERRIDDEN
    rows = rows_of(_BY_GUIDELINE, round_, report.blind, given, labels=labels, join_first=join)
    places = np.append(places_at(book, report.level), np.int32(MISSING))
    tuples: dict[int, list[tuple[list[int], int]]] = defaultdict(list)
    for number, text, count in rows:
        tuples[number].append(([book.places.get(int(one), MISSING) for one in text.split()], count))
    found = {}
    for number in sorted(tuples):
        width = max(len(codes) for codes, _count in tuples[number])
        table = np.full((len(tuples[number]), width), MISSING, dtype=np.int32)
        for row, (codes, _count) in enumerate(tuples[number]):
            table[row, : len(codes)] = codes
        counts = np.array([count for _codes, count in tuples[number]], dtype=np.int64)
        tally = Tally.of(Patterns(places[table], counts, len(book.at_level(report.level))))
        found[number] = tally.issues, coefficient("fleiss_kappa", tally)
    return found
