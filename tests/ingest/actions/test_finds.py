"""Finds of keyword lists: every text is searched once, wherever a search breaks off and whatever comes in between."""

import threading

import pytest
from django.db import transaction

from core import jobs
from core.models import Job
from ingest import actions
from ingest.actions import finds
from ingest.errors import TextsComeIn
from ingest.keywords import Term
from ingest.models import Issue, KeywordListVersion, Repository, Snapshot, TermFind
from ingest.queries.keywords import SEARCH, with_keyword
from tests.factories import make_issue, make_list, make_member, make_repository, make_study
from tests.ingest.files import jsonl, load, record
from tests.long import only_long
from tests.races import at_once


def listed(study, word: str) -> set[str]:
    """The numbers of the issues that a list narrowed to the word holds."""
    array = with_keyword(study, word, among=Issue.objects.filter(repository__study=study).values("pk"))
    found = [int(one) for one in array.strip("{}").split(",") if one]
    assert len(found) == len(set(found))
    return set(Issue.objects.filter(pk__in=found).values_list("number", flat=True))


def kept(study) -> set[tuple[str, str, tuple[int, ...]]]:
    """Term, number, and hits in title, prose, code and where they do not count, of each find."""
    rows = TermFind.objects.filter(term__version__keyword_list__study=study)
    return {
        (term, number, tuple(hits))
        for term, number, *hits in rows.values_list(
            "term__text", "snapshot__issue__number", "title", "prose", "code", "masked"
        )
    }


def pairs(study) -> set[tuple[str, str]]:
    return {(term, number) for term, number, _hits in kept(study)}


def retold(issue: Issue, title: str) -> Snapshot:
    """A newer text of the issue, which it shows."""
    newer = Snapshot.objects.create(issue=issue, content_hash=title, title=title)
    Issue.objects.filter(pk=issue.pk).update(current=newer)
    return newer


