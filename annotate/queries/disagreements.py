"""The disagreements of a round: complete, revealed issues whose labels are not all the same at its depth.

That labels agree is said by the decision `unanimous`, which the last label of an issue, or the closing of the
round, makes in the same transaction; all other complete issues are disagreements. So nothing is counted again
per request. In a screening such a decision can be superseded; the labels agree none the less.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Count, Exists, Max, OuterRef

from annotate.models import Decision, Label, Round, RoundVolunteer
from annotate.queries.categories import Codebook, codebook
from annotate.queries.rounds import revealed, revealed_labels, standing_decisions, volunteers
from ingest.models import Issue
from taxonomy.models import Level

State = Literal["open", "settled"]


@dataclass(frozen=True)
class Chip:
    """One label of a disagreement: the code chosen, and `depth_code`, what it counts as.

    An open label has neither: `name` is that of the category which its author proposed.
    """

    code: str
    name: str
    depth_code: str
    summary: str
    unsure: bool
    volunteer_id: int


@dataclass(frozen=True)
class Disagreement:
    """One issue whose labels differ.

    `labels` has one place per volunteer of the round, in the order of their columns, None where they gave
    none. `split` is what the labels count as, with how many, largest first, then in the order of the tree;
    `open_labels` are in none of its parts.
    `parts_at` is the first level at which they differ. `decision` is the one that stands.
    `issue` comes with its repository, and its snapshot with the title only.
    """

    issue: Issue
    position: int
    labels: list[Chip | None]
    split: list[tuple[str, int]]
    parts_at: Level | None
    decision: Decision | None
    decided_code: str | None
    open_labels: int = 0


@dataclass(frozen=True)
class Disagreements:
    """A page of them; `next` is the `after` of the page that follows, None at the end.

    `open` and `settled` say how many the filters leave on all pages, whatever state was asked for.
    """

    volunteers: list[RoundVolunteer]
    rows: list[Disagreement]
    next: int | None
    open: int
    settled: int

    @property
    def count(self) -> int:
        return self.open + self.settled


@dataclass(frozen=True)
class DisagreementCounts:
    """Of the revealed issues: how many are complete, not unanimous, and of these settled and open."""

    complete: int
    not_unanimous: int
    settled: int
    open: int


@dataclass(frozen=True)
class Confusion:
    """In how many issues both categories were chosen. `first` comes before `second` in the tree."""

    first: str
    second: str
    issues: int


def disagreements(
    round_: Round,
    *,
    pair: tuple[str, str] | None = None,
    type_: str | None = None,
    repository: int | None = None,
    state: State | None = None,
    after: int | None = None,
    limit: int = 50,
) -> Disagreements:
    """A page of the round's disagreements in the order of the round. Six queries.

    `pair`: codes of two categories; labels of both, or below them, are on the issue. `type_`: code of a
    category; a label lies in it. A code that the version lacks matches nothing. `repository`: its id.
    `state`: settled or open. `after`: the `next` of the page before.
    """
    book = codebook(round_.version_id)
    columns = list(volunteers(round_))
    found, parameters = _found(
        round_, [book.below(code) for code in (*(pair or ()), *((type_,) if type_ else ()))], repository
    )
    query = f"""
    WITH found AS MATERIALIZED ({found})
    SELECT count(*) FILTER (WHERE NOT settled), count(*) FILTER (WHERE settled), (
        SELECT array_agg(ARRAY[issue_id, position] ORDER BY position)
        FROM (
            SELECT issue_id, position FROM found
            WHERE position > %s AND (%s::boolean IS NULL OR settled = %s)
            ORDER BY position LIMIT %s
        ) page
    )
    FROM found
    """
    settled = None if state is None else state == "settled"
    with connection.cursor() as cursor:
        cursor.execute(query, [*parameters, -1 if after is None else after, settled, settled, limit + 1])
        open_ones, settled_ones, places = cursor.fetchone()
    places = places or []
    return Disagreements(
        volunteers=columns,
        rows=rows_of(round_, dict(places[:limit]), columns, book),
        next=places[limit - 1][1] if len(places) > limit else None,
        open=open_ones,
        settled=settled_ones,
    )


def disagreement_at(round_: Round, issue_id: int) -> Disagreement | None:
    """One disagreement; None if the issue is none, or is not revealed. Seven queries at most."""
    unanimous = Decision.objects.filter(
        round=round_, issue=OuterRef("issue"), method=Decision.Method.UNANIMOUS
    )
    found = revealed(round_).filter(~Exists(unanimous), completed_at__isnull=False, issue=issue_id)
    place = found.values_list("issue_id", "position").first()
    if place is None:
        return None
    return rows_of(round_, dict([place]), list(volunteers(round_)), codebook(round_.version_id))[0]


def disagreement_counts(round_: Round) -> DisagreementCounts:
    """How many issues are complete, not unanimous, settled and open. One query."""
    complete, parameters = complete_issues(round_)
    query = f"""
    SELECT count(*), count(*) FILTER (WHERE {_agreed(round_)}), count(d.id)
    FROM ({complete}) i
    LEFT JOIN annotate_decision d
        ON d.round_id = %s AND d.issue_id = i.issue_id AND d.superseded_at IS NULL
    """
    with connection.cursor() as cursor:
        cursor.execute(query, [*parameters, round_.pk])
        issues, unanimous, decided = cursor.fetchone()
    return DisagreementCounts(
        complete=issues,
        not_unanimous=issues - unanimous,
        settled=decided - unanimous,
        open=issues - decided,
    )


def _agreed(round_: Round) -> str:
    """SQL: do the labels of issue `i`, whose standing decision is `d` if it has one, all agree?"""
    if round_.kind != Round.Kind.SCREENING:
        return "d.method IS NOT DISTINCT FROM 'unanimous'"
    return """(d.method IS NOT DISTINCT FROM 'unanimous' OR d.number > 1 AND EXISTS (
        SELECT FROM annotate_decision u
        WHERE u.round_id = d.round_id AND u.issue_id = d.issue_id AND u.method = 'unanimous'
    ))"""


def is_unanimous(round_: Round, issue_id: int) -> bool:
    """Do all labels of this complete, revealed issue agree at the round's depth?"""
    agreed = Decision.objects.filter(round=round_, issue=issue_id, method=Decision.Method.UNANIMOUS)
    return agreed.filter(issue__in=revealed(round_).values("issue")).exists()


