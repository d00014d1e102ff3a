"""Finds of keywords: what is kept is what a live search says, whatever comes in between."""

import threading

import pytest
from django.db import connection, transaction
from django.db.models import Q

from core import jobs
from core.models import Job
from ingest import actions
from ingest.actions import finds
from ingest.errors import TextsComeIn
from ingest.models import Issue, Keyword, KeywordFind, Snapshot
from ingest.queries.keywords import SEARCH, stands_in, with_keyword
from tests.factories import make_issue, make_member, make_repository, make_study
from tests.ingest.files import jsonl, load, record
from tests.races import at_once

WORDS = ("llama", "LLAMA*", "out of memory", "显存", "c++", "100%", "a_b", "Ёлка", "straße", "nothing")
TEXTS = [
    ("llama_index fails", ""),
    ("Crash", "with\nLlama."),
    ("llamas in C++", "ollama"),
    ("OOM", "CUDA out of memory at 100%"),
    ("显存不足", "写C++17和llama模型"),
    ("axb a_b", "1000 ёлка STRASSE"),
    ("Straße", "İ ı ſ ß ẞ"),
    ("", ""),
]


def listed(study, word: str) -> set[str]:
    """The numbers of the issues that a list narrowed to the word holds."""
    among = Issue.objects.filter(repository__study=study).values("pk")
    array = with_keyword(study, word, among=among)
    found = [int(one) for one in array.strip("{}").split(",") if one]
    assert len(found) == len(set(found))
    return set(Issue.objects.filter(pk__in=found).values_list("number", flat=True))


def live(study, word: str) -> set[str]:
    """The same with all texts read."""
    issues = Issue.objects.filter(stands_in(word, "current__"), repository__study=study)
    return set(issues.values_list("number", flat=True))


def put(study, *words: str) -> None:
    actions.set_keywords(study=study, text="\n".join(words), replace=True, by=None)


def kept(study) -> set[tuple[str, str]]:
    """Keyword and number of each find."""
    rows = KeywordFind.objects.filter(keyword__study=study)
    return set(rows.values_list("keyword__word", "snapshot__issue__number"))


def retold(issue: Issue, title: str) -> Snapshot:
    """A newer text of the issue, which it shows."""
    newer = Snapshot.objects.create(issue=issue, content_hash=title, title=title)
    Issue.objects.filter(pk=issue.pk).update(current=newer)
    return newer


