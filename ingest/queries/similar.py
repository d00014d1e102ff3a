"""Similar reports: what is to be compared, the reports that are similar to one, and groups."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.models import Job
from ingest.addresses import unusual_host
from ingest.models import ComparedText, Issue, SimilarMark, SimilarPair
from studies.models import Membership, Study

FIND = "ingest.find_similar"
"""The kind of job that finds the similar reports of a study."""

MOST_SHOWN = 20


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


def marks_on(study_id: int, pairs: AbstractSet[tuple[int, int]]) -> dict[tuple[int, int], SimilarMark]:
    """The marks that stand on these pairs, with their authors. One query."""
    marks = standing_marks(study_id).filter(first__in={first for first, _second in pairs})
    found = {(mark.first_id, mark.second_id): mark for mark in marks.select_related("marked_by")}
    return {pair: mark for pair, mark in found.items() if pair in pairs}


def has_similar(study_id: int, *, marked: bool) -> Q:
    """The condition that an issue has similar reports, or is `marked` as a duplicate."""
    if marked:
        duplicates = standing_marks(study_id).filter(kind=SimilarMark.Kind.DUPLICATE)
        return Q(pk__in=duplicates.values("first")) | Q(pk__in=duplicates.values("second"))
    pairs = similar_pairs(study_id)
    return Q(pk__in=pairs.values("first")) | Q(pk__in=pairs.values("second"))


@dataclass(frozen=True)
class SimilarReport:
    """An issue that is similar to another one. A mark stays when the texts are not similar any more: then
    `likeness` is None.
    """

    issue: Issue
    likeness: float | None
    mark: SimilarMark | None

    @property
    def key(self) -> str:
        return str(self.issue.pk)

    @property
    def link(self) -> str:
        """The address on the forge; "" for one that no browser should open."""
        return self.issue.url if self.issue.url.startswith(("https://", "http://")) else ""

    @property
    def link_host(self) -> str:
        """The host of the link, if it is none of the large forges."""
        return unusual_host(self.link)


def similar_to(issue: Issue, *, with_distinct: bool) -> list[SimilarReport]:
    """The issues that are similar to this one or marked so, the most similar first, at most MOST_SHOWN;
    `with_distinct`: also those marked as not similar, which come last. Three queries.
    """
    either = Q(first=issue) | Q(second=issue)
    pairs = SimilarPair.objects.filter(either).values_list("first", "second", "likeness")
    alike: dict[int, float | None] = {
        first + second - issue.pk: likeness for first, second, likeness in pairs
    }
    marks: dict[int, SimilarMark] = {
        mark.first_id + mark.second_id - issue.pk: mark
        for mark in SimilarMark.objects.filter(either, ended_at=None).select_related("marked_by")
    }

    def is_distinct(other: int) -> bool:
        return other in marks and marks[other].kind == SimilarMark.Kind.DISTINCT

    chosen = sorted(
        (other for other in alike.keys() | marks.keys() if with_distinct or not is_distinct(other)),
        key=lambda other: (is_distinct(other), -(alike.get(other) or 0), other),
    )[:MOST_SHOWN]
    issues = listed(chosen)
    return [SimilarReport(issues[other], alike.get(other), marks.get(other)) for other in chosen]


def listed(issues: Iterable[int]) -> dict[int, Issue]:
    """These issues by id, with what a list shows of them. One query."""
    found = Issue.objects.filter(pk__in=list(issues)).select_related("repository__study", "current")
    return {
        issue.pk: issue
        for issue in found.only(
            "number", "url", "is_pull_request", "repository__path", "repository__study__slug",
            "current__title", "current__state",
        )
    }  # fmt: skip


PAIR_FIELDS = (
    "first_repository", "first_number", "first_url", "first_title",
    "second_repository", "second_number", "second_url", "second_title",
    "likeness", "mark", "note", "marked_by", "marked_at",
)  # fmt: skip
_OF_AN_ISSUE = ("repository__path", "number", "url", "current__title")


def pair_rows(study: Study) -> Iterator[tuple[object, ...]]:
    """The rows of the file of pairs, with the columns PAIR_FIELDS: the most similar ones first, then pairs
    that are marked but not similar any more. `marked_by` is a pseudonym.
    """
    members = Membership.objects.filter(study=study).values_list("user", "pseudonym")
    pseudonyms: dict[int | None, str] = dict(members)
    marks = {(mark.first_id, mark.second_id): mark for mark in standing_marks(study.pk)}

    def marked(pair: tuple[int, int]) -> tuple[object, ...]:
        mark = marks.pop(pair, None)
        if mark is None:
            return ("", "", "", "")
        by = pseudonyms.get(mark.marked_by_id, "")
        return (mark.kind, mark.note, by, mark.marked_at.isoformat())

    fields = [f"{end}__{name}" for end in ("first", "second") for name in _OF_AN_ISSUE]
    pairs = SimilarPair.objects.filter(study=study).order_by("-likeness", "first", "second")
    found = pairs.values_list("first", "second", *fields, "likeness").iterator(chunk_size=2000)
    for first, second, *told, likeness in found:
        yield (*_blank(told), round(likeness, 4), *marked((first, second)))
    left = standing_marks(study.pk).filter(pk__in=[mark.pk for mark in marks.values()])
    for first, second, *told in left.order_by("first", "second").values_list("first", "second", *fields):
        yield (*_blank(told), "", *marked((first, second)))


def _blank(told: Iterable[object]) -> Iterator[object]:
    """With "" for what is not known, such as the title of an issue without a text."""
    return ("" if one is None else one for one in told)


def latest_search(study_id: int) -> Job | None:
    """The latest job that finds the study's similar reports."""
    return Job.objects.filter(kind=FIND, arguments__study=study_id).order_by("-pk").first()
