"""The repeats of a drift check: what was planned, and what became of it."""

from dataclasses import dataclass

from reports.queries.label_tuples import revealed_sql, rows_of
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues, keeps_frozen
from studies.models import Membership

_COUNTED = """
    SELECT count(*), count(r.submitted_at)
    FROM annotate_repeat r
    JOIN rounds_roundissue c ON c.round_id = r.round_id AND c.issue_id = r.issue_id
    WHERE r.round_id = %(round)s AND ({revealed} OR c.was_completed_at IS NOT NULL) AND {seen}
"""


@dataclass(frozen=True)
class Repeats:
    """How many issues were to come to a volunteer a second time, and how many were `labelled` again. Only
    issues that were revealed count (`once_revealed`: a second look can be open), so the others are lost:
    their labels were revealed first.
    """

    planned: int
    labelled: int

    @property
    def lost(self) -> int:
        return self.planned - self.labelled


def repeats(
    round_: Round, blind: WithheldIssues = NOTHING, reader: Membership | None = None
) -> Repeats | None:
    """The repeats of a round, without those of `blind` issues, and of what the reader has yet to label; None
    without a drift check, or before an issue with a repeat is revealed. Two queries, none without a drift
    check.
    """
    if not round_.drift_percent:
        return None
    left = blind | keeps_frozen(round_, reader)
    [(planned, labelled)] = rows_of(_COUNTED, round_, left, revealed=revealed_sql(round_))
    return Repeats(planned, labelled) if planned else None
