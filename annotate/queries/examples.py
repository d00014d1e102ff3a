"""Issues that show what a category means; issues that somebody has yet to label are left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet

from annotate.queries.proposed_categories import awaited
from consensus.queries.category_counts import rounds_of
from ingest.models import Issue
from rounds.models import Round, RoundIssue
from rounds.queries.rounds import revealed
from taxonomy.models import Category, Gone, Taxonomy
from taxonomy.queries.taxonomies import published_version
from taxonomy.tree import phrases

SHOWN = 30
LONGEST = 200


@dataclass(frozen=True)
class ExampleIssue:
    """An issue with `votes` of `labels` for a category, or decided as it; `is_taken`: an example already."""

    issue: Issue
    votes: int
    labels: int
    is_decided: bool
    is_taken: bool

    @property
    def is_unanimous(self) -> bool:
        return self.votes == self.labels > 0


def example_issues(taxonomy: Taxonomy, key: str, examples: str = "") -> list[ExampleIssue]:
    """Revealed issues with labels of this category, or of a category that became it as a whole: unanimous
    issues first, then decided ones. Everybody reads a codebook: issues that a member has yet to label in
    another round are left out. `examples`: the present examples of the category. Seven queries at most.
    """
    version = published_version(taxonomy)
    category = Category.objects.filter(taxonomy=taxonomy, key=key).first()
    if version is None or category is None:
        return []
    gone = Gone.objects.filter(version=version, became=category)
    ids = {category.pk, *gone.values_list("category", flat=True)}
    either = "|".join(map(str, sorted(ids)))
    places = _free(taxonomy, rounds_of(taxonomy))
    places = places.filter(Q(labels__regex=rf"(^| )({either})( |$)") | Q(decided__in=ids))
    places = places.annotate(
        is_all=Q(labels__regex=rf"^({either})( ({either}))*$"), is_decided=Q(decided__in=ids)
    )
    rows = places.select_related("issue__repository", "issue__current").defer(
        "issue__current__body", "issue__current__comments"
    )
    found: dict[int, ExampleIssue] = {}
    for place in rows.order_by("-is_all", "-is_decided", "round", "position")[:SHOWN]:
        said = [int(one) for one in place.labels.split()]
        found.setdefault(
            place.issue_id,
            ExampleIssue(
                issue=place.issue,
                votes=sum(one in ids for one in said),
                labels=len(said),
                is_decided=place.decided in ids,
                is_taken=place.issue.url in examples.split(),
            ),
        )
    return list(found.values())


def can_show(taxonomy: Taxonomy, issue_id: int) -> bool:
    """Can this issue be an example: revealed in a round of the taxonomy, and left for no member to label?"""
    return _free(taxonomy, rounds_of(taxonomy)).filter(issue=issue_id).exists()


def taxonomies_of(issue: Issue) -> list[Taxonomy]:
    """The taxonomies in whose rounds this issue is. One query."""
    places = RoundIssue.objects.filter(issue=issue, round__opened_at__isnull=False)
    places = places.exclude(round__kind=Round.Kind.TRAINING)
    return list(Taxonomy.objects.filter(pk__in=places.values("round__version__taxonomy")).order_by("pk"))


def example_line(issue: Issue) -> str:
    """Title and address on one line that is one phrase of a codebook and refers to no category."""
    title = issue.current.title if issue.current else str(issue)
    words = " ".join(title.replace("; ", ", ").replace("→", "->").split())
    return " ".join([*phrases(words[:LONGEST]), issue.url])


def _free(taxonomy: Taxonomy, rounds: Iterable[Round]) -> QuerySet[RoundIssue]:
    """The revealed issues of these rounds that no member of the study has yet to label in another round."""
    rounds = list(rounds)
    places = reduce(or_, map(revealed, rounds), RoundIssue.objects.none())
    blind = awaited(taxonomy, rounds)
    return places if blind.query.is_empty() else places.exclude(pk__in=blind.values("pk"))
