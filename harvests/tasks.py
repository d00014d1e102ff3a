"""Jobs for harvests, for selections among their issues, and for asking forges about addresses; the task
that goes on with harvests that waited.
"""

from typing import Any

from celery import shared_task
from django.utils import translation

from core.jobs import Progress, register
from core.models import Job
from harvests import actions
from harvests.models import Harvest, Selection


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


@shared_task
def resume_harvests() -> None:
    actions.resume_harvests()
