"""The drift check: which of a member's issues comes to them again. All of it depends on their own data alone,
and on what is revealed to everybody.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.drift import YOUNGEST, comes_again
from annotate.models import Assignment, Label, Repeat, Round, RoundIssue, RoundVolunteer
from annotate.queries.rounds import revealed
from studies.models import Membership

STILL_OPEN = timedelta(hours=1)
"""So long after it was given a repeat can be changed as the label that it looked like."""


def repeats_to_come(round_: Round, member: Membership) -> QuerySet[Repeat]:
    """The member's repeats that can be labelled now: their first labels are old enough, and were never
    revealed.
    """
    old = Label.objects.filter(
        round=round_, volunteer=member, issue=OuterRef("issue"), submitted_at__lte=timezone.now() - YOUNGEST
    )
    return Repeat.objects.filter(Exists(old), round=round_, volunteer=member, submitted_at=None).exclude(
        _was_revealed(round_)
    )


def _was_revealed(round_: Round) -> Exists:
    """Is the issue of a repeat revealed, or was it before it had to be looked at again?"""
    before = RoundIssue.objects.filter(round=round_, was_completed_at__isnull=False)
    return Exists((revealed(round_) | before).filter(issue=OuterRef("issue")))


def next_repeat(
    round_: Round, member: Membership, *, holding: Collection[int] = (), is_last: bool = False
) -> Repeat | None:
    """The repeat that is due longest; with `is_last`, when nothing else is left, also one that is not due
    yet.
    """
    waiting = repeats_to_come(round_, member).exclude(issue__in=holding)
    if not is_last:
        waiting = waiting.filter(due_at__lte=timezone.now())
    return waiting.order_by("due_at", "id").first()


def is_ripe(repeat: Repeat, label: Label, now: datetime) -> bool:
    """May this repeat have been given by now, so that what is submitted for its issue is meant for it?"""
    return repeat.submitted_at is None and label.submitted_at <= now - YOUNGEST


def recent_repeat(round_: Round, member: Membership, issue_id: int) -> Repeat | None:
    """The repeat of this issue that the member has just labelled, while they can go back to it."""
    if not round_.drift_percent:
        return None
    since = timezone.now() - STILL_OPEN
    own = Repeat.objects.filter(round=round_, volunteer=member, issue=issue_id, submitted_at__gte=since)
    return own.select_related("proposal").first()


def as_label(repeat: Repeat) -> Label:
    """A repeat as the page and REST show it: the same as any label. It is not stored, and has no id."""
    return Label(
        round_id=repeat.round_id,
        issue_id=repeat.issue_id,
        volunteer_id=repeat.volunteer_id,
        category_id=repeat.category_id,
        version_id=repeat.version_id or 0,
        proposal=repeat.proposal,
        proposed_reason=repeat.proposed_reason,
        nearest_id=repeat.nearest_id,
        guideline_id=repeat.guideline_id,
        snapshot_id=repeat.snapshot_id,
        summary=repeat.summary,
        unsure=repeat.unsure,
        submitted_at=repeat.submitted_at or repeat.due_at,
        form_key=repeat.form_key,
    )


@dataclass(frozen=True)
class Counted:
    """The member's repeats: labelled, of them since a moment; and lost, as their issue was revealed first."""

    labelled: int = 0
    today: int = 0
    lost: int = 0


def counted(round_: Round, member: Membership, *, since: datetime) -> Counted:
    """One query."""
    own = Repeat.objects.filter(round=round_, volunteer=member)
    found = own.aggregate(
        labelled=Count("submitted_at"),
        today=Count("pk", filter=Q(submitted_at__gte=since)),
        lost=Count("pk", filter=Q(_was_revealed(round_), submitted_at=None)),
    )
    return Counted(**found)


@lru_cache(maxsize=1024)
def expected(round_id: int, member_id: int, percent: int, _slots: int) -> int:
    """How many of the issues that are this volunteer's in a fully crossed round come to them again."""
    seed = RoundVolunteer.objects.get(round=round_id, member=member_id).seed
    issues = Assignment.objects.filter(round=round_id, volunteer=member_id).values_list("issue", flat=True)
    return sum(comes_again(issue, seed, percent) for issue in issues.iterator())
