"""The labels of a round as distinct tuples with their counts: the source of the agreement report."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from agreement import MISSING
from core import clock
from ingest.queries.issues import NAMES
from reports.queries.label_tuples_sql import NOTHING_MORE, GroupedBy, grouped
from rounds.models import Round, RoundVolunteer
from rounds.queries.blindness import NOTHING, WithheldIssues, seen_sql
from rounds.queries.first_labels import FOLLOWED, OVERRIDDEN, FormerCategories, choosable, first_labels
from rounds.queries.rounds import reveals_complete_issues
from taxonomy.models import CategoryState
from taxonomy.queries.codebooks import Codebook

REASONS = ("incomplete_issues", "labels_of_incomplete_issues", "surplus_labels")
"""Reasons to leave something out of a report while the round continues: issues that lack labels, the labels
of such issues, surplus labels. No number depends on these. `open_labels` are left out too.
"""

AGAIN = "second_look_labels"
"""The reason for labels that were given again after the reveal: no number of the first labels has them."""

_COMPLETE = "c.completed_at IS NOT NULL"


def _complete(round_: Round) -> str:
    """The condition that an issue `c` is complete and revealed: no other issue is ever counted."""
    return _COMPLETE if reveals_complete_issues(round_) else "false"


# First the counts of what is left out, in the order of REASONS, and the first and last issue. Then facts that
# show every possible change of the tuples: labels of revealed issues never change, but decisions are added or
# superseded, and the year of an issue is filled in once.
_FACTS = """
    SELECT i.issues - i.complete, l.labels, s.surplus, i.first, i.last, i.issues, i.finished, i.finished_at,
           d.*, y.years, {followed}, EXISTS (SELECT FROM rounds_round WHERE of_id = %(round)s)
    FROM
        (SELECT count(*) AS issues, count(*) FILTER (WHERE {complete}) AS complete, min(issue_id) AS first,
                max(issue_id) AS last, count(completed_at) AS finished, max(completed_at) AS finished_at
         FROM rounds_roundissue c WHERE round_id = %(round)s) i,
        (SELECT count(*) AS labels FROM rounds_label l
         JOIN rounds_roundissue c ON c.round_id = l.round_id AND c.issue_id = l.issue_id
         WHERE l.round_id = %(round)s AND NOT l.surplus AND NOT ({complete})) l,
        (SELECT count(*) AS surplus FROM rounds_label WHERE round_id = %(round)s AND surplus) s,
        (SELECT count(*), count(superseded_at), max(id), max(decided_at), max(superseded_at)
         FROM consensus_decision WHERE round_id = %(round)s) d,
        (SELECT count(i.year) AS years FROM ingest_repository r JOIN ingest_issue i ON i.repository_id = r.id
         WHERE r.study_id = %(study)s) y
""".replace("{followed}", FOLLOWED.format(round="%(round)s"))

# A volunteer's labels are in the order of time, so EXISTS soon finds a label that counts.
_RATERS = """
    SELECT count(*) FROM rounds_roundvolunteer v WHERE v.round_id = %(round)s AND EXISTS (
        SELECT FROM rounds_label l
        JOIN rounds_roundissue c ON c.round_id = l.round_id AND c.issue_id = l.issue_id AND {complete}
        WHERE l.round_id = v.round_id AND l.volunteer_id = v.member_id AND NOT l.surplus AND {seen}
    )
