"""Decisions that follow from the labels by the rule of the round, and decisions of a lead."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from consensus import errors
from consensus.actions.agendas import tell_its_meeting
from consensus.actions.records import record_in_round
from consensus.models import AgendaItem, Decision
from consensus.models.platform_reasons import labels_say_else
from consensus.queries.disagreements import is_unanimous
from consensus.rules import may_chair, may_settle
from core import clock
from core.sql.prepared import Prepared
from core.sql.retry import retried
from ingest.models import Issue
from rounds.actions.locks import lock_issue, lock_round
from rounds.errors import NotAllowed, TooShallow, UnknownCategory
from rounds.models import Round
from rounds.queries.blindness import is_withheld
from rounds.queries.categories import ROLLED_UP, codebook
from rounds.queries.rounds import revealed, reveals_complete_issues
from studies.models import Membership
from taxonomy.models import Category


@retried
@transaction.atomic
def settle_issue(
    *,
    round_: Round,
    issue: Issue,
    by: Membership,
    category: Category,
    rationale: str,
    seen_number: int,
    cause: str = "",
) -> Decision:
    """Decide a disagreement as a lead of the study; an earlier decision is superseded and kept.

    If the round leaves disagreements to a meeting, a lead cannot decide them. In a screening a lead can also
    overrule equal labels: an issue that all raters excluded can come back. `seen_number`: the number of the
    standing decision that the form showed, 0 without one. The same decision by the same person again returns
    the stored decision. `cause`: why the labels differed, "" if not given.
    Raises NotAllowed, AMeetingDecides, RationaleMissing, NotRevealed, HeldBack, IssueIsUnanimous,
    StaleDecision, UnknownCategory, TooShallow.
    """
    rationale = rationale.replace("\x00", "\ufffd").strip()
    current = lock_round(round_)
    if not may_settle(by, current):
        raise NotAllowed
    tell_its_meeting(current, issue.pk)
    place = lock_issue(current, issue)
    if place.completed_at is None or not revealed(current).filter(pk=place.pk).exists():
        raise errors.NotRevealed
    if is_withheld(round_, issue.pk, by):
        raise errors.HeldBack
    agreed = is_unanimous(current, issue.pk)
    if agreed and current.kind != Round.Kind.SCREENING:
        raise errors.IssueIsUnanimous
    if current.rule == Round.Rule.MEETING and not agreed:
        raise errors.AMeetingDecides
    if not rationale:
        raise errors.RationaleMissing
    code = require_category(current, category)
    standing = standing_decision(current, issue.pk)
    if standing is not None and (
        standing.category_id,
        standing.rationale,
        standing.cause,
        standing.decided_by_id,
    ) == (category.pk, rationale, cause, by.pk):
        return standing
    if seen_number != (standing.number if standing else 0):
        raise errors.StaleDecision(standing, kept={"category": code, "rationale": rationale})
    now = clock.now()
    if standing is not None:
        Decision.objects.filter(pk=standing.pk).update(superseded_at=now)
    decision = Decision.objects.create(
        round=current,
        issue=issue,
        number=next_number(current, issue.pk),
        category=category,
        version_id=current.version_id,
        method=Decision.Method.LEAD,
        rationale=rationale,
        cause=cause,
        decided_by=by,
        decided_at=now,
    )
    record_in_round("decisions.settled", current, by, issue=issue.pk, number=decision.number)
    return decision


@retried
@transaction.atomic
def reopen(*, round_: Round, issue: Issue, by: Membership, why: str, seen_number: int) -> Decision:
    """Open a decided disagreement again; returns the superseded decision, which stays in the history.

    For leads, and for the chair of the open meeting with the issue on its agenda. `seen_number`: the number
    of the standing decision that the form showed. Raises NotAllowed, HeldBack, IssueIsUnanimous,
    ReasonToReopenMissing, StaleDecision.
    """
    why = why.replace("\x00", "\ufffd").strip()
    current = lock_round(round_)
    if not may_settle(by, current) and not _chairs_it(current, issue.pk, by):
        raise NotAllowed
    tell_its_meeting(current, issue.pk)
    lock_issue(current, issue)
    if is_withheld(round_, issue.pk, by):
        raise errors.HeldBack
    if is_unanimous(current, issue.pk):
        raise errors.IssueIsUnanimous
    if not why:
        raise errors.ReasonToReopenMissing
    standing = standing_decision(current, issue.pk)
    if standing is None or standing.number != seen_number:
        raise errors.StaleDecision(standing, kept={"why": why})
    standing.superseded_at = clock.now()
    standing.superseded_by = by
    standing.superseded_why = why
    standing.save(update_fields=["superseded_at", "superseded_by", "superseded_why"])
    record_in_round("decisions.reopened", current, by, issue=issue.pk, number=standing.number)
    return standing


def standing_decision(round_: Round, issue_id: int) -> Decision | None:
    """The decision of an issue that is not superseded, or None."""
    return Decision.objects.filter(round=round_, issue=issue_id, superseded_at=None).first()


def next_number(round_: Round, issue_id: int) -> int:
    """The number of the next decision on an issue. Reopened decisions keep their numbers."""
    return next_numbers(round_, [issue_id])[issue_id]


def next_numbers(round_: Round, issues: Collection[int]) -> defaultdict[int, int]:
    """Issue id to the number of the next decision on this issue. One query."""
    made = Decision.objects.filter(round=round_, issue__in=issues)
    last = made.values_list("issue").annotate(next=Max("number") + 1)
    return defaultdict(lambda: 1, last)


def require_category(round_: Round, category: Category) -> str:
    """The code of a category that a decision of this round can give. Raises UnknownCategory, TooShallow."""
    book = codebook(round_.version_id)
    if category.pk not in book.states:
        raise UnknownCategory
    if category.pk not in book.choosable(round_.depth):
        raise TooShallow
    return book.states[category.pk].code


def _chairs_it(round_: Round, issue_id: int, by: Membership) -> bool:
    """Does this member chair the open meeting that has the issue on its agenda?"""
    item = AgendaItem.objects.filter(round=round_, issue=issue_id, released_at=None)
    found = item.select_related("meeting__round__study").first()
    return found is not None and found.meeting.is_open and may_chair(by, found.meeting)


def decide_by_rule(
    round_: Round, issue: Issue, now: datetime, *, agree: bool | None = None
) -> Decision | None:
    """Decide a complete issue if its labels suffice by the rule of the round; otherwise returns None.

    The caller has locked the row of the issue in the round. `agree`: are all labels equal, if the caller
    knows? Different labels then cost one statement, not two, unless a majority can decide.
    """
    is_open = agree is False and round_.rule != Round.Rule.MAJORITY
    made = [] if is_open else decide(round_, now, issues=[issue.pk])
    decision = Decision.objects.get(pk=made[0]) if made else None
    if decision is None or decision.method != Decision.Method.UNANIMOUS:
        note_disagreements(round_, issues=[issue.pk])
    return decision


def decide_all_by_rule(round_: Round, now: datetime) -> int:
    """Decide every undecided complete issue with sufficient labels; returns how many. Two statements."""
    note_disagreements(round_)
    return len(decide(round_, now))


def note_disagreements(round_: Round, *, issues: Collection[int] | None = None) -> int:
    """Store a disagreement for each complete, revealed issue whose labels differ; returns how many.

    One statement, for these issues or for all. The caller has just revealed them. A second look has no
    disagreements of its own: its labels count in the round of the first labels.
    """
    if round_.kind == Round.Kind.LOOK:
        return 0
    given: dict[str, Any] = {"round": round_.pk, "version": round_.version_id, "depth": round_.depth}
    with connection.cursor() as cursor:
        if issues is None:
            cursor.execute(_NOTE.format(only="", labels=_LABELS), given)
        else:
            _NOTE_SOME.run(cursor, given | {"issues": list(issues)})
        return int(cursor.rowcount)


_LABELS = """unnest(
            string_to_array(i.labels, ' ')::bigint[], string_to_array(i.whose, ' ')::bigint[]
        ) l (category_id, volunteer_id)"""
"""SQL: the labels of a complete issue `i`, as the database stores them in its row; 0 for an open label."""

_NOTE = """
    WITH deep AS MATERIALIZED (
        SELECT s.category_id, s.position AS place,
               CASE s.level WHEN 1 THEN s.category_id WHEN 2 THEN s.parent_id ELSE p.parent_id END AS type,
               CASE WHEN s.level <= 2 THEN s.category_id ELSE s.parent_id END AS theme,
               CASE WHEN s.level <= %(depth)s THEN s.category_id
                    WHEN s.level = %(depth)s + 1 THEN s.parent_id
                    ELSE p.parent_id END AS at_depth
        FROM taxonomy_categorystate s
        LEFT JOIN taxonomy_categorystate p ON p.version_id = s.version_id AND p.category_id = s.parent_id
        WHERE s.version_id = %(version)s
    ), groups AS (
        SELECT i.issue_id, i.position, deep.at_depth, count(*) AS votes, min(deep.place) AS place,
               min(deep.type) AS type, min(deep.theme) AS theme,
               string_agg(l.volunteer_id::text, ',' ORDER BY l.volunteer_id) AS members
        FROM rounds_roundissue i
        CROSS JOIN LATERAL {labels}
        LEFT JOIN deep ON deep.category_id = l.category_id
        WHERE i.round_id = %(round)s AND i.completed_at IS NOT NULL {only}
        GROUP BY i.issue_id, i.position, deep.at_depth
    ), parted AS (
        SELECT issue_id, position,
               array_agg(at_depth ORDER BY votes DESC, place) FILTER (WHERE at_depth IS NOT NULL) AS chosen,
               array_agg(votes ORDER BY votes DESC, place) FILTER (WHERE at_depth IS NOT NULL) AS votes,
               array_agg(members ORDER BY at_depth IS NULL, votes DESC, place) AS members,
               coalesce(sum(votes) FILTER (WHERE at_depth IS NULL), 0) AS open_labels,
               CASE WHEN min(type) <> max(type) THEN 1
                    WHEN %(depth)s >= 2 AND min(theme) <> max(theme) THEN 2
                    WHEN %(depth)s >= 3 AND count(at_depth) > 1 THEN 3 END AS parts_at
        FROM groups GROUP BY issue_id, position
    ), compared AS (
        SELECT parted.*, coalesce(cardinality(chosen), 0) + open_labels AS ways,
               coalesce(votes[1], 0) - greatest(coalesce(votes[2], 0), least(open_labels, 1)) AS ahead
        FROM parted
    )
    INSERT INTO consensus_disagreement
        (round_id, issue_id, version_id, position, chosen, votes, open_labels, parts_at, ways, margin, apart)
    SELECT %(round)s, issue_id, %(version)s, position, coalesce(chosen, '{{}}'), coalesce(votes, '{{}}'),
           open_labels, parts_at, ways, greatest(ahead, 0),
           CASE WHEN ahead > 0
               THEN string_to_array(array_to_string(members[2:], ','), ',')::bigint[] ELSE '{{}}' END
    FROM compared WHERE ways > 1 OR open_labels > 0
    ON CONFLICT (round_id, issue_id) DO NOTHING