@pytest.mark.django_db
class TestFinds:
    def test_say_where_and_how_often(self, study, repository):
        make_issue(
            repository,
            "1",
            title="llama stalls",
            body="The Llama at https://llama.example/llama\n\n```python\nimport llama\nllama()\n```",
        )
        make_issue(repository, "2", title="ollama", body="/opt/llama/bin")
        make_issue(repository, "3", text=False)
        make_issue(make_repository(make_study(), "o/other"), "4", title="llama")
        make_list(study, "llama", "stall*", "显存")

        assert actions.find_keywords(study_id=study.pk) == 3

        assert kept(study) == {
            ("llama", "1", (1, 1, 2, 2)),
            ("stall*", "1", (1, 0, 0, 0)),
            ("llama", "2", (0, 0, 0, 1)),
        }
        assert [listed(study, word) for word in ("LLAMA", "stall*", "stalls", "显存")] == [
            {"1"}, {"1"}, set(), set(),
        ]  # fmt: skip

    def test_are_in_the_repositories_that_a_list_names(self, study, repository):
        other = make_repository(study, "O/Other", host="gitee.com")
        make_issue(repository, "1", title="llama token")
        make_issue(other, "2", title="llama token")
        make_list(study, "llama", repositories=("gitee.com/o/other",))
        make_list(study, "token")
        actions.find_keywords(study_id=study.pk)
        assert pairs(study) == {("llama", "2"), ("token", "1"), ("token", "2")}

    def test_of_two_lists_with_the_same_term_count_an_issue_once(self, study, repository):
        make_issue(repository, "1", title="llama")
        make_list(study, "llama")
        make_list(study, "Llama", search=True)
        assert listed(study, "llama") == listed(study, "LLAMA") == {"1"}

    def test_a_word_means_the_term_that_is_written_so(self, study, repository):
        make_issue(repository, "1", title="OPT fails")
        make_issue(repository, "2", title="opt out")
        make_list(study, Term("OPT", is_case_sensitive=True), "opt", search=True)
        assert [listed(study, word) for word in ("OPT", "opt", "Opt")] == [{"1"}, {"1", "2"}, {"1", "2"}]

    def test_a_newer_text_takes_the_place_of_the_older_one(self, study, repository):
        first = make_issue(repository, "1", title="llama")
        second = make_issue(repository, "2", title="none")
        older = first.current
        make_list(study, "llama", search=True)
        retold(first, "none")
        retold(second, "a llama")
        assert listed(study, "llama") == set()
        actions.find_keywords(study_id=study.pk)
        assert listed(study, "llama") == {"2"}
        # The forge says again what it said at first: that text was kept.
        Issue.objects.filter(pk=first.pk).update(current=older)
        assert listed(study, "llama") == {"1", "2"}

    def test_searched_again_nothing_is_read_twice(self, study, repository):
        make_issue(repository, "1", title="llama")
        make_list(study, "llama", "token*")
        assert actions.find_keywords(study_id=study.pk) == 1
        assert actions.find_keywords(study_id=study.pk) == 0
        make_issue(repository, "2", title="llama token")
        told: list[tuple[int, int | None]] = []
        assert actions.find_keywords(study_id=study.pk, report=lambda *one: told.append(one[:2])) == 2
        assert told == [(0, None), (1, 2), (1, 1)]

    def test_broken_off_it_goes_on(self, study, repository, monkeypatch):
        monkeypatch.setattr(finds, "TEXTS_AT_ONCE", 2)
        for number in range(5):
            make_issue(repository, str(number), title="llama token")
        make_list(study, "llama", "token")

        def stop(done: int, total: int | None, step: str) -> None:
            if done == 4:
                raise jobs.Cancelled

        with pytest.raises(jobs.Cancelled):
            actions.find_keywords(study_id=study.pk, report=stop)
        assert TermFind.objects.count() == 8
        assert actions.find_keywords(study_id=study.pk) == 2
        assert pairs(study) == {(word, str(n)) for word in ("llama", "token") for n in range(5)}

    def test_a_list_that_came_later_catches_up_and_goes_on_with_the_others(
        self, study, repository, monkeypatch
    ):
        monkeypatch.setattr(finds, "TEXTS_AT_ONCE", 2)
        for number in range(3):
            make_issue(repository, str(number), title="llama token")
        make_list(study, "llama", search=True)
        make_issue(repository, "3", title="llama token")
        make_list(study, "token")
        told: list[tuple[int, int | None]] = []
        assert actions.find_keywords(study_id=study.pk, report=lambda *one: told.append(one[:2])) == 5
        assert told == [(0, None), (2, 4), (3, 4), (4, 5), (4, 4)]
        assert pairs(study) == {(word, str(n)) for word in ("llama", "token") for n in range(4)}

    def test_a_newer_version_takes_the_place_of_the_older_one(self, study, repository):
        make_issue(repository, "1", title="llama token")
        former = make_list(study, "llama", search=True)
        actions.store_keyword_list(
            keyword_list=former.keyword_list,
            content=actions.ListContent([Term("token")]),
            made_from=1,
            by=None,
        )
        assert (listed(study, "llama"), listed(study, "token")) == (set(), set())
        actions.find_keywords(study_id=study.pk)
        assert (listed(study, "llama"), listed(study, "token")) == (set(), {"1"})
        assert pairs(study) == {("llama", "1"), ("token", "1")}

    def test_a_retired_list_finds_nothing_until_it_is_back(self, study, repository):
        make_issue(repository, "1", title="llama")
        version = make_list(study, "llama", search=True)
        actions.retire_keyword_list(keyword_list=version.keyword_list, by=None)
        make_issue(repository, "2", title="llama")
        assert listed(study, "llama") == set()
        assert actions.find_keywords(study_id=study.pk) == 0
        actions.bring_back_keyword_list(keyword_list=version.keyword_list, by=None)
        assert actions.find_keywords(study_id=study.pk) == 1
        assert listed(study, "llama") == {"1", "2"}


@pytest.mark.django_db
class TestHeadings:
    TEMPLATE = "### Your llama version\n\n"

    def test_of_templates_do_not_count(self, study, repository):
        for number in range(5):
            make_issue(repository, str(number), title="stalls", body=self.TEMPLATE + "A token.")
        make_list(study, "llama", "token", search=True)
        assert Repository.objects.get().headings == ["your llama version"]
        assert kept(study) == {("llama", str(n), (0, 0, 0, 1)) for n in range(5)} | {
            ("token", str(n), (0, 1, 0, 0)) for n in range(5)
        }

    def test_learnt_from_twice_as_many_texts_are_searched_for_again(self, study, repository):
        for number in range(4):
            make_issue(repository, str(number), title="stalls", body=self.TEMPLATE)
        version = make_list(study, "llama", search=True)
        assert {hits for _term, _number, hits in kept(study)} == {(0, 1, 0, 0)}
        for number in range(4, 7):
            make_issue(repository, str(number), title="stalls", body=self.TEMPLATE)
        actions.find_keywords(study_id=study.pk)
        assert {hits for _term, _number, hits in kept(study)} == {(0, 1, 0, 0)}
        make_issue(repository, "7", title="stalls", body=self.TEMPLATE)
        assert actions.find_keywords(study_id=study.pk) == 8
        assert kept(study) == {("llama", str(n), (0, 0, 0, 1)) for n in range(8)}
        version.refresh_from_db()
        assert version.searched_to == Snapshot.objects.latest("pk").pk

    def test_are_learnt_without_a_list_as_well(self, study, repository):
        for number in range(5):
            make_issue(repository, str(number), body=self.TEMPLATE)
        actions.find_similar(study_id=study.pk)
        repository.refresh_from_db()
        assert (repository.headings, repository.headings_from) == (["your llama version"], 5)
        # The sweep comes once to what was there before headings were learnt without a list.
        assert actions.compare_what_was_missed() == 0
        Repository.objects.update(headings=[], headings_from=0)
        assert actions.compare_what_was_missed() == 1
        jobs.run(Job.objects.latest("pk").pk)
        assert Repository.objects.get().headings == ["your llama version"]
        assert actions.compare_what_was_missed() == 0

    def test_count_where_the_list_says_so(self, study, repository):
        for number in range(5):
            make_issue(repository, str(number), title="stalls", body=self.TEMPLATE)
        make_list(study, "llama", search=True, masks=("urls",))
        assert {hits for _term, _number, hits in kept(study)} == {(0, 1, 0, 0)}
        # They are learnt all the same, because pages fold them.
        assert Repository.objects.get().headings == ["your llama version"]


