"""Many disagreements decided at one stroke, by majority or because they are alike; and that taken back.

Each decision is a row of its own. All are made by one statement, and one stroke takes them back.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from django.db import connection, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from annotate import errors
from annotate.actions.agendas import hold_places, raise_revision
from annotate.actions.decisions import reopen, require_category
from annotate.actions.locks import hold_meeting, hold_round
from annotate.models import AgendaItem, BulkDecision, Decision, Disagreement, Meeting, Round, Vote
from annotate.queries.bulk import largest
from annotate.queries.narrowing import Narrowing, found
from annotate.queries.rounds import reveals_complete_issues
from annotate.queries.withheld import seen_by, still_to_label
from annotate.rules import may_chair, may_settle
from core.retry import retried
from studies.actions import record
from studies.models import Membership
from taxonomy.models import Category

__all__ = ["decide_alike", "decide_majority", "reopen", "take_back"]

_STORE = """
    INSERT INTO annotate_decision
        (round_id, issue_id, number, category_id, version_id, method, rationale,
         decided_by_id, decided_at, bulk_id)
    SELECT g.round_id, g.issue_id, 1 + coalesce(before.number, 0), g.chosen[1], %(version)s, 'majority', '',
           %(by)s, %(now)s, %(bulk)s
    FROM annotate_disagreement g
    LEFT JOIN (
        SELECT issue_id, max(number) AS number FROM annotate_decision
        WHERE round_id = %(round)s GROUP BY issue_id
    ) before ON before.issue_id = g.issue_id
    WHERE g.round_id = %(round)s AND g.issue_id = ANY(%(issues)s::bigint[])
      AND NOT EXISTS (
        SELECT FROM annotate_decision d
        WHERE d.round_id = g.round_id AND d.issue_id = g.issue_id AND d.superseded_at IS NULL
      )
      AND NOT EXISTS (
        SELECT FROM annotate_agendaitem a
        WHERE a.round_id = g.round_id AND a.issue_id = g.issue_id AND a.released_at IS NULL
      )
