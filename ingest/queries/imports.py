"""The imports of a user's studies, and their reports."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, OuterRef, QuerySet

from accounts.models import User
from core.models import Job
from ingest.models import Import, ImportRow
from ingest.queries.removal import removed_since
from studies.models import Study
from studies.queries import studies_for

_MISSES_SOME = removed_since(OuterRef("study"), OuterRef("created_at"))


def imports_for(user: User | AnonymousUser) -> QuerySet[Import]:
    """The imports of the studies that this user is a member of, newest first."""
    runs = Import.objects.filter(study__in=studies_for(user))
    return runs.select_related("study", "job", "created_by").order_by("-id")


def former_import(run: Import) -> Import | None:
    """The earlier import of a file with the same bytes into the study; None if there is none, or if issues
    were removed since: the file may bring them back.
    """
    same = Import.objects.filter(study=run.study_id, kind=run.kind, sha256=run.sha256, counts__complete=True)
    same = same.exclude(_MISSES_SOME)
    return same.exclude(pk=run.pk).order_by("pk").first()


def former_imports(runs: Sequence[Import]) -> dict[int, Import]:
    """Id of each of these imports to the earlier import of a file with the same bytes into its study, if
    there is one. One query.
    """
    studies, hashes = {run.study_id for run in runs}, {run.sha256 for run in runs}
    known = Import.objects.filter(study__in=studies, sha256__in=hashes, counts__complete=True)
    known = known.exclude(_MISSES_SOME)
    first = {(one.study_id, one.kind, one.sha256): one for one in known.order_by("-pk")}
    keys = {run.pk: (run.study_id, run.kind, run.sha256) for run in runs}
    return {pk: first[key] for pk, key in keys.items() if key in first}


def waiting_uploads(study: Study) -> QuerySet[Import]:
    """The uploaded files of issues that nobody has imported or discarded yet, in the order they came."""
    waiting = Import.objects.filter(study=study, kind=Import.Kind.ISSUES, job=None).exclude(path="")
    return waiting.select_related("study", "created_by").order_by("pk")


def may_be_taken_back(run: Import) -> bool:
    """Is this an import of issues from a file that has ended, and has stored anything?"""
    is_running = run.job is not None and run.job.finished_at is None
    return run.kind == Import.Kind.ISSUES and bool(run.counts) and not is_running


def imports_of(study: Study) -> QuerySet[Import]:
    """The imports of a study, without their mappings."""
    return Import.objects.filter(study=study).select_related("job", "created_by").defer("mapping")


def state_of(run: Import) -> str:
    """The state of an import: "waiting" for its start, then that of its job; "done" without a job. While an
    upload waits, a job may have checked it.
    """
    if run.job and not (run.path and run.job.state == Job.State.DONE):
        return str(run.job.state)
    if run.path or (run.kind != Import.Kind.PUBLISHED and not run.counts.get("complete")):
        return "waiting"
    return str(Job.State.DONE)


def is_upload_of_labels(run: Import) -> bool:
    """Is this a published study that was uploaded and is not imported yet? Its page is in `replication`."""
    return run.kind == Import.Kind.PUBLISHED and bool(run.path)


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
