"""Groups the labels of one round in PostgreSQL: distinct tuples with their counts, as columns of numbers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from rounds.queries.first_labels import OVERRIDDEN, FirstLabels

Ints = NDArray[np.int64]

PARTS = 2
"""The number of parts of the issues that are grouped in parallel, if the database has free processes."""

# The row of an issue (rounds.models.RoundIssue) has the categories of its labels and its decision. Each part
# is one row of text: a row per tuple would cost Python more than everything else.
_PART = """
    SELECT string_agg(labels, ' '),
           string_agg(whose, ' '),
           string_agg(
             concat_ws(' ', cardinality(string_to_array(labels, ' ')), decided, coalesce(repository, 0),
                       coalesce(month::date - DATE '1970-01-01', 0), issues), ' '
           ) FILTER (WHERE labels IS NOT NULL),
           string_agg(
             concat_ws(' ', repository, coalesce(year, 0), decided, issues), ' '
           ) FILTER (WHERE labels IS NULL)
    FROM (
        SELECT labels, whose, decided, repository, year, month, count(*) AS issues
        FROM (
            SELECT {labels} AS labels, {whose} AS whose, c.decided, {month} AS month,
                   {repository} AS repository, {year} AS year
            FROM rounds_roundissue c {join_issue} {join_first}
            WHERE c.round_id = %(round)s AND c.issue_id {within} AND c.labels <> ''
              AND {complete} AND {seen} {but}
        ) issue
        GROUP BY GROUPING SETS ({sets})
    ) tuple
"""
_JOIN_ISSUE = "JOIN ingest_issue i ON i.id = c.issue_id AND i.id {within}"
_MONTH = "date_trunc('month', {at} AT TIME ZONE 'UTC')"
_FIRST_AT = "coalesce(c.first_revealed_at, c.completed_at)"
_BUT = "AND NOT EXISTS (SELECT FROM unnest(%(without)s::bigint[]) w (id) WHERE w.id = c.issue_id)"

# PostgreSQL does not group so many tuples in parallel, but it runs the parts of a UNION ALL in parallel if no
# part is parallel itself. It underestimates the issues of a large round, and would look up each issue in a
# nested loop.
_PLAN = {
    "enable_nestloop": "off",
    "min_parallel_table_scan_size": "'1TB'",
    "min_parallel_index_scan_size": "'1TB'",
}
_PLANNED = "".join(f"SET LOCAL {name} = {value}; " for name, value in _PLAN.items())
_AS_USUAL = "; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _PLAN)


@dataclass(frozen=True)
class GroupedBy:
    """The keys to group labels by, beside the decided category; `by_year` fills `Grouped.issues`."""

    by_repository: bool = False
    by_month: bool = False
    by_year: bool = False
    whose: bool = False


NOTHING_MORE = GroupedBy()


@dataclass(frozen=True)
class Grouped:
    """Label tuples with their counts; a tuple can occur once in each part of the issues.

    Tuple p has `sizes[p]` labels: `labels` lists the category ids and `whose` the volunteer ids of one tuple
    after another, each tuple in the order of volunteer ids. `decided` [P] and `repositories` [P] are ids,
    `months` [P] is the month (UTC) of completion. For an open label, a missing or an unrequested value the id
    is 0 and the month NaT. `issues` [N, 4]: repository, year, decided category, count.
    """

    labels: Ints
    whose: Ints
    sizes: Ints
    decided: Ints
    repositories: Ints
    months: NDArray[np.datetime64]
    counts: Ints
    issues: Ints


def grouped(
    round_: int,
    ids: tuple[int, int],
    asked: GroupedBy,
    *,
    complete: str,
    seen: str = "true",
    kept: Mapping[str, Any] = MappingProxyType({}),
    without: Collection[int] = (),
    first: FirstLabels | None = None,
) -> Grouped:
    """Group the labels of the round, whose issues have ids from `ids[0]` to `ids[1]`, inside a transaction.
    One query, and another query that resets the planner's settings for the rest of the transaction.

    `complete` and `seen` are conditions on an issue `c` of the round, with the parameters `kept`; `without`
    has the ids of issues to leave out. `first`: the first labels, to read instead of the present ones.
    """
    is_joined = asked.by_repository or asked.by_year
    key = ", ".join(
        ["labels", "whose", "decided", "month"]
        + ["repository"] * (asked.by_repository or not asked.by_year)
        + ["year"] * (not asked.by_year)
    )
    parts = [
        _PART.format(
            repository="i.repository_id" if is_joined else "NULL::bigint",
            year="i.year" if asked.by_year else "NULL::int",
            month=_MONTH.format(at=_FIRST_AT if first else "c.completed_at")
            if asked.by_month
            else "NULL::timestamp",
            labels="coalesce(f.labels, c.labels)" if first else "c.labels",
            join_first=OVERRIDDEN if first else "",
            whose="c.whose" if asked.whose else "NULL::text",
            join_issue=_JOIN_ISSUE.format(within=within) if is_joined else "",
            sets=f"({key}), (repository, year, decided)" if asked.by_year else f"({key})",
            within=within,
            complete=complete,
            seen=seen,
            but=_BUT if without else "",
        )
        for within in _within(*ids)
    ]
    with connection.cursor() as cursor:
        given = {"round": round_, "without": list(without), **kept, **(first.parameters if first else {})}
        cursor.execute(_PLANNED + " UNION ALL ".join(parts), given)
        labels, whose, tuples, issues = map(_numbers, zip(*cursor.fetchall(), strict=True))
        cursor.execute(_AS_USUAL)
    sizes, decided, repositories, days, counts = tuples.reshape(-1, 5).T
    months = days.astype("datetime64[D]").astype("datetime64[M]")
    if not asked.by_month:
        months = np.full(len(days), "NaT", dtype="datetime64[M]")
    return Grouped(labels, whose, sizes, decided, repositories, months, counts, issues.reshape(-1, 4))


def _within(first: int, last: int) -> list[str]:
    bounds = [first + (last + 1 - first) * part // PARTS for part in range(PARTS + 1)]
    return [f"BETWEEN {start} AND {end - 1}" for start, end in pairwise(bounds)]


def _numbers(texts: Iterable[str | None]) -> Ints:
    return np.fromstring(" ".join(filter(None, texts)), dtype=np.int64, sep=" ")
