"""A member's own labels and progress, the same whatever others label; and counts, without content."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.models import Repeat, Skip
from annotate.queries import repeats
from core import clock
from core.sql.prepared import Prepared
from rounds.allocation import labels_asked, pace, stretch
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.categories import categories_of
from rounds.queries.volunteers import slot_count
from studies.models import Membership

PACE_OVER = 21
FEWEST = 11
"""Moments of labels, so that a pace rests on ten gaps; with fewer it would be told by chance."""
LATEST = 200
"""The number of own labels that a page reads: for recent choices, the pace, and the time without a pause."""
SLOTS_COUNTED_EVERY = timedelta(minutes=5)
LONG = 60
"""After so many minutes of work without a pause, the page suggests a pause."""
AFTER_MIDNIGHT = timedelta(minutes=5)  # a submit that began before midnight has ended by then

# All run with every label.
_OWN_LATEST = """
    SELECT issue_id, category_id, submitted_at FROM (
        (SELECT issue_id, category_id, submitted_at, id FROM rounds_label
         WHERE round_id = %(round)s AND volunteer_id = %(member)s
         ORDER BY submitted_at DESC, id DESC LIMIT %(limit)s)
        {again}
    ) latest
    ORDER BY submitted_at DESC, id DESC LIMIT %(limit)s
"""
_LATEST_AGAIN = """
        UNION ALL
        SELECT issue_id, category_id, submitted_at, id FROM annotate_repeat
        WHERE round_id = %(round)s AND volunteer_id = %(member)s AND submitted_at IS NOT NULL
"""
_LATEST = Prepared("latest_labels", _OWN_LATEST.format(again=""))
_LATEST_WITH_REPEATS = Prepared("latest_labels_with_repeats", _OWN_LATEST.format(again=_LATEST_AGAIN))
_TODAY = Prepared(
    "labels_of_today",
    """
    SELECT count(*) FROM rounds_label
    WHERE round_id = %(round)s AND volunteer_id = %(member)s AND submitted_at >= %(midnight)s
    """,
)


@dataclass(frozen=True)
class OwnLabel:
    """One of the member's labels, with its issue, the repository, and the snapshot with the title only. For
    an open label `code` and `name` are empty; `label.proposal` names the missing category.
    """

    label: Label
    code: str
    name: str
    changeable: bool


@dataclass(frozen=True)
class OwnLabels:
    """One page of own labels; `next` is the cursor of the next page, None at the end."""

    rows: list[OwnLabel]
    next: str | None


class SlotCounts(NamedTuple):
    """How many labels some slots are for, and on how many issues."""

    labels: int = 0
    issues: int = 0


class LatestLabel(NamedTuple):
    """One of the member's last labels: `category` is None for an open label."""

    issue: int
    category: int | None
    at: datetime


@dataclass(frozen=True)
class Progress:
    """How far a member is. `total` and `is_share` are those of `labels_to_give`. `has_reached_quota`: the
    member is given no more labels. `median_seconds` is for one label, None before the eleventh;
    `stretch_minutes` is the time since the last pause of ten minutes, 0 during a pause.
    """

    done: int
    total: int
    is_share: bool
    today: int
    median_seconds: float | None
    stretch_minutes: int = 0
    has_reached_quota: bool = False

    @property
    def left(self) -> int:
        return max(self.total - self.done, 0)

    @property
    def seconds_left(self) -> float | None:
        return None if self.median_seconds is None else self.left * self.median_seconds

    @property
    def is_long(self) -> bool:
        """Is it time to suggest a pause?"""
        return self.stretch_minutes >= LONG


def own_labels(
    round_: Round,
    member: Membership,
    *,
    after: str | None = None,
    limit: int = 50,
    among: QuerySet[Label] | None = None,
) -> OwnLabels:
    """The member's labels in this round, or those `among` some labels, newest first. `after` is the `next` of
    the previous page. Raises ValueError for a malformed cursor.
    """
    states = categories_of(round_.version_id).by_id
    # A label that was revealed once stays unchangeable, even while its issue is blind again.
    places = RoundIssue.objects.filter(round=OuterRef("round"), issue=OuterRef("issue"))
    completed = places.values_list(Coalesce("completed_at", "was_completed_at"))
    labels = (
        (Label.objects.all() if among is None else among)
        .filter(round=round_, volunteer=member)
        .select_related("issue__repository", "issue__current", "proposal")
        .defer("issue__current__body", "issue__current__comments", "issue__current__labels")
        .annotate(completed_at=Subquery(completed))
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
                code=states[label.category_id].code if label.category_id else "",
                name=states[label.category_id].title if label.category_id else "",
                changeable=is_changeable(round_, label.completed_at),
            )
            for label in page
        ],
        next=f"{last.submitted_at.isoformat()}_{last.pk}" if last else None,
    )


