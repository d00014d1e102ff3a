"""What follows from meetings, as the members of a study may see it."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import FollowUp, RoundIssue
from annotate.queries.withheld import seen_by_seats
from ingest.models import Issue
from studies.models import Membership, Study
from taxonomy.models import CategoryState, Taxonomy


@dataclass(frozen=True)
class FollowUpLine:
    """One of them for a list: `code` and `category` name what it is about, "" where nothing; `text` is its
    words, or the name that a proposal has.
    """

    follow_up: FollowUp
    issue: Issue
    title: str
    code: str
    category: str
    text: str
    reason: str
    is_done: bool
    at: datetime


def follow_ups(study: Study, member: Membership | None) -> QuerySet[FollowUp]:
    """Those of a study, without what is withheld from this member. One small query."""
    rows = RoundIssue.objects.filter(
        round=OuterRef("item__round"), issue=OuterRef("item__issue"), completed_at__isnull=False
    )
    seen = seen_by_seats(rows, [member] if member else [])
    return FollowUp.objects.filter(Exists(seen), item__meeting__round__study=study)


def follow_up_lines(study: Study, member: Membership | None) -> list[FollowUpLine]:
    """All of them, the newest first. Three queries."""
    found = (
        follow_ups(study, member)
        .select_related(
            "item__issue__repository",
            "item__issue__current",
            "item__meeting__round__version",
            "category",
            "proposal",
            "made_by",
            "done_by",
        )
        .defer("item__issue__current__body", "item__issue__current__comments")
        .order_by("-made_at", "-pk")
    )
    lines = list(found)
    versions = {one.item.meeting.round.version_id for one in lines}
    states = {
        (state.version_id, state.category_id): state
        for state in CategoryState.objects.filter(
            version__in=versions, category__in={one.category_id for one in lines if one.category_id}
        ).only("version", "category", "code", "name")
    }
    return [_line(one, states) for one in lines]


def waiting_for(study: Study, member: Membership | None, taxonomy: Taxonomy | None = None) -> Counter[str]:
    """Kind to how many are not done; `taxonomy`: those of rounds that label with it. Two queries."""
    found = follow_ups(study, member).filter(done_at=None)
    if taxonomy is not None:
        found = found.filter(item__meeting__round__version__taxonomy=taxonomy)
    return Counter(found.values_list("kind", flat=True))


def _line(one: FollowUp, states: dict[tuple[int, int], CategoryState]) -> FollowUpLine:
    state = states.get((one.item.meeting.round.version_id, one.category_id or 0))
    snapshot = one.item.issue.current
    return FollowUpLine(
        follow_up=one,
        issue=one.item.issue,
        title=snapshot.title if snapshot else "",
        code=state.code if state else "",
        category=state.name if state else "",
        text=one.proposal.name if one.proposal else one.text,
        reason=one.text if one.proposal else "",
        is_done=one.done_at is not None,
        at=one.made_at,
    )
