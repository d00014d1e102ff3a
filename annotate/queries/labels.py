"""A member's own labels and progress: the same bytes whatever others label. And counts, without content."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotate.allocation import fair_share, pace
from annotate.models import Label, Round, RoundIssue, RoundVolunteer, Skip
from annotate.queries.categories import codebook
from studies.models import Membership
from taxonomy.models import CategoryState

PACE_OVER = 21
AFTER_MIDNIGHT = timedelta(minutes=5)  # a submit that began before midnight has ended by then


@dataclass(frozen=True)
class OwnLabel:
    """One of the member's labels. Its issue comes with its repository, its snapshot with the title only."""

    label: Label
    code: str
    name: str
    changeable: bool


@dataclass(frozen=True)
class OwnLabels:
    """A page of them; `next` is the cursor of the page after it, None at the end."""

    rows: list[OwnLabel]
    next: str | None


@dataclass(frozen=True)
class Progress:
    """How far a member is. `total` is what is theirs to label or, with `is_share`, an equal share."""

    done: int
    total: int
    is_share: bool
    today: int
    median_seconds: float | None

    @property
    def left(self) -> int:
        return max(self.total - self.done, 0)

    @property
    def seconds_left(self) -> float | None:
        return None if self.median_seconds is None else self.left * self.median_seconds


@dataclass(frozen=True)
class MemberCount:
    volunteer: RoundVolunteer
    labels: int
    surplus: int


def own_labels(round_: Round, member: Membership, *, after: str | None = None, limit: int = 50) -> OwnLabels:
    """The member's labels in this round, newest first. `after` is the `next` of the page before.

    Raises ValueError for a cursor that is none.
    """
    state = CategoryState.objects.filter(version=OuterRef("version"), category=OuterRef("category"))
    completed = RoundIssue.objects.filter(round=OuterRef("round"), issue=OuterRef("issue")).values(
        "completed_at"
    )
    labels = (
        Label.objects.filter(round=round_, volunteer=member)
        .select_related("issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .annotate(
            code=Subquery(state.values("code")),
            category_name=Subquery(state.values("name")),
            completed_at=Subquery(completed),
        )
        .order_by("-submitted_at", "-id")
    )
    if after:
        at, id_ = _cursor(after)
        labels = labels.filter(Q(submitted_at=at, id__lt=id_) | Q(submitted_at__lt=at), submitted_at__lte=at)
    found = list(labels[: limit + 1])
    page = found[:limit]
    last = page[-1] if len(found) > limit else None
    return OwnLabels(
        rows=[
            OwnLabel(
                label=label,
                code=label.code or "",
                name=label.category_name or "",
                changeable=_is_changeable(round_, label.completed_at),
            )
            for label in page
        ],
        next=f"{last.submitted_at.isoformat()}_{last.pk}" if last else None,
    )


def own_skips(round_: Round, member: Membership) -> list[Skip]:
    """The issues that the member put off and has not labelled since: newest skip of each, newest first."""
    labelled = Label.objects.filter(round=round_, volunteer=member, issue=OuterRef("issue"))
    skips = (
        Skip.objects.filter(round=round_, volunteer=member)
        .exclude(Q(issue__in=Subquery(labelled.values("issue"))))
        .select_related("issue__repository", "issue__current")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .order_by("-skipped_at", "-id")
    )
    latest: dict[int, Skip] = {}
    for skip in skips:
        latest.setdefault(skip.issue_id, skip)
    return list(latest.values())


def recent_codes(round_: Round, member: Membership, limit: int = 8) -> list[CategoryState]:
    """The categories of the member's last 50 labels, without repeats, newest first."""
    chosen = (
        Label.objects.filter(round=round_, volunteer=member)
        .order_by("-submitted_at")
        .values_list("category_id", flat=True)[:50]
    )
    distinct = list(dict.fromkeys(chosen))[:limit]
    states = CategoryState.objects.filter(version=round_.version_id, category__in=distinct)
    by_category = {state.category_id: state for state in states}
    return [by_category[category] for category in distinct if category in by_category]


