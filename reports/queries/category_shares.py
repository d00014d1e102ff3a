"""How the labels or decisions of a round spread over a version of its taxonomy: the shares of a figure."""

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
    """How often each category was decided or labelled, with all below it, in the issues of a round.

    `counts` are by the id of the category; `bases` by level: what lies there or below. `undecided` issues
    have no decision, where decisions are counted. `elsewhere` decisions or labels are in no category of the
    version that is drawn. `withheld` issues are held back from the reader, and in no number.
    """

    round: Round
    unit: str
    counts: dict[int, int]
    bases: dict[int, int]
    undecided: int
    elsewhere: int
    withheld: int


def rounds_to_count(taxonomy: Taxonomy, member: Membership | None) -> list[Round]:
    """The rounds of a taxonomy whose shares a member may see: main rounds first, then the newest.

    Complete issues of them are revealed, and not all held back from the reader. Trainings count nowhere.
    Two small queries, and what `withheld_issues_in` costs; none for who may not read what is revealed.
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
    """The shares of a round over the categories of a version of its taxonomy, which `book` holds.

    Complete, revealed issues without what is held back from the reader, as in the agreement report; labels
    without surplus and open ones. `unit`: one of UNITS; decisions if not said, and labels where there are
    none. A category that was merged counts as what it became, and another one that the version lacks as the
    nearest above it that the version has.
    Costs what `tuples` and `withheld_issues` cost.
    """
    blind = withheld_issues(round_, member)
    own = categories_of(round_.version_id)
    found = tuples(round_, own, blind=blind)
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
    """What the category became, or the nearest above it in its `own` version, that `book` has."""
    state: CategoryState | None = own.by_id[category]
    while state is not None:
        here = book.by_id.stands_as(state.category_id, own.version_id)
        if here is not None:
            return here
        state = own.by_id[state.parent_id] if state.parent_id else None
    return None
