"""The issues of a user's studies: pages, filters and counts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import BigIntegerField, Case, Count, ExpressionWrapper, F, IntegerField, QuerySet, When

from accounts.models import User
from core.once import once_a_page
from core.pages import Page, page_of
from ingest.models import Issue, Repository, Snapshot
from ingest.queries.filters import KINDS, IssueFilter
from ingest.queries.keywords import narrowed_by_keywords
from ingest.queries.searching import answering, best_first
from ingest.queries.similar import has_similar
from studies.models import Study
from studies.queries import studies_for


def issues_for(user: User | AnonymousUser) -> QuerySet[Issue]:
    """The issues of the studies that this user is a member of, with repository, study and current text."""
    issues = Issue.objects.filter(repository__study__in=studies_for(user))
    return issues.select_related("repository__study", "current")


def listed_issues(study: Study, narrowed: IssueFilter) -> QuerySet[Issue]:
    """The issues that match the filter, with the fields that a list shows, without bodies and comments."""
    return _with_fields(filter_issues(study, narrowed))


def issue_page(
    study: Study, narrowed: IssueFilter, query: Mapping[str, str], *, texts_first: bool
) -> Page[Issue]:
    """A page of the issues that match the filter: the newest first, those with a text before the others if
    asked. With words the best match comes first, and each issue has its `tier` (ingest.queries.searching).
    One query; with words one for each tier that the page reaches, and one for its fields.
    """
    if not narrowed.words:
        listed = listed_issues(study, narrowed)
        key = "place" if texts_first else "pk"
        return page_of(with_texts_first(listed) if texts_first else listed, query, key=key, newest_first=True)
    page, tiers = best_first(filter_issues(study, narrowed, words=False), narrowed.words, query)
    ids = [one.pk for one in page.rows]
    tier = Case(
        *(When(pk=pk, then=tier) for pk, tier in zip(ids, tiers, strict=True)), output_field=IntegerField()
    )
    rows = _with_fields(Issue.objects.annotate(tier=tier)).in_bulk(ids)
    return replace(page, rows=[rows[pk] for pk in ids])


def _with_fields(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    return issues.select_related("repository", "current").only(
        "number", "url", "is_pull_request", "fate", "year", "repository__path", "repository__host",
        "repository__forge", "current__title", "current__state", "current__state_reason",
        "current__comment_count", "current__opened_at", "current__author",
    )  # fmt: skip


TEXTS_FIRST = 2**40


def with_texts_first(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """These issues with a key, `place`, by which those that have a text come before those that have none, the
    newest first in each part.
    """
    first = Case(When(current=None, then=0), default=TEXTS_FIRST, output_field=BigIntegerField())
    return issues.annotate(place=ExpressionWrapper(F("pk") + first, output_field=BigIntegerField()))


def filter_issues(study: Study, narrowed: IssueFilter, *, words: bool = True) -> QuerySet[Issue]:
    """The issues of the study that match the filter, in no order; or all of it but the `words`."""
    issues = Issue.objects.filter(repository__study=study)
    if narrowed.repository is not None:
        issues = issues.filter(repository=narrowed.repository)
    if narrowed.year is not None:
        issues = issues.filter(year=narrowed.year)
    if narrowed.kind:
        issues = issues.filter(is_pull_request=KINDS[narrowed.kind])
    if narrowed.similar:
        issues = issues.filter(has_similar(study.pk, marked=narrowed.similar == "duplicate"))
    if narrowed.text:
        issues = issues.filter(current__isnull=narrowed.text == "without")
    if narrowed.words and words:
        issues = answering(issues, narrowed.words)
    if narrowed.keywords:
        issues = narrowed_by_keywords(issues, study.pk, narrowed.keywords)
    return issues


@dataclass(frozen=True)
class IssueCounts:
    """The numbers of a study's issues by repository, year and kind, for the filters."""

    total: int
    with_text: int
    repositories: list[tuple[Repository, int]]
    years: list[tuple[int, int]]
    kinds: dict[str, int]

    @property
    def without_text(self) -> int:
        return self.total - self.with_text


def issue_counts(study: Study) -> IssueCounts:
    """Issues by repository, by year, by kind, and with text. Two queries, one pass over the issues."""
    names = {value: name for name, value in KINDS.items()}
    groups = (
        Issue.objects.filter(repository__study=study)
        .values_list("repository", "year", "is_pull_request")
        .annotate(issues=Count("id"), texts=Count("current"))
        .order_by()
    )
    repositories: Counter[int] = Counter()
    years: Counter[int] = Counter()
    kinds: Counter[str] = Counter()
    with_text = 0
    for repository, year, is_pull_request, issues, texts in groups:
        repositories[repository] += issues
        kinds[names[is_pull_request]] += issues
        with_text += texts
        if year is not None:
            years[year] += issues
    return IssueCounts(
        total=kinds.total(),
        with_text=with_text,
        repositories=[
            (repository, repositories[repository.pk])
            for repository in Repository.objects.filter(study=study).order_by("path")
        ],
        years=sorted(years.items()),
        kinds=dict(kinds),
    )


def snapshots_of(issue: Issue) -> QuerySet[Snapshot]:
    """The snapshots of an issue, newest first, without bodies and comments."""
    return Snapshot.objects.filter(issue=issue).defer("body", "comments").order_by("-pk")


def has_issues(study: Study) -> bool:
    return Issue.objects.filter(repository__study=study).exists()


NAMES = """
    SELECT id, CASE WHEN count(*) OVER (PARTITION BY path) > 1 THEN host || '/' || path ELSE path END AS name
    FROM ingest_repository WHERE study_id = %(study)s ORDER BY path, id
"""
"""SQL: the repositories of a study with unique names."""


@once_a_page
def repository_names(study_id: int) -> dict[int, str]:
    """The names of a study's repositories by id, in the order of their paths: the path, after the host if two
    repositories share the path, such as a project and its mirror on another forge. One query a page;
    nobody changes the result.
    """
    with connection.cursor() as cursor:
        cursor.execute(NAMES, {"study": study_id})
        return dict(cursor.fetchall())
