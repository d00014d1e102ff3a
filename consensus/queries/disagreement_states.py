"""How many disagreements are in each state: open, on an agenda, decided."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from consensus import models
from consensus.queries.disagreement_filters import STATES, Narrowing, Split, found
from core.once import once_a_page
from rounds.models import Round
from rounds.queries.blindness import seen_by, seen_by_seats
from rounds.queries.categories import ShownCodebook
from studies.models import Membership, Study

StateCounts = Counter[str]
"""State to its number of disagreements."""


def tallies(rows: QuerySet[models.Disagreement]) -> dict[int, StateCounts]:
    """Round id to the number of these rows in each state, for rounds with any. One query. The statement runs
    the query of `rows` three times: pass a cheap one.
    """
    try:
        found, parameters = rows.order_by().values("round_id", "issue_id").query.sql_with_params()
    except EmptyResultSet:
        return {}
    # Open ones are the rest: settled and waiting disagreements are few, and in short indexes. A unanimous
    # decision follows from equal labels and never stands on a disagreement.
    query = f"""
    WITH found AS NOT MATERIALIZED ({found})
    SELECT every.round_id, every.n - coalesce(waiting.n, 0) - coalesce(settled.n, 0),
           coalesce(waiting.n, 0), coalesce(settled.n, 0)
    FROM (SELECT round_id, count(*) AS n FROM found GROUP BY round_id) every
    LEFT JOIN (
        SELECT round_id, count(*) AS n FROM found JOIN consensus_decision d USING (round_id, issue_id)
        WHERE d.superseded_at IS NULL AND NOT d.method = 'unanimous'
        GROUP BY round_id
    ) settled USING (round_id)
    LEFT JOIN (
        SELECT round_id, count(*) AS n FROM found JOIN consensus_agendaitem a USING (round_id, issue_id)
        WHERE a.released_at IS NULL AND NOT EXISTS (
            SELECT FROM consensus_decision d
            WHERE d.round_id = a.round_id AND d.issue_id = a.issue_id
              AND d.superseded_at IS NULL AND NOT d.method = 'unanimous'
        )
        GROUP BY round_id
    ) waiting USING (round_id)
    """
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return {
            round_id: Counter(dict(zip(STATES, counts, strict=True)))
            for round_id, *counts in cursor.fetchall()
        }


@once_a_page
def tally(round_: Round, member: Membership | None) -> StateCounts:
    """The number of disagreements in each state that this member may see. At most two queries."""
    rows = seen_by(models.Disagreement.objects.filter(round=round_), round_, member)
    return tallies(rows).get(round_.pk, Counter())


def rounds_with_open(study: Study, member: Membership) -> list[Round]:
    """The rounds of a study with open disagreements that this member may see, newest first. A training has
    none: its right labels are known. At most three queries.
    """
    opened = Round.objects.filter(study=study, opened_at__isnull=False)
    rounds = list(opened.exclude(kind=Round.Kind.TRAINING).order_by("-opened_at", "-pk"))
    counted = _tallies_seen(rounds, member)
    return [round_ for round_ in rounds if counted.get(round_.pk, Counter())["open"]]


def not_decided(rounds: Collection[Round], member: Membership) -> set[int]:
    """The ids of those among these rounds with disagreements that this member may see and that have no
    decision, whether they are on an agenda or not. A training has none. At most two queries.
    """
    among = [round_ for round_ in rounds if round_.kind not in Round.APART]
    counted = _tallies_seen(among, member) if among else {}
    return {id_ for id_, counts in counted.items() if counts["open"] or counts["agenda"]}


def _tallies_seen(rounds: Collection[Round], member: Membership) -> dict[int, StateCounts]:
    return tallies(seen_by_seats(models.Disagreement.objects.filter(round__in=rounds), [member]))


@once_a_page
def tallies_by_split(
    round_: Round, narrowing: Narrowing, member: Membership | None, *, book: ShownCodebook | None = None
) -> dict[Split, StateCounts]:
    """For each split the number of disagreements in each state, with every filter but `split` and `state`
    applied. One query besides those of `found`.
    """
    rows = found(round_, replace(narrowing, split=(), state=""), member, book=book)
    columns = ("round_id", "issue_id", "votes", "open_labels")
    try:
        query, parameters = rows.order_by().values(*columns).query.sql_with_params()
    except EmptyResultSet:
        return {}
    query = f"""
    SELECT found.votes, found.open_labels,
           count(*) FILTER (WHERE d.issue_id IS NULL AND a.issue_id IS NULL),
           count(*) FILTER (WHERE d.issue_id IS NULL AND a.issue_id IS NOT NULL),
           count(d.issue_id)
    FROM ({query}) found
    LEFT JOIN consensus_decision d
        ON d.round_id = found.round_id AND d.issue_id = found.issue_id
        AND d.superseded_at IS NULL AND NOT d.method = 'unanimous'
    LEFT JOIN consensus_agendaitem a
        ON a.round_id = found.round_id AND a.issue_id = found.issue_id AND a.released_at IS NULL
    GROUP BY 1, 2
    """
    tallied: dict[Split, StateCounts] = {}
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        for votes, open_labels, *counts in cursor.fetchall():
            split = (*votes, *[1] * open_labels)
            tallied.setdefault(split, Counter()).update(dict(zip(STATES, counts, strict=True)))
    return tallied