@pytest.mark.django_db
class TestFinds:
    def test_are_what_the_live_search_finds(self, study, repository):
        for number, (title, body) in enumerate(TEXTS):
            make_issue(repository, str(number), title=title, body=body)
        make_issue(repository, "8", text=False)
        make_issue(make_repository(make_study(), "o/other"), "9", title="llama")
        put(study, *WORDS)
        expected = {word: live(study, word) for word in WORDS}
        found = [expected[word] for word in WORDS[:7]]
        assert found == [{"0", "1", "4"}, {"0", "1", "2", "4"}, {"3"}, {"4"}, {"2", "4"}, {"3"}, {"5"}]
        assert {word: listed(study, word) for word in WORDS} == expected
        assert KeywordFind.objects.count() == 0

        made = actions.find_keywords(study_id=study.pk)

        assert kept(study) == {(word, number) for word in WORDS for number in expected[word]}
        assert made == KeywordFind.objects.count()
        assert {word: listed(study, word) for word in WORDS} == expected
        assert {word: listed(study, word.swapcase()) for word in WORDS} == {
            word: live(study, word.swapcase()) for word in WORDS
        }

    def test_are_what_lists_read_once_they_are_there(self, study, repository):
        make_issue(repository, "1", title="llama")
        put(study, "Llama")
        actions.find_keywords(study_id=study.pk)
        KeywordFind.objects.all().delete()
        assert [listed(study, word) for word in ("llama", "LLAMA", "llama*")] == [set(), set(), {"1"}]

    def test_of_a_word_that_is_none_of_the_study_are_none(self, study, repository):
        make_issue(repository, "1", title="llama")
        put(make_study(), "llama")
        actions.find_keywords(study_id=study.pk)
        assert listed(study, "llama") == {"1"}
        assert KeywordFind.objects.count() == 0

    def test_a_newer_text_takes_the_place_of_the_older_one(self, study, repository):
        first = make_issue(repository, "1", title="llama")
        second = make_issue(repository, "2", title="none")
        older = first.current
        put(study, "llama")
        actions.find_keywords(study_id=study.pk)
        retold(first, "none")
        retold(second, "a llama")
        assert listed(study, "llama") == {"2"} == live(study, "llama")
        actions.find_keywords(study_id=study.pk)
        assert listed(study, "llama") == {"2"}
        # The forge says again what it said at first: that text was kept.
        Issue.objects.filter(pk=first.pk).update(current=older)
        assert listed(study, "llama") == {"1", "2"} == live(study, "llama")

    def test_searched_again_nothing_is_read_twice(self, study, repository):
        make_issue(repository, "1", title="llama")
        put(study, "llama", "token*")
        assert actions.find_keywords(study_id=study.pk) == 1
        assert actions.find_keywords(study_id=study.pk) == 0
        make_issue(repository, "2", title="llama token")
        told: list[tuple[int, int | None]] = []
        assert actions.find_keywords(study_id=study.pk, report=lambda *one: told.append(one[:2])) == 2
        assert told == [(1, 2), (2, 3), (2, 2)]

    def test_broken_off_it_goes_on(self, study, repository, monkeypatch):
        monkeypatch.setattr(finds, "TEXTS_AT_ONCE", 2)
        for number in range(5):
            make_issue(repository, str(number), title="llama token")
        put(study, "llama", "token")

        def stop(done: int, total: int | None, step: str) -> None:
            if done == 4:
                raise jobs.Cancelled

        with pytest.raises(jobs.Cancelled):
            actions.find_keywords(study_id=study.pk, report=stop)
        assert KeywordFind.objects.count() == 4
        assert listed(study, "llama") == listed(study, "token") == {"0", "1", "2", "3", "4"}
        assert actions.find_keywords(study_id=study.pk) == 6
        assert kept(study) == {(word, str(n)) for word in ("llama", "token") for n in range(5)}

    def test_go_with_their_keyword(self, study, repository):
        make_issue(repository, "1", title="llama token")
        put(study, "llama", "token")
        actions.find_keywords(study_id=study.pk)
        put(study, "token")
        assert kept(study) == {("token", "1")}
        assert listed(study, "llama") == {"1"}
        put(study, "token", "llama")
        assert Keyword.objects.get(word="llama").searched_to == 0
        assert listed(study, "llama") == {"1"}


