"""Reads of issues and imports that start from a user or a study."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Lower

from accounts.models import User
from core.models import Job
from core.once import once_a_page
from ingest import files
from ingest.filters import KINDS
from ingest.filters import IssueFilter as IssueFilter  # noqa: PLC0414 - part of this module's interface
from ingest.keywords import lowered, pattern
from ingest.models import Import, ImportRow, Issue, Keyword, KeywordFind, Repository, SavedFilter, Snapshot
from ingest.readers import Draft, Refusal, open_reader
from studies.models import Study
from studies.queries import studies_for

ON_A_PAGE = 50
SEARCH = "ingest.find_keywords"
"""The kind of job that searches a study's keywords in its texts."""
LOOKED_AT = 1000
LOOKED_AT_BYTES = 8 << 20
SHOWN = 5


def issues_for(user: User | AnonymousUser) -> QuerySet[Issue]:
    """The issues of the studies that this user is a member of, with repository, study and current text."""
    issues = Issue.objects.filter(repository__study__in=studies_for(user))
    return issues.select_related("repository__study", "current")


def imports_for(user: User | AnonymousUser) -> QuerySet[Import]:
    """The imports of the studies that this user is a member of, newest first."""
    runs = Import.objects.filter(study__in=studies_for(user))
    return runs.select_related("study", "job", "created_by").order_by("-id")


def former_import(run: Import) -> Import | None:
    """The import by which the study took the same bytes before; None if it did not."""
    same = Import.objects.filter(study=run.study_id, kind=run.kind, sha256=run.sha256, counts__complete=True)
    return same.exclude(pk=run.pk).order_by("pk").first()


# --- the list of issues


@dataclass(frozen=True)
class IssuePage:
    """A page of issues, last come first. `older` and `newer` are the keys of the pages beside it, if any.

    `count`: how many issues the filter leaves; None without a filter, where IssueCounts says it.
    """

    issues: list[Issue]
    count: int | None
    older: int | None
    newer: int | None


def issue_page(
    study: Study,
    narrowed: IssueFilter,
    *,
    before: int | None = None,
    after: int | None = None,
    size: int = ON_A_PAGE,
) -> IssuePage:
    """The `size` issues next older than `before`, or next newer than `after`, or the newest.

    A query for the page, and with a filter one for its count. Bodies and discussions are not read.
    """
    found = filter_issues(study, narrowed)
    rows = found.select_related("repository", "current").only(
        "number", "url", "is_pull_request", "year", "repository__path", "repository__host",
        "repository__forge", "current__title", "current__state", "current__comment_count",
        "current__opened_at", "current__author",
    )  # fmt: skip
    if after is not None:
        page = list(rows.filter(pk__gt=after).order_by("id")[: size + 1])
        more, page = len(page) > size, page[:size][::-1]
        newer, older = (page[0].pk if more else None), (page[-1].pk if page else None)
    else:
        page = list((rows if before is None else rows.filter(pk__lt=before)).order_by("-id")[: size + 1])
        more, page = len(page) > size, page[:size]
        older = page[-1].pk if more else None
        newer = page[0].pk if page and before is not None else None
    return IssuePage(page, found.count() if narrowed else None, older, newer)


def filter_issues(study: Study, narrowed: IssueFilter) -> QuerySet[Issue]:
    """The issues of the study that the filter leaves, in no order."""
    issues = Issue.objects.filter(repository__study=study)
    if narrowed.repository is not None:
        issues = issues.filter(repository=narrowed.repository)
    if narrowed.year is not None:
        issues = issues.filter(year=narrowed.year)
    if narrowed.kind:
        issues = issues.filter(is_pull_request=KINDS[narrowed.kind])
    if narrowed.text:
        issues = issues.filter(current__isnull=narrowed.text == "without")
    for word in narrowed.words.split():
        number = re.fullmatch(r"#?([A-Za-z]?[A-Za-z0-9]+)", word)
        named = Q(number=number[1].upper()) if number else Q()
        issues = issues.filter(Q(current__title__icontains=word) | named)
    return issues


def stands_in(word: str, snapshot: str = "") -> Q:
    """Does a word stand in title or text of a snapshot (`current__`: of the one it leads to), as
    ingest.keywords finds it? Reads the texts.
    """
    stem = lowered(word).removesuffix("*")
    named = Q()
    for text in (f"{snapshot}title", f"{snapshot}body"):
        # The plain search first: it is many times as fast, and what it leaves is little.
        named |= Q(**{f"{text}__icontains": stem}) & Q(**{f"{text}__iregex": pattern(word)})
    return named


