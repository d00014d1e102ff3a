"""Bulk decisions, by majority of the labels or for alike issues, and how to take them back. Each decision is
a row of its own. One action makes all of them, and one action takes them back.
"""

from collections import Counter
from collections.abc import Collection

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from consensus import errors
from consensus.actions.agendas import lock_places
from consensus.actions.consensus import require_quorum
from consensus.actions.decisions import next_numbers, require_category
from consensus.actions.locks import changed, lock_meeting, lock_open_meeting
from consensus.actions.records import record_in_round
from consensus.models import AgendaItem, BulkDecision, Decision, Disagreement, Meeting, Vote
from consensus.queries.bulk import largest
from consensus.queries.disagreement_filters import Narrowing, found
from consensus.queries.votes import present_in
from consensus.rules import may_chair, may_settle
from core import clock
from core.sql.retry import retried
from rounds.actions.locks import lock_round
from rounds.errors import NotAllowed, TrainingHasAnswers
from rounds.models import Round
from rounds.queries.blindness import seen_by, still_to_label
from rounds.queries.rounds import reveals_complete_issues
from studies.models import Membership
from taxonomy.models import Category

_STORE = """
    INSERT INTO consensus_decision
        (round_id, issue_id, number, category_id, version_id, method, rationale,
         decided_by_id, decided_at, bulk_id)
    SELECT g.round_id, g.issue_id, 1 + coalesce(before.number, 0), g.chosen[1], %(version)s, 'majority', '',
           %(by)s, %(now)s, %(bulk)s
    FROM consensus_disagreement g
    LEFT JOIN (
        SELECT issue_id, max(number) AS number FROM consensus_decision
        WHERE round_id = %(round)s GROUP BY issue_id
    ) before ON before.issue_id = g.issue_id
    WHERE g.round_id = %(round)s AND g.issue_id = ANY(%(issues)s::bigint[])
      AND NOT EXISTS (
        SELECT FROM consensus_decision d
        WHERE d.round_id = g.round_id AND d.issue_id = g.issue_id AND d.superseded_at IS NULL
      )
      AND NOT EXISTS (
        SELECT FROM consensus_agendaitem a
        WHERE a.round_id = g.round_id AND a.issue_id = g.issue_id AND a.released_at IS NULL
      )
"""