"""


@dataclass(frozen=True)
class Edition:
    """Everything that the tuples of a round depend on: equal editions have equal tuples.

    `ids` are the first and the last id of its issues. `facts` has the numbers of complete, decided and dated
    issues, and the latest times and ids. `is_first`: some issues may have other labels now, and their first
    labels are read. `has_followed`: first labels may be of several versions.
    """

    round: int
    version: int
    depth: int
    is_crossed: bool
    is_revealed: bool
    labels_per_issue: int
    volunteers: tuple[tuple[int, str], ...]
    left_out: tuple[int, ...]
    asked: GroupedBy = NOTHING_MORE
    ids: tuple[int, int] = (0, 0)
    facts: tuple[object, ...] = ()
    is_first: bool = False
    has_followed: bool = False


@dataclass(frozen=True, eq=False)
class Tuples:
    """Label tuples of the complete, revealed issues of a round at one moment; a tuple can occur twice.

    These are the first labels, or on request the present ones. `book` is the given codebook, with the former
    categories of first labels after its own. `choosable` has the categories that first labels could be, by
    their ids, if these are not all of the round's version. `again` labels of `looked_at_again` issues were
    given again in a second look after the reveal; first labels leave these out.

    `codes` [P, R] has places in `book.states`, a column per volunteer in the round's order (k of n: per
    slot), -1 for a missing or an open label. `counts` [P] is the number of issues. `decided` [P] is the place
    of the decided category, -1 for none. If requested, `repositories` [P] has the id of the repository, else
    0, `months` [P] has the month (UTC) of the last label, else NaT, and `issues` counts all these issues by
    repository, year and decided category: (id, year or None, place or -1, count).
    Tuples of the same `edition` are equal; without an edition (withheld issues) they equal only themselves.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    decided: NDArray[np.int32]
    repositories: NDArray[np.int64]
    months: NDArray[np.datetime64]
    columns: tuple[str, ...]
    raters: int
    left_out: dict[str, int]
    as_of: datetime
    issues: tuple[tuple[int, int | None, int, int], ...] = ()
    edition: Edition | None = None
    book: Codebook | None = None
    again: int = 0
    looked_at_again: int = 0
    had_looks: bool = False
    choosable: Mapping[int, CategoryState] | None = None

    def __eq__(self, other: object) -> bool:
        if self.edition is None or not isinstance(other, Tuples):
            return self is other
        return self.edition == other.edition

    def __hash__(self) -> int:
        return id(self) if self.edition is None else hash(self.edition)


def tuples(
    round_: Round,
    codebook: Codebook,
    *,
    without: Collection[int] = (),
    blind: WithheldIssues = NOTHING,
    by_repository: bool = False,
    by_month: bool = False,
    by_year: bool = False,
    present: bool = False,
) -> Tuples:
    """Group the issues in SQL: a statement for the tuples, one for the volunteers, one for the edition with
    what is left out. One more if volunteers came or left in a crossed round, or for k of n, those of
    `first_labels` if the round had a second look, and those of `choosable` if it followed a version.

    In each part that the database groups, 27 million labels give a row per distinct combination of tuple,
    decided category and, if requested, repository and month: memory does not grow with the issues.
    `without`: ids of issues to leave out. `blind`: withheld issues, left out too. Without both, this process
    caches recent results; the statement for the edition tells whether they are still valid. `present`: the
    labels as they are now, after second looks.
    """
    given: dict[str, Any] = {"round": round_.pk, "study": round_.study_id}
    alone = not connection.in_atomic_block
    with transaction.atomic(), connection.cursor() as cursor:
        if alone:
            # All statements see one snapshot; inside a transaction of the caller, the caller decides this.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT now()")
        (as_of,) = cursor.fetchone()
        volunteers = RoundVolunteer.objects.filter(round=round_).order_by("column")
        cursor.execute(_FACTS.format(complete=_complete(round_)), given)
        left, labels, surplus, first, last, *facts, followed, had_looks = cursor.fetchone()
        edition = Edition(
            round=round_.pk,
            version=round_.version_id,
            depth=round_.depth,
            is_crossed=round_.allocation == Round.Allocation.CROSSED,
            is_revealed=reveals_complete_issues(round_),
            labels_per_issue=round_.labels_per_issue,
            volunteers=tuple(volunteers.values_list("member_id", "member__pseudonym")),
            left_out=(left, labels, surplus),
            asked=GroupedBy(by_repository, by_month, by_year),
            ids=(first or 0, last or 0),
            facts=tuple(facts),
            is_first=had_looks and not present,
            has_followed=bool(followed) and not present,
        )
        if without or not blind.query.is_empty():
            found = _grouped.__wrapped__(edition, codebook, *seen_sql(blind, "c.issue_id"), without)
            return replace(found, as_of=as_of, edition=None)
        return replace(_grouped(edition, codebook), as_of=as_of)


