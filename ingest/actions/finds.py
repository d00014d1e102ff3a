"""Jobs that search the terms of a study's lists in each text once, and store the finds (docs/decisions/0013).

Neither a text nor a version of a list changes, so a find stays right. What a list has not been searched in
begins after its version's `searched_to`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from django.db import OperationalError, connection, transaction
from django.db.models import Count, Max, QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import jobs
from core.models import Job
from core.sql.copying import copy_rows
from ingest.errors import TextsComeIn
from ingest.keywords import IssueText, template_headings
from ingest.models import KeywordListVersion, Repository, Snapshot
from ingest.queries.keywords import SEARCH, Keywords, current_ids, keywords_in
from studies.models import Study

TEXTS_AT_ONCE = 3000
TEXTS_READ_AT_ONCE = 200
WAITS_FOR = 5
"""Seconds for which a search waits for its lock, which keeps other transactions from adding texts."""

LOCK_NOT_AVAILABLE = "55P03"
TEMPLATE_HEADINGS = "template_headings"

Report = Callable[[int, int | None, str], None]
Find = tuple[int, int, int, int, int, int]
"""Term, snapshot, and the hits in title, prose, code and where they do not count."""


class _Step(NamedTuple):
    texts: int
    finds: int


@transaction.atomic
def last_text() -> int:
    """The latest snapshot of any study, 0 if there is none; all snapshots before it are visible.

    An id is assigned before its row is committed, so this locks the table of snapshots and waits for every
    transaction that is adding texts. Raises TextsComeIn if the wait takes WAITS_FOR seconds.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{WAITS_FOR}s"])
        try:
            cursor.execute("LOCK TABLE ingest_snapshot IN SHARE MODE")
        except OperationalError as error:
            if getattr(error.__cause__, "pgcode", None) != LOCK_NOT_AVAILABLE:
                raise
            raise TextsComeIn from error
    return Snapshot.objects.aggregate(last=Max("pk"))["last"] or 0


def find_keywords(*, study_id: int, report: Report = lambda *_told: None) -> int:
    """Search the current versions of the study's lists in the texts not yet searched for them; return the
    number of new finds.

    One pass over the texts for all lists that are equally far. Each few thousand texts are one transaction,
    so that the search can end anywhere, run twice or in parallel. Raises TextsComeIn, and every error of
    `report` (between two steps).
    """
    last = last_text()
    report(0, None, _("reading the headings of templates"))
    learn_headings(study_id)
    total, done, finds = texts_left(study_id, last), 0, 0
    while (step := _search_some(study_id, last)) is not None:
        done, finds = done + step.texts, finds + step.finds
        # Only the last report says that everything is done, because that one is never skipped.
        report(done, max(total, done + 1), _("searching the texts"))
    report(max(total, done), max(total, done), "")
    return finds


def texts_left(study_id: int, last: int) -> int:
    """The texts up to `last` that some current list has not been searched in. Two queries."""
    behind = _behind(study_id, last)
    if not behind:
        return 0
    place = min(searched_to for _version, searched_to in behind)
    named = _repositories(study_id, keywords_in([version for version, _searched_to in behind]))
    return _between(named, place, last).count()


def _behind(study_id: int, last: int) -> list[tuple[int, int]]:
    """The current versions that are not searched up to `last`, with how far they are."""
    current = KeywordListVersion.objects.filter(pk__in=current_ids(study_id), searched_to__lt=last)
    return list(current.values_list("pk", "searched_to"))


@transaction.atomic
def _search_some(study_id: int, last: int) -> _Step | None:
    """Search the next texts up to `last` for the lists furthest behind; None if no list is behind."""
    # Locks the versions: of two searches the second waits, then sees how far the first has come.
    held = KeywordListVersion.objects.select_for_update(no_key=True).order_by("pk")
    places = {
        one.pk: one.searched_to for one in held.filter(pk__in=current_ids(study_id), searched_to__lt=last)
    }
    if not places:
        return None
    place = min(places.values())
    lists = keywords_in([version for version, searched_to in places.items() if searched_to == place])
    upto = min([searched_to for searched_to in places.values() if searched_to > place] + [last])
    named = _repositories(study_id, lists)
    coming = _between(named, place, upto).order_by("pk").values_list("pk", flat=True)
    upto = coming[TEXTS_AT_ONCE - 1 : TEXTS_AT_ONCE].first() or upto
    texts, finds = _searched(named, lists, place, upto)
    _store(lists, finds, place, upto)
    return _Step(texts, len(finds))