def own_skips(round_: Round, member: Membership) -> list[Skip]:
    """The newest skip of each issue that the member skipped and has not labelled since, newest first."""
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


def latest_labels(round_: Round, member: Membership) -> list[LatestLabel]:
    """The member's last labels, including those of the drift check, newest first. One query."""
    statement = _LATEST_WITH_REPEATS if round_.drift_percent else _LATEST
    with connection.cursor() as cursor:
        statement.run(cursor, {"round": round_.pk, "member": member.pk, "limit": LATEST})
        return list(map(LatestLabel._make, cursor.fetchall()))


def own_counts(round_: Round, member: Membership) -> dict[int, int]:
    """How often the member chose each category in this round, by the id of the category. One query."""
    own = Label.objects.filter(round=round_, volunteer=member, category__isnull=False).order_by()
    counts = Counter(
        dict(own.values("category").annotate(labels=Count("*")).values_list("category", "labels"))
    )
    if round_.drift_percent:
        again = Repeat.objects.filter(round=round_, volunteer=member, category__isnull=False)
        counts.update(again.values_list("category", flat=True))
    return dict(sorted(counts.items()))


def labels_given(round_: Round, member: Membership) -> int:
    """How many labels the member has given, including those of the drift check. One query, or two."""
    return sum(_done(round_, member)) + _again(round_, member).labelled


