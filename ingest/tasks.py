"""The worker's door to imports."""

from typing import Any

from django.utils import translation

from core.jobs import Progress, register
from core.models import Job
from ingest import actions
from ingest.models import Import


@register(actions.JOB)
def import_issues(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        return actions.import_issues(run=Import.objects.get(pk=job.arguments["import"]), report=progress)