@lru_cache(maxsize=16)
def _grouped(
    edition: Edition,
    codebook: Codebook,
    seen: str = "true",
    kept: Mapping[str, Any] = MappingProxyType({}),
    without: Collection[int] = (),
) -> Tuples:
    """The tuples of an edition. `seen` and `kept`: the condition on issues, and its parameters."""
    crossed, raters = edition.is_crossed, len(edition.volunteers)
    complete = _COMPLETE if edition.is_revealed else "false"
    shown: dict[str, Any] = {"complete": complete, "seen": seen, "kept": kept, "without": without}
    asked, again = edition.asked, list[int]()
    if edition.is_first:
        # No issue of `without` counts as left out here: who asks adds these labels.
        but = f"{complete} AND {seen} AND NOT c.issue_id = ANY(%(without)s::bigint[])"
        given = {**kept, "without": list(without)}
        first = first_labels(edition.round, edition.version, but, given)
        shown["first"] = first if first.rows else None
        codebook = first.former.beside(codebook)
        again = [count for count in first.again.values() if count]
    could_be: Mapping[int, CategoryState] | None = None
    if edition.has_followed and edition.is_revealed:
        # Of issues of `without` too: who asks adds these labels.
        of_round = {edition.round: (edition.version, edition.depth)}
        could_be = choosable(of_round, seen, kept, had_looks=edition.is_first).get(edition.round)
    found = grouped(edition.round, edition.ids, asked, **shown)
    if crossed and (found.sizes != raters).any():
        # A volunteer came or left during the round: only then the query also reads the labels' authors.
        asked = replace(asked, whose=True)
        found = grouped(edition.round, edition.ids, asked, **shown)
    if not crossed:
        with connection.cursor() as cursor:
            cursor.execute(_RATERS.format(complete=complete, seen=seen), {"round": edition.round, **kept})
            (raters,) = cursor.fetchone()
    columns = {member: column for column, (member, _name) in enumerate(edition.volunteers)}
    # Labels come in the order of the members' ids, columns in the round's order.
    nth = np.arange(len(found.labels)) - np.repeat(np.cumsum(found.sizes) - found.sizes, found.sizes)
    if asked.whose:
        column: NDArray[np.integer] = looked_up(found.whose, columns)
    elif crossed:
        column = np.array([columns[member] for member in sorted(columns)], dtype=np.int64)[nth]
    else:
        column = nth
    width = len(columns) if crossed else int(found.sizes.max(initial=edition.labels_per_issue))
    codes = np.full((len(found.sizes), width), MISSING, dtype=np.int32)
    row = np.repeat(np.arange(len(found.sizes)), found.sizes)
    codes[row, column] = looked_up(found.labels, codebook.places)
    left_out = dict(zip(REASONS, edition.left_out, strict=True))
    left_out["open_labels"] = int(found.counts[row[found.labels == 0]].sum())
    left_out[AGAIN] = sum(again)
    return Tuples(
        codes=codes,
        counts=found.counts,
        decided=looked_up(found.decided, codebook.places),
        repositories=found.repositories,
        months=found.months,
        columns=tuple(name for _member, name in edition.volunteers) if crossed else (),
        raters=raters,
        left_out={reason: count for reason, count in left_out.items() if count},
        as_of=clock.now(),
        issues=tuple(
            (repository, year or None, codebook.places.get(decided, MISSING), count)
            for repository, year, decided, count in found.issues.tolist()
        ),
        edition=edition,
        book=codebook,
        again=sum(again),
        looked_at_again=len(again),
        had_looks=edition.is_first,
        choosable=could_be,
    )


def looked_up(ids: NDArray[np.int64], places: Mapping[int, int]) -> NDArray[np.int32]:
    """The place of each id, -1 for an unknown id."""
    if not places:
        return np.full(len(ids), MISSING, dtype=np.int32)
    known = np.array(sorted(places), dtype=np.int64)
    at = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    found = np.array([places[id_] for id_ in known.tolist()], dtype=np.int32)
    return np.where(known[at] == ids, found[at], np.int32(MISSING))


def rows_of(
    statement: str,
    round_: Round,
    blind: WithheldIssues,
    parameters: Mapping[str, Any] = MappingProxyType({}),
    **parts: str,
) -> list[Any]:
    """The rows of a statement on this round; `{seen}` in it becomes the condition against `blind` issues."""
    with connection.cursor() as cursor:
        cursor.execute(*_given(statement, round_, blind, parameters, parts))
        rows: list[Any] = cursor.fetchall()
    return rows


def numbers_of(
    statement: str, round_: Round, blind: WithheldIssues, width: int, **parts: str
) -> NDArray[np.int64]:
    """The rows of such a statement that selects so many whole numbers. They are read piece by piece: as rows
    of Python they would take ten times the memory.
    """
    with connection.chunked_cursor() as cursor:
        cursor.execute(*_given(statement, round_, blind, {}, parts))
        pieces = [np.array(rows, dtype=np.int64) for rows in iter(lambda: cursor.fetchmany(2000), [])]
    return np.concatenate([np.empty((0, width), dtype=np.int64), *pieces])