"""
_NOTE_SOME = Prepared(
    "note_disagreements", _NOTE.format(only="AND i.issue_id = ANY(%(issues)s::bigint[])", labels=_LABELS)
)


_DECIDE = f"""
    WITH deep AS MATERIALIZED ({ROLLED_UP}), votes AS (
        SELECT i.issue_id, deep.at_depth, count(*) AS votes
        FROM rounds_roundissue i
        CROSS JOIN LATERAL {_LABELS}
        LEFT JOIN deep ON deep.category_id = l.category_id
        WHERE i.round_id = %(round)s AND i.completed_at IS NOT NULL {{only}} {{open}}
        GROUP BY i.issue_id, deep.at_depth
    ), counted AS (
        SELECT issue_id, sum(votes) AS labels,
               array_agg(at_depth ORDER BY votes DESC) FILTER (WHERE at_depth IS NOT NULL) AS chosen,
               array_agg(votes ORDER BY votes DESC) FILTER (WHERE at_depth IS NOT NULL) AS groups
        FROM votes GROUP BY issue_id
    ), decided AS (
        SELECT issue_id, chosen[1] AS category_id, groups[1] = labels AS is_unanimous
        FROM counted
        WHERE groups[1] = labels
           OR groups[1] >= %(least)s::integer AND groups[1] > coalesce(groups[2], 0)
    )
