"""Jobs that find the similar reports of a study (docs/decisions/0030).

A run reads all current texts, and compares those whose elements changed since the last one with all others.
What comes in parts gives the same rows as all at once.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from django.db import connection, transaction
from django.db.models.functions import Left
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.models import User
from core import clock, jobs
from core.models import Job
from ingest.actions.finds import learn_headings
from ingest.models import ComparedText, Import, Repository, SimilaritySearch, SimilarPair, Snapshot
from ingest.queries.similar import FIND, latest_search, to_compare, with_text
from ingest.similarity import VERSION, Pair, Report, Search, elements
from ingest.similarity.elements import LONGEST
from studies.models import Study

TEXTS_AT_ONCE = 1000
ISSUES_A_STEP = 500


class _Overtaken(Exception):
    """A later run has begun, and stores what both would store."""


def find_similar(*, study_id: int, report: jobs.Watch = lambda *_told: None) -> int:
    """Compare the reports of the study whose texts changed since they were compared; return the number of
    pairs stored. Learns the headings of templates first, which studies without keyword lists need as well.
    Safe to repeat after any interruption; ends early if a later run begins. Raises every error of `report`
    (between two steps).
    """
    learn_headings(study_id)
    run = _begin(study_id)
    stored = 0
    if to_compare(study_id).exists():
        search, snapshots = _read(study_id, report)
        waiting = _changed(study_id, search)
        total = len(snapshots) + len(waiting)
        done = len(snapshots)
        try:
            _note_same(study_id, run, search, snapshots, waiting)
            found = search.pairs_of(waiting)
            while part := list(islice(found, ISSUES_A_STEP)):
                stored += _store(study_id, run, search, snapshots, part)
                done += len(part)
                report(done, total, _("comparing reports"))
        except _Overtaken:
            return stored
        report(total, total, "")
    SimilaritySearch.objects.filter(study=study_id, run=run).update(finished_at=clock.now())
    return stored


@transaction.atomic
def _begin(study_id: int) -> int:
    """The number of a new run, which alone may store from now on. Forgets what an earlier version stored."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO ingest_similaritysearch (study_id, run, version) VALUES (%s, 1, %s)
            ON CONFLICT (study_id) DO UPDATE SET run = ingest_similaritysearch.run + 1
            RETURNING run, version
            """,
            [study_id, VERSION],
        )
        run, version = cursor.fetchone()
    if version != VERSION:
        ComparedText.objects.filter(issue__repository__study=study_id).delete()
        SimilarPair.objects.filter(study=study_id).delete()
        SimilaritySearch.objects.filter(study=study_id).update(version=VERSION)
    return int(run)


def _read(study_id: int, report: jobs.Watch) -> tuple[Search, dict[int, int]]:
    """All current texts of the study, indexed, and the snapshots that these are, by issue."""
    total = 2 * with_text(study_id).count()
    snapshots: dict[int, int] = {}

    def reports() -> Iterator[Report]:
        last = 0
        texts = with_text(study_id).annotate(body=Left("current__body", LONGEST)).order_by("pk")
        fields = texts.values_list("pk", "repository", "current", "current__title", "body")
        while rows := fields.filter(pk__gt=last)[:TEXTS_AT_ONCE]:
            for last, repository, snapshot, title, body in rows:
                snapshots[last] = snapshot
                yield Report(last, repository, elements(title[:LONGEST], body))
            report(len(snapshots), max(total, len(snapshots) + 1), _("reading reports"))

    return Search(reports()), snapshots


def _changed(study_id: int, search: Search) -> list[int]:
    """The issues whose elements are not those that were compared."""
    compared = ComparedText.objects.filter(issue__repository__study=study_id).values_list("issue", "digest")
    known = {issue: bytes(digest) for issue, digest in compared}
    return sorted(issue for issue, digest in search.digests.items() if known.get(issue) != digest)


@transaction.atomic
def _note_same(
    study_id: int, run: int, search: Search, snapshots: dict[int, int], waiting: Sequence[int]
) -> None:
    """Note newer texts whose elements are those that were compared."""
    _hold(study_id, run)
    same = snapshots.keys() - set(waiting)
    compared = ComparedText.objects.filter(issue__repository__study=study_id).values_list("issue", "snapshot")
    newer = [issue for issue, snapshot in compared if issue in same and snapshots[issue] != snapshot]
    _note(search, snapshots, newer)


@transaction.atomic
def _store(
    study_id: int,
    run: int,
    search: Search,
    snapshots: dict[int, int],
    part: Sequence[tuple[int, list[Pair]]],
) -> int:
    """Replace the pairs of these issues by the ones found, and note that they were compared."""
    _hold(study_id, run)
    issues = [issue for issue, _pairs in part]
    pairs = [pair for _issue, found in part for pair in found]
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM ingest_similarpair WHERE first_id = ANY(%(issues)s) OR second_id = ANY(%(issues)s)",
            {"issues": issues},
        )
        cursor.execute(
            """
            INSERT INTO ingest_similarpair (study_id, first_id, second_id, likeness, is_across)
            SELECT %s, first, second, likeness, one.repository_id <> other.repository_id
            FROM unnest(%s::bigint[], %s::bigint[], %s::float8[]) AS found (first, second, likeness)
            JOIN ingest_issue one ON one.id = first JOIN ingest_issue other ON other.id = second
            ORDER BY first, second
            """,
            [study_id, *(list(column) for column in zip(*pairs, strict=True))]
            if pairs
            else [study_id, [], [], []],
        )
        stored = int(cursor.rowcount)
    _note(search, snapshots, issues)
    return stored


def _hold(study_id: int, run: int) -> None:
    """Let no other run begin or store until this transaction ends. Raises _Overtaken if one has begun."""
    mine = SimilaritySearch.objects.select_for_update(no_key=True).filter(study=study_id, run=run)
    if not mine.exists():
        raise _Overtaken


def _note(search: Search, snapshots: dict[int, int], issues: Sequence[int]) -> None:
    ComparedText.objects.bulk_create(
        [
            ComparedText(issue_id=issue, snapshot_id=snapshots[issue], digest=search.digests[issue])
            for issue in issues
        ],
        update_conflicts=True,
        unique_fields=["issue"],
        update_fields=["snapshot", "digest"],
    )


def begin_comparison(*, study: Study, by: User | None) -> Job | None:
    """Let a worker find the study's similar reports after commit; None if no text waits for it. The new run
    takes over from one that goes on.
    """
    if not _has_work(study.pk):
        return None
    return jobs.enqueue(FIND, arguments={"study": study.pk, "language": get_language()}, by=by)


def compare_what_was_missed() -> int:
    """Begin a search in each study with texts to compare, unless one goes on or texts come in; return their
    number. Where the last search failed or was cancelled, only once newer texts have come.
    """
    at_work = Import.objects.filter(job__isnull=False, job__finished_at=None).values("study")
    begun = [
        begin_comparison(study=study, by=None)
        for study in Study.objects.exclude(pk__in=at_work).order_by("pk")
        if _may_go_on(study.pk)
    ]
    return sum(job is not None for job in begun)


def _may_go_on(study_id: int) -> bool:
    last = latest_search(study_id)
    if last is None or last.state == Job.State.DONE:
        return True
    texts = Snapshot.objects.filter(issue__repository__study=study_id, taken_at__gt=last.created_at)
    return last.finished_at is not None and texts.exists()


def _has_work(study_id: int) -> bool:
    """Do texts wait, was what is stored found by an earlier version, or were no headings learnt yet?"""
    outdated = SimilaritySearch.objects.filter(study=study_id).exclude(version=VERSION)
    unlearnt = Repository.objects.filter(study=study_id, headings_from=0, issues__current__isnull=False)
    return to_compare(study_id).exists() or outdated.exists() or unlearnt.exists()
