"""Similar reports: what is to be compared, the reports that are similar to one, and groups."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.models import Job
from ingest.models import ComparedText, Issue, SimilarMark, SimilarPair

FIND = "ingest.find_similar"
"""The kind of job that finds the similar reports of a study."""


def with_text(study_id: int) -> QuerySet[Issue]:
    """The issues of the study whose texts are known."""
    return Issue.objects.filter(repository__study=study_id, current__isnull=False)


def to_compare(study_id: int) -> QuerySet[Issue]:
    """The issues of the study whose current texts were not compared yet."""
    compared = ComparedText.objects.filter(issue=OuterRef("pk"), snapshot=OuterRef("current"))
    return with_text(study_id).filter(~Exists(compared))


def similar_pairs(study_id: int) -> QuerySet[SimilarPair]:
    """The pairs of similar reports of the study, without those that a lead marked as not similar."""
    marks = standing_marks(study_id).filter(kind=SimilarMark.Kind.DISTINCT)
    distinct = marks.filter(first=OuterRef("first"), second=OuterRef("second"))
    return SimilarPair.objects.filter(~Exists(distinct), study=study_id)


def standing_marks(study_id: int) -> QuerySet[SimilarMark]:
    """What leads say of pairs of the study's reports."""
    return SimilarMark.objects.filter(study=study_id, ended_at=None)


def has_similar(study_id: int, *, marked: bool) -> Q:
    """The condition that an issue has similar reports, or is `marked` as a duplicate."""
    if marked:
        duplicates = standing_marks(study_id).filter(kind=SimilarMark.Kind.DUPLICATE)
        return Q(pk__in=duplicates.values("first")) | Q(pk__in=duplicates.values("second"))
    pairs = similar_pairs(study_id)
    return Q(pk__in=pairs.values("first")) | Q(pk__in=pairs.values("second"))


def latest_search(study_id: int) -> Job | None:
    """The latest job that finds the study's similar reports."""
    return Job.objects.filter(kind=FIND, arguments__study=study_id).order_by("-pk").first()
