"""What was agreed: decisions that follow from the labels, and those of a lead."""

from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from annotate import errors
from annotate.actions.locks import hold_issue, hold_round
from annotate.models import Decision, Round
from annotate.queries.categories import ROLLED_UP, codebook
from annotate.queries.disagreements import is_unanimous
from annotate.queries.rounds import revealed
from annotate.rules import may_settle
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
    decided_at: datetime | None = None,
) -> Decision:
    """Decide a disagreement as its lead; a decision that stood is superseded, and kept.

    `seen_number` is that of the standing decision that the form showed, 0 without one. The same decision by
    the same person again returns the one that stands. `decided_at` is now; only the demonstration dates its
    decisions back.
    Raises NotAllowed, RationaleMissing, NotRevealed, IssueIsUnanimous, StaleDecision, UnknownCategory,
    TooShallow.
    """
    rationale = rationale.replace("\x00", "\ufffd").strip()
    current = hold_round(round_)
    if not may_settle(by, current):
        raise errors.NotAllowed
    place = hold_issue(current, issue)
    if place.completed_at is None or not revealed(current).filter(pk=place.pk).exists():
        raise errors.NotRevealed
    if is_unanimous(current, issue.pk):
        raise errors.IssueIsUnanimous
    if not rationale:
        raise errors.RationaleMissing
    book = codebook(current.version_id)
    if category.pk not in book.states:
        raise errors.UnknownCategory
    if category.pk not in book.choosable(current.depth):
        raise errors.TooShallow
    standing = Decision.objects.filter(round=current, issue=issue, superseded_at=None).first()
    if standing is not None and (standing.category_id, standing.rationale, standing.decided_by_id) == (
        category.pk,
        rationale,
        by.pk,
    ):
        return standing
    if seen_number != (standing.number if standing else 0):
        raise errors.StaleDecision(
            standing, kept={"category": book.states[category.pk].code, "rationale": rationale}
        )
    now = decided_at or timezone.now()
    if standing is not None:
        Decision.objects.filter(pk=standing.pk).update(superseded_at=now)
    decision = Decision.objects.create(
        round=current,
        issue=issue,
        number=standing.number + 1 if standing else 1,
        category=category,
        version_id=current.version_id,
        method=Decision.Method.LEAD,
        rationale=rationale,
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


def decide_if_unanimous(round_: Round, issue: Issue, now: datetime) -> Decision | None:
    """The decision of a complete issue whose labels agree at the round's depth; None when they do not.

    The caller holds the issue's row in the round.
    """
    made = _decide(round_, now, issue.pk)
    return Decision.objects.get(pk=made[0]) if made else None


def decide_unanimous(round_: Round, now: datetime) -> int:
    """Decide every complete issue whose labels agree and that has no decision; how many. One statement."""
    return len(_decide(round_, now))


def _decide(round_: Round, now: datetime, issue_id: int | None = None) -> list[int]:
    query = f"""
    WITH deep AS MATERIALIZED ({ROLLED_UP})
    INSERT INTO annotate_decision
        (round_id, issue_id, number, category_id, version_id, method, rationale, decided_at)
    SELECT i.round_id, i.issue_id,
           1 + coalesce((
               SELECT max(d.number) FROM annotate_decision d
               WHERE d.round_id = i.round_id AND d.issue_id = i.issue_id
           ), 0),
           min(deep.at_depth), %(version)s, 'unanimous', '', %(now)s
    FROM annotate_roundissue i
    JOIN annotate_label l ON l.round_id = i.round_id AND l.issue_id = i.issue_id AND NOT l.surplus
    LEFT JOIN deep ON deep.category_id = l.category_id
    WHERE i.round_id = %(round)s AND i.completed_at IS NOT NULL
      {"AND i.issue_id = %(issue)s" if issue_id is not None else ""}
      AND NOT EXISTS (
        SELECT FROM annotate_decision d
        WHERE d.round_id = i.round_id AND d.issue_id = i.issue_id AND d.superseded_at IS NULL
      )
    GROUP BY i.round_id, i.issue_id
    HAVING min(deep.at_depth) = max(deep.at_depth) AND count(deep.at_depth) = count(*)
    RETURNING id
    """  # noqa: S608 - the pieces are constants
    with connection.cursor() as cursor:
        cursor.execute(
            query,
            {
                "round": round_.pk,
                "version": round_.version_id,
                "depth": round_.depth,
                "now": now,
                "issue": issue_id,
            },
        )
        return [row[0] for row in cursor.fetchall()]
