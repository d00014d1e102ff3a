"""The search for similar reports: what is stored is what one comparison of all current texts gives, whatever happens."""

import threading

import pytest
from django.db import connection

from core import jobs
from core.models import Job
from ingest import actions
from ingest.actions import similar
from ingest.models import ComparedText, Issue, SimilaritySearch, SimilarPair, Snapshot
from ingest.queries.similar import FIND, to_compare
from tests.factories import make_issue, make_member, make_repository, make_study
from tests.ingest.files import jsonl, load, record
from tests.races import at_once

HANGS = "Training on {} cards hangs after the {} step: every rank waits for the broadcast of the weights for ever."
LOSES = "The export of the {} tokenizer loses its special tokens when the folder of the cache is read only."


def hangs(cards="eight", step="first"):
    return {"title": "It hangs", "body": HANGS.format(cards, step)}


def loses(which="new"):
    return {"title": "Tokens are lost", "body": LOSES.format(which)}


def stored(study):
    """The pairs as numbers of their issues and likeness."""
    pairs = SimilarPair.objects.filter(study=study).order_by("first", "second")
    found = pairs.values_list("first__number", "second__number", "likeness", "is_across")
    return [(one, other, round(likeness, 3), across) for one, other, likeness, across in found]


def retold(issue, **text):
    """A newer text of the issue, which it shows."""
    newer = Snapshot.objects.create(issue=issue, content_hash=str(Snapshot.objects.count()), **text)
    Issue.objects.filter(pk=issue.pk).update(current=newer)


def at_one_stroke(study):
    """What a search stores that begins with nothing."""
    kept = stored(study)
    ComparedText.objects.filter(issue__repository__study=study).delete()
    SimilarPair.objects.filter(study=study).delete()
    actions.find_similar(study_id=study.pk)
    assert not to_compare(study.pk).exists()
    return kept, stored(study)


@pytest.fixture
def other(study):
    return make_repository(study, "o/other")


@pytest.mark.django_db
class TestPairs:
    def test_of_a_study(self, study, repository, other):
        make_issue(repository, "1", **hangs())
        make_issue(repository, "2", **loses())
        make_issue(other, "3", **hangs(step="second"))
        make_issue(repository, "4", **hangs())
        make_issue(repository, "5", text=False)
        make_issue(other, "6", title="It hangs", body="")
        make_issue(make_repository(make_study(), "o/engine"), "7", **hangs())
        assert actions.find_similar(study_id=study.pk) == 3
        assert stored(study) == [("1", "3", 0.833, True), ("1", "4", 1.0, False), ("3", "4", 0.833, True)]
        search = SimilaritySearch.objects.get()
        assert (search.run, search.finished_at is None) == (1, False)
        assert sorted(ComparedText.objects.values_list("issue__number", flat=True)) == [
            "1",
            "2",
            "3",
            "4",
            "6",
        ]

    def test_of_a_study_without_texts(self, study, repository):
        make_issue(repository, "1", text=False)
        assert actions.find_similar(study_id=study.pk) == 0
        assert (stored(study), ComparedText.objects.count()) == ([], 0)

    def test_nothing_is_read_again(self, study, repository):
        make_issue(repository, "1", **hangs())
        make_issue(repository, "2", **hangs())
        assert actions.find_similar(study_id=study.pk) == 1
        told = []
        assert actions.find_similar(study_id=study.pk, report=lambda *one: told.append(one)) == 0
        assert told == []

    def test_later_texts_are_compared_with_all_others(self, study, repository, other):
        make_issue(repository, "1", **hangs())
        make_issue(other, "2", **loses())
        actions.find_similar(study_id=study.pk)
        kept = set(SimilarPair.objects.values_list("pk", flat=True))
        make_issue(other, "3", **hangs())
        make_issue(other, "4", **loses("old"))
        told = []
        assert actions.find_similar(study_id=study.pk, report=lambda *one: told.append(one[:2])) == 2
        assert told == [(4, 8), (6, 6), (6, 6)]
        assert kept <= set(SimilarPair.objects.values_list("pk", flat=True))
        before, whole = at_one_stroke(study)
        assert before == whole == [("1", "3", 1.0, True), ("2", "4", 0.833, False)]

    def test_a_newer_text_takes_the_place_of_the_older_one(self, study, repository, other):
        first, second = make_issue(repository, "1", **hangs()), make_issue(other, "2", **loses())
        make_issue(other, "3", **hangs())
        actions.find_similar(study_id=study.pk)
        assert stored(study) == [("1", "3", 1.0, True)]
        retold(first, **loses())
        actions.find_similar(study_id=study.pk)
        assert stored(study) == [("1", "2", 1.0, True)]
        older = second.current
        retold(second, **hangs())
        actions.find_similar(study_id=study.pk)
        assert stored(study) == [("2", "3", 1.0, False)]
        # The forge says again what it said at first: that text was kept.
        Issue.objects.filter(pk=second.pk).update(current=older)
        actions.find_similar(study_id=study.pk)
        before, whole = at_one_stroke(study)
        assert before == whole == [("1", "2", 1.0, True)]

    def test_a_newer_text_with_the_same_elements_keeps_its_pairs(self, study, repository):
        issue = make_issue(repository, "1", **hangs())
        make_issue(repository, "2", **hangs())
        actions.find_similar(study_id=study.pk)
        pair = SimilarPair.objects.get()
        retold(issue, state="closed", **hangs())
        assert to_compare(study.pk).get() == issue
        assert actions.find_similar(study_id=study.pk) == 0
        assert SimilarPair.objects.get() == pair
        assert not to_compare(study.pk).exists()

    def test_a_text_that_becomes_a_template_makes_nothing_similar(self, study, repository, monkeypatch):
        monkeypatch.setattr("ingest.similarity.search.LEAST_SHARING", 3)
        make_issue(repository, "1", **hangs())
        make_issue(repository, "2", **hangs())
        actions.find_similar(study_id=study.pk)
        assert stored(study) == [("1", "2", 1.0, False)]
        make_issue(repository, "3", **hangs())
        actions.find_similar(study_id=study.pk)
        before, whole = at_one_stroke(study)
        assert before == whole == []

    def test_what_an_earlier_version_stored_is_found_again(self, study, repository, monkeypatch):
        make_issue(repository, "1", **hangs())
        make_issue(repository, "2", **hangs())
        actions.find_similar(study_id=study.pk)
        SimilarPair.objects.update(likeness=0.7)
        monkeypatch.setattr(similar, "VERSION", similar.VERSION + 1)
        assert actions.compare_what_was_missed() == 1
        assert jobs.run(Job.objects.get().pk).result == {"pairs": 1}
        assert stored(study) == [("1", "2", 1.0, False)]
        assert actions.compare_what_was_missed() == 0

    @pytest.mark.parametrize("stops_at", range(8))
    def test_broken_off_it_goes_on(self, study, repository, monkeypatch, stops_at):
        monkeypatch.setattr(similar, "TEXTS_AT_ONCE", 2)
        monkeypatch.setattr(similar, "ISSUES_A_STEP", 1)
        for number in range(5):
            make_issue(repository, str(number), **(hangs() if number % 2 else loses()))
        told = []

        def stop(done: int, total: int | None, step: str) -> None:
            told.append(step)
            if len(told) > stops_at:
                raise jobs.Cancelled

        with pytest.raises(jobs.Cancelled):
            actions.find_similar(study_id=study.pk, report=stop)
        assert ComparedText.objects.count() == max(0, stops_at - 2)
        actions.find_similar(study_id=study.pk)
        before, whole = at_one_stroke(study)
        assert before == whole
        assert [pair[:2] for pair in whole] == [("0", "2"), ("0", "4"), ("1", "3"), ("2", "4")]


