"""Jobs of packages, and of published labels that were uploaded."""

from contextlib import suppress
from typing import Any

from django.utils import translation

from core.jobs import Cancelled, Progress, apart, register
from core.models import Job
from ingest.models import Import
from replication.actions import uploads
from replication.actions.packages import make_package
from replication.queries.packages import MAKING, still_waiting
from rounds.models import Round


@register(MAKING)
def make_a_package(job: Job, progress: Progress) -> dict[str, Any]:
    """Make a package with what the first of those who asked and may still have it may read now."""
    with apart(progress) as report:
        round_ = Round.objects.select_related("study", "version__taxonomy").get(pk=job.arguments["round"])
        made = make_package(job=job, round_=round_, by=still_waiting(job, round_), report=report)
    _ended(progress, made["rows"])
    return made


@register(uploads.CHECK)
def check_published(job: Job, progress: Progress) -> dict[str, Any]:
    run = Import.objects.get(pk=job.arguments["import"])
    with translation.override(job.arguments.get("language")), apart(progress) as report:
        found = uploads.check_published(run=run, report=report)
    _ended(progress, found["rows"])
    return found


@register(uploads.IMPORT)
def import_published(job: Job, progress: Progress) -> dict[str, Any]:
    run = Import.objects.get(pk=job.arguments["import"])
    with translation.override(job.arguments.get("language")), apart(progress) as report:
        counts = uploads.import_published(run=run, report=report)
    _ended(progress, sum(counts.values()))
    return counts


def _ended(progress: Progress, done: int) -> None:
    """Show that everything is done: too late to cancel what is stored."""
    with suppress(Cancelled):
        progress(done, done)
