"""What a bulk decision would do, and those that were made."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotate.models import AgendaItem, BulkDecision, Decision, Disagreement, Round
from annotate.queries.narrowing import Narrowing, found
from annotate.queries.withheld import still_to_label
from studies.models import Membership


@dataclass(frozen=True)
class Group:
    """So many issues of one split: sizes of the groups of equal labels, largest first.

    `open_labels` of the sizes, the last, are one each: labels that propose a category.
    """

    sizes: tuple[int, ...]
    issues: int


@dataclass(frozen=True)
class Forecast:
    """What a majority of `at_least` equal labels would decide now.

    `categories`: category id to how many issues it would be given, most first. `decided` and `left` are the
    same issues and the others by their split, the most telling split first; `agenda` wait on the agenda of a
    meeting, and are left to it.
    """

    at_least: int
    categories: dict[int, int]
    decided: tuple[Group, ...]
    left: tuple[Group, ...]
    agenda: int

    @property
    def total(self) -> int:
        return sum(self.categories.values())

    @property
    def total_left(self) -> int:
        return sum(group.issues for group in self.left)


@dataclass(frozen=True)
class Bulk:
    """One bulk decision, as a member may see it: how many issues it decided, and how many of that stand."""

    bulk: BulkDecision
    issues: int
    standing: int


def largest(rows: QuerySet[Disagreement], at_least: int) -> QuerySet[Disagreement]:
    """Of these disagreements those where `at_least` labels are the same, and no other group is as large."""
    return rows.filter(votes__0__gte=at_least, margin__gte=1)


def forecast(
    round_: Round,
    member: Membership | None,
    at_least: int,
    narrowing: Narrowing,
) -> Forecast:
    """What a majority would decide among what these filters find for this member. Two queries, and those of
    the filters.
    """
    standing = Decision.objects.filter(round=round_, issue=OuterRef("issue"), superseded_at=None)
    waiting = AgendaItem.objects.filter(round=round_, issue=OuterRef("issue"), released_at=None)
    undecided = found(round_, narrowing, member).filter(~Exists(standing)).order_by()
    rows = (
        undecided.filter(~Exists(waiting))
        .values_list("chosen__0", "votes", "open_labels", "margin")
        .annotate(issues=Count("pk"))
    )
    categories: Counter[int] = Counter()
    decided: Counter[tuple[int, ...]] = Counter()
    left: Counter[tuple[int, ...]] = Counter()
    for category, votes, open_labels, margin, issues in rows:
        sizes = (*votes, *(1 for _ in range(open_labels)))
        if category is not None and votes[0] >= at_least and margin >= 1:
            categories[category] += issues
            decided[sizes] += issues
        else:
            left[sizes] += issues
    return Forecast(
        at_least=at_least,
        categories=dict(categories.most_common()),
        decided=_groups(decided),
        left=_groups(left),
        agenda=undecided.filter(Exists(waiting)).count(),
    )


def _groups(counted: Counter[tuple[int, ...]]) -> tuple[Group, ...]:
    ordered = sorted(counted.items(), key=lambda one: tuple(-size for size in one[0]))
    return tuple(Group(sizes, issues) for sizes, issues in ordered)


def bulk_decisions(round_: Round, member: Membership | None) -> list[Bulk]:
    """The bulk decisions of a round, newest first. One query, and that of what is withheld."""
    seen = Q(decisions__isnull=False)
    turns = still_to_label(round_, member)
    if not turns.query.is_empty():
        seen &= ~Q(Exists(turns.filter(issue=OuterRef("decisions__issue"))))
    made = (
        BulkDecision.objects.filter(round=round_)
        .select_related("by", "taken_back_by")
        .annotate(
            issues=Count("decisions", filter=seen),
            standing=Count("decisions", filter=seen & Q(decisions__superseded_at=None)),
        )
        .order_by("-pk")
    )
    return [Bulk(one, one.issues, one.standing) for one in made]
