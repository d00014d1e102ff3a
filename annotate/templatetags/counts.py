"""How often the categories of a taxonomy were chosen, as far as it is revealed."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django import template
from django.db.models import Count, Exists, OuterRef, QuerySet

from annotate.models import Decision, Label, Round
from annotate.queries.rounds import revealed_labels, standing_decisions
from annotate.queries.withheld import NOTHING, held_back_in
from studies.models import Membership
from taxonomy.models import Version
from taxonomy.queries import Codebook, codebook

register = template.Library()


@dataclass(frozen=True)
class LabelCount:
    """Revealed labels and decisions of a category and of all below it."""

    labels: int = 0
    decisions: int = 0


class LabelCounts(dict[int, LabelCount]):
    """Category id to its counts; `withheld` issues are held back from the reader, and in none of them."""

    withheld = 0


@register.simple_tag
def label_counts(version: Version, reader: Membership | None = None) -> LabelCounts:
    """How often each category was chosen in revealed issues of rounds that label with its taxonomy.

    Counts go up the tree of this version; surplus labels are left out. Before reveal nothing of a label is
    counted: rounds are asked through the one gate, annotate.queries.rounds. Nor is anything counted that the
    reader still has to label in another round. Trainings count nowhere. Four queries; one for a reader, and
    another where something may be held back.
    """
    opened = Round.objects.filter(version__taxonomy=version.taxonomy_id, opened_at__isnull=False)
    rounds = list(opened.exclude(kind=Round.Kind.TRAINING))
    if not rounds:
        return LabelCounts()
    held = held_back_in(rounds, [reader]) if reader else NOTHING
    kept = Exists(held.filter(round=OuterRef("round"), issue=OuterRef("issue")))
    labels = reduce(or_, (revealed_labels(round_).filter(surplus=False) for round_ in rounds)).exclude(kept)
    decisions = reduce(or_, (standing_decisions(round_) for round_ in rounds)).exclude(kept)
    book = codebook(version)
    chosen, decided = _rolled_up(book, _by_category(labels)), _rolled_up(book, _by_category(decisions))
    counts = LabelCounts((id_, LabelCount(chosen[id_], decided[id_])) for id_ in book.by_id)
    counts.withheld = held.order_by().values("issue").distinct().count()
    return counts


@register.filter
def of(counts: Mapping[int, LabelCount], category_id: int) -> LabelCount:
    """`{{ counts|of:category_id }}`: what `label_counts` says of one category."""
    return counts.get(category_id) or LabelCount()


def _by_category(rows: QuerySet[Label] | QuerySet[Decision]) -> Counter[int]:
    return Counter(dict(rows.values_list("category").annotate(n=Count("pk")).order_by()))


def _rolled_up(book: Codebook, counted: Counter[int]) -> Counter[int]:
    whole: Counter[int] = Counter()
    for category_id, count in counted.items():
        state = book.by_id.get(category_id)
        while state is not None:
            whole[state.category_id] += count
            state = book.by_id.get(state.parent_id) if state.parent_id else None
    return whole