def confusion(round_: Round, level: Level) -> list[Confusion]:
    """For each two categories of a level, in how many complete, revealed issues both were chosen; most first.

    Labels count by their ancestor at the level; those that stop above it are left out. Two queries, and a
    third one, over all labels, when an issue has become complete since this process last asked.
    """
    complete = revealed(round_).filter(completed_at__isnull=False)
    count, last = complete.aggregate(count=Count("pk"), last=Max("completed_at")).values()
    # Labels that are revealed stay, so the same issues have the same pairs.
    return list(_confusion(round_.pk, round_.version_id, level, round_.closed_at, count, last))


@lru_cache(maxsize=64)
def _confusion(
    round_id: int, version_id: int, level: Level, _closed: datetime | None, count: int, _last: datetime | None
) -> tuple[Confusion, ...]:
    book = codebook(version_id)
    codes = [state.code for state in book.states.values() if state.level == level]
    places = {code: place for place, code in enumerate(codes)}
    categories = [id_ for id_, state in book.states.items() if state.level >= level]
    if not categories or not count:
        return ()
    masks = [_mask(places[book.at_depth(id_, level).code], len(codes)) for id_ in categories]
    issues, parameters = complete_issues(Round.objects.get(pk=round_id))
    query = f"""
    WITH deep AS MATERIALIZED (
        SELECT category_id, mask::bit({len(codes)}) AS mask
        FROM unnest(%s::bigint[], %s::text[]) deep (category_id, mask)
    )
    SELECT chosen::text, count(*)
    FROM (
        SELECT bit_or(deep.mask) AS chosen
        FROM annotate_label l JOIN deep ON deep.category_id = l.category_id
        WHERE l.round_id = %s AND NOT l.surplus AND l.issue_id IN (SELECT issue_id FROM ({issues}) complete)
        GROUP BY l.issue_id
    ) issues
    GROUP BY chosen
    """
    both: Counter[tuple[str, str]] = Counter()
    with connection.cursor() as cursor:
        cursor.execute(query, [categories, masks, round_id, *parameters])
        for mask, count_ in cursor.fetchall():
            chosen = [code for code, bit in zip(codes, mask, strict=True) if bit == "1"]
            for two in combinations(chosen, 2):
                both[two] += count_
    ordered = sorted(both.items(), key=lambda one: (-one[1], places[one[0][0]], places[one[0][1]]))
    return tuple(Confusion(first, second, issues) for (first, second), issues in ordered)


def _mask(place: int, length: int) -> str:
    return "0" * place + "1" + "0" * (length - place - 1)


