"""The shares of a round's labels or decisions over a version of its taxonomy, for a figure."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.queries.label_tuples import tuples
from rounds.models import Round, RoundIssue
from rounds.queries.blindness import withheld_issues, withheld_issues_in
from rounds.queries.categories import categories_of
from rounds.queries.rounds import reveals_complete_issues
from studies.models import Membership
from studies.rules import may_read_revealed
from taxonomy.models import CategoryState, Level, Taxonomy
from taxonomy.queries.codebooks import Codebook

DECISIONS, LABELS = "decisions", "labels"
UNITS = (DECISIONS, LABELS)


@dataclass(frozen=True)
class Shares:
    """How often each category, or a category below it, was decided or labelled in a round.

    `counts` are by category id; `bases` are by level: all decisions or labels at this level or below.
    `undecided` issues have no decision; 0 for labels. `elsewhere` decisions or labels are in no category of
    the drawn version. `withheld` issues are withheld from the reader, and in no other number.
    """

    round: Round
    unit: str
    counts: dict[int, int]
    bases: dict[int, int]
    undecided: int
    elsewhere: int
    withheld: int


def rounds_to_count(taxonomy: Taxonomy, member: Membership | None) -> list[Round]:
    """The rounds of a taxonomy whose shares a member may see: main rounds first, newest first.

    Each has complete, revealed issues that are not withheld from the reader. Rounds apart do not count.
    Two small queries and those of `withheld_issues_in`; none for a member who may not read revealed labels.
    """
    if not may_read_revealed(member):
        return []
    opened = Round.objects.filter(version__taxonomy=taxonomy, opened_at__isnull=False)
    rounds = [
        one
        for one in opened.exclude(kind__in=Round.APART).select_related("study", "version__taxonomy")
        if reveals_complete_issues(one)
    ]
    blind = withheld_issues_in(rounds, [member] if member else [])
    seen = RoundIssue.objects.filter(round__in=rounds, completed_at__isnull=False).exclude(
        pk__in=blind.values("pk")
    )
    counted = set(seen.order_by().values_list("round", flat=True).distinct())
    return sorted(
        (one for one in rounds if one.pk in counted),
        key=lambda one: (one.kind == Round.Kind.MAIN, one.opened_at, one.pk),
        reverse=True,
    )


def category_shares(
    round_: Round, book: Codebook, member: Membership | None, unit: str | None = None
) -> Shares:
    """The shares of a round over the categories of `book`, a version of its taxonomy.

    As in the agreement report, complete, revealed issues count that are not withheld from the reader, without
    surplus and open labels. `unit`: one of UNITS; by default decisions, or labels if nothing is decided. A
    merged category counts as its successor; another category that `book` lacks counts as its nearest ancestor
    in `book`. Costs the queries of `tuples` and `withheld_issues`.
    """
    blind = withheld_issues(round_, member)
    own = categories_of(round_.version_id)
    found = tuples(round_, own, blind=blind, present=True)
    decided = _by_place(found.decided, found.counts, len(own.states))
    labelled = _by_place(
        found.codes, np.broadcast_to(found.counts[:, None], found.codes.shape), len(own.states)
    )
    unit = unit or (DECISIONS if decided.any() else LABELS)
    counts, bases, elsewhere = Counter[int](), Counter[int](), 0
    for state, count in zip(own.states, decided if unit == DECISIONS else labelled, strict=True):
        here = _in(book, own, state.category_id)
        if here is None:
            elsewhere += int(count)
            continue
        for level in Level:
            above = book.ancestor(here, level)
            if above is not None:
                counts[above.category_id] += int(count)
                bases[level] += int(count)
    return Shares(
        round=round_,
        unit=unit,
        counts=dict(counts),
        bases={level: bases[level] for level in Level},
        undecided=int(found.counts[found.decided < 0].sum()) if unit == DECISIONS else 0,
        elsewhere=elsewhere,
        withheld=blind.filter(completed_at__isnull=False).count(),
    )


def _by_place(places: NDArray[np.int32], counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    is_there = places >= 0
    return np.bincount(places[is_there], weights=counts[is_there], minlength=size).astype(np.int64)


def _in(book: Codebook, own: Codebook, category: int) -> int | None:
    """The category of `book` that this category became, or that its nearest ancestor in `own` became."""
    state: CategoryState | None = own.by_id[category]
    while state is not None:
        here = book.by_id.stands_as(state.category_id, own.version_id)
        if here is not None:
            return here
        state = own.by_id[state.parent_id] if state.parent_id else None
    return None
