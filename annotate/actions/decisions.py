"""What was agreed: decisions that follow from the labels, and those of a lead."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from annotate import errors
from annotate.actions.agendas import tell_its_meeting
from annotate.actions.locks import hold_issue, hold_round
from annotate.models import AgendaItem, Decision, Round
from annotate.queries.categories import ROLLED_UP, codebook
from annotate.queries.disagreements import is_unanimous
from annotate.queries.rounds import revealed, reveals_complete_issues
from annotate.queries.withheld import is_withheld
from annotate.rules import may_chair, may_settle
from core.retry import retried
from ingest.models import Issue
from studies.actions import record
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
    decided_at: datetime | None = None,
) -> Decision:
    """Decide a disagreement as its lead; a decision that stood is superseded, and kept.

    Where the round leaves disagreements to a meeting, the lead does not decide them. In a screening also
    issues whose labels agree can be decided anew, by the lead alone: what all of its raters excluded can come
    back.

    `seen_number` is that of the standing decision that the form showed, 0 without one. The same decision by
    the same person again returns the one that stands. `cause`: why the labels parted, where the lead says it.
    `decided_at` is now; only the demonstration dates its decisions back.
    Raises NotAllowed, AMeetingDecides, RationaleMissing, NotRevealed, HeldBack, IssueIsUnanimous,
    StaleDecision, UnknownCategory, TooShallow.
    """
    rationale = rationale.replace("\x00", "\ufffd").strip()
    current = hold_round(round_)
    if not may_settle(by, current):
        raise errors.NotAllowed
    tell_its_meeting(current, issue.pk)
    place = hold_issue(current, issue)
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
    now = decided_at or timezone.now()
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
    record(
        current.study,
        "decisions.settled",
        by.user,
        round=current.name,
        issue=issue.pk,
        number=decision.number,
    )
    return decision


@retried
@transaction.atomic
def reopen(*, round_: Round, issue: Issue, by: Membership, why: str, seen_number: int) -> Decision:
    """Open a decided disagreement again; the decision that stood until now, which stays in its history.

    A lead may, or the chair of the open meeting that has the issue on its agenda. `seen_number` is that of
    the standing decision that the form showed.
    Raises NotAllowed, HeldBack, IssueIsUnanimous, ReasonToReopenMissing, StaleDecision.
    """
    why = why.replace("\x00", "\ufffd").strip()
    current = hold_round(round_)
    if not may_settle(by, current) and not _chairs_it(current, issue.pk, by):
        raise errors.NotAllowed
    tell_its_meeting(current, issue.pk)
    hold_issue(current, issue)
    if is_withheld(round_, issue.pk, by):
        raise errors.HeldBack
    if is_unanimous(current, issue.pk):
        raise errors.IssueIsUnanimous
    if not why:
        raise errors.ReasonToReopenMissing
    standing = standing_decision(current, issue.pk)
    if standing is None or standing.number != seen_number:
        raise errors.StaleDecision(standing, kept={"why": why})
    standing.superseded_at = timezone.now()
    standing.superseded_by = by
    standing.superseded_why = why
    standing.save(update_fields=["superseded_at", "superseded_by", "superseded_why"])
    record(
        current.study,
        "decisions.reopened",
        by.user,
        round=current.name,
        issue=issue.pk,
        number=standing.number,
    )
    return standing


def standing_decision(round_: Round, issue_id: int) -> Decision | None:
    """The decision of an issue that no newer one supersedes."""
    return Decision.objects.filter(round=round_, issue=issue_id, superseded_at=None).first()


def next_number(round_: Round, issue_id: int) -> int:
    """The number of an issue's next decision. One that was taken back has no successor, and keeps its own."""
    before = Decision.objects.filter(round=round_, issue=issue_id).aggregate(last=Max("number"))["last"]
    return (before or 0) + 1


def require_category(round_: Round, category: Category) -> str:
    """The code of a category that a decision of this round can give. Raises UnknownCategory, TooShallow."""
    book = codebook(round_.version_id)
    if category.pk not in book.states:
        raise errors.UnknownCategory
    if category.pk not in book.choosable(round_.depth):
        raise errors.TooShallow
    return book.states[category.pk].code


def _chairs_it(round_: Round, issue_id: int, by: Membership) -> bool:
    """Does this member chair the open meeting that has the issue on its agenda?"""
    item = AgendaItem.objects.filter(round=round_, issue=issue_id, released_at=None)
    found = item.select_related("meeting__round__study").first()
    return found is not None and found.meeting.is_open and may_chair(by, found.meeting)


def decide_by_rule(round_: Round, issue: Issue, now: datetime) -> Decision | None:
    """The decision of a complete issue that follows from its labels by the round's rule; None if none does.

    The caller holds the issue's row in the round.
    """
    made = decide(round_, now, issues=[issue.pk])
    decision = Decision.objects.get(pk=made[0]) if made else None
    if decision is None or decision.method != Decision.Method.UNANIMOUS:
        note_disagreements(round_, issues=[issue.pk])
    return decision