@pytest.mark.django_db
class TestJobs:
    def test_begin_when_an_import_ends(self, study):
        load(study, jsonl(record(1, **hangs()), record(2, **hangs("four"))))
        job = Job.objects.get(kind=FIND)
        assert jobs.run(job.pk).result == {"pairs": 1}
        assert stored(study) == [("1", "2", 0.833, False)]
        load(study, jsonl(record(2, **hangs("four")), record(1, **hangs())))
        assert Job.objects.filter(kind=FIND).count() == 1

    def test_are_begun_by_the_sweep_where_texts_were_missed(self, study, repository):
        make_issue(make_repository(make_study(), "o/other"), "9", text=False)
        assert actions.compare_what_was_missed() == 0
        make_issue(repository, "1", **hangs())
        assert actions.compare_what_was_missed() == 1
        assert actions.compare_what_was_missed() == 0
        job = Job.objects.get()
        assert (job.arguments["study"], jobs.run(job.pk).result) == (study.pk, {"pairs": 0})
        assert actions.compare_what_was_missed() == 0

    def test_are_not_begun_again_after_somebody_cancelled_one(self, study, repository):
        make_issue(repository, "1", **hangs())
        lead = make_member(study, "lead")
        job = actions.begin_comparison(study=study, by=lead.user)
        jobs.cancel(job)
        assert actions.compare_what_was_missed() == 0
        make_issue(repository, "2", **hangs())
        assert actions.compare_what_was_missed() == 1

    def test_are_not_begun_where_no_text_waits(self, study, repository):
        make_issue(repository, "1", **hangs())
        actions.find_similar(study_id=study.pk)
        assert actions.begin_comparison(study=study, by=None) is None
        assert Job.objects.count() == 0


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    def test_two_searches_store_each_pair_once(self, study, repository, monkeypatch):
        monkeypatch.setattr(similar, "ISSUES_A_STEP", 1)
        for number in range(6):
            make_issue(repository, str(number), **hangs())

        def search() -> int:
            return actions.find_similar(study_id=study.pk)

        counts = at_once(search, search)
        assert all(isinstance(count, int) for count in counts)
        before, whole = at_one_stroke(study)
        assert before == whole
        assert len(whole) == 15

    def test_a_search_that_read_older_texts_stores_nothing_more(self, study, repository, monkeypatch):
        monkeypatch.setattr(similar, "ISSUES_A_STEP", 1)
        first = make_issue(repository, "1", **hangs())
        make_issue(repository, "2", **hangs())
        make_issue(repository, "3", **hangs())
        stopped, go_on = threading.Event(), threading.Event()

        def slowly(done: int, total: int | None, step: str) -> None:
            if step == "comparing reports" and not stopped.is_set():
                stopped.set()
                assert go_on.wait(timeout=20)

        def early() -> int:
            return actions.find_similar(study_id=study.pk, report=slowly)

        def late() -> int:
            assert stopped.wait(timeout=20)
            try:
                retold(first, **loses())
                return actions.find_similar(study_id=study.pk)
            finally:
                go_on.set()

        assert at_once(early, late) == [0, 1]
        before, whole = at_one_stroke(study)
        assert before == whole == [("2", "3", 1.0, False)]
        assert connection.in_atomic_block is False
