"""How often each category of a taxonomy was chosen in the revealed issues of all rounds."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import or_
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, QuerySet

from consensus.models import Decision
from consensus.queries.agendas import standing_decisions
from rounds.models import CurrentLabel, Label, Round, RoundIssue
from rounds.queries.blindness import NOTHING, WithheldIssues, withheld_issues_in
from rounds.queries.categories import codebook
from rounds.queries.rounds import current_labels, revealed, reveals_complete_issues
from studies.models import Membership
from taxonomy.models import Taxonomy, Version
from taxonomy.queries.codebooks import States, codebooks


@dataclass(frozen=True)
class ChosenCategories:
    """Labels and decisions by the category that they count as in the version, without its ancestors.

    `homeless` counts labels whose category was split or retired before this version. `withheld` issues are in
    no other number.
    """

    labels: Counter[int]
    decisions: Counter[int]
    homeless: int
    withheld: int


def rounds_of(taxonomy: Taxonomy | int) -> list[Round]:
    """The opened rounds that label with any version of a taxonomy and whose labels count. One query."""
    opened = Round.objects.filter(version__taxonomy=taxonomy, opened_at__isnull=False)
    return list(opened.exclude(kind__in=Round.APART).select_related("version").order_by("pk"))


def chosen_in(version: Version, reader: Membership | None = None) -> ChosenCategories | None:
    """Counts of labels and decisions of revealed issues that the reader may see; None without rounds."""
    rounds = rounds_of(version.taxonomy_id)
    if not rounds:
        return None
    labels, decisions, withheld = _chosen(rounds, reader)
    states = codebook(version.pk).states
    by_label, homeless = _counted(labels, states)
    by_decision, _homeless = _counted(decisions, states)
    return ChosenCategories(by_label, by_decision, homeless, withheld)


@dataclass(frozen=True)
class LabelCount:
    """The number of revealed labels and decisions with a category or a category below it."""

    labels: int = 0
    decisions: int = 0


class ChosenAlone(NamedTuple):
    """The labels, decisions and withheld issues of ChosenCategories."""

    labels: Counter[int]
    decisions: Counter[int]
    withheld: int


class LabelCounts(dict[int, LabelCount]):
    """Category id to its counts; `withheld` and `homeless` as in ChosenCategories."""

    withheld = 0
    homeless = 0


class TimesByVersion(dict[int, LabelCount]):
    """Number of a version to the counts of a category under it; `withheld` as in ChosenCategories."""

    withheld = 0

    def between(self, first: int, last: int) -> LabelCount:
        """The sum over the versions from `first` to `last`."""
        there = [count for number, count in self.items() if first <= number <= last]
        return LabelCount(sum(count.labels for count in there), sum(count.decisions for count in there))


def label_counts(version: Version, reader: Membership | None = None) -> LabelCounts:
    """How often each category was chosen in revealed issues of the rounds of its taxonomy.

    A count includes the categories below. A label from an earlier version counts as the category that its own
    became, and not at all if that was split or retired. Surplus labels, trainings, unrevealed labels
    (rounds.queries.rounds) and issues that the reader still has to label in another round are left out. Three
    queries; one more for a reader, another if issues may be withheld, and two from the second version on.
    """
    found = chosen_in(version, reader)
    if found is None:
        return LabelCounts()
    states = codebook(version.pk).states
    chosen, decided = _rolled_up(states, found.labels), _rolled_up(states, found.decisions)
    counts = LabelCounts((id_, LabelCount(chosen[id_], decided[id_])) for id_ in states)
    counts.withheld = found.withheld
    counts.homeless = found.homeless
    return counts


def labels_alone(version: Version, reader: Membership | None = None) -> dict[int, int]:
    """Category id to the labels of `label_counts`, {} without rounds. Much cheaper: nothing else is counted,
    and the labels of complete issues are read where RoundIssue repeats them. Three queries, one more each for
    closed rounds, a reader, and from the second version on.
    """
    rounds = rounds_of(version.taxonomy_id)
    if not rounds:
        return {}
    states = codebook(version.pk).states
    whole = _rolled_up(states, _labels_now(rounds, _blind(rounds, reader), states))
    return {id_: whole[id_] for id_ in states}


def chosen_alone(version: Version, reader: Membership | None = None) -> ChosenAlone | None:
    """What `chosen_in` says without labels that have no category now. Much cheaper: it reads what RoundIssue
    repeats, as `labels_alone` does; one query more, another if issues may be withheld.
    """
    rounds = rounds_of(version.taxonomy_id)
    if not rounds:
        return None
    states, blind = codebook(version.pk).states, _blind(rounds, reader)
    shown = reduce(or_, (revealed(round_) for round_ in rounds)).filter(decided__gt=0)
    shown = shown.exclude(Exists(blind.filter(round=OuterRef("round"), issue=OuterRef("issue"))))
    decided = shown.values_list("round__version", "decided").annotate(n=Count("pk")).order_by()
    withheld = blind.order_by().values("issue").distinct().count()
    return ChosenAlone(_labels_now(rounds, blind, states), _standing(decided, states), withheld)


def _blind(rounds: list[Round], reader: Membership | None) -> WithheldIssues:
    return withheld_issues_in(rounds, [reader]) if reader else NOTHING


def _labels_now(rounds: list[Round], blind: WithheldIssues, states: States) -> Counter[int]:
    """The labels of revealed issues by the category that they count as, without its ancestors."""
    here = {"round": OuterRef("round"), "issue": OuterRef("issue")}
    kept, lacking = Exists(blind.filter(**here)), Exists(RoundIssue.objects.filter(**here, completed_at=None))
    complete = RoundIssue.objects.filter(round__in=filter(reveals_complete_issues, rounds)).exclude(kept)
    closed = [round_ for round_ in rounds if round_.closed_at]
    others = CurrentLabel.objects.filter(lacking, round__in=closed, category__isnull=False).exclude(kept)
    equal = complete.values_list("round__version", "labels").annotate(n=Count("pk")).order_by()
    said = others.values_list("round__version", "category").annotate(n=Count("pk")).order_by()
    rows = ((used, int(one), n) for used, labels, n in equal for one in labels.split())
    return _standing(chain(rows, said), states)


def _standing(rows: Iterable[tuple[int, int, int]], states: States) -> Counter[int]:
    """Version, category and number as numbers of what the categories became; not of those without one now."""
    chosen: Counter[tuple[int, int]] = Counter()
    for used, category_id, n in rows:
        chosen[used, category_id] += n
    counted: Counter[int] = Counter()
    for (used, category_id), n in chosen.items():
        # An open label is 0 there, which no version knows.
        now = states.stands_as(category_id, used) if states.knows(category_id) else None
        if now is not None:
            counted[now] += n
    return counted


def chosen_by_version(taxonomy: Taxonomy, category_id: int, reader: Membership | None) -> TimesByVersion:
    """How often a category was chosen in revealed issues that the reader may see. At most six queries."""
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


def _rolled_up(states: States, counted: Counter[int]) -> Counter[int]:
    """The counts of each category, including the categories below it."""
    whole: Counter[int] = Counter()
    for category_id, count in counted.items():
        state = states.get(category_id)
        while state is not None:
            whole[state.category_id] += count
            state = states.get(state.parent_id) if state.parent_id else None
    return whole


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
    """The revealed labels and decisions of these rounds, and the number of withheld issues."""
    blind = _blind(rounds, reader)
    kept = Exists(blind.filter(round=OuterRef("round"), issue=OuterRef("issue")))
    said = reduce(or_, (current_labels(round_) for round_ in rounds)).exclude(kept)
    labels = Label.objects.filter(pk__in=said.values("label"))
    decisions = reduce(or_, (standing_decisions(round_) for round_ in rounds))
    withheld = blind.order_by().values("issue").distinct().count()
    return labels, decisions.exclude(kept), withheld


def _counted(rows: QuerySet[Label] | QuerySet[Decision], states: States) -> tuple[Counter[int], int]:
    """Rows by what their category became, and how many have none now. Open labels are left out."""
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
