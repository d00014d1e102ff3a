"""The summaries that become the cards of a board."""

from collections import defaultdict

from django.db.models import Exists, OuterRef, QuerySet

from annotate.models import Label, Round, RoundIssue
from annotate.queries.withheld import Reader
from studies.models import Membership
from taxonomy.models import Category, CategoryState, Taxonomy

COUNTED = (Round.Kind.PILOT, Round.Kind.MAIN)
"""The kinds of rounds whose labels give cards: a screening has another taxonomy, a training is no result."""


def summaries_about(taxonomy: Taxonomy, about: Category, member: Membership | None) -> dict[str, list[int]]:
    """The summaries of labels that say this category, or one below it in any version: by their text, in the
    order of the labels, with the ids of these. Of complete and revealed issues, without what is held back
    from the member. Equal in all but case and spaces at the ends is one text, as it was written first.
    """
    found: dict[str, list[int]] = {}
    written: dict[str, str] = {}
    rows = labels_about(taxonomy, about, member).order_by("pk").values_list("pk", "summary")
    for label, summary in rows.iterator(chunk_size=5_000):
        text = " ".join(summary.split())
        if text:
            found.setdefault(written.setdefault(text.casefold(), text), []).append(label)
    return found


def labels_about(taxonomy: Taxonomy, about: Category, member: Membership | None) -> QuerySet[Label]:
    """The labels with a summary that say this category, or one below it. Four small queries."""
    rounds = list(Round.objects.filter(version__taxonomy=taxonomy, kind__in=COUNTED, opened_at__isnull=False))
    held = Reader(member).held_back(rounds)
    counted = RoundIssue.objects.filter(
        round__in=[each for each in rounds if each.closed_at or each.reveal == Round.Reveal.ISSUE_COMPLETE],
        completed_at__isnull=False,
    )
    same = {"round": OuterRef("round"), "issue": OuterRef("issue")}
    found = Label.objects.filter(
        Exists(counted.filter(**same)), category__in=below(taxonomy, about), surplus=False
    ).exclude(summary="")
    return found if held.query.is_empty() else found.exclude(Exists(held.filter(**same)))


def below(taxonomy: Taxonomy, about: Category) -> set[int]:
    """The ids of this category and of all that stood below it in any published version. One query."""
    states = CategoryState.objects.filter(version__taxonomy=taxonomy, version__published_at__isnull=False)
    children: dict[int, set[int]] = defaultdict(set)
    for category, parent in states.values_list("category", "parent"):
        children[parent].add(category)
    found, queue = {about.pk}, [about.pk]
    while queue:
        queue += children[queue.pop()] - found
        found |= set(queue)
    return found
