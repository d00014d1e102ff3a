"""How large a study is, for its tabs."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, IntegerField, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from consensus.models import Meeting
from ingest.models import Issue
from studies.models import Membership, Study
from taxonomy.models import Version


@dataclass(frozen=True)
class Size:
    """`people` have not left; `open_meetings` are open now. `version` is the number of the newest published
    version in a study with one taxonomy; 0 before the first, and with several taxonomies.
    """

    issues: int
    people: int
    open_meetings: int
    version: int


def size_of(study: Study) -> Size:
    """In one query, whatever the size."""
    one_taxonomy = (
        Version.objects.filter(taxonomy__study=OuterRef("pk"), published_at__isnull=False)
        .order_by()
        .values("taxonomy__study")
        .annotate(value=Max("number"), taxonomies=Count("taxonomy", distinct=True))
        .filter(taxonomies=1)
    )
    row = (
        Study.objects.filter(pk=study.pk)
        .annotate(
            issues=_number(Issue.objects.filter(repository__study=OuterRef("pk")), "repository__study"),
            people=_number(Membership.objects.filter(study=OuterRef("pk"), left_at=None), "study"),
            open_meetings=_number(
                Meeting.objects.filter(round__study=OuterRef("pk"), opened_at__isnull=False, closed_at=None),
                "round__study",
            ),
            version=Coalesce(Subquery(one_taxonomy.values("value")), 0),
        )
        .values("issues", "people", "open_meetings", "version")
        .get()
    )
    return Size(**row)


def _number(rows: QuerySet[Any], by: str) -> Coalesce:
    """How many of these rows there are; 0 for none."""
    counted = rows.order_by().values(by).annotate(value=Count("pk")).values("value")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
