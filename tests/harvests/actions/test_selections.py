"""What is kept of what was fetched: by lists, again by others, by hand, and taken back."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied

from core import clock, jobs
from core.models import Job
from harvests import actions
from harvests.actions import selections
from harvests.errors import HarvestRefused, HarvestUnfinished, IssuesInUse, PagesMissing, SelectionRunning
from harvests.models import HarvestedIssue, Selection
from harvests.queries.harvests import latest_selection
from harvests.queries.reports import compared, left_out
from harvests.queries.selecting import begun_selection, going_on
from ingest.actions import ListContent, store_keyword_list
from ingest.keywords import Term
from ingest.models import ImportRow, Issue, Snapshot, SourceEntry
from tests.factories import make_list
from tests.harvests.harvesting import asked, plan, run

pytestmark = pytest.mark.django_db

PATH = "See https://github.com/o/hang/blob/main/x.py and nothing else."


@pytest.fixture
def repository(server):
    """Bodies by number; every fourth is followed by a pull request."""
    repository = server.github("team/tool", issues=0)
    for body in (
        "It hangs: a hang in step 3",
        "A deadlock of ranks",
        PATH,
        "Nothing of it",
        "```\nhang()\n```",
    ):
        repository.add(body=body, comments=1, at=server.clock.now().replace(year=2025))
    repository.add(pull=True, body="fixes a hang", at=server.clock.now().replace(year=2025))
    for nth, issue in enumerate(repository.issues.values()):
        issue.title = f"Report {nth}"
    return repository


def _outcomes():
    return dict(HarvestedIssue.objects.order_by("pk").values_list("number", "outcome"))


def _numbers():
    return sorted(Issue.objects.values_list("number", flat=True))


def _again(harvest, *versions):
    job = actions.select_issues(harvest=harvest, lists=versions, by=None, rings=False)
    return jobs.run(job.pk)


def _ids(*numbers):
    return list(HarvestedIssue.objects.filter(number__in=numbers).values_list("pk", flat=True))


class TestByLists:
    def test_what_has_a_keyword_is_kept(self, server, study, repository):
        version = make_list(study, "hang", name="Hangs")
        harvest = plan(server, study, repository, lists=[version.keyword_list])
        job = run(harvest)
        assert _outcomes() == {
            "1": "kept", "2": "unmatched", "3": "path_only", "4": "unmatched", "5": "kept", "6": "pull_request",
        }  # fmt: skip
        assert _numbers() == ["1", "5"]
        assert job.result == {
            "listed": 6, "pull_requests": 1, "unmatched": 2, "path_only": 1, "matched": 2, "kept": 2, "new": 2,
        }  # fmt: skip
        selection = Selection.objects.get()
        assert list(selection.lists.all()) == [version]
        assert selection.terms == [
            {
                "version": version.pk, "list": "Hangs", "number": 1, "searched": 5,
                "terms": [["hang", 2, 0, 1, 1, 1]],
            }
        ]  # fmt: skip
        assert selection.finished_at is not None

    def test_several_lists_each_for_its_repositories(self, server, study, repository):
        other = server.gitee("team/other", issues=0)
        other.add(body="A deadlock", at=server.clock.now().replace(year=2025))
        other.add(body="It hangs, a hang", at=server.clock.now().replace(year=2025))
        hang = make_list(study, "hang", repositories=("https://github.com/Team/Tool",))
        deadlock = make_list(study, "deadlock", repositories=("gitee.com/team/other",))
        harvest = plan(server, study, repository, other, lists=[hang.keyword_list, deadlock.keyword_list])
        run(harvest)
        kept = Issue.objects.values_list("repository__path", "current__body")
        assert sorted(kept) == [
            ("team/other", "A deadlock"), ("team/tool", "It hangs: a hang in step 3"), ("team/tool", "```\nhang()\n```"),
        ]  # fmt: skip
        searched = {one["version"]: one["searched"] for one in Selection.objects.get().terms}
        assert searched == {hang.pk: 5, deadlock.pk: 2}

    def test_a_list_counts_after_a_rename(self, server, study, repository):
        version = make_list(study, "hang", repositories=("team/tool",))
        harvest = plan(server, study, repository, lists=[version.keyword_list])
        server.rename(repository, "team/renamed")
        run(harvest)
        assert _numbers() == ["1", "5"]

    def test_a_repository_without_a_list_is_refused_before(self, server, study, repository):
        version = make_list(study, "hang", repositories=("team/another",))
        with pytest.raises(HarvestRefused) as refused:
            plan(server, study, repository, lists=[version.keyword_list])
        assert refused.value.field == "lists"

    def test_a_list_of_another_study(self, server, study, repository):
        from tests.factories import make_study

        version = make_list(make_study(), "hang")
        with pytest.raises(HarvestRefused):
            plan(server, study, repository, lists=[version.keyword_list])

    def test_headings_of_a_template_do_not_count(self, server, study):
        repository = server.github("team/tool", issues=0)
        for nth in range(12):
            body = f"### Does it hang\nNo {nth}.\n" + ("A hang." if nth == 3 else "")
            repository.add(body=body, at=server.clock.now().replace(year=2025)).title = f"Report {nth}"
        version = make_list(study, "hang")
        run(plan(server, study, repository, lists=[version.keyword_list]))
        assert _numbers() == ["4"]
        assert set(_outcomes().values()) == {"kept", "path_only"}

    def test_what_cannot_be_stored_is_refused_and_reported(self, server, study, repository):
        repository.issues["2"].author = "a" * 201
        harvest = plan(server, study, repository)
        job = run(harvest)
        assert job.state == Job.State.DONE
        assert job.result["refused"] == 1
        row = ImportRow.objects.get(run=harvest.run)
        assert (row.outcome, row.code, row.raw) == (
            "refused", "cell_too_long", "https://github.com/team/tool/issues/2"
        )  # fmt: skip
        _again(harvest)
        assert ImportRow.objects.count() == 1


class TestAgain:
    def test_by_a_later_version(self, server, study, repository):
        first = make_list(study, "hang", name="Words")
        harvest = plan(server, study, repository, lists=[first.keyword_list])
        run(harvest)
        second = store_keyword_list(
            keyword_list=first.keyword_list, content=ListContent([Term("deadlock")]), made_from=1, by=None
        )
        asked_before = len(server.seen)
        job = _again(harvest, second)
        assert len(server.seen) == asked_before
        assert _numbers() == ["1", "2", "5"], "what is kept stays so"
        assert job.result == {
            "listed": 6, "pull_requests": 1, "unmatched": 2, "matched": 1, "kept_earlier": 2, "kept": 3, "new": 1,
        }  # fmt: skip
        assert latest_selection(harvest) == Selection.objects.latest("pk")
        # A refresh chooses by the versions that chose last.
        server.clock.sleep(86_400)
        repository.add(body="Another deadlock")
        repository.add(body="Another hang")
        server.clock.sleep(60)
        refresh = actions.refresh_harvest(harvest=harvest, by=None, rings=False)
        refresh.run.refresh_from_db()
        jobs.run(refresh.run.job.pk)
        assert Issue.objects.filter(current__body__startswith="Another").count() == 1
        assert list(Selection.objects.latest("pk").lists.all()) == [second]

    def test_says_what_it_gained_and_lost(self, server, study, repository):
        """Against the selection before, also of issues that an earlier one had found."""
        lists = {word: make_list(study, word, name=word) for word in ("hang", "deadlock", "nothing")}
        harvest = plan(server, study, repository, lists=[lists["hang"].keyword_list])
        run(harvest)
        repositories = list(harvest.repositories.all())
        assert compared(Selection.objects.get(), repositories) is None
        told = []
        for word in ("deadlock", "hang", "nothing", "nothing"):
            _again(harvest, lists[word])
            now = Selection.objects.latest("pk")
            found = compared(now, repositories)
            numbers = [
                sorted(left_out(repositories, why).values_list("number", flat=True))
                for why in ("gained", "lost")
            ]
            assert [found.gained, found.lost] == [len(one) for one in numbers]
            told.append((found.matched_before, *numbers))
        assert told == [
            (2, ["2"], ["1", "5"]), (1, ["1", "5"], ["2"]), (2, ["3", "4"], ["1", "5"]), (2, [], []),
        ]  # fmt: skip

    def test_one_that_failed_is_known_as_failed_and_begun_again(self, server, study, repository, monkeypatch):
        """It looked at two issues of six. The next one is compared with the last that finished, and a run of the
        harvest does not go on with it."""
        monkeypatch.setattr(selections, "CHUNK", 2)
        lists = {word: make_list(study, word, name=word) for word in ("hang", "deadlock")}
        harvest = plan(server, study, repository, lists=[lists["hang"].keyword_list])
        run(harvest)
        repositories = list(harvest.repositories.all())

        def report(done, *_told):
            if done:
                raise PagesMissing([("team/tool", "")])

        job = actions.select_issues(harvest=harvest, lists=[lists["deadlock"]], by=None, rings=False)
        failed, same = begun_selection(harvest)
        assert (same, list(going_on())) == (job, [failed])
        with pytest.raises(PagesMissing):
            actions.run_selection(selection=failed, report=report)
        failed.refresh_from_db()
        assert failed.searched_to
        Job.objects.filter(pk=job.pk).update(
            state=Job.State.RUNNING, attempt=jobs.ATTEMPTS, heartbeat_at=clock.now() - timedelta(hours=1)
        )
        jobs.sweep()
        assert begun_selection(harvest)[1].state == Job.State.FAILED
        assert list(going_on()) == []

        _again(harvest, lists["deadlock"])
        assert begun_selection(harvest) == (None, None)
        now = Selection.objects.latest("pk")
        found = compared(now, repositories)
        assert (found.before.lists.get(), found.matched_before) == (lists["hang"], 2)
        gained, lost = (
            sorted(left_out(repositories, why).values_list("number", flat=True)) for why in ("gained", "lost")
        )
        assert (gained, lost) == (["2"], ["1", "5"])
        selections.select_fetched(harvest=harvest)
        last = Selection.objects.latest("pk")
        assert last.pk > now.pk
        assert list(last.lists.all()) == [lists["hang"]]
        failed.refresh_from_db()
        assert failed.finished_at is None

    def test_one_at_a_time(self, server, study, repository):
        version = make_list(study, "hang")
        harvest = plan(server, study, repository, lists=[version.keyword_list])
        run(harvest)
        job = actions.select_issues(harvest=harvest, lists=[version], by=None, rings=False)
        with pytest.raises(SelectionRunning) as refused:
            actions.select_issues(harvest=harvest, lists=[version], by=None, rings=False)
        assert refused.value.status == 409
        assert Selection.objects.count() == 2
        jobs.run(job.pk)
        assert _again(harvest, version).state == Job.State.DONE
        # One that was cancelled is in nobody's way.
        job = actions.select_issues(harvest=harvest, lists=[version], by=None, rings=False)
        Job.objects.filter(pk=job.pk).update(state=Job.State.CANCELLED, finished_at=clock.now())
        assert _again(harvest, version).state == Job.State.DONE

    def test_only_when_all_is_fetched_and_by_leads(self, server, study, repository, volunteer):
        harvest = plan(server, study, repository)
        with pytest.raises(HarvestUnfinished):
            actions.select_issues(harvest=harvest, lists=[], by=None)
        run(harvest)
        for act in (actions.keep_by_hand, actions.take_back):
            with pytest.raises(PermissionDenied):
                act(harvest=harvest, ids=[], by=volunteer.user)
        with pytest.raises(PermissionDenied):
            actions.select_issues(harvest=harvest, lists=[], by=volunteer.user)

    def test_cut_off_and_gone_on(self, server, study, repository, monkeypatch):
        monkeypatch.setattr(selections, "CHUNK", 2)
        version = make_list(study, "hang")
        harvest = plan(server, study, repository, lists=[version.keyword_list])
        run(harvest)
        whole = Selection.objects.get()

        class Killed(BaseException):
            pass

        for calls in (1, 2, 3):
            job = actions.select_issues(harvest=harvest, lists=[version], by=None, rings=False)
            left = iter(range(calls))

            def report(*_told, left=left):
                if next(left, None) is None:
                    raise Killed

            again = Selection.objects.latest("pk")
            try:
                actions.run_selection(selection=again, report=report)
            except Killed:
                actions.run_selection(selection=again)
            again.refresh_from_db()
            assert again.terms == whole.terms
            told = {name: number for name, number in again.counts.popitem()[1].items() if name != "new"}
            assert told == {
                name: number
                for name, number in whole.counts[str(harvest.repositories.get().pk)].items()
                if name != "new"
            }
            assert job.arguments["selection"] == again.pk
        assert _numbers() == ["1", "5"]
        assert Snapshot.objects.count() == 2

    def test_an_issue_of_the_study_keeps_its_text(self, server, study, repository):
        """Another harvest of the same repository changes no text that somebody may be labelling."""
        run(plan(server, study, repository))
        before = dict(Issue.objects.values_list("number", "current"))
        repository.edit("1", "quite another text")
        job = run(plan(server, study, repository))
        assert (job.result["known"], job.result["changed"]) == (4, 1)
        assert dict(Issue.objects.values_list("number", "current")) == before


class TestByHand:
    @pytest.fixture
    def harvest(self, server, study, repository):
        version = make_list(study, "hang", name="Words")
        harvest = plan(server, study, repository, lists=[version.keyword_list])
        run(harvest)
        return harvest

    def test_is_kept_and_taken_back(self, harvest, lead):
        ids = _ids("1", "2", "3", "6")
        assert actions.keep_by_hand(harvest=harvest, ids=ids, by=lead.user) == 2
        assert _numbers() == ["1", "2", "3", "5"]
        assert Issue.objects.get(number="3").current.comments != []
        assert actions.keep_by_hand(harvest=harvest, ids=ids, by=lead.user) == 0
        assert actions.take_back(harvest=harvest, ids=ids, by=lead.user) == 2
        assert _numbers() == ["1", "5"]
        assert _outcomes() == {
            "1": "kept", "2": "unmatched", "3": "path_only", "4": "unmatched", "5": "kept", "6": "pull_request",
        }  # fmt: skip

    def test_stays_by_hand_in_a_later_selection(self, harvest):
        actions.keep_by_hand(harvest=harvest, ids=_ids("4"), by=None)
        job = _again(harvest, *Selection.objects.get().lists.all())
        assert (job.result["by_hand"], job.result["kept"]) == (1, 3)
        # A list that finds it takes its place.
        found = make_list(harvest.run.study, "nothing")
        assert "by_hand" not in _again(harvest, found).result

    def test_what_is_used_is_not_taken_back(self, harvest, study):
        from tests.factories import make_issue, make_repository

        actions.keep_by_hand(harvest=harvest, ids=_ids("2", "3", "4"), by=None)
        used = Issue.objects.get(number="3")
        source = used.repository.sources.create(name="list.txt")
        SourceEntry.objects.create(source=source, position=1, issue=used, url=used.url)
        with pytest.raises(IssuesInUse) as refused:
            actions.take_back(harvest=harvest, ids=_ids("2", "3"), by=None)
        assert refused.value.numbers == ["3"]
        assert "#3" in str(refused.value)
        assert _numbers() == ["1", "2", "3", "4", "5"]
        assert actions.take_back(harvest=harvest, ids=_ids("2"), by=None) == 1
        assert make_issue(make_repository(study)).pk

    def test_what_another_import_brought_stays(self, harvest, server, study, repository):
        run(plan(server, study, repository))  # keeps all: without a list
        assert actions.keep_by_hand(harvest=harvest, ids=_first(harvest, "2"), by=None) == 1
        assert actions.take_back(harvest=harvest, ids=_first(harvest, "2"), by=None) == 1
        assert "2" in _numbers()


def _first(harvest, number):
    rows = HarvestedIssue.objects.filter(repository__harvest=harvest, number=number)
    return list(rows.values_list("pk", flat=True))


def test_two_names_of_one_repository_bring_each_issue_once(server, study):
    repository = server.github("team/new", issues=20)
    repository.was.add("team/old")
    from dataclasses import replace

    new = asked(server, repository)
    fields = {
        "opened_from": None, "opened_before": None, "zone": "UTC", "with_pull_requests": False,
        "with_comments": True, "lists": [], "budget": None, "by": None,
    }  # fmt: skip
    harvest = actions.plan_harvest(study=study, repositories=[new, replace(new, path="team/old")], **fields)
    job = run(harvest)
    assert (job.state, job.result["listed"], job.result["kept"]) == (Job.State.DONE, 25, 20)
    assert Issue.objects.count() == Snapshot.objects.count() == 20
    rows = harvest.repositories.order_by("position")
    assert [(row.outcome, row.trouble) for row in rows] == [
        ("complete", ""), ("gone", "This repository is team/new now, which this harvest fetches as well.")
    ]  # fmt: skip