def progress(
    round_: Round,
    member: Membership,
    latest: list[LatestLabel] | None = None,
    seat: RoundVolunteer | None = None,
) -> Progress:
    """How far the member is, by their own labels alone. Two queries, two more when asked for the first time.

    The cost does not grow with the round: the labels of earlier days and the slots are kept in memory.
    `latest` (the member's `latest_labels`) and `seat` (the place in the round) are read only if not given.
    `median_seconds` is the pace of the last twenty labels, without pauses.
    """
    latest = latest_labels(round_, member) if latest is None else latest
    earlier, today = _done(round_, member, latest)
    again = _again(round_, member)
    moments = [one.at for one in latest]
    seat = seat or RoundVolunteer.objects.get(round=round_, member=member)
    quotas: tuple[int | None, ...] = ()
    if round_.allocation == Round.Allocation.K_OF_N:
        active = RoundVolunteer.objects.filter(round=round_, left_at=None).order_by("column")
        quotas = tuple(active.values_list("quota", flat=True))
        slots = _shared_slots(round_.pk, round_.labels_per_issue) if round_.opened_at else _planned(round_)
    else:
        # Slots that are being made for a round belong to nobody until the round is open.
        counted_at = int(clock.now().timestamp() // SLOTS_COUNTED_EVERY.total_seconds())
        key = (round_.pk, member.pk, seat.left_at, seat.column, counted_at)
        slots = _slots_of(*key) if round_.opened_at else SlotCounts()
    done = earlier + today
    total, is_share = labels_to_give(round_, seat, done, again, slots, quotas)
    return Progress(
        done=done + again.labelled,
        total=total,
        is_share=is_share,
        today=today + again.today,
        median_seconds=pace(moments[:PACE_OVER]) if len(moments) >= FEWEST else None,
        stretch_minutes=int(stretch(moments, clock.now()).total_seconds() // 60),
        has_reached_quota=seat.quota is not None and done >= seat.quota,
    )


def labels_to_give(
    round_: Round,
    seat: RoundVolunteer,
    done: int,
    again: repeats.RepeatCounts,
    slots: SlotCounts,
    quotas: tuple[int | None, ...],
) -> tuple[int, bool]:
    """How many labels a member is to give in a round, and whether this is an equal share: on every page.

    Crossed: for all of their own `slots`. k of n: the open slots depend on the others, so the number is an
    equal share of all `slots`, or the member's quota if that is less, and at least the labels `done`;
    `quotas` are those of all active volunteers. Issues that come `again` count like any other from the
    beginning. No query; with a drift check two when a crossed round is asked for the first time.
    """
    if round_.allocation == Round.Allocation.K_OF_N:
        asked = labels_asked(slots.labels, slots.issues, quotas, seat.quota)
        total = max(asked, done)
        expected = round(total * round_.drift_percent / 100)
        is_share = asked != seat.quota
    else:
        total, is_share, expected = slots.labels, False, 0
        if round_.drift_percent:
            expected = repeats.expected(round_.pk, seat.member_id, round_.drift_percent, total)
    return total + max(expected - again.lost, again.labelled), is_share


def slot_counts(rounds: Collection[int]) -> dict[int, SlotCounts]:
    """Round id to the slots of the round, for opened rounds. One query."""
    slots = Assignment.objects.filter(round__in=rounds).order_by().values("round")
    counted = slots.annotate(labels=Count("*"), issues=Count("pk", filter=Q(slot=1)))
    return {row["round"]: SlotCounts(row["labels"], row["issues"]) for row in counted}


def _done(round_: Round, member: Membership, latest: Sequence[LatestLabel] = ()) -> tuple[int, int]:
    """The number of the member's labels before today, counted once, and of the labels of today."""
    midnight = _midnight()
    is_settled = clock.now() - midnight > AFTER_MIDNIGHT
    earlier = (_done_before if is_settled else _done_before.__wrapped__)(round_.pk, member.pk, midnight)
    since = None if round_.drift_percent or not latest else _counted_since(midnight, latest)
    if since is None:
        with connection.cursor() as cursor:
            _TODAY.run(cursor, {"round": round_.pk, "member": member.pk, "midnight": midnight})
            return earlier, cursor.fetchone()[0]
    before = earlier if since == midnight else _done_before(round_.pk, member.pk, since)
    return earlier, before - earlier + sum(one.at >= since for one in latest)


def _counted_since(midnight: datetime, latest: Sequence[LatestLabel]) -> datetime | None:
    """A moment after which `latest` has all labels: midnight, or else the last full hour, minute or second;
    None if `latest` goes back less far. A member's labels are stored one after another, so that nothing is
    stored any more before a moment that has a label after it.
    """
    if len(latest) < LATEST or latest[-1].at < midnight:
        return midnight
    newest = latest[0].at
    hour, minute, second = (
        newest.replace(minute=0, second=0, microsecond=0),
        newest.replace(second=0, microsecond=0),
        newest.replace(microsecond=0),
    )
    return next((moment for moment in (hour, minute, second) if moment > latest[-1].at), None)


def _again(round_: Round, member: Membership) -> repeats.RepeatCounts:
    if not round_.drift_percent:
        return repeats.RepeatCounts()
    return repeats.counted(round_, member, since=_midnight())


@lru_cache(maxsize=8192)
def _done_before(round_id: int, member_id: int, midnight: datetime) -> int:
    """Labels that were stored earlier: they are never taken back, so a page need not count them each time."""
    before = Label.objects.filter(round=round_id, volunteer=member_id, submitted_at__lt=midnight)
    return int(before.aggregate(labels=Count("submitted_at"))["labels"])


@lru_cache(maxsize=1024)
def _shared_slots(round_id: int, _labels_per_issue: int) -> SlotCounts:
    """The slots of an opened k-of-n round: their number changes only when its labels per issue do."""
    return slot_counts([round_id]).get(round_id, SlotCounts())


def _planned(round_: Round) -> SlotCounts:
    slots = slot_count(round_)
    return SlotCounts(slots, slots // round_.labels_per_issue)


@lru_cache(maxsize=1024)
def _slots_of(
    round_id: int, member_id: int, _left_at: datetime | None, _column: int | None, _counted_at: int
) -> SlotCounts:
    """A volunteer's number of slots: it changes with the place in the round, or when a lead moves slots."""
    own = Assignment.objects.filter(round=round_id, volunteer=member_id).count()
    return SlotCounts(own, own)


def is_changeable(round_: Round, completed_at: datetime | None) -> bool:
    """May the authors still change their labels of an issue with this time of completion, present or earlier?
    They may until reveal, and never in a training. Labels that were revealed once change only in a second
    look.
    """
    if round_.closed_at is not None or round_.kind == Round.Kind.TRAINING:
        return False
    return round_.reveal != Round.Reveal.ISSUE_COMPLETE or completed_at is None


def _midnight() -> datetime:
    return timezone.localtime(clock.now()).replace(hour=0, minute=0, second=0, microsecond=0)


def _cursor(text: str) -> tuple[datetime, int]:
    moment, _, id_ = text.rpartition("_")
    at = datetime.fromisoformat(moment)
    if at.tzinfo is None or at > clock.now() + timedelta(days=1):
        raise ValueError(text)
    return at, int(id_)