def latest_choices(round_: Round, member: Membership, limit: int = 50) -> list[tuple[int, int]]:
    """Issue and category, by their ids, of the member's last labels, newest first. One query."""
    own = Label.objects.filter(round=round_, volunteer=member).order_by("-submitted_at", "-id")
    return list(own.values_list("issue_id", "category_id")[:limit])


def own_counts(round_: Round, member: Membership) -> dict[int, int]:
    """How often the member chose each category in this round, by the id of the category. One query."""
    own = Label.objects.filter(round=round_, volunteer=member).order_by()
    return dict(own.values("category").annotate(labels=Count("*")).values_list("category", "labels"))


def progress(round_: Round, member: Membership) -> Progress:
    """How far the member is, by their own labels alone. Two queries, two more when asked for the first time.

    The cost does not grow with the round: what was done before today, and the issues, are kept in memory.

    `median_seconds` is the pace of their last twenty labels, without pauses. In a k-of-n round nobody's total
    is fixed, and what is still open depends on the others: the total is an equal share instead.
    """
    own = Label.objects.filter(round=round_, volunteer=member)
    midnight = _midnight()
    settled = timezone.now() - midnight > AFTER_MIDNIGHT
    earlier = _done_before if settled else _done_before.__wrapped__
    today = own.filter(submitted_at__gte=midnight).aggregate(labels=Count("submitted_at"))["labels"]
    done = earlier(round_.pk, member.pk, midnight) + today
    latest = own.order_by("-submitted_at").values_list("submitted_at", flat=True)[:PACE_OVER]
    total = (_issues_of if round_.opened_at else _issues_of.__wrapped__)(round_.pk, round_.opened_at)
    is_share = round_.allocation == Round.Allocation.K_OF_N
    if is_share:
        volunteers = RoundVolunteer.objects.filter(round=round_).count()
        total = max(fair_share(total, round_.labels_per_issue, volunteers), done)
    return Progress(done=done, total=total, is_share=is_share, today=today, median_seconds=pace(list(latest)))


@lru_cache(maxsize=8192)
def _done_before(round_id: int, member_id: int, midnight: datetime) -> int:
    """Labels of the days before: they are never taken back, so a page need not count them each time."""
    before = Label.objects.filter(round=round_id, volunteer=member_id, submitted_at__lt=midnight)
    return int(before.aggregate(labels=Count("submitted_at"))["labels"])


@lru_cache(maxsize=1024)
def _issues_of(round_id: int, _opened_at: datetime | None) -> int:
    """The issues of a round; from its opening on they stay the same."""
    return RoundIssue.objects.filter(round=round_id).count()


def counts_by_member(round_: Round) -> list[MemberCount]:
    """How many labels each volunteer of the round has given, in the order of their columns. Two queries."""
    counted = {
        row["volunteer"]: row
        for row in Label.objects.filter(round=round_)
        .values("volunteer")
        .annotate(
            labels=Count("category", filter=Q(surplus=False)),
            surpluses=Count("category", filter=Q(surplus=True)),
        )
    }
    nothing = {"labels": 0, "surpluses": 0}
    volunteers: QuerySet[RoundVolunteer] = RoundVolunteer.objects.filter(round=round_).select_related(
        "member"
    )
    return [
        MemberCount(volunteer, counts["labels"], counts["surpluses"])
        for volunteer in volunteers.order_by("column")
        for counts in [counted.get(volunteer.member_id, nothing)]
    ]


def choosable(round_: Round) -> frozenset[int]:
    """The ids of the categories that a label of this round may have: deep enough for its depth."""
    return codebook(round_.version_id).choosable(round_.depth)


def _is_changeable(round_: Round, completed_at: datetime | None) -> bool:
    if round_.closed_at is not None:
        return False
    return round_.reveal != Round.Reveal.ISSUE_COMPLETE or completed_at is None


def _midnight() -> datetime:
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def _cursor(text: str) -> tuple[datetime, int]:
    moment, _, id_ = text.rpartition("_")
    at = datetime.fromisoformat(moment)
    if at.tzinfo is None or at > timezone.now() + timedelta(days=1):
        raise ValueError(text)
    return at, int(id_)
