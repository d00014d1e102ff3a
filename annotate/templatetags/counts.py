"""How often the categories of a taxonomy were chosen, as far as it is revealed."""

from collections import Counter
from collections.abc import Mapping

from django import template

from annotate.queries.chosen import LabelCount, TimesByVersion, chosen_by_version, chosen_in
from studies.models import Membership
from taxonomy.models import Category, Taxonomy, Version
from taxonomy.queries import Codebook, codebook

register = template.Library()


class LabelCounts(dict[int, LabelCount]):
    """Category id to its counts; `withheld` issues are held back from the reader, and in none of them.
    `homeless` labels count nowhere: their category was split or retired before this version.
    """

    withheld = 0
    homeless = 0


@register.simple_tag
def label_counts(version: Version, reader: Membership | None = None) -> LabelCounts:
    """How often each category was chosen in revealed issues of rounds that label with its taxonomy.

    Counts go up the tree of this version; labels chosen under an earlier one count as what their category
    became, and as nothing where it was split or retired. Surplus labels are left out. Before reveal nothing
    of a label is counted: rounds are asked through the one gate, annotate.queries.rounds. Nor is anything
    counted that the reader still has to label in another round. Trainings count nowhere. Four queries; one
    for a reader, another where something may be held back, and two from the second version on.
    """
    found = chosen_in(version, reader)
    if found is None:
        return LabelCounts()
    book = codebook(version)
    chosen, decided = _rolled_up(book, found.labels), _rolled_up(book, found.decisions)
    counts = LabelCounts((id_, LabelCount(chosen[id_], decided[id_])) for id_ in book.by_id)
    counts.withheld = found.withheld
    counts.homeless = found.homeless
    return counts


@register.simple_tag
def times_chosen(taxonomy: Taxonomy, category: Category, reader: Membership | None = None) -> TimesByVersion:
    """How often a category was chosen, by version, as far as it is revealed and not held back. At most six
    queries; one without rounds.
    """
    return chosen_by_version(taxonomy, category.pk, reader)


@register.filter
def in_versions(times: Mapping[int, LabelCount], look: tuple[object, object, int, int]) -> LabelCount:
    """`{{ times|in_versions:look }}`: the sum over the versions in which a category had this look."""
    _state, _parent, first, last = look
    there = [one for number, one in times.items() if first <= number <= last]
    return LabelCount(sum(one.labels for one in there), sum(one.decisions for one in there))


@register.filter
def of(counts: Mapping[int, LabelCount], category_id: int) -> LabelCount:
    """`{{ counts|of:category_id }}`: what `label_counts` says of one category."""
    return counts.get(category_id) or LabelCount()


def _rolled_up(book: Codebook, counted: Counter[int]) -> Counter[int]:
    whole: Counter[int] = Counter()
    for category_id, count in counted.items():
        state = book.by_id.get(category_id)
        while state is not None:
            whole[state.category_id] += count
            state = book.by_id.get(state.parent_id) if state.parent_id else None
    return whole
