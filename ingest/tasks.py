"""Jobs for imports, keywords and similar reports; tasks that go on with what was missed."""

from typing import Any

from celery import shared_task
from django.utils import translation

from core.jobs import Progress, register
from core.models import Job
from ingest import actions
from ingest.models import Import
from ingest.queries.keywords import SEARCH
from ingest.queries.similar import FIND


@register(actions.JOB)
def import_issues(job: Job, progress: Progress) -> dict[str, Any]:
    with translation.override(job.arguments.get("language")):
        return actions.import_issues(run=Import.objects.get(pk=job.arguments["import"]), report=progress)


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
    actions.keep_missing_words()
    actions.search_what_was_missed()


@shared_task
def compare_what_was_missed() -> None:
    actions.compare_what_was_missed()
