"""The labels of one round grouped by PostgreSQL: distinct tuples with their counts, as columns of numbers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection
from numpy.typing import NDArray

Ints = NDArray[np.int64]

PARTS = 2
"""So many parts of the issues are grouped at once, if the database has a process to spare for each."""

# What an issue's labels and decision say stands on its row (rounds.models.RoundIssue). Each part is one row
# of text: a row per tuple would cost Python more than all else.
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
            SELECT c.labels, {whose} AS whose, c.decided, {month} AS month, {repository} AS repository,
                   {year} AS year
            FROM rounds_roundissue c {join_issue}
            WHERE c.round_id = %(round)s AND c.issue_id {within} AND c.labels <> ''
              AND {complete} AND {seen} {but}
        ) issue
        GROUP BY GROUPING SETS ({sets})
    ) tuple
"""
_JOIN_ISSUE = "JOIN ingest_issue i ON i.id = c.issue_id AND i.id {within}"
_MONTH = "date_trunc('month', c.completed_at AT TIME ZONE 'UTC')"
_BUT = "AND NOT EXISTS (SELECT FROM unnest(%(without)s::bigint[]) w (id) WHERE w.id = c.issue_id)"

# PostgreSQL shares a grouping of so many tuples with no other process, but of a UNION ALL each takes a part,
# as long as no part is shared itself. Of a large round it expects fewer issues than there are, and would look
# each of them up.
_PLAN = {
    "enable_nestloop": "off",
    "min_parallel_table_scan_size": "'1TB'",
    "min_parallel_index_scan_size": "'1TB'",
}
_PLANNED = "".join(f"SET LOCAL {name} = {value}; " for name, value in _PLAN.items())
_AS_USUAL = "; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _PLAN)


@dataclass(frozen=True)
class GroupedBy:
    """What labels are grouped by, beside the decided category; `by_year` gives `Grouped.issues`."""

    by_repository: bool = False
    by_month: bool = False
    by_year: bool = False
    whose: bool = False


NOTHING_MORE = GroupedBy()


@dataclass(frozen=True)
class Grouped:
    """Label tuples with their counts; a tuple comes once in each part of the issues that it occurs in.

    Tuple p has `sizes[p]` labels: so many ids of categories in `labels`, and of volunteers in `whose`, one
    tuple after another, each in the order of the volunteers' ids. `decided` [P] and `repositories` [P] are
    ids, `months` [P] the month (UTC) of completion. Of an open label, where there is none, and where it was
    not asked for, an id is 0 and a month NaT. `issues` [N, 4]: repository, year, decided category, count.
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
) -> Grouped:
    """Group the labels of the round whose issues have ids from `ids[0]` to `ids[1]`. To be called in a
    transaction. One query, and one after which the transaction goes on as it was.

    `complete` and `seen` are conditions on an issue `c` of the round, `kept` their parameters; `without` ids
    of issues to leave out.
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
            month=_MONTH if asked.by_month else "NULL::timestamp",
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
        given = {"round": round_, "without": list(without), **kept}
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