"""  # noqa: S608 - the pieces are constants
"""SQL: `decided`, one row (issue_id, category_id, is_unanimous) per complete issue whose labels suffice;
_OPEN limits it to undecided issues. An open label equals no other, and counts among the labels. %(least)s is
NULL if only unanimous labels decide; else the largest group needs that many, and more than any other."""

_OPEN = """AND NOT EXISTS (
    SELECT FROM consensus_decision d
    WHERE d.round_id = i.round_id AND d.issue_id = i.issue_id AND d.superseded_at IS NULL
)"""
_SAYS_ELSE = """
    UPDATE consensus_decision d SET superseded_at = %(now)s, superseded_why = %(why)s
    FROM rounds_roundissue i
    WHERE d.round_id = %(round)s AND d.issue_id = ANY(%(issues)s::bigint[]) AND d.superseded_at IS NULL
      AND d.method IN ('unanimous', 'majority') AND d.bulk_id IS NULL
      AND i.round_id = d.round_id AND i.issue_id = d.issue_id AND NOT EXISTS (
        SELECT FROM decided WHERE decided.issue_id = d.issue_id AND decided.category_id = i.decided
      )
"""

_STORE = """
    INSERT INTO consensus_decision
        (round_id, issue_id, number, category_id, version_id, method, rationale, decided_by_id, decided_at)
    SELECT %(round)s, decided.issue_id, 1 + coalesce(before.number, 0), decided.category_id, %(version)s,
           CASE WHEN is_unanimous THEN 'unanimous' ELSE 'majority' END, '', NULL, %(now)s
    FROM decided
    LEFT JOIN (
        SELECT i.issue_id, max(i.number) AS number FROM consensus_decision i
        WHERE i.round_id = %(round)s {only} GROUP BY i.issue_id
    ) before ON before.issue_id = decided.issue_id
    RETURNING id