@pytest.mark.django_db
class TestSearches:
    def test_begin_with_new_keywords_and_run_as_a_job(self, study, repository, client):
        lead = make_member(study, "lead")
        make_issue(repository, "1", title="llama")
        client.force_login(lead.user)
        page = client.post(f"/studies/{study.slug}/keywords/", {"words": "llama"}).text
        assert "Searching the keywords in the texts" in page
        job = Job.objects.get()
        assert (job.kind, job.arguments["study"], job.created_by) == (SEARCH, study.pk, lead.user)

        assert jobs.run(job.pk).result == {"finds": 1}

        assert kept(study) == {("llama", "1")}
        assert "Searching the keywords" not in client.get(f"/studies/{study.slug}/keywords/").text
        polled = {"HX-Request": "true", "HX-Target": "job"}
        fragment = client.get(f"/studies/{study.slug}/keywords/", headers=polled).text
        shown = [part for part in ("Searching the keywords", "done", "<textarea") if part in fragment]
        assert shown == ["Searching the keywords", "done"]

    def test_do_not_begin_where_no_keyword_is_new(self, study):
        put(study, "llama", "token")
        Job.objects.all().delete()
        put(study, "llama")
        assert Job.objects.count() == 0

    def test_begin_when_an_import_ends(self, study):
        load(study, jsonl(record(1, title="llama")))
        assert not Job.objects.filter(kind=SEARCH).exists()
        put(study, "llama")
        actions.find_keywords(study_id=study.pk)
        Job.objects.all().delete()
        load(study, jsonl(record(1, title="none"), record(2, title="llama")))
        assert listed(study, "llama") == {"2"}
        job = Job.objects.get(kind=SEARCH)
        assert jobs.run(job.pk).result == {"finds": 1}
        assert kept(study) == {("llama", "1"), ("llama", "2")}
        assert listed(study, "llama") == {"2"}

    def test_are_begun_by_the_sweep_where_texts_were_missed(self, study, repository):
        put(make_study(), "llama")
        put(study, "llama")
        Job.objects.all().delete()
        assert actions.search_what_was_missed() == 0
        make_issue(repository, "1", title="llama")
        assert actions.search_what_was_missed() == 1
        assert actions.search_what_was_missed() == 0
        job = Job.objects.get()
        assert (job.arguments["study"], jobs.run(job.pk).result) == (study.pk, {"finds": 1})
        assert actions.search_what_was_missed() == 0


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    def test_a_text_whose_id_came_first_and_commit_last_is_found(self, study, repository):
        put(study, "llama")
        early = make_issue(repository, "1", text=False)
        added, go_on = threading.Event(), threading.Event()

        def slow_import() -> int:
            with transaction.atomic():
                snapshot = retold(early, "llama, slowly")
                added.set()
                assert go_on.wait(timeout=20)
            return snapshot.pk

        def search() -> int:
            assert added.wait(timeout=20)
            late = make_issue(repository, "2", title="llama, fast")
            assert listed(study, "llama") == {"2"}
            threading.Timer(0.5, go_on.set).start()
            actions.find_keywords(study_id=study.pk)
            return late.current_id

        slow, fast = at_once(slow_import, search)
        assert slow < fast
        assert kept(study) == {("llama", "1"), ("llama", "2")}
        assert listed(study, "llama") == {"1", "2"}

    def test_a_search_does_not_hold_up_imports_for_long(self, study, repository, monkeypatch):
        monkeypatch.setattr(finds, "WAITS_FOR", 1)
        put(study, "llama")
        issue = make_issue(repository, "1", text=False)
        added, go_on = threading.Event(), threading.Event()

        def long_import() -> None:
            with transaction.atomic():
                retold(issue, "llama")
                added.set()
                assert go_on.wait(timeout=20)

        def search() -> None:
            try:
                assert added.wait(timeout=20)
                actions.find_keywords(study_id=study.pk)
            finally:
                go_on.set()

        imported, refused = at_once(long_import, search)
        assert imported is None
        assert isinstance(refused, TextsComeIn)
        assert Keyword.objects.get().searched_to == 0
        assert listed(study, "llama") == {"1"}

    def test_two_searches_find_everything_once(self, study, repository, monkeypatch):
        monkeypatch.setattr(finds, "TEXTS_AT_ONCE", 2)
        for number in range(9):
            make_issue(repository, str(number), title="llama token")
        put(study, "llama", "token")

        def search() -> int:
            return actions.find_keywords(study_id=study.pk)

        assert sum(at_once(search, search)) == 18
        assert KeywordFind.objects.count() == 18

    def test_a_keyword_deleted_while_it_is_searched_leaves_nothing(self, study, repository, monkeypatch):
        make_issue(repository, "1", title="llama")
        put(study, "llama", "token")
        searching = threading.Event()
        stands_in = finds.stands_in

        def slowly(word: str) -> Q:
            searching.set()
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_sleep(0.5)")
            return stands_in(word)

        monkeypatch.setattr(finds, "stands_in", slowly)

        def search() -> int:
            return actions.find_keywords(study_id=study.pk)

        def delete() -> None:
            assert searching.wait(timeout=20)
            put(study, "token")

        assert at_once(search, delete) == [1, None]
        assert kept(study) == set()