"""


@retried
@transaction.atomic
def decide_majority(
    *,
    round_: Round,
    by: Membership,
    at_least: int,
    narrowing: Narrowing,
) -> BulkDecision:
    """Decide the open disagreements that these filters find and of which `at_least` labels are the same.

    What has a decision keeps it, what is on the agenda of a meeting is left to that, and what is kept from
    `by` is not touched.
    Raises NotAllowed, TrainingHasAnswers, AMeetingDecides, NotRevealed, NotAMajority, NothingToDecide.
    """
    current = _require_bulk(round_, by)
    if not current.labels_per_issue < 2 * at_least <= 2 * current.labels_per_issue:
        raise errors.NotAMajority
    chosen = largest(found(round_, narrowing, by), at_least)
    issues = hold_places(current, chosen)
    now = timezone.now()
    bulk = BulkDecision.objects.create(
        round=current,
        kind=BulkDecision.Kind.MAJORITY,
        at_least=at_least,
        asked=narrowing.query,
        by=by,
        at=now,
    )
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            {
                "round": current.pk,
                "version": current.version_id,
                "issues": issues,
                "by": by.pk,
                "now": now,
                "bulk": bulk.pk,
            },
        )
        decided = int(cursor.rowcount)
    if not decided:
        raise errors.NothingToDecide
    record(
        current.study,
        "decisions.majority",
        by.user,
        round=current.name,
        at_least=at_least,
        decided=decided,
    )
    return bulk


@retried
@transaction.atomic
def decide_alike(
    *,
    round_: Round,
    by: Membership,
    issues: Collection[int],
    category: Category,
    rationale: str,
    cause: str = "",
    meeting: Meeting | None = None,
) -> BulkDecision:
    """Give these disagreements one category with one rationale: each its own decision. As their lead or, with
    a meeting, as its chair, for what is on its agenda.

    What was decided meanwhile keeps its decision; so does what is on another agenda, under an open vote, kept
    from `by`, or from so many who are there that the others are no quorum: `decisions` of what this returns
    are fewer than `issues` then.
    Raises NotAllowed, AMeetingDecides, TrainingHasAnswers, NotRevealed, RationaleMissing, UnknownCategory,
    TooShallow, NothingToDecide; and MeetingNotOpen, MeetingClosed, NobodyDecidesForAPair, NoQuorum.
    """
    rationale = rationale.replace("\x00", "\ufffd").strip()
    if meeting is None:
        current, held = _require_bulk(round_, by), None
    else:
        held = _require_chair(meeting, by)
        current = held.round
    if not rationale:
        raise errors.RationaleMissing
    require_category(current, category)
    asked = Disagreement.objects.filter(round=current, issue__in=list(issues))
    places = hold_places(current, seen_by(asked, round_, by))
    standing = Decision.objects.filter(round=current, issue=OuterRef("issue"), superseded_at=None)
    waiting = Disagreement.objects.filter(~Exists(standing), round=current, issue__in=places)
    items = {
        item.issue_id: item
        for item in AgendaItem.objects.filter(round=current, issue__in=places, released_at=None)
    }
    votes = _last_votes(items.values()) if held else {}
    short = _without_quorum(held, places) if held else set()
    numbers = dict(
        Decision.objects.filter(round=current, issue__in=places)
        .values_list("issue")
        .annotate(last=Max("number"))
    )
    now = timezone.now()
    bulk = BulkDecision.objects.create(
        round=current,
        kind=BulkDecision.Kind.ALIKE,
        asked={"issues": len(places)} | ({"meeting": held.pk} if held else {}),
        by=by,
        at=now,
    )
    made = []
    for issue_id in waiting.order_by("position").values_list("issue", flat=True):
        if issue_id in short:
            continue
        item = items.get(issue_id)
        vote = votes.get(item.pk) if item else None
        if (held is None and item is None) or (held and item and _may_decide(held, item, vote)):
            made.append(
                Decision(
                    round=current,
                    issue_id=issue_id,
                    number=numbers.get(issue_id, 0) + 1,
                    category=category,
                    version_id=current.version_id,
                    method=Decision.Method.MEETING if held else Decision.Method.LEAD,
                    how=Decision.How.CHAIR if held else "",
                    item=item,
                    vote=vote if vote and vote.closed_at else None,
                    rationale=rationale,
                    cause=cause,
                    decided_by=by,
                    decided_at=now,
                    bulk=bulk,
                )
            )
    if not made:
        raise errors.NothingToDecide
    Decision.objects.bulk_create(made, batch_size=1000)
    if held:
        AgendaItem.objects.filter(pk__in=[one.item_id for one in made], parked_at__isnull=False).update(
            parked_at=None, parked_why=""
        )
        raise_revision(held)
    record(current.study, "decisions.alike", by.user, round=current.name, decided=len(made))
    return bulk


@retried
@transaction.atomic
def take_back(*, bulk: BulkDecision, by: Membership) -> int:
    """Supersede what a bulk decision decided and still stands; how many issues are open again, of those that
    `by` may see.

    No decision follows at once: the issues are open disagreements, and the decisions stay in their history.
    Leads may, and the chair whose meeting it was while that is open. Back twice is back. Raises NotAllowed.
    """
    current = hold_round(bulk.round)
    meetings = Meeting.objects.filter(items__decisions__bulk=bulk).distinct()
    held = [hold_meeting(meeting) for meeting in meetings.order_by("pk")]
    if not may_settle(by, current) and not any(one.is_open and may_chair(by, one) for one in held):
        raise errors.NotAllowed
    asked = Disagreement.objects.filter(round=current, issue__in=_standing(bulk).values("issue"))
    hold_places(current, asked)
    stored = BulkDecision.objects.select_for_update(of=("self",)).get(pk=bulk.pk)
    if stored.taken_back_at is not None:
        return 0
    open_again = seen_by(asked, bulk.round, by).count()
    now = timezone.now()
    reopened = _standing(bulk).update(superseded_at=now, superseded_by=by)
    BulkDecision.objects.filter(pk=bulk.pk).update(taken_back_at=now, taken_back_by=by)
    for meeting in held:
        raise_revision(meeting)
    record(current.study, "decisions.bulk_taken_back", by.user, round=current.name, reopened=reopened)
    return open_again


def _standing(bulk: BulkDecision) -> QuerySet[Decision]:
    return Decision.objects.filter(bulk=bulk, superseded_at=None)


def _require_bulk(round_: Round, by: Membership) -> Round:
    """The round, held, in which a lead may decide many at once."""
    current = hold_round(round_)
    if not may_settle(by, current):
        raise errors.NotAllowed
    if current.kind == Round.Kind.TRAINING:
        raise errors.TrainingHasAnswers
    if current.rule == Round.Rule.MEETING:
        raise errors.AMeetingDecides
    if not reveals_complete_issues(current):
        raise errors.NotRevealed
    return current


def _require_chair(meeting: Meeting, by: Membership) -> Meeting:
    """The meeting, held, in which its chair may decide alone."""
    held = hold_meeting(meeting)
    if not may_chair(by, held):
        raise errors.NotAllowed
    if held.closed_at is not None:
        raise errors.MeetingClosed
    if held.opened_at is None:
        raise errors.MeetingNotOpen
    if held.kind == Meeting.Kind.PAIR:
        raise errors.NobodyDecidesForAPair
    if held.kind == Meeting.Kind.TOGETHER:
        there = held.participants.filter(joined_at__isnull=False, left_at=None).count()
        if there < held.quorum:
            raise errors.NoQuorum(needs=held.quorum, there=there)
    return held


def _without_quorum(meeting: Meeting, issues: Collection[int]) -> set[int]:
    """Those of these issues that too few of who is together may see. Two queries for each who is there."""
    if meeting.kind != Meeting.Kind.TOGETHER:
        return set()
    there = meeting.participants.filter(joined_at__isnull=False, left_at=None).select_related("member")
    kept: Counter[int] = Counter()
    for one in there:
        turns = still_to_label(meeting.round, one.member).filter(issue__in=issues)
        kept.update(set(turns.values_list("issue", flat=True)))
    return {issue for issue, members in kept.items() if len(there) - members < meeting.quorum}


def _last_votes(items: Iterable[AgendaItem]) -> dict[int, Vote]:
    """Item id to its last vote."""
    votes = Vote.objects.filter(item__in=[item.pk for item in items]).order_by("number")
    return {vote.item_id: vote for vote in votes}


def _may_decide(meeting: Meeting, item: AgendaItem, vote: Vote | None) -> bool:
    """Over days the chair decides after a closed vote with its quorum; no vote is open, whatever the kind."""
    if item.meeting_id != meeting.pk or (vote is not None and vote.closed_at is None):
        return False
    if meeting.kind == Meeting.Kind.TOGETHER:
        return True
    return vote is not None and vote.present is not None and vote.present >= meeting.quorum
