"""Forecasts of bulk decisions, and the list of bulk decisions."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from consensus.models import BulkDecision, Disagreement
from consensus.queries.disagreement_filters import Narrowing, Split, found, settling, waiting
from rounds.models import Round
from rounds.queries.blindness import still_to_label
from studies.models import Membership


@dataclass(frozen=True)
class MajorityForecast:
    """The effect of a decision by majority now.

    `categories`: category id to the number of issues that would get it, most first, then by id.
    `decided` counts these issues by split, `left` the other issues; the clearest split comes first. An open
    label is a group of one. `agenda`: the number of issues that are left to a meeting.
    """

    categories: dict[int, int]
    decided: dict[Split, int]
    left: dict[Split, int]
    agenda: int

    @property
    def total(self) -> int:
        return sum(self.categories.values())

    @property
    def total_left(self) -> int:
        return sum(self.left.values())


def largest(rows: QuerySet[Disagreement], at_least: int) -> QuerySet[Disagreement]:
    """The disagreements with at least `at_least` equal labels, more than of any other category."""
    return rows.filter(votes__0__gte=at_least, margin__gte=1)


def forecast(
    round_: Round, member: Membership | None, at_least: int, narrowing: Narrowing
) -> MajorityForecast:
    """The effect of a majority on the filtered issues. Two queries, and those of the filters."""
    undecided = found(round_, narrowing, member).filter(~Exists(settling(round_))).order_by()
    rows = (
        undecided.filter(~Exists(waiting(round_)))
        .values_list("chosen__0", "votes", "open_labels", "margin")
        .annotate(issues=Count("pk"))
    )
    categories: Counter[int] = Counter()
    decided: Counter[Split] = Counter()
    left: Counter[Split] = Counter()
    for category, votes, open_labels, margin, issues in rows:
        sizes = (*votes, *(1 for _ in range(open_labels)))
        if category is not None and votes[0] >= at_least and margin >= 1:
            categories[category] += issues
            decided[sizes] += issues
        else:
            left[sizes] += issues
    return MajorityForecast(
        categories=dict(sorted(categories.items(), key=lambda one: (-one[1], one[0]))),
        decided=_clearest_first(decided),
        left=_clearest_first(left),
        agenda=undecided.filter(Exists(waiting(round_))).count(),
    )


def _clearest_first(counted: Counter[Split]) -> dict[Split, int]:
    return dict(sorted(counted.items(), key=lambda one: [-size for size in one[0]]))


def bulk_decisions(round_: Round, member: Membership | None) -> QuerySet[BulkDecision, Any]:
    """The bulk decisions of a round, newest first. `issues` and `standing` count the decided issues that the
    member may see, and those whose decision still stands. At most two queries.
    """
    seen = Q(decisions__isnull=False)
    turns = still_to_label(round_, member)
    if not turns.query.is_empty():
        seen &= ~Q(Exists(turns.filter(issue=OuterRef("decisions__issue"))))
    return (
        BulkDecision.objects.filter(round=round_)
        .select_related("by", "taken_back_by")
        .annotate(
            issues=Count("decisions", filter=seen),
            standing=Count("decisions", filter=seen & Q(decisions__superseded_at=None)),
        )
        .order_by("-pk")
    )
