"""The taxonomies of a user's studies, and their published versions."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from studies.models import Membership, Study
from studies.queries import studies_for
from taxonomy.models import Change, Level, Motion, Taxonomy, Version


def taxonomies_for(user: User | AnonymousUser) -> QuerySet[Taxonomy]:
    """The taxonomies of the studies that this user is a member of."""
    return Taxonomy.objects.filter(study__in=studies_for(user)).select_related("study").order_by("id")


def published_version(taxonomy: Taxonomy) -> Version | None:
    """The newest published version."""
    return published_versions(taxonomy).first()


def published_versions(taxonomy: Taxonomy) -> QuerySet[Version]:
    """The published versions, newest first; `publisher` is the pseudonym of the publisher."""
    versions = taxonomy.versions.filter(published_at__isnull=False)
    seat = Membership.objects.filter(study=taxonomy.study_id, user=OuterRef("published_by"))
    return versions.annotate(publisher=Subquery(seat.values("pseudonym")[:1])).order_by("-number")


@dataclass(frozen=True)
class ListedTaxonomy:
    """A taxonomy in a list: its newest published version, None before the first, and its size by level."""

    taxonomy: Taxonomy
    version: Version | None
    types: int
    themes: int
    sub_themes: int


def taxonomies_with_counts(user: User | AnonymousUser, study: Study) -> list[ListedTaxonomy]:
    """The taxonomies of a study that this user is a member of. Two queries."""
    newest = (
        Version.objects.filter(taxonomy__study=study, published_at__isnull=False)
        .order_by("taxonomy", "-number")
        .distinct("taxonomy")
    )
    by_level = {
        f"level_{level.value}": Count("states", filter=Q(states__level=level.value)) for level in Level
    }
    counted = Version.objects.filter(pk__in=newest.values("pk")).annotate(**by_level)
    versions = {version.taxonomy_id: version for version in counted}
    return [
        ListedTaxonomy(taxonomy, version, *(getattr(version, name, 0) for name in by_level))
        for taxonomy in taxonomies_for(user).filter(study=study)
        for version in [versions.get(taxonomy.pk)]
    ]


def going_on(taxonomy: Taxonomy) -> dict[str, int]:
    """Work on the next version: the numbers of `changes` in the draft and of open `motions`. Two queries."""
    changes = Change.objects.filter(version__taxonomy=taxonomy, version__published_at=None, undone_at=None)
    motions = Motion.objects.filter(taxonomy=taxonomy, closed_at=None)
    return {"changes": changes.count(), "motions": motions.count()}