def with_keyword(study: Study, word: str, *, among: QuerySet[Any, Any]) -> str:
    """The ids of the study's issues in whose title or text a word stands, of those `among` these ids, in no
    order. Two queries.

    An array as PostgreSQL writes it, such as {3,1}: it goes back there, and making thousands of numbers of it
    would take longer than finding them.

    They are small for a keyword of the study: only texts that it was not searched in are read here. Of any
    other word all texts are, which takes a second or two at full size.
    """
    near = Keyword.objects.filter(study=study, word__iexact=word)
    keyword = next((one for one in near if lowered(one.word) == lowered(word)), None)
    searched_to = keyword.searched_to if keyword else 0
    issues = Issue.objects.filter(pk__in=among)
    unsearched = issues.filter(repository__study=study, current__gt=searched_to)
    found = unsearched.filter(stands_in(word, "current__")).values_list("pk", flat=True)
    if keyword:
        finds = KeywordFind.objects.filter(keyword=keyword)
        found = found.union(
            issues.filter(current__in=finds.values("snapshot")).values_list("pk", flat=True), all=True
        )
    query, parameters = found.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT coalesce(array_agg(pk), '{{}}')::text FROM ({query}) found (pk)",  # noqa: S608 - its own SQL
            parameters,
        )
        return str(cursor.fetchone()[0])


def search_of(study: Study) -> Job | None:
    """The last job that searches the study's keywords in its texts."""
    return Job.objects.filter(kind=SEARCH, arguments__study=study.pk).order_by("-pk").first()


def saved_filters(study: Study, page: str = "issues") -> QuerySet[SavedFilter]:
    """The filters that the study keeps under names for one of its lists, by name."""
    saved = SavedFilter.objects.filter(study=study, page=page)
    return saved.select_related("created_by").order_by(Lower("name"), "pk")


@once_a_page
def keywords_of(study_id: int) -> tuple[str, ...]:
    """The words by which the study's issues were found, in the order of the alphabet."""
    words = Keyword.objects.filter(study=study_id).order_by(Lower("word"), "pk")
    return tuple(words.values_list("word", flat=True))


@dataclass(frozen=True)
class Choices:
    """What a list of issues can be narrowed to in a study: repositories by id, in the order of their paths,
    keywords in the order of the alphabet, and the filters kept for the list: id, name, query.
    """

    repositories: dict[int, str]
    keywords: tuple[str, ...]
    filters: list[tuple[int, str, dict[str, str]]]


_CHOICES = """
    SELECT
        (SELECT json_agg(json_build_array(id, path) ORDER BY path)
         FROM ingest_repository WHERE study_id = %(study)s),
        (SELECT array_agg(word ORDER BY lower(word), id) FROM ingest_keyword WHERE study_id = %(study)s),
        (SELECT json_agg(json_build_array(id, name, query) ORDER BY lower(name), id)
         FROM ingest_savedfilter WHERE study_id = %(study)s AND page = %(page)s)
"""


def choices_of(study_id: int, page: str) -> Choices:
    """What the menus above a list offer, in the orders of `keywords_of` and `saved_filters`. One statement,
    written out: three small questions that each such page asks.
    """
    with connection.cursor() as cursor:
        cursor.execute(_CHOICES, {"study": study_id, "page": page})
        repositories, keywords, filters = cursor.fetchone()
    return Choices(dict(repositories or ()), tuple(keywords or ()), [tuple(one) for one in filters or ()])