@retried
@transaction.atomic
def decide_majority(*, round_: Round, by: Membership, at_least: int, narrowing: Narrowing) -> BulkDecision:
    """Decide the open disagreements that the filters find and that have at least `at_least` equal labels.

    Decided issues keep their decision; issues on an agenda are left to the meeting; issues withheld from `by`
    stay as they are. Raises NotAllowed, TrainingHasAnswers, AMeetingDecides, NotRevealed, NotAMajority,
    NothingToDecide.
    """
    current = _require_bulk(round_, by)
    if not current.labels_per_issue < 2 * at_least <= 2 * current.labels_per_issue:
        raise errors.NotAMajority
    chosen = largest(found(round_, narrowing, by), at_least)
    issues = lock_places(current, chosen)
    now = clock.now()
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
    record_in_round("decisions.majority", current, by, at_least=at_least, decided=decided)
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
    """Give these disagreements one category with one rationale, each in its own decision.

    A lead decides, or with `meeting` its chair, for the issues on its agenda. An issue is left out if it was
    decided meanwhile, is on another agenda, has an open vote, is withheld from `by`, or is withheld from so
    many participants that the others are no quorum: the result then has fewer `decisions` than `issues`.
    Raises NotAllowed, AMeetingDecides, TrainingHasAnswers, NotRevealed, RationaleMissing, UnknownCategory,
    TooShallow, NothingToDecide; and MeetingNotOpen, MeetingClosed, NobodyDecidesForAPair, NoQuorum.
    """
    rationale = rationale.replace("\x00", "\ufffd").strip()
    if meeting is None:
        current, chaired = _require_bulk(round_, by), None
    else:
        chaired = _require_chair(meeting, by)
        current = chaired.round
    if not rationale:
        raise errors.RationaleMissing
    require_category(current, category)
    asked = Disagreement.objects.filter(round=current, issue__in=list(issues))
    places = lock_places(current, seen_by(asked, round_, by))
    standing = Decision.objects.filter(round=current, issue=OuterRef("issue"), superseded_at=None)
    waiting = Disagreement.objects.filter(~Exists(standing), round=current, issue__in=places)
    items = {
        item.issue_id: item
        for item in AgendaItem.objects.filter(round=current, issue__in=places, released_at=None)
    }
    found_votes = Vote.objects.filter(item__in=items.values()).order_by("number") if chaired else []
    votes = {vote.item_id: vote for vote in found_votes}  # the last of each item
    short = _without_quorum(chaired, places) if chaired else set()
    numbers = next_numbers(current, places)
    now = clock.now()
    bulk = BulkDecision.objects.create(
        round=current,
        kind=BulkDecision.Kind.ALIKE,
        asked={"issues": len(places)} | ({"meeting": chaired.pk} if chaired else {}),
        by=by,
        at=now,
    )
    made = []
    for issue_id in waiting.order_by("position").values_list("issue", flat=True):
        if issue_id in short:
            continue
        item = items.get(issue_id)
        vote = votes.get(item.pk) if item else None
        if (chaired is None and item is None) or (chaired and item and _may_decide(chaired, item, vote)):
            made.append(
                Decision(
                    round=current,
                    issue_id=issue_id,
                    number=numbers[issue_id],
                    category=category,
                    version_id=current.version_id,
                    method=Decision.Method.MEETING if chaired else Decision.Method.LEAD,
                    how=Decision.How.CHAIR if chaired else "",
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
    if chaired:
        AgendaItem.objects.filter(pk__in=[one.item_id for one in made], parked_at__isnull=False).update(
            parked_at=None, parked_why=""
        )
        changed(chaired)
    record_in_round("decisions.alike", current, by, decided=len(made))
    return bulk


@retried
@transaction.atomic
def take_back(*, bulk: BulkDecision, by: Membership) -> int:
    """Supersede the standing decisions of a bulk decision; returns how many reopened issues `by` may see.

    The issues become open disagreements, and the old decisions stay in their history. For leads, and for the
    chair of the meeting that decided while it is open. A second call does nothing. Raises NotAllowed.
    """
    current = lock_round(bulk.round)
    meetings = Meeting.objects.filter(items__decisions__bulk=bulk).distinct()
    locked = [lock_meeting(meeting) for meeting in meetings.order_by("pk")]
    if not may_settle(by, current) and not any(one.is_open and may_chair(by, one) for one in locked):
        raise NotAllowed
    asked = Disagreement.objects.filter(round=current, issue__in=_standing(bulk).values("issue"))
    lock_places(current, asked)
    stored = BulkDecision.objects.select_for_update(of=("self",)).get(pk=bulk.pk)
    if stored.taken_back_at is not None:
        return 0
    open_again = seen_by(asked, bulk.round, by).count()
    now = clock.now()
    reopened = _standing(bulk).update(superseded_at=now, superseded_by=by)
    BulkDecision.objects.filter(pk=bulk.pk).update(taken_back_at=now, taken_back_by=by)
    for meeting in locked:
        changed(meeting)
    record_in_round("decisions.bulk_taken_back", current, by, reopened=reopened)
    return open_again


def _standing(bulk: BulkDecision) -> QuerySet[Decision]:
    return Decision.objects.filter(bulk=bulk, superseded_at=None)


def _require_bulk(round_: Round, by: Membership) -> Round:
    """Lock the round and check that this lead may make bulk decisions in it."""
    current = lock_round(round_)
    if not may_settle(by, current):
        raise NotAllowed
    if current.kind == Round.Kind.TRAINING:
        raise TrainingHasAnswers
    if current.rule == Round.Rule.MEETING:
        raise errors.AMeetingDecides
    if not reveals_complete_issues(current):
        raise errors.NotRevealed
    return current


def _require_chair(meeting: Meeting, by: Membership) -> Meeting:
    """Lock the meeting and check that this chair may decide alone in it."""
    locked = lock_open_meeting(meeting)
    if not may_chair(by, locked):
        raise NotAllowed
    if locked.kind == Meeting.Kind.PAIR:
        raise errors.NobodyDecidesForAPair
    if locked.kind == Meeting.Kind.TOGETHER:
        require_quorum(locked, len(present_in(locked)))
    return locked


def _without_quorum(meeting: Meeting, issues: Collection[int]) -> set[int]:
    """The issues that fewer present participants than the quorum may see. Two queries per participant."""
    if meeting.kind != Meeting.Kind.TOGETHER:
        return set()
    there = Membership.objects.filter(pk__in=present_in(meeting))
    kept: Counter[int] = Counter()
    for member in there:
        turns = still_to_label(meeting.round, member).filter(issue__in=issues)
        kept.update(set(turns.values_list("issue", flat=True)))
    return {issue for issue, members in kept.items() if len(there) - members < meeting.quorum}


def _may_decide(meeting: Meeting, item: AgendaItem, vote: Vote | None) -> bool:
    """May the chair decide the item? Not during a vote; over days only after a vote with its quorum."""
    if item.meeting_id != meeting.pk or (vote is not None and vote.closed_at is None):
        return False
    if meeting.kind == Meeting.Kind.TOGETHER:
        return True
    return vote is not None and vote.present is not None and vote.present >= meeting.quorum
