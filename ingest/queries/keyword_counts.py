"""What keyword lists found: issues by list, by term and by zone, and what a version changed in that."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from ingest.keywords import Term
from ingest.models import KeywordTerm
from ingest.queries.keywords import KeywordsAsked, as_term, lists_asked

_SEARCHED = """
    SELECT v.id, count(i.id) FILTER (WHERE i.current_id <= v.searched_to),
           count(i.id) FILTER (WHERE i.current_id > v.searched_to)
    FROM ingest_keywordlistversion v
    JOIN ingest_keywordlist l ON l.id = v.keyword_list_id
    JOIN ingest_repository r ON r.study_id = l.study_id
     AND (v.repositories = '[]' OR v.repositories @> to_jsonb(lower(r.host || '/' || r.path)))
    JOIN ingest_issue i ON i.repository_id = r.id
    WHERE v.id = ANY(%(versions)s)
    GROUP BY v.id
"""

# By the index of current texts: mostly nothing waits, and nothing is read.
_WAITING = """
    SELECT coalesce(max(waiting), 0) FROM (
        SELECT count(*) AS waiting
        FROM ingest_keywordlistversion v
        JOIN ingest_keywordlist l ON l.id = v.keyword_list_id
        JOIN ingest_issue i ON i.current_id > v.searched_to
        JOIN ingest_repository r ON r.id = i.repository_id AND r.study_id = l.study_id
         AND (v.repositories = '[]' OR v.repositories @> to_jsonb(lower(r.host || '/' || r.path)))
        WHERE v.id = ANY(%(versions)s)
        GROUP BY v.id
    ) lists
"""

_FOUND = """
    SELECT version_id, count(*) FILTER (WHERE counts), count(*) FILTER (WHERE NOT counts)
    FROM (
        SELECT t.version_id, f.snapshot_id, bool_or(f.title + f.prose + f.code > 0) AS counts
        FROM ingest_keywordterm t
        JOIN ingest_termfind f ON f.term_id = t.id
        JOIN ingest_issue i ON i.current_id = f.snapshot_id
        WHERE t.version_id = ANY(%(versions)s)
        GROUP BY t.version_id, f.snapshot_id
    ) texts
    GROUP BY version_id
"""

_TERMS = """
    SELECT term_id, count(*) FILTER (WHERE counts), count(*) FILTER (WHERE title > 0),
           count(*) FILTER (WHERE prose > 0), count(*) FILTER (WHERE code > 0),
           count(*) FILTER (WHERE NOT counts), count(*) FILTER (WHERE counts AND others = 1),
           sum(title + prose + code)
    FROM (
        SELECT f.term_id, f.title, f.prose, f.code, f.title + f.prose + f.code > 0 AS counts,
               count(*) FILTER (WHERE f.title + f.prose + f.code > 0)
                   OVER (PARTITION BY f.snapshot_id) AS others
        FROM ingest_keywordterm t
        JOIN ingest_termfind f ON f.term_id = t.id
        JOIN ingest_issue i ON i.current_id = f.snapshot_id
        WHERE t.version_id = %(version)s
    ) finds
    GROUP BY term_id
"""

# Only texts that both versions have been searched in can tell what the later one changed.
_CHANGED = """
    WITH pair AS (
        SELECT later.id AS later, former.id AS former, least(later.searched_to, former.searched_to) AS upto
        FROM ingest_keywordlistversion later
        JOIN ingest_keywordlistversion former
          ON former.keyword_list_id = later.keyword_list_id AND former.number = later.number - 1
        WHERE later.id = ANY(%(versions)s)
    ), found AS MATERIALIZED (
        SELECT DISTINCT t.version_id, f.snapshot_id
        FROM ingest_keywordterm t
        JOIN ingest_termfind f ON f.term_id = t.id AND f.title + f.prose + f.code > 0
        JOIN ingest_issue i ON i.current_id = f.snapshot_id
        WHERE t.version_id IN (SELECT later FROM pair UNION SELECT former FROM pair)
    )
    SELECT later, count(*) FILTER (WHERE NOT was), count(*) FILTER (WHERE NOT is_now)
    FROM (
        SELECT pair.later, found.snapshot_id, bool_or(found.version_id = pair.later) AS is_now,
               bool_or(found.version_id = pair.former) AS was
        FROM pair
        JOIN found ON found.version_id IN (pair.later, pair.former) AND found.snapshot_id <= pair.upto
        WHERE pair.upto > 0
        GROUP BY pair.later, found.snapshot_id
    ) texts
    GROUP BY later
"""


@dataclass(frozen=True)
class ListCounts:
    """Issues of the repositories that a version of a list names: `searched` in their current text, `found`,
    `masked` (terms only where they do not count), and `unsearched`, which have a text that waits.
    """

    searched: int = 0
    unsearched: int = 0
    found: int = 0
    masked: int = 0


@dataclass(frozen=True)
class TermCounts:
    """The issues whose current text has a term: where it counts (`issues`), in each zone, only where it does
    not count (`masked`), and without any other term of the version (`alone`). `hits`: occurrences in all.
    """

    id: int
    position: int
    term: Term
    issues: int = 0
    title: int = 0
    prose: int = 0
    code: int = 0
    masked: int = 0
    alone: int = 0
    hits: int = 0


@dataclass(frozen=True)
class ChangedFinds:
    """The issues that a version finds and the one before did not, and the other way round."""

    gained: int = 0
    lost: int = 0


def list_counts(versions: Sequence[int]) -> dict[int, ListCounts]:
    """The numbers of each of these versions. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(_SEARCHED, {"versions": list(versions)})
        searched = {version: numbers for version, *numbers in cursor.fetchall()}
        cursor.execute(_FOUND, {"versions": list(versions)})
        found = {version: numbers for version, *numbers in cursor.fetchall()}
    return {one: ListCounts(*searched.get(one, (0, 0)), *found.get(one, (0, 0))) for one in versions}


def unsearched(study_id: int, asked: KeywordsAsked) -> int:
    """How many issues the list with most to search among those asked has still to be searched in; 0 if no
    keywords are asked. Two queries, and at most two more.
    """
    if not asked:
        return 0
    versions = [terms.version for terms in lists_asked(study_id, asked.keyword_list)]
    with connection.cursor() as cursor:
        cursor.execute(_WAITING, {"versions": versions})
        [waiting] = cursor.fetchone()
    return int(waiting)


def term_counts(version: int) -> list[TermCounts]:
    """The terms of a version with their numbers, in the order of the list. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(_TERMS, {"version": version})
        found = {term: numbers for term, *numbers in cursor.fetchall()}
    return [
        TermCounts(one.pk, one.position, as_term(one), *map(int, found.get(one.pk, ())))
        for one in KeywordTerm.objects.filter(version=version).order_by("position")
    ]


def changed_finds(versions: Sequence[int]) -> dict[int, ChangedFinds]:
    """What each of these versions gained and lost against the version before it, in texts that both have been
    searched in. One query.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CHANGED, {"versions": list(versions)})
        changed = {version: ChangedFinds(*numbers) for version, *numbers in cursor.fetchall()}
    return {version: changed.get(version, ChangedFinds()) for version in versions}
