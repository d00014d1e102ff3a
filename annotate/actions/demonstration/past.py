"""Labels of the past: no action takes another moment than now, so they are stored as imports store them."""

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db import connection
from django.utils import timezone

from annotate.actions.decisions import decide_by_rule
from annotate.actions.rounds import close_round, open_round
from annotate.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from studies.models import Guideline, Membership
from taxonomy.models import Proposal
from taxonomy.queries import Codebook

LONGEST_EVENING = 18
SEED = 2506


@dataclass(frozen=True)
class Said:
    """What one volunteer says about one issue: a code, or the category that they miss."""

    code: str = ""
    summary: str = ""
    proposal: Proposal | None = None
    reason: str = ""
    nearest: int | None = None


def opened(round_: Round, *, by: Membership, at: datetime) -> Round:
    """Open a round, and date it back."""
    round_ = open_round(round_=round_, by=by)
    Round.objects.filter(pk=round_.pk).update(created_at=at, opened_at=at)
    round_.refresh_from_db()
    return round_


def closed(round_: Round, *, by: Membership, at: datetime) -> Round:
    """Close a round, and date it back."""
    round_ = close_round(round_=round_, by=by)
    Round.objects.filter(pk=round_.pk).update(closed_at=at)
    round_.refresh_from_db()
    return round_


def store_labels(
    round_: Round,
    said: Mapping[tuple[str, str], Said],
    book: Codebook,
    *,
    today: date,
    days: int,
    guidelines: list[Guideline],
    seed: int = SEED,
    first: Collection[str] = (),
) -> None:
    """Store what was said of an issue (by its URL) by a volunteer (by their pseudonym), and complete issues.

    Each volunteer labels in their own order, in evenings of the `days` before `today`; `first` are the
    URLs of what they begin with.
    """
    labels = []
    for volunteer in RoundVolunteer.objects.filter(round=round_).select_related("member"):
        slots = Assignment.objects.filter(round=round_, volunteer=volunteer.member).order_by("rank")
        given = [
            (slot, said[slot.issue.url, volunteer.member.pseudonym])
            for slot in slots.select_related("issue")
            if (slot.issue.url, volunteer.member.pseudonym) in said
        ]
        given.sort(key=lambda one: one[0].issue.url not in first)
        moments = evenings(len(given), seed=seed + volunteer.column, today=today, days=days)
        for (slot, what), moment in zip(given, moments, strict=True):
            labels.append(
                Label(
                    round=round_,
                    issue_id=slot.issue_id,
                    volunteer=volunteer.member,
                    assignment=slot,
                    category_id=book.by_code[what.code].category_id if what.code else None,
                    proposal=what.proposal,
                    proposed_reason=what.reason,
                    nearest_id=what.nearest,
                    version_id=round_.version_id,
                    guideline=next((one for one in reversed(guidelines) if one.published_at < moment), None),
                    snapshot_id=slot.issue.current_id,
                    summary=what.summary,
                    unsure=what.summary.endswith("?"),
                    submitted_at=moment,
                )
            )
    Label.objects.bulk_create(sorted(labels, key=lambda label: label.submitted_at))
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE annotate_assignment a SET submitted_at = l.submitted_at
            FROM annotate_label l WHERE l.assignment_id = a.id AND a.round_id = %(round)s;
            UPDATE annotate_roundissue i SET completed_at = done.at
            FROM (
                SELECT issue_id, max(submitted_at) AS at FROM annotate_assignment
                WHERE round_id = %(round)s GROUP BY issue_id HAVING count(submitted_at) = count(*)
            ) done
            WHERE i.round_id = %(round)s AND i.issue_id = done.issue_id
            """,
            {"round": round_.pk},
        )


def decide_complete(round_: Round) -> dict[str, RoundIssue]:
    """Decide what the labels decide, at the moment of the last one; the complete issues by their URLs."""
    places = RoundIssue.objects.filter(round=round_, completed_at__isnull=False).select_related("issue")
    complete = {place.issue.url: place for place in places.order_by("completed_at")}
    for place in complete.values():
        if place.completed_at:
            decide_by_rule(round_, place.issue, place.completed_at)
    return complete


def evenings(count: int, *, seed: int, today: date, days: int) -> list[datetime]:
    """`count` moments in order, in evenings of the `days` before `today`, a label every minute or two.

    Raises ValueError for more than fit into that many evenings.
    """
    chance = random.Random(seed)
    sessions = -(-count // LONGEST_EVENING)
    chosen = sorted(chance.sample(range(1, days + 1), sessions), reverse=True)
    moments = []
    for number, days_ago in enumerate(chosen):
        start = datetime.combine(
            today - timedelta(days=days_ago),
            time(chance.randrange(18, 21), chance.randrange(60), chance.randrange(60)),
            tzinfo=timezone.get_current_timezone(),
        )
        for _label in range(count // sessions + (number < count % sessions)):
            start += timedelta(seconds=min(20 + chance.lognormvariate(4.1, 0.7), 480))
            moments.append(start)
    return moments
