"""Follow-ups of meetings, as the members of a study may see them."""

from collections import Counter

from django.db.models import Exists, OuterRef, QuerySet

from consensus.models import FollowUp
from rounds.models import RoundIssue
from rounds.queries.blindness import seen_by_seats
from studies.models import Membership, Study
from taxonomy.models import CategoryState, Taxonomy


def follow_ups(study: Study, member: Membership | None) -> QuerySet[FollowUp]:
    """The follow-ups of a study, without issues that are withheld from this member. One small query."""
    rows = RoundIssue.objects.filter(
        round=OuterRef("item__round"), issue=OuterRef("item__issue"), completed_at__isnull=False
    )
    seen = seen_by_seats(rows, [member] if member else [])
    return FollowUp.objects.filter(Exists(seen), item__meeting__round__study=study)


def follow_up_lines(study: Study, member: Membership | None) -> list[tuple[FollowUp, CategoryState | None]]:
    """The follow-ups of a study with the categories that they name, newest first. Three queries."""
    found = list(
        follow_ups(study, member)
        .select_related(
            "item__issue__repository", "item__issue__current", "item__meeting__round__version", "category",
            "proposal", "made_by", "done_by",
        )
        .defer("item__issue__current__body", "item__issue__current__comments")
        .order_by("-made_at", "-pk")
    )  # fmt: skip
    states = CategoryState.objects.filter(
        version__in={one.item.meeting.round.version_id for one in found},
        category__in={one.category_id for one in found if one.category_id},
    ).only("version", "category", "code", "name")
    known = {(state.version_id, state.category_id): state for state in states}
    return [(one, known.get((one.item.meeting.round.version_id, one.category_id or 0))) for one in found]


def waiting_for(study: Study, member: Membership | None, taxonomy: Taxonomy | None = None) -> Counter[str]:
    """Kind to the number of open follow-ups; `taxonomy`: of its rounds only. Two queries."""
    found = follow_ups(study, member).filter(done_at=None)
    if taxonomy is not None:
        found = found.filter(item__meeting__round__version__taxonomy=taxonomy)
    return Counter(found.values_list("kind", flat=True))