def decide_all_by_rule(round_: Round, now: datetime) -> int:
    """Decide every complete issue that has no decision and whose labels suffice; how many. Two statements."""
    note_disagreements(round_)
    return len(decide(round_, now))


def note_disagreements(round_: Round, *, issues: Collection[int] | None = None) -> int:
    """Write down what the labels of complete, revealed issues say where they differ; how many. One statement.

    Of these issues, or of all that were not noted yet. The caller has just revealed them. A second look has
    none of its own: what it says is said of the round that it is of.
    """
    if round_.kind == Round.Kind.LOOK:
        return 0
    only = "AND i.issue_id = ANY(%(issues)s::bigint[])" if issues is not None else ""
    with connection.cursor() as cursor:
        cursor.execute(
            _NOTE.format(only=only),
            {
                "round": round_.pk,
                "version": round_.version_id,
                "depth": round_.depth,
                "issues": None if issues is None else list(issues),
            },
        )
        return int(cursor.rowcount)


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
        FROM annotate_roundissue i
        JOIN annotate_said l ON l.round_id = i.round_id AND l.issue_id = i.issue_id
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
    INSERT INTO annotate_disagreement
        (round_id, issue_id, version_id, position, chosen, votes, open_labels, parts_at, ways, margin, apart)
    SELECT %(round)s, issue_id, %(version)s, position, coalesce(chosen, '{{}}'), coalesce(votes, '{{}}'),
           open_labels, parts_at, ways, greatest(ahead, 0),
           CASE WHEN ahead > 0
               THEN string_to_array(array_to_string(members[2:], ','), ',')::bigint[] ELSE '{{}}' END
    FROM compared WHERE ways > 1 OR open_labels > 0
    ON CONFLICT (round_id, issue_id) DO NOTHING
"""


_DECIDE = f"""
    WITH deep AS MATERIALIZED ({ROLLED_UP}), votes AS (
        SELECT i.issue_id, deep.at_depth, count(*) AS votes
        FROM annotate_roundissue i
        JOIN annotate_said l ON l.round_id = i.round_id AND l.issue_id = i.issue_id
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
"""SQL: `decided`, one row (issue_id, category_id, is_unanimous) per complete issue without a decision whose
labels suffice. An open label agrees with nothing, and counts among the labels. %(least)s is NULL where only
unanimous labels decide; else the largest group decides if it is that large, and alone at the top."""

_OPEN = """AND NOT EXISTS (
    SELECT FROM annotate_decision d
    WHERE d.round_id = i.round_id AND d.issue_id = i.issue_id AND d.superseded_at IS NULL
)"""
_SAYS_ELSE = """
    UPDATE annotate_decision d SET superseded_at = %(now)s, superseded_why = %(why)s
    FROM annotate_roundissue i
    WHERE d.round_id = %(round)s AND d.issue_id = ANY(%(issues)s::bigint[]) AND d.superseded_at IS NULL
      AND d.method IN ('unanimous', 'majority') AND d.bulk_id IS NULL
      AND i.round_id = d.round_id AND i.issue_id = d.issue_id AND NOT EXISTS (
        SELECT FROM decided WHERE decided.issue_id = d.issue_id AND decided.category_id = i.decided
      )
"""

_STORE = """
    INSERT INTO annotate_decision
        (round_id, issue_id, number, category_id, version_id, method, rationale, decided_by_id, decided_at)
    SELECT %(round)s, decided.issue_id, 1 + coalesce(before.number, 0), decided.category_id, %(version)s,
           CASE WHEN is_unanimous THEN 'unanimous' ELSE 'majority' END, '', NULL, %(now)s
    FROM decided
    LEFT JOIN (
        SELECT i.issue_id, max(i.number) AS number FROM annotate_decision i
        WHERE i.round_id = %(round)s {only} GROUP BY i.issue_id
    ) before ON before.issue_id = decided.issue_id
    RETURNING id
"""


def decide(round_: Round, now: datetime, *, issues: Collection[int] | None = None) -> list[int]:
    """Decide what has no decision yet by the round's rule; the ids of the decisions. One statement.

    For these issues, or for all. A training is decided by its right labels alone, a second look by nothing.
    """
    if round_.kind in Round.APART:
        return []
    only = "AND i.issue_id = ANY(%(issues)s::bigint[])" if issues is not None else ""
    with connection.cursor() as cursor:
        cursor.execute((_DECIDE + _STORE).format(only=only, open=_OPEN), _given(round_, now, issues))
        return [row[0] for row in cursor.fetchall()]


def settle_anew(round_: Round, issues: list[int], now: datetime) -> None:
    """Decide complete issues whose labels say something else than before, and note where they differ. What
    followed from the labels and follows no longer is superseded; what people decided stands.

    Nothing is noted of these issues. Nothing happens where complete issues are not revealed.
    """
    if not issues or not reveals_complete_issues(round_):
        return
    note_disagreements(round_, issues=issues)
    why = _("The labels say something else in version %(n)s.") % {"n": round_.version.number}
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