"""


def decide(round_: Round, now: datetime, *, issues: Collection[int] | None = None) -> list[int]:
    """Decide undecided issues, these or all, by the rule of the round; returns the ids of the decisions. One
    statement. Only right labels decide a training; nothing decides a second look.
    """
    if round_.kind in Round.APART:
        return []
    only = "AND i.issue_id = ANY(%(issues)s::bigint[])" if issues is not None else ""
    with connection.cursor() as cursor:
        cursor.execute((_DECIDE + _STORE).format(only=only, open=_OPEN), _given(round_, now, issues))
        return [row[0] for row in cursor.fetchall()]


def settle_anew(round_: Round, issues: list[int], now: datetime) -> None:
    """Decide complete issues whose labels have changed, and store their disagreements. A rule's decision that
    no longer follows from the labels is superseded; decisions of people stand. The caller has removed the old
    disagreements of these issues. Nothing happens before the round reveals its labels.
    """
    if not issues or not reveals_complete_issues(round_):
        return
    note_disagreements(round_, issues=issues)
    why = labels_say_else(round_.version.number)
    only = "AND i.issue_id = ANY(%(issues)s::bigint[])"
    with connection.cursor() as cursor:
        cursor.execute(
            (_DECIDE + _SAYS_ELSE).format(only=only, open=""), _given(round_, now, issues) | {"why": why}
        )
    decide(round_, now, issues=issues)


def _given(round_: Round, now: datetime, issues: Collection[int] | None) -> dict[str, Any]:
    return {
        "round": round_.pk,
        "version": round_.version_id,
        "depth": round_.depth,
        "now": now,
        "issues": None if issues is None else list(issues),
        "least": round_.majority if round_.rule == Round.Rule.MAJORITY else None,
    }
