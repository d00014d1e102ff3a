"""The labels of several rounds at once, as the agreement report counts those of one."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime

import numpy as np
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from annotate.agreement import MISSING
from annotate.models import Round, RoundVolunteer
from annotate.queries.agreement import Tuples
from annotate.queries.rounds import reveals_complete_issues
from annotate.queries.withheld import Held, seen_sql
from taxonomy.queries import Codebook

# Whose the labels are is asked of crossed rounds alone: elsewhere no two volunteers are compared.
_GROUPED = """
    SELECT l.round_id, l.labels, CASE WHEN l.round_id = ANY(%(crossed)s) THEN l.whose END, count(*)
    FROM (
        SELECT round_id, issue_id, array_agg(category_id ORDER BY volunteer_id) AS labels,
               array_agg(volunteer_id ORDER BY volunteer_id) AS whose
        FROM annotate_label WHERE round_id = ANY(%(rounds)s) AND NOT surplus GROUP BY round_id, issue_id
    ) l
    JOIN annotate_roundissue c
      ON c.round_id = l.round_id AND c.issue_id = l.issue_id AND c.completed_at IS NOT NULL AND {seen}
    GROUP BY 1, 2, 3
"""
_RATERS = """
    SELECT l.round_id, count(DISTINCT l.volunteer_id) FROM annotate_label l
    JOIN annotate_roundissue c
      ON c.round_id = l.round_id AND c.issue_id = l.issue_id AND c.completed_at IS NOT NULL AND {seen}
    WHERE l.round_id = ANY(%(rounds)s) AND NOT l.surplus GROUP BY 1
"""


def comparable_rounds(round_: Round) -> list[Round]:
    """The other rounds of the study whose labels count and are revealed, or begin to be: those that label
    with the same taxonomy, in whatever version, but trainings; in the order in which they were opened.
    """
    rounds = Round.objects.filter(
        study=round_.study_id, version__taxonomy=round_.version.taxonomy_id, opened_at__isnull=False
    ).exclude(kind=Round.Kind.TRAINING)
    found = rounds.exclude(pk=round_.pk).select_related("version").order_by("opened_at", "pk")
    return [other for other in found if reveals_complete_issues(other)]


def tuples_of(rounds: Collection[Round], books: Mapping[int, Codebook], held: Held) -> dict[int, Tuples]:
    """`Tuples` of the complete, revealed issues of each of these rounds, by its id: labels and volunteers.

    Each is read with the codebook of its own version, by the identity of its categories. `rounds` are those
    of `comparable_rounds`; `held` is what is held back from the reader in any of them. Three queries.
    """
    at: datetime = timezone.now()
    crossed = [one.pk for one in rounds if one.allocation == Round.Allocation.CROSSED]
    seen, kept = seen_sql(held, "c.id", by="id")
    given = {"rounds": [one.pk for one in rounds], "crossed": crossed, **kept}
    rows: dict[int, list[tuple[list[int | None], list[int] | None, int]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(_GROUPED.format(seen=seen), given)
        for round_id, *row in cursor.fetchall():
            rows[round_id].append((row[0], row[1], row[2]))
        cursor.execute(_RATERS.format(seen=seen), given)
        raters: dict[int, int] = dict(cursor.fetchall())
    columns: dict[int, dict[int, str]] = defaultdict(dict)
    people = RoundVolunteer.objects.filter(round__in=rounds).order_by("round", "column")
    for round_id, member, name in people.values_list("round", "member", "member__pseudonym"):
        columns[round_id][member] = name
    return {
        one.pk: _tuples(
            rows[one.pk],
            books[one.version_id],
            columns[one.pk] if one.pk in crossed else {},
            raters.get(one.pk, 0),
            at,
        )
        for one in rounds
    }


def withheld_in(held: Held) -> dict[int, int]:
    """Round id to how many of its complete issues are held back. One query, none where nothing can be."""
    if held.query.is_empty():
        return {}
    counted = held.filter(completed_at__isnull=False).order_by().values("round").annotate(n=Count("pk"))
    return dict(counted.values_list("round", "n"))


def _tuples(
    rows: list[tuple[list[int | None], list[int] | None, int]],
    book: Codebook,
    columns: dict[int, str],
    raters: int,
    as_of: datetime,
) -> Tuples:
    place = {state.category_id: index for index, state in enumerate(book.states)}
    column = {member: index for index, member in enumerate(columns)}
    width = max([len(columns), *(len(labels) for labels, _whose, _count in rows)], default=0)
    codes = np.full((len(rows), width), MISSING, dtype=np.int32)
    for index, (labels, whose, _count) in enumerate(rows):
        at = [column[member] for member in whose] if whose else list(range(len(labels)))
        codes[index, at] = [MISSING if one is None else place.get(one, MISSING) for one in labels]
    open_labels = sum(labels.count(None) * count for labels, _whose, count in rows)
    nowhere = np.full(len(rows), MISSING)
    return Tuples(
        codes=codes,
        counts=np.array([count for _labels, _whose, count in rows], dtype=np.int64),
        decided=nowhere.astype(np.int32),
        repositories=nowhere.astype(np.int64),
        months=np.full(len(rows), ""),
        columns=tuple(columns.values()),
        raters=len(columns) or raters,
        left_out={"open_labels": open_labels} if open_labels else {},
        as_of=as_of,
    )
