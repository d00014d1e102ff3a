"""The first labels of a round in the order in which each volunteer gave them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agreement import MISSING
from reports.queries.label_tuples import looked_up, numbers_of
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues
from rounds.queries.first_labels import FormerCategories
from taxonomy.queries.codebooks import Codebook

_WAYS = """
    SELECT l.issue_id, l.volunteer_id, {category},
           row_number() OVER (PARTITION BY l.volunteer_id ORDER BY {at}, c.position) - 1
    FROM rounds_label l
    JOIN rounds_said s ON s.id = l.id {join_first}
    JOIN rounds_roundissue c ON c.round_id = l.round_id AND c.issue_id = l.issue_id
    WHERE l.round_id = %(round)s AND {complete} AND {seen}
"""


_AS_SAID = {"category": "coalesce(s.category_id, 0)", "at": "l.submitted_at", "join_first": ""}
_AS_FIRST = {
    "category": "CASE WHEN f.id IS NULL THEN coalesce(s.category_id, 0)"
    " ELSE coalesce(f.category_id, -f.gone_id, 0) END",
    "at": "t.submitted_at",
    "join_first": "LEFT JOIN rounds_first f ON f.id = l.id"
    " JOIN rounds_label t ON t.id = coalesce(f.label_id, s.label_id)",
}


@dataclass(frozen=True)
class Ways:
    """The labels of a round, an issue per row and a volunteer per column, with their order.

    `codes` [N, R] has places in `codebook.states`, -1 for a missing or an open label; `order` [N, R] is the
    place of each label in its volunteer's order of labelling, from 0, or -1 without a label.
    """

    volunteers: tuple[str, ...]
    codes: NDArray[np.int32]
    order: NDArray[np.int64]


def ways(round_: Round, codebook: Codebook, blind: WithheldIssues = NOTHING, *, had_looks: bool) -> Ways:
    """The first labels of the complete, revealed issues in the order in which each volunteer submitted them.

    Labels of the same time are in the order of the round. `had_looks`: the round had second
    looks. Two queries, and one more if first labels have former categories; memory grows with the labels.
    """
    volunteers = RoundVolunteer.objects.filter(round=round_).order_by("column")
    found = list(volunteers.values_list("member_id", "member__pseudonym"))
    rows = numbers_of(_WAYS, round_, blind, 4, **(_AS_FIRST if had_looks else _AS_SAID))
    if gone := {-one for one in rows[:, 2].tolist() if one < 0} if had_looks else ():
        for id_, former in FormerCategories(round_.version_id).of_gone(gone).items():
            rows[rows[:, 2] == -id_, 2] = former
    issues, row = np.unique(rows[:, 0], return_inverse=True)
    columns = {member: column for column, (member, _name) in enumerate(found)}
    column = looked_up(rows[:, 1], columns)
    codes = np.full((len(issues), len(found)), MISSING, dtype=np.int32)
    order = np.full((len(issues), len(found)), MISSING, dtype=np.int64)
    codes[row, column], order[row, column] = looked_up(rows[:, 2], codebook.places), rows[:, 3]
    return Ways(tuple(name for _member, name in found), codes, order)
