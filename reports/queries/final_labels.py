"""Final labels that changed between a moment in the past, such as that of a frozen report, and now."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection

from consensus.models import Decision
from ingest.models import Issue
from rounds.models import Round
from rounds.queries.blindness import still_to_label
from rounds.queries.categories import codebook
from rounds.queries.rounds import revealed
from studies.models import Event, Membership
from taxonomy.models import CategoryState

KINDS = ("changed", "reopened", "new")


@dataclass(frozen=True)
class LabelChange:
    """One issue whose final label changed, was removed (reopened), or was added (new).

    `before` is the decision at the moment in the past, `after` is the current decision. `issue` comes with
    its repository, and its snapshot with only the title. `by` made the change `at` this time for the reason
    `why`; `by` is None if the labels decided.
    """

    issue: Issue
    kind: str
    before: Decision | None
    after: Decision | None
    before_state: CategoryState | None
    after_state: CategoryState | None
    at: datetime | None
    by: Membership | None
    why: str


@dataclass(frozen=True)
class LabelChanges:
    """A page of label changes in the order of the round; `next` is the `after` of the next page.

    `counts` has the number of changes of each kind on all pages, with any filter by kind.
    """

    rows: list[LabelChange]
    next: int | None
    counts: dict[str, int]

    @property
    def count(self) -> int:
        return sum(self.counts.values())


# At each of the two moments, an issue has at most one current decision.
_CHANGED = """
    WITH both_times AS (
        SELECT d.issue_id,
               max(d.id) FILTER (WHERE d.superseded_at IS NULL) AS now_id,
               max(d.category_id) FILTER (WHERE d.superseded_at IS NULL) AS now_is,
               max(d.id) FILTER (WHERE d.decided_at <= %s) AS then_id,
               max(d.category_id) FILTER (WHERE d.decided_at <= %s) AS then_was
        FROM consensus_decision d
        WHERE d.round_id = %s AND (d.superseded_at IS NULL OR d.superseded_at > %s)
        GROUP BY d.issue_id
    ), changed AS MATERIALIZED (
        SELECT i.issue_id, i.position, coalesce(then_id, 0) AS then_id, coalesce(now_id, 0) AS now_id,
               CASE WHEN then_id IS NULL THEN 'new' WHEN now_id IS NULL THEN 'reopened' ELSE 'changed'
               END AS kind
        FROM both_times JOIN ({complete}) i ON i.issue_id = both_times.issue_id
        WHERE now_is IS DISTINCT FROM then_was {seen}
    )
    SELECT count(*) FILTER (WHERE kind = 'changed'), count(*) FILTER (WHERE kind = 'reopened'),
           count(*) FILTER (WHERE kind = 'new'), (
        SELECT array_agg(ARRAY[issue_id, position, then_id, now_id] ORDER BY position)
        FROM (
            SELECT * FROM changed
            WHERE position > %s AND (%s = '' OR kind = %s) ORDER BY position LIMIT %s
        ) page
    )
    FROM changed
"""


def final_label_changes(
    round_: Round,
    member: Membership | None,
    since: datetime,
    *,
    kind: str = "",
    after: int | None = None,
    limit: int | None = 50,
) -> LabelChanges:
    """The final labels of a round that changed between a moment and now, without issues withheld from the
    member. A new decision for the same category is no change. `after`: the `next` of the previous page.
    `limit`: None for all changes. Four queries, and one more for the withheld issues.
    """
    numbers, found = _changed(round_, member, since, kind, after, None if limit is None else limit + 1)
    page = found if limit is None else found[:limit]
    return LabelChanges(
        rows=_rows(round_, page), next=page[-1][1] if len(found) > len(page) else None, counts=numbers
    )


def change_counts(round_: Round, member: Membership | None, since: datetime) -> dict[str, int]:
    """How many final labels changed since a moment, by kind, for this member. Two queries."""
    counts, _places = _changed(round_, member, since, "", None, 0)
    return counts


def _changed(
    round_: Round, member: Membership | None, since: datetime, kind: str, after: int | None, limit: int | None
) -> tuple[dict[str, int], list[list[int]]]:
    """The counts by kind, and at most `limit` rows: issue, position, old decision, current decision."""
    complete, parameters = _complete_issues(round_)
    turns = still_to_label(round_, member)
    seen, kept = "", ()
    if not turns.query.is_empty():
        held, kept = turns.values("issue_id").query.sql_with_params()
        seen = f"AND i.issue_id NOT IN ({held})"
    after = -1 if after is None else after
    with connection.cursor() as cursor:
        cursor.execute(
            _CHANGED.format(complete=complete, seen=seen),
            [*(since, since, round_.pk, since), *parameters, *kept, after, kind, kind, limit],
        )
        *numbers, found = cursor.fetchone()
    return dict(zip(KINDS, numbers, strict=True)), found or []


def _rows(round_: Round, page: list[list[int]]) -> list[LabelChange]:
    decisions = Decision.objects.select_related("decided_by", "superseded_by").in_bulk(
        {id_ for _issue, _position, *both in page for id_ in both if id_}
    )
    issues = (
        Issue.objects.select_related("repository", "current")
        .defer("current__body", "current__comments", "current__labels")
        .in_bulk({row[0] for row in page})
    )
    states = codebook(round_.version_id).states
    rows = []
    for issue_id, _position, then_id, now_id in page:
        kind = "new" if not then_id else "changed" if now_id else "reopened"
        before, after = decisions.get(then_id), decisions.get(now_id)
        last: tuple[datetime | None, Membership | None, str]
        if after:
            last = after.decided_at, after.decided_by, after.rationale
        else:
            gone = decisions[then_id]
            last = gone.superseded_at, gone.superseded_by, gone.why_superseded
        was, is_ = (states[one.category_id] if one else None for one in (before, after))
        rows.append(LabelChange(issues[issue_id], kind, before, after, was, is_, *last))
    return rows


def packages(round_: Round, *, limit: int = 6) -> list[Event]:
    """The audit events for downloads of a round's replication package, newest first. One query."""
    sent = Event.objects.filter(
        study=round_.study_id,
        verb="exports.downloaded",
        detail__round=round_.name,
        detail__file__endswith=".zip",
    )
    return list(sent.order_by("-pk")[:limit])


def _complete_issues(round_: Round) -> tuple[str, list[Any]]:
    """SQL of the complete, revealed issues, (issue_id, position), and its parameters."""
    complete = revealed(round_).filter(completed_at__isnull=False).values("issue_id", "position")
    try:
        query, parameters = complete.query.sql_with_params()
    except EmptyResultSet:
        return "SELECT NULL::bigint AS issue_id, NULL::integer AS position WHERE false", []
    return query, list(parameters)