def fingerprint(keywords: Sequence[str]) -> str:
    """What tells two lists of keywords apart, short enough for a form."""
    return sha256("\n".join(keywords).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class IssueCounts:
    """What the issues of a study are, for the filters."""

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
    """The texts that an issue had, newest first, without bodies and discussions."""
    return Snapshot.objects.filter(issue=issue).defer("body", "comments").order_by("-pk")


# --- imports and their reports


@dataclass(frozen=True)
class ImportPage:
    """A page of imports, newest first; `older` and `newer` are the keys of the pages beside it, if any."""

    runs: list[Import]
    older: int | None
    newer: int | None


def import_page(
    study: Study, *, before: int | None = None, after: int | None = None, size: int = ON_A_PAGE
) -> ImportPage:
    """The `size` imports next older than `before`, or next newer than `after`, or the newest. One query."""
    runs = Import.objects.filter(study=study).select_related("job", "created_by").defer("mapping")
    if after is not None:
        page = list(runs.filter(pk__gt=after).order_by("id")[: size + 1])
        more, page = len(page) > size, page[:size][::-1]
        return ImportPage(page, page[-1].pk if page else None, page[0].pk if more else None)
    page = list((runs if before is None else runs.filter(pk__lt=before)).order_by("-id")[: size + 1])
    more, page = len(page) > size, page[:size]
    return ImportPage(
        page, page[-1].pk if more else None, page[0].pk if page and before is not None else None
    )


def state_of(run: Import) -> str:
    """Where an import stands: waiting (to be confirmed), or as its job does; done where it needed no job."""
    if run.job:
        return str(run.job.state)
    if run.kind == Import.Kind.ISSUES and not run.counts.get("complete"):
        return "waiting"
    return str(Job.State.DONE)


def row_counts(run: Import) -> dict[str, int]:
    """How many report rows an import has of each outcome, in the order of the outcomes."""
    rows = ImportRow.objects.filter(run=run).values_list("outcome").annotate(rows=Count("pk")).order_by()
    found = dict(rows)
    return {outcome: found[outcome] for outcome in ImportRow.Outcome.values if outcome in found}


@dataclass(frozen=True)
class RowPage:
    """A page of an import's report, in the order of the file."""

    rows: list[ImportRow]
    next: int | None
    previous: int | None


def report_rows(run: Import, outcome: str = "") -> QuerySet[ImportRow]:
    """The rows of an import that were not taken as they stood, in order."""
    rows = ImportRow.objects.filter(run=run).order_by("pk")
    return rows.filter(outcome=outcome) if outcome else rows


def row_page(
    run: Import,
    outcome: str = "",
    *,
    before: int | None = None,
    after: int | None = None,
    size: int = ON_A_PAGE,
) -> RowPage:
    """The `size` report rows behind `after`, or before `before`, or the first ones. One query."""
    rows = report_rows(run, outcome)
    if before is not None:
        page = list(rows.filter(pk__lt=before).order_by("-pk")[: size + 1])
        more, page = len(page) > size, page[:size][::-1]
        return RowPage(page, page[-1].pk if page else None, page[0].pk if more else None)
    page = list((rows if after is None else rows.filter(pk__gt=after))[: size + 1])
    more, page = len(page) > size, page[:size]
    return RowPage(page, page[-1].pk if more else None, page[0].pk if page and after is not None else None)


# --- the preview


@dataclass(frozen=True)
class Preview:
    """What the beginning of a file would bring, `rows` of it read; the whole file if `whole`.

    `rows` = `new` + `known` + `repeated` + `refused`. `estimate`: rows of the whole file, by its size.
    """

    rows: int
    whole: bool
    estimate: int
    new: int
    known: int
    repeated: int
    refused: int
    repaired: int
    pull_requests: int
    with_text: int
    repositories: list[tuple[str, int]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)


def preview(run: Import) -> Preview | None:
    """Read the beginning of the file; None if it is gone. Stores nothing.

    Reads LOOKED_AT rows or LOOKED_AT_BYTES at most, whatever the size of the file. One query.
    """
    path = files.located(run.path)
    if not run.path or not path.is_file():
        return None
    drafts: dict[tuple[str, str, str], Draft] = {}
    refusals: list[Refusal] = []
    rows = repaired = 0
    whole = True
    with path.open("rb") as stream:
        reader = open_reader(stream, run.name, sniffed=files.as_sniffed(run.mapping))
        for found in reader:
            rows += 1
            if isinstance(found, Refusal):
                refusals.append(found)
            else:
                drafts.setdefault(found.address.identity, found)
                repaired += bool(found.repaired)
            if rows == LOOKED_AT or reader.bytes_read > LOOKED_AT_BYTES:
                whole = next(iter(reader), None) is None
                break
        read = reader.bytes_read
    known = _known(run.study, drafts.values())
    paths = Counter(draft.address.path for draft in drafts.values())
    return Preview(
        rows=rows,
        whole=whole,
        estimate=rows if whole else max(rows + 1, round(rows * run.size / max(1, read))),
        new=len(drafts) - known,
        known=known,
        repeated=rows - len(refusals) - len(drafts),
        refused=len(refusals),
        repaired=repaired,
        pull_requests=sum(draft.is_pull_request is True for draft in drafts.values()),
        with_text=sum(bool(draft.title or draft.body) for draft in drafts.values()),
        repositories=paths.most_common(),
        drafts=list(drafts.values())[:SHOWN],
        refusals=refusals[:SHOWN],
    )


def _known(study: Study, drafts: Iterable[Draft]) -> int:
    """How many of these issues the study has."""
    identities = [draft.address.identity for draft in drafts]
    if not identities:
        return 0
    hosts, paths, numbers = (list(part) for part in zip(*identities, strict=True))
    found = Issue.objects.raw(
        """
        SELECT i.id FROM unnest(%s::text[], %s::text[], %s::text[]) AS given (host, path, number)
        JOIN ingest_repository r ON r.study_id = %s AND r.host = given.host AND lower(r.path) = given.path
        JOIN ingest_issue i ON i.repository_id = r.id AND i.number = given.number
        """,
        [hosts, paths, numbers, study.pk],
    )
    return len(list(found))


def has_issues(study: Study) -> bool:
    return Issue.objects.filter(repository__study=study).exists()


def reported(run: Import) -> dict[str, Any]:
    """The counts of an import for people: those that are not bookkeeping, in the order of their meaning."""
    return {name: count for name, count in run.counts.items() if name != "complete"}
