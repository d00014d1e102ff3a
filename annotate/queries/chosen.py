"""How often each category of a taxonomy was chosen, in all rounds, as far as that is revealed."""

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Count, Exists, OuterRef, QuerySet

from annotate.models import Decision, Label, Round
from annotate.queries.categories import codebook
from annotate.queries.rounds import said_labels, standing_decisions
from annotate.queries.withheld import NOTHING, held_back_in
from studies.models import Membership
from taxonomy.models import Taxonomy, Version
from taxonomy.queries import States, codebooks


@dataclass(frozen=True)
class Chosen:
    """Labels and decisions by the category of the version that they count as; each counted once, and not
    again in what is above it. `homeless` are labels whose category was split or retired before this version.
    `withheld` issues are held back from the reader, and in nothing here.
    """

    labels: Counter[int]
    decisions: Counter[int]
    homeless: int
    withheld: int


def rounds_of(taxonomy: Taxonomy | int) -> list[Round]:
    """The opened rounds that label with a taxonomy, in any version, whose labels count. One query."""
    opened = Round.objects.filter(version__taxonomy=taxonomy, opened_at__isnull=False)
    return list(opened.exclude(kind__in=Round.APART).select_related("version").order_by("pk"))


def chosen_in(version: Version, reader: Membership | None = None) -> Chosen | None:
    """What was chosen in revealed issues, without what is held back from the reader; None without rounds."""
    rounds = rounds_of(version.taxonomy_id)
    if not rounds:
        return None
    labels, decisions, withheld = _chosen(rounds, reader)
    states = codebook(version.pk).states
    by_label, homeless = _counted(labels, states)
    by_decision, _homeless = _counted(decisions, states)
    return Chosen(by_label, by_decision, homeless, withheld)


@dataclass(frozen=True)
class LabelCount:
    """Revealed labels and decisions of a category and of all below it."""

    labels: int = 0
    decisions: int = 0


class TimesByVersion(dict[int, LabelCount]):
    """Number of a version to how often a category was chosen under it; `withheld` as in Chosen."""

    withheld = 0


def chosen_by_version(taxonomy: Taxonomy, category_id: int, reader: Membership | None) -> TimesByVersion:
    """How often a category was chosen in revealed issues, by the version that labels were given under, and
    decisions made under; without what is held back from the reader. Six queries at most.
    """
    found = TimesByVersion()
    rounds = rounds_of(taxonomy)
    if not rounds:
        return found
    labels, decisions, found.withheld = _chosen(rounds, reader)
    numbers = {one.pk: one.number for one in taxonomy.versions.all()}
    below = {pk: book.below(category_id) for pk, book in codebooks(numbers).items()}
    by_label, by_decision = (_by_version(rows, below) for rows in (labels, decisions))
    for pk, number in numbers.items():
        found[number] = LabelCount(by_label[pk], by_decision[pk])
    return found


def _by_version(rows: QuerySet[Label] | QuerySet[Decision], below: dict[int, list[int]]) -> Counter[int]:
    counted: Counter[int] = Counter()
    asked = rows.filter(category__in={id_ for ids in below.values() for id_ in ids})
    for version, category, n in asked.values_list("version", "category").annotate(n=Count("pk")).order_by():
        if category in below[version]:
            counted[version] += n
    return counted


def _chosen(
    rounds: list[Round], reader: Membership | None
) -> tuple[QuerySet[Label], QuerySet[Decision], int]:
    """The revealed labels and decisions of these rounds, and how many issues are held back."""
    held = held_back_in(rounds, [reader]) if reader else NOTHING
    kept = Exists(held.filter(round=OuterRef("round"), issue=OuterRef("issue")))
    said = reduce(or_, (said_labels(round_) for round_ in rounds)).exclude(kept)
    labels = Label.objects.filter(pk__in=said.values("label"))
    decisions = reduce(or_, (standing_decisions(round_) for round_ in rounds))
    withheld = held.order_by().values("issue").distinct().count()
    return labels, decisions.exclude(kept), withheld


def _counted(rows: QuerySet[Label] | QuerySet[Decision], states: States) -> tuple[Counter[int], int]:
    """Rows by what their category became, and how many have none any more. An open label has none yet."""
    counted: Counter[int] = Counter()
    homeless = 0
    asked = rows.filter(category__isnull=False).values_list("version", "category")
    for version, category, n in asked.annotate(n=Count("pk")).order_by():
        now = states.stands_as(category, version) if states.knows(category) else category
        if now is None:
            homeless += n
        else:
            counted[now] += n
    return counted, homeless
