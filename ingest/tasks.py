"""Jobs for imports and harvests, for the search for keywords and for similar reports; tasks that go on with
what waits or was missed.
"""

from typing import Any

from celery import shared_task
from django.utils import translation

from core.jobs import Progress, register
from core.models import Job
from ingest import actions
from ingest.models import Harvest, Import, Selection
from ingest.queries.keywords import SEARCH
from ingest.queries.similar import FIND


@register(actions.JOB)
def import_issues(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        return actions.import_issues(run=Import.objects.get(pk=job.arguments["import"]), report=progress)


@register(actions.HARVEST_JOB)
def harvest(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        found = Harvest.objects.get(pk=job.arguments["harvest"])
        return actions.run_harvest(harvest=found, report=progress)


@register(actions.SELECTION_JOB)
def select_issues(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        found = Selection.objects.get(pk=job.arguments["selection"])
        return actions.run_selection(selection=found, report=progress)


@register(actions.RESOLVING_JOB)
def resolve_listed(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        study = job.arguments["study"]
        return dict(actions.run_resolving(study_id=study, by=job.created_by, report=progress))


@register(SEARCH)
def find_keywords(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        return {"finds": actions.find_keywords(study_id=job.arguments["study"], report=progress)}


@register(FIND)
def find_similar(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        return {"pairs": actions.find_similar(study_id=job.arguments["study"], report=progress)}


@shared_task
def search_what_was_missed() -> None:
    actions.search_what_was_missed()


@shared_task
def compare_what_was_missed() -> None:
    actions.compare_what_was_missed()


@shared_task
def resume_harvests() -> None:
    actions.resume_harvests()
