"""Selections among fetched issues that are not finished: on their way, cut off, or given up."""

from django.db.models import BigIntegerField, Exists, OuterRef, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from core.models import Job
from harvests.models import Harvest, Selection

SELECTION_JOB = "ingest.select_issues"
"""The kind of the job of a selection that somebody asked for. A harvest makes its first one itself."""


def _own_jobs() -> QuerySet[Job]:
    number = Cast(KeyTextTransform("selection", "arguments"), BigIntegerField())
    return Job.objects.filter(kind=SELECTION_JOB).alias(number=number).filter(number=OuterRef("pk"))


def going_on() -> QuerySet[Selection]:
    """Those that are not finished and can still be. A selection whose job failed or was cancelled never is:
    another one is begun instead.
    """
    return Selection.objects.filter(~Exists(_own_jobs().filter(finished_at__isnull=False)), finished_at=None)


def part_of_harvest(harvest: Harvest) -> Selection | None:
    """The selection that a run of this harvest began and did not finish: the next run goes on with it."""
    mine = Selection.objects.filter(~Exists(_own_jobs()), harvest=harvest, finished_at=None)
    return mine.order_by("pk").first()


def begun_selection(harvest: Harvest) -> tuple[Selection | None, Job | None]:
    """The newest selection of a harvest and its job, if it is not finished. The job has ended if it failed or
    was cancelled, and is None if the selection is part of a run of the harvest.
    """
    newest = Selection.objects.filter(harvest=harvest).order_by("-pk").first()
    if newest is None or newest.finished_at:
        return None, None
    jobs = Job.objects.filter(kind=SELECTION_JOB, arguments__selection=newest.pk)
    return newest, jobs.order_by("-pk").first()


def looked_at_since(selection: Selection) -> int:
    """Up to which fetched issue (its id) unfinished selections have looked since the one that finished last:
    what they found is not what that one had found. 0 without any.
    """
    before = Selection.objects.filter(harvest=selection.harvest_id, pk__lt=selection.pk).order_by("-pk")
    last = before.exclude(finished_at=None).values_list("pk", flat=True).first() or 0
    reached = before.filter(pk__gt=last).order_by("-searched_to").values_list("searched_to", flat=True)
    return reached.first() or 0
