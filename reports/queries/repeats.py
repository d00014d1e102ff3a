"""The repeats of a drift check: what was planned, and what became of it."""

from dataclasses import dataclass

from reports.queries.label_tuples import revealed_sql, rows_of
from rounds.models import Round
from rounds.queries.blindness import NOTHING, WithheldIssues

_COUNTED = """
    SELECT count(*), count(r.submitted_at)
    FROM annotate_repeat r
    JOIN rounds_roundissue c ON c.round_id = r.round_id AND c.issue_id = r.issue_id
    WHERE r.round_id = %(round)s AND {revealed} AND {seen}
"""


@dataclass(frozen=True)
class Repeats:
    """How many issues were to come to a volunteer a second time, and how many were `labelled` again. Only
    revealed issues count, so the others are lost: their labels were revealed first.
    """

    planned: int
    labelled: int

    @property
    def lost(self) -> int:
        return self.planned - self.labelled


def repeats(round_: Round, blind: WithheldIssues = NOTHING) -> Repeats | None:
    """The repeats of a round, without those of `blind` issues; None without a drift check, or before an issue
    with a repeat is revealed. One query, none without a drift check.
    """
    if not round_.drift_percent:
        return None
    [(planned, labelled)] = rows_of(_COUNTED, round_, blind, revealed=revealed_sql(round_))
    return Repeats(planned, labelled) if planned else None