def _given(
    statement: str,
    round_: Round,
    blind: WithheldIssues,
    parameters: Mapping[str, Any],
    parts: Mapping[str, str],
) -> tuple[str, dict[str, Any]]:
    seen, kept = seen_sql(blind, "c.issue_id")
    given = {"round": round_.pk, "study": round_.study_id, "version": round_.version_id, **kept, **parameters}
    return statement.format(complete=_complete(round_), seen=seen, **parts), given


def revealed_sql(round_: Round) -> str:
    """The condition that an issue `c` is revealed: complete, or in a closed round."""
    return "true" if round_.closed_at else _complete(round_)


_IN_ORDER = """
    SELECT r.name, c.issue_id, {labels}, c.whose, c.decided
    FROM rounds_roundissue c {join_first}
    JOIN ingest_issue i ON i.id = c.issue_id
    JOIN ({names}) r ON r.id = i.repository_id
    WHERE c.round_id = %(round)s AND c.labels <> '' AND {complete} AND {seen}
    ORDER BY r.name, c.position
"""


@dataclass(frozen=True)
class InOrder:
    """The labels of one repository, an issue per row in the order of the round.

    `codes` [N, R] and `decided` [N] are places in `codebook.states` as in `Tuples`; `issues` [N] are ids.
    """

    issues: list[int]
    codes: NDArray[np.int32]
    decided: NDArray[np.int32]


def labels_in_order(
    round_: Round, codebook: Codebook, blind: WithheldIssues = NOTHING, *, had_looks: bool
) -> dict[str, InOrder]:
    """The first labels of complete, revealed issues of a crossed round, by the name of their repository. Two
    queries, and those of `first_labels` if the round `had_looks`: second looks.

    Memory grows with the issues: use this only for statistics of their order.
    """
    members = RoundVolunteer.objects.filter(round=round_).order_by("column").values_list("member", flat=True)
    columns = {member: column for column, member in enumerate(members)}
    labels, join, given = "c.labels", "", dict[str, Any]()
    if had_looks:
        given = first_labels(round_.pk, round_.version_id).parameters
        labels, join = "coalesce(f.labels, c.labels)", OVERRIDDEN
    rows = rows_of(_IN_ORDER, round_, blind, given, names=NAMES, labels=labels, join_first=join)
    found: dict[str, InOrder] = {}
    for name, part in groupby(rows, key=itemgetter(0)):
        lines = [line[1:] for line in part]
        codes = np.full((len(lines), len(columns)), MISSING, dtype=np.int32)
        for index, (_issue, given_labels, whose, _decided) in enumerate(lines):
            at = [columns[int(member)] for member in whose.split()]
            codes[index, at] = [codebook.places.get(int(one), MISSING) for one in given_labels.split()]
        decided = np.array([codebook.places.get(line[3], MISSING) for line in lines], dtype=np.int32)
        found[name] = InOrder([line[0] for line in lines], codes, decided)
    return found


_TWICE = """
    SELECT m.pseudonym, l.category_id, l.version_id, r.category_id, r.version_id, count(*)
    FROM annotate_repeat r
    JOIN rounds_label l
      ON l.round_id = r.round_id AND l.issue_id = r.issue_id AND l.volunteer_id = r.volunteer_id
    JOIN rounds_roundissue c ON c.round_id = r.round_id AND c.issue_id = r.issue_id
    JOIN rounds_roundvolunteer v ON v.round_id = r.round_id AND v.member_id = r.volunteer_id
    JOIN studies_membership m ON m.id = v.member_id
    WHERE r.round_id = %(round)s AND r.submitted_at IS NOT NULL AND {revealed} AND {seen}
    GROUP BY v."column", 1, 2, 3, 4, 5
    ORDER BY v."column"
"""


def labelled_twice(
    round_: Round, former: FormerCategories, blind: WithheldIssues = NOTHING
) -> list[tuple[str, int | None, int | None, int]]:
    """(pseudonym, first category, second category, issues) of the drift check, without `blind` issues.

    Only revealed issues count. Categories are those of the round's version, or negative ones of `former`, if
    they were split or retired since; None is an open label. Rows are in the order of the volunteers' columns.
    One query, and some for earlier versions if there are former categories.
    """
    return [
        (name, first and former.counts_as(first, then), second and former.counts_as(second, now), issues)
        for name, first, then, second, now, issues in rows_of(
            _TWICE, round_, blind, revealed=revealed_sql(round_)
        )
    ]
