"""Jobs that search a study's keywords in each text once, and store the finds (docs/decisions/0013).

A text never changes, so a find is never wrong. Lists are right without the job: with_keyword in
ingest/queries/keywords.py itself searches the texts beyond a keyword's `searched_to`.
"""

from collections.abc import Callable

from django.db import OperationalError, connection, transaction
from django.db.models import Max, Min, QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import jobs
from core.models import Job
from ingest.errors import TextsComeIn
from ingest.models import Keyword, KeywordFind, Snapshot
from ingest.queries.keywords import SEARCH, stands_in
from studies.models import Study

TEXTS_AT_ONCE = 4000
WAITS_FOR = 5
"""Seconds for which a search waits for its lock, which keeps other transactions from adding texts."""

LOCK_NOT_AVAILABLE = "55P03"

Report = Callable[[int, int | None, str], None]


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
    """Search each keyword of the study in the texts not yet searched for it; return the number of new finds.

    Each few thousand texts are one transaction, so that the search can end anywhere, run twice or in
    parallel. Raises TextsComeIn, and every error of `report` (between two steps).
    """
    last = last_text()
    behind = dict(
        Keyword.objects.filter(study=study_id, searched_to__lt=last)
        .order_by("pk")
        .values_list("pk", "searched_to")
    )
    left = {place: _between(study_id, place, last).count() for place in set(behind.values())}
    total, done, finds = sum(left[place] for place in behind.values()), 0, 0
    for keyword_id in behind:
        while step := _search_some(keyword_id, last):
            searched, found = step
            done, finds = done + searched, finds + found
            # Only the last report says that everything is done, because that one is never skipped.
            report(done, max(total, done + 1), _("searching the texts"))
    report(total, total, "")
    return finds


@transaction.atomic
def _search_some(keyword_id: int, last: int) -> tuple[int, int] | None:
    """Search the next texts up to `last`; return how many texts and finds, None if no text is left."""
    # Locks the keyword: a deletion waits, then deletes the finds as well.
    held = Keyword.objects.select_for_update(no_key=True)
    keyword = held.filter(pk=keyword_id, searched_to__lt=last).first()
    if keyword is None:
        return None
    coming = _between(keyword.study_id, keyword.searched_to, last).order_by("pk").values_list("pk", flat=True)
    upto = coming[TEXTS_AT_ONCE - 1 : TEXTS_AT_ONCE].first() or last
    texts = _between(keyword.study_id, keyword.searched_to, upto)
    found = texts.filter(stands_in(keyword.word)).values_list("pk", flat=True)
    made = KeywordFind.objects.bulk_create(KeywordFind(keyword=keyword, snapshot_id=pk) for pk in found)
    Keyword.objects.filter(pk=keyword.pk).update(searched_to=upto)
    return texts.count(), len(made)


def _texts_of(study_id: int) -> QuerySet[Snapshot]:
    return Snapshot.objects.filter(issue__repository__study=study_id)


def _between(study_id: int, after: int, upto: int) -> QuerySet[Snapshot]:
    return _texts_of(study_id).filter(pk__gt=after, pk__lte=upto)


def begin_search(*, study: Study, by: User | None) -> Job | None:
    """Let a worker search the study's keywords after commit; None if the study has none. If another search
    runs, this one waits for it at each keyword, and then finds few texts left.
    """
    if not Keyword.objects.filter(study=study).exists():
        return None
    return jobs.enqueue(SEARCH, arguments={"study": study.pk, "language": get_language()}, by=by)


def search_what_was_missed() -> int:
    """Begin a search in each study with unsearched texts and no unfinished search; return their number.
    Needed after an upgrade, and after an import or a search was cut off.
    """
    unfinished = Job.objects.filter(kind=SEARCH, finished_at=None)
    searching = list(unfinished.values_list("arguments__study", flat=True))
    studies = Study.objects.filter(keywords__isnull=False).exclude(pk__in=searching)
    missed = [
        study
        for study in studies.annotate(searched_to=Min("keywords__searched_to"))
        if _texts_of(study.pk).filter(pk__gt=study.searched_to).exists()
    ]
    for study in missed:
        begin_search(study=study, by=None)
    return len(missed)