def complete_issues(round_: Round) -> tuple[str, list[Any]]:
    """SQL of the complete, revealed issues, (issue_id, position), and its parameters."""
    complete = revealed(round_).filter(completed_at__isnull=False).values("issue_id", "position")
    try:
        query, parameters = complete.query.sql_with_params()
    except EmptyResultSet:
        return "SELECT NULL::bigint AS issue_id, NULL::integer AS position WHERE false", []
    return query, list(parameters)


def _found(round_: Round, chosen: Sequence[Sequence[int]], repository: int | None) -> tuple[str, list[Any]]:
    """SQL of the disagreements, (issue_id, position, settled), and its parameters.

    Each of `chosen` is a set of categories; labels of all these sets are on the issue.
    """
    complete, parameters = complete_issues(round_)
    query = f"""
    SELECT i.issue_id, i.position, d.id IS NOT NULL AS settled
    FROM ({complete}) i
    LEFT JOIN annotate_decision d
        ON d.round_id = %s AND d.issue_id = i.issue_id AND d.superseded_at IS NULL
    WHERE NOT {_agreed(round_)}
    """
    parameters.append(round_.pk)
    if repository is not None:
        query += " AND i.issue_id IN (SELECT id FROM ingest_issue WHERE repository_id = %s)"
        parameters.append(repository)
    if chosen:
        all_of_them = " AND ".join(["bool_or(category_id = ANY(%s::bigint[]))"] * len(chosen))
        query += f"""
        AND i.issue_id IN (
            SELECT issue_id FROM annotate_label
            WHERE round_id = %s AND NOT surplus AND category_id = ANY(%s::bigint[])
            GROUP BY issue_id HAVING {all_of_them}
        )
        """
        parameters += [
            round_.pk,
            sorted({id_ for ids in chosen for id_ in ids}),
            *(list(ids) for ids in chosen),
        ]
    return query, parameters


def rows_of(
    round_: Round, page: Mapping[int, int], columns: Sequence[RoundVolunteer], book: Codebook
) -> list[Disagreement]:
    """The rows of these revealed issues (id: position), in this order, whether their labels differ or not.

    Three queries.
    """
    issues = (
        Issue.objects.select_related("repository", "current")
        .defer("current__body", "current__comments", "current__labels")
        .in_bulk(page)
    )
    labels: dict[int, list[Label]] = {id_: [] for id_ in page}
    shown = (
        revealed_labels(round_)
        .select_related("proposal")
        .only("issue", "volunteer", "category", "summary", "unsure", "proposal__name")
    )
    for label in shown.filter(issue__in=page, surplus=False):
        labels[label.issue_id].append(label)
    standing = standing_decisions(round_).filter(issue__in=page).select_related("decided_by")
    decisions = {decision.issue_id: decision for decision in standing}
    return [
        _row(issues[id_], position, labels[id_], decisions.get(id_), columns, round_.depth, book)
        for id_, position in page.items()
    ]


def _row(
    issue: Issue,
    position: int,
    labels: Iterable[Label],
    decision: Decision | None,
    columns: Sequence[RoundVolunteer],
    depth: int,
    book: Codebook,
) -> Disagreement:
    chosen = {label.volunteer_id: label for label in labels}
    counted = Counter(
        book.at_depth(label.category_id, depth).category_id
        for label in chosen.values()
        if label.category_id is not None
    )
    split = sorted(counted.items(), key=lambda one: (-one[1], book.states[one[0]].position))
    return Disagreement(
        issue=issue,
        position=position,
        labels=[
            _chip(chosen[column.member_id], depth, book) if column.member_id in chosen else None
            for column in columns
        ],
        split=[(book.states[id_].code, count) for id_, count in split],
        parts_at=_parts_at(list(counted), depth, book),
        decision=decision,
        decided_code=book.states[decision.category_id].code if decision else None,
        open_labels=len(chosen) - counted.total(),
    )


def _chip(label: Label, depth: int, book: Codebook) -> Chip:
    state = None if label.category_id is None else book.states[label.category_id]
    return Chip(
        code=state.code if state else "",
        name=state.name if state else str(label.proposal),
        depth_code=book.at_depth(state.category_id, depth).code if state else "",
        summary=label.summary,
        unsure=label.unsure,
        volunteer_id=label.volunteer_id,
    )


def _parts_at(categories: Sequence[int], depth: int, book: Codebook) -> Level | None:
    """The first level, down to the depth, at which these categories are not all the same."""
    for level in Level:
        if level <= depth and len({book.at_depth(id_, level).category_id for id_ in categories}) > 1:
            return level
    return None
