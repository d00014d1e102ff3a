"""What would go with an import or an issue, and which issues were removed before."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from ingest.models import Import, Issue, Repository, Snapshot
from studies.models import Event, Study

REMOVED = "issues.removed"
TAKEN_BACK = "imports.taken_back"


@dataclass(frozen=True)
class Going:
    """What goes with an import: issues that it was the first to bring, their texts, and repositories without
    issues then. `renewed` texts of other issues stay. `later` imports named issues that were known: some can
    be of this import.
    """

    issues: int
    texts: int
    repositories: list[str]
    renewed: int
    later: int


def going_with(run: Import) -> Going:
    """Four queries."""
    issues = Issue.objects.filter(first_import=run)
    later = Import.objects.filter(study=run.study_id, kind=Import.Kind.ISSUES, pk__gt=run.pk)
    return Going(
        issues=issues.count(),
        texts=Snapshot.objects.filter(issue__first_import=run).count(),
        repositories=list(emptied_by(run).order_by("path").values_list("path", flat=True)),
        renewed=int(run.counts.get("changed", 0)),
        later=sum(
            bool(one.get("known") or one.get("changed")) for one in later.values_list("counts", flat=True)
        ),
    )


def emptied_by(run: Import) -> QuerySet[Repository]:
    """The repositories that have issues of this import, and nothing else."""
    here = Issue.objects.filter(repository=OuterRef("pk"))
    of_run = here.filter(first_import=run)
    others = here.exclude(first_import=run) | here.filter(first_import=None)
    return Repository.objects.filter(Exists(of_run), ~Exists(others), sources=None, study=run.study_id)


def removed_since(study: OuterRef, moment: OuterRef) -> Exists:
    """Were issues removed from the study after this moment? For a subquery."""
    return Exists(Event.objects.filter(study=study, verb__in=(REMOVED, TAKEN_BACK), at__gt=moment))


def removed_before(study: Study | int, keys: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Which of these issues, by key of the repository and number, a lead removed before. One query."""
    events = Event.objects.filter(study=study, verb=REMOVED)
    found = events.values_list("detail__repository", "detail__number")
    return {(str(repository), str(number)) for repository, number in found} & set(keys)
