"""Similar reports: what is to be compared, the reports that are similar to one, and groups."""

from django.db.models import Exists, OuterRef, QuerySet

from core.models import Job
from ingest.models import ComparedText, Issue

FIND = "ingest.find_similar"
"""The kind of job that finds the similar reports of a study."""


def with_text(study_id: int) -> QuerySet[Issue]:
    """The issues of the study whose texts are known."""
    return Issue.objects.filter(repository__study=study_id, current__isnull=False)


def to_compare(study_id: int) -> QuerySet[Issue]:
    """The issues of the study whose current texts were not compared yet."""
    compared = ComparedText.objects.filter(issue=OuterRef("pk"), snapshot=OuterRef("current"))
    return with_text(study_id).filter(~Exists(compared))


def latest_search(study_id: int) -> Job | None:
    """The latest job that finds the study's similar reports."""
    return Job.objects.filter(kind=FIND, arguments__study=study_id).order_by("-pk").first()
