"""The imports of a user's studies, and their reports."""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, QuerySet

from accounts.models import User
from core.models import Job
from ingest.models import Import, ImportRow
from studies.models import Study
from studies.queries import studies_for


def imports_for(user: User | AnonymousUser) -> QuerySet[Import]:
    """The imports of the studies that this user is a member of, newest first."""
    runs = Import.objects.filter(study__in=studies_for(user))
    return runs.select_related("study", "job", "created_by").order_by("-id")


def former_import(run: Import) -> Import | None:
    """The earlier import of a file with the same bytes into the study; None if there is none."""
    same = Import.objects.filter(study=run.study_id, kind=run.kind, sha256=run.sha256, counts__complete=True)
    return same.exclude(pk=run.pk).order_by("pk").first()


def imports_of(study: Study) -> QuerySet[Import]:
    """The imports of a study, without their mappings."""
    return Import.objects.filter(study=study).select_related("job", "created_by").defer("mapping")


def state_of(run: Import) -> str:
    """The state of an import: "waiting" for its start, then that of its job; "done" without a job."""
    if run.job:
        return str(run.job.state)
    if run.kind != Import.Kind.PUBLISHED and not run.counts.get("complete"):
        return "waiting"
    return str(Job.State.DONE)


def row_counts(run: Import) -> dict[str, int]:
    """How many report rows an import has of each outcome, in the order of the outcomes."""
    rows = ImportRow.objects.filter(run=run).values_list("outcome").annotate(rows=Count("pk")).order_by()
    found = dict(rows)
    return {outcome: found[outcome] for outcome in ImportRow.Outcome.values if outcome in found}


def report_rows(run: Import, outcome: str = "") -> QuerySet[ImportRow]:
    """The report rows of an import, in the order of the file: the lines that were not taken unchanged."""
    rows = ImportRow.objects.filter(run=run).order_by("pk")
    return rows.filter(outcome=outcome) if outcome else rows


def reported(run: Import) -> dict[str, Any]:
    """The counts of an import that people see, without its bookkeeping."""
    return {name: count for name, count in run.counts.items() if name != "complete"}
