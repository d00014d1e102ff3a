"""The drift check: which issues come to a member again, by the member's own data and what all can see."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache, reduce
from operator import or_

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from annotate.models import Repeat
from core import clock
from rounds.drift import YOUNGEST, comes_again
from rounds.models import Assignment, Label, Round, RoundVolunteer
from rounds.queries.rounds import once_revealed
from studies.models import Membership

CHOSEN = (
    "category_id", "proposal", "proposed_reason", "nearest_id", "version_id", "guideline_id", "snapshot_id",
    "summary", "unsure",
)  # fmt: skip
"""The fields of a label and of a repeat that the author chose or that record what the page showed."""
STILL_OPEN = timedelta(hours=1)
"""For this time after its submission a repeat can be changed like a label."""


def repeats_to_come(round_: Round, member: Membership) -> QuerySet[Repeat]:
    """The member's repeats that can be labelled now: the first label is old enough and was never revealed."""
    old = Label.objects.filter(
        round=round_, volunteer=member, issue=OuterRef("issue"), submitted_at__lte=clock.now() - YOUNGEST
    )
    return Repeat.objects.filter(Exists(old), round=round_, volunteer=member, submitted_at=None).exclude(
        _was_revealed(round_)
    )


def _was_revealed(round_: Round) -> Exists:
    return Exists(once_revealed(round_).filter(issue=OuterRef("issue")))


def next_repeat(round_: Round, member: Membership, *, holding: Collection[int] = ()) -> Repeat | None:
    """The repeat that has been due for the longest time."""
    due = repeats_to_come(round_, member).filter(due_at__lte=clock.now())
    return due.exclude(issue__in=holding).order_by("due_at", "id").first()


def next_comes(round_: Round, member: Membership) -> datetime | None:
    """When the next issue comes to a member who has nothing to label now, if one comes. One query at most."""
    due = next_due([round_] if round_.drift_percent else [], [member.pk]).get((round_.pk, member.pk))
    return due if due and due > clock.now() else None


def next_due(rounds: Collection[Round], members: Collection[int]) -> dict[tuple[int, int], datetime]:
    """(round id, member id) to the moment when the next repeat is due, for those who have some to come, as if
    they had given all their labels. One query; none without a round.
    """
    if not rounds:
        return {}
    lost = reduce(or_, (Q(_was_revealed(round_), round=round_) for round_ in rounds))
    waiting = Repeat.objects.filter(round__in=rounds, volunteer__in=members, submitted_at=None).exclude(lost)
    found = waiting.order_by().values_list("round", "volunteer").annotate(due=Min("due_at"))
    return {(round_id, member): due for round_id, member, due in found}


def is_ripe(repeat: Repeat, label: Label, now: datetime) -> bool:
    """Could the member have got this repeat by now, so that a form of its issue is meant for it?"""
    return repeat.submitted_at is None and label.submitted_at <= now - YOUNGEST


def recent_repeat(round_: Round, member: Membership, issue_id: int) -> Repeat | None:
    """The repeat of this issue that the member has just labelled and can still go back to."""
    if not round_.drift_percent:
        return None
    since = clock.now() - STILL_OPEN
    own = Repeat.objects.filter(round=round_, volunteer=member, issue=issue_id, submitted_at__gte=since)
    return own.select_related("proposal").first()


def as_label(repeat: Repeat) -> Label:
    """A repeat as the page and REST show it: like any label. It is not stored, and has no id."""
    return Label(
        round_id=repeat.round_id,
        issue_id=repeat.issue_id,
        volunteer_id=repeat.volunteer_id,
        **{name: getattr(repeat, name) for name in CHOSEN},
        submitted_at=repeat.submitted_at or repeat.due_at,
        form_key=repeat.form_key,
    )


@dataclass(frozen=True)
class RepeatCounts:
    """The member's repeats: labelled, labelled today, and lost because the issue was revealed first."""

    labelled: int = 0
    today: int = 0
    lost: int = 0


def counted(round_: Round, member: Membership, *, since: datetime) -> RepeatCounts:
    """Count the member's repeats. One query."""
    own = Repeat.objects.filter(round=round_, volunteer=member)
    found = own.aggregate(
        labelled=Count("submitted_at"),
        today=Count("pk", filter=Q(submitted_at__gte=since)),
        lost=Count("pk", filter=Q(_was_revealed(round_), submitted_at=None)),
    )
    return RepeatCounts(**found)


def counted_in(rounds: Collection[Round], members: Collection[int]) -> dict[tuple[int, int], RepeatCounts]:
    """(round id, member id) to the repeats of these members in these rounds, without those of today. One
    query; none without a round that has a drift check.
    """
    checked = [round_ for round_ in rounds if round_.drift_percent]
    if not checked:
        return {}
    lost = reduce(or_, (Q(_was_revealed(round_), round=round_, submitted_at=None) for round_ in checked))
    own = Repeat.objects.filter(round__in=checked, volunteer__in=members).order_by()
    counts = own.values("round", "volunteer").annotate(
        labelled=Count("submitted_at"), lost=Count("pk", filter=lost)
    )
    return {
        (row["round"], row["volunteer"]): RepeatCounts(labelled=row["labelled"], lost=row["lost"])
        for row in counts
    }


@lru_cache(maxsize=1024)
def expected(round_id: int, member_id: int, percent: int, _slots: int) -> int:
    """How many of this volunteer's issues in a fully crossed round come to them again."""
    seed = RoundVolunteer.objects.get(round=round_id, member=member_id).seed
    issues = Assignment.objects.filter(round=round_id, volunteer=member_id).values_list("issue", flat=True)
    return sum(comes_again(issue, seed, percent) for issue in issues.iterator())