@pytest.mark.django_db
class TestSearches:
    def test_begin_with_a_new_list_and_run_as_a_job(self, study, repository, client):
        lead = make_member(study, "lead")
        make_issue(repository, "1", title="llama")
        client.force_login(lead.user)
        make_list(study, "llama")
        job = Job.objects.get()
        assert (job.kind, job.arguments["study"]) == (SEARCH, study.pk)
        page = f"/studies/{study.slug}/keywords/"
        assert "Searching the texts for keywords" in client.get(page).text

        assert jobs.run(job.pk).result == {"finds": 1}

        assert pairs(study) == {("llama", "1")}
        assert "Searching the texts" not in client.get(page).text
        polled = {"HX-Request": "true", "HX-Target": "job"}
        fragment = client.get(page, headers=polled).text
        shown = [part for part in ("Searching the texts", "done", "<table") if part in fragment]
        assert shown == ["Searching the texts", "done"]

    def test_begin_when_an_import_ends(self, study):
        load(study, jsonl(record(1, title="llama")))
        assert not Job.objects.filter(kind=SEARCH).exists()
        make_list(study, "llama", search=True)
        Job.objects.all().delete()
        load(study, jsonl(record(1, title="none"), record(2, title="llama")))
        assert listed(study, "llama") == set()
        job = Job.objects.get(kind=SEARCH)
        assert jobs.run(job.pk).result == {"finds": 1}
        assert pairs(study) == {("llama", "1"), ("llama", "2")}
        assert listed(study, "llama") == {"2"}

    def test_are_begun_by_the_sweep_where_texts_were_missed(self, study, repository):
        make_list(make_study(), "llama")
        version = make_list(study, "llama")
        Job.objects.all().delete()
        assert actions.search_what_was_missed() == 0
        make_issue(repository, "1", title="llama")
        make_issue(make_repository(make_study(), "o/other"), "2", title="llama")
        assert actions.search_what_was_missed() == 1
        assert actions.search_what_was_missed() == 0
        job = Job.objects.get()
        assert (job.arguments["study"], jobs.run(job.pk).result) == (study.pk, {"finds": 1})
        assert actions.search_what_was_missed() == 0
        make_issue(repository, "3", title="llama")
        actions.retire_keyword_list(keyword_list=version.keyword_list, by=None)
        assert actions.search_what_was_missed() == 0


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    def test_a_text_whose_id_came_first_and_commit_last_is_found(self, study, repository):
        make_list(study, "llama")
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
            threading.Timer(0.5, go_on.set).start()
            actions.find_keywords(study_id=study.pk)
            return late.current_id

        slow, fast = at_once(slow_import, search)
        assert slow < fast
        assert pairs(study) == {("llama", "1"), ("llama", "2")}
        assert listed(study, "llama") == {"1", "2"}

    @only_long
    def test_a_search_does_not_hold_up_imports_for_long(self, study, repository, monkeypatch):
        monkeypatch.setattr(finds, "WAITS_FOR", 1)
        make_list(study, "llama")
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
        assert KeywordListVersion.objects.get().searched_to == 0

    def test_two_searches_find_everything_once(self, study, repository, monkeypatch):
        monkeypatch.setattr(finds, "TEXTS_AT_ONCE", 2)
        for number in range(9):
            make_issue(repository, str(number), title="llama token")
        make_list(study, "llama")
        make_list(study, "token")

        def search() -> int:
            return actions.find_keywords(study_id=study.pk)

        assert sum(at_once(search, search)) == 18
        assert pairs(study) == {(word, str(n)) for word in ("llama", "token") for n in range(9)}
        assert TermFind.objects.count() == 18
