"""Jobs of packages, and of published labels that were uploaded."""

from contextlib import suppress
from typing import Any

from django.utils import translation

from core.jobs import Cancelled, Progress, apart, register
from core.models import Job
from ingest.models import Import
from replication.actions import uploads
from replication.actions.packages import make_package
from replication.queries.packages import MAKING
from rounds.models import Round
from studies.models import Membership


@register(MAKING)
def make_a_package(job: Job, progress: Progress) -> dict[str, Any]:
    """Make a package with what the member who asked first may read now."""
    given = job.arguments
    with apart(progress) as report:
        made = make_package(
            job=job,
            round_=Round.objects.select_related("study", "version__taxonomy").get(pk=given["round"]),
            by=Membership.objects.select_related("study").get(pk=given["member"]),
            report=report,
        )
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