def _searched(
    named: Sequence[Repository], lists: Sequence[Keywords], place: int, upto: int
) -> tuple[int, list[Find]]:
    """The number of these texts, and what the lists find in them."""
    of_repository = {
        one.pk: ([terms for terms in lists if terms.names(one)], frozenset(one.headings)) for one in named
    }
    texts = _between(named, place, upto).values_list("pk", "issue__repository", "title", "body")
    found: list[Find] = []
    number = 0
    for snapshot, repository, title, body in texts.iterator(chunk_size=TEXTS_READ_AT_ONCE):
        number += 1
        asking, headings = of_repository[repository]
        text = IssueText(title, body, headings)
        for terms in asking:
            for index, hits in terms.matcher.search_in(text).items():
                found.append((terms.ids[index], snapshot, hits.title, hits.prose, hits.code, hits.masked))
    return number, found


def _store(lists: Sequence[Keywords], finds: list[Find], place: int, upto: int) -> None:
    """Put the finds of these texts in the place of earlier ones, and say how far the search is."""
    versions = [terms.version for terms in lists]
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM ingest_termfind WHERE snapshot_id > %s AND snapshot_id <= %s AND term_id IN"
            " (SELECT id FROM ingest_keywordterm WHERE version_id = ANY(%s))",
            [place, upto, versions],
        )
        copy_rows(cursor, "ingest_termfind (term_id, snapshot_id, title, prose, code, masked)", finds)
    KeywordListVersion.objects.filter(pk__in=versions).update(searched_to=upto)


def _repositories(study_id: int, lists: Sequence[Keywords]) -> list[Repository]:
    """The repositories of the study that at least one of the lists names."""
    found = Repository.objects.filter(study=study_id)
    return [one for one in found if any(terms.names(one) for terms in lists)]


def _between(named: Sequence[Repository], after: int, upto: int) -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(issue__repository__in=named, pk__gt=after, pk__lte=upto)


def learn_headings(study_id: int) -> None:
    """Learn the headings of templates in each repository that has twice as many texts as when they were
    learnt: pages fold them. If they are other ones now, lists that leave them out are searched again from the
    beginning; what was found stays until then.
    """
    lists = [
        terms for terms in keywords_in(current_ids(study_id)) if TEMPLATE_HEADINGS in terms.switches.masks
    ]
    texts = Snapshot.objects.filter(issue__repository__study=study_id).values_list("issue__repository")
    counted = dict(texts.annotate(number=Count("pk")).order_by())
    for repository in Repository.objects.filter(study=study_id):
        number = counted.get(repository.pk, 0)
        if number >= max(1, 2 * repository.headings_from):
            headings = sorted(template_headings(_bodies(repository)))
            _keep_headings(repository, headings, number, [one for one in lists if one.names(repository)])


def _bodies(repository: Repository) -> Iterator[str]:
    with transaction.atomic():
        bodies = Snapshot.objects.filter(issue__repository=repository).values_list("body", flat=True)
        yield from bodies.iterator(chunk_size=TEXTS_READ_AT_ONCE)


@transaction.atomic
def _keep_headings(
    repository: Repository, headings: list[str], texts: int, lists: Sequence[Keywords]
) -> None:
    Repository.objects.filter(pk=repository.pk).update(headings=headings, headings_from=texts)
    if headings != repository.headings:
        KeywordListVersion.objects.filter(pk__in=[terms.version for terms in lists]).update(searched_to=0)


def begin_search(*, study: Study, by: User | None) -> Job | None:
    """Let a worker search the study's lists after commit; None if the study has none. If another search runs,
    this one waits for it at each step, and then finds few texts left.
    """
    if not current_ids(study.pk):
        return None
    return jobs.enqueue(SEARCH, arguments={"study": study.pk, "language": get_language()}, by=by)


def search_what_was_missed() -> int:
    """Begin a search in each study with unsearched texts and no unfinished search; return their number.
    Needed after an upgrade, and after an import or a search was cut off.
    """
    unfinished = Job.objects.filter(kind=SEARCH, finished_at=None)
    searching = list(unfinished.values_list("arguments__study", flat=True))
    studies = Study.objects.filter(keyword_lists__retired_at=None, keyword_lists__isnull=False)
    last = Snapshot.objects.aggregate(last=Max("pk"))["last"] or 0
    missed = [study for study in studies.exclude(pk__in=searching).distinct() if texts_left(study.pk, last)]
    for study in missed:
        begin_search(study=study, by=None)
    return len(missed)
