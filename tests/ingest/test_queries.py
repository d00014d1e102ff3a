"""Reads of issues and imports: narrowed, page by page, in a fixed number of queries."""

import pytest
from django.utils import timezone

from core.models import Job
from ingest.models import Import, ImportRow
from ingest.queries import previews
from ingest.queries.filters import IssueFilter
from ingest.queries.imports import former_import, imports_of, report_rows, row_counts, state_of
from ingest.queries.issues import issue_counts, issues_for, listed_issues
from ingest.queries.previews import preview
from tests.factories import make_issue, make_member, make_repository, make_study, make_user
from tests.ingest.files import jsonl, load, receive, record, urls

pytestmark = pytest.mark.django_db


def numbers(study, **narrowed) -> list[str]:
    issues = listed_issues(study, IssueFilter(**narrowed)).order_by("-pk")
    return [issue.number for issue in issues]


class TestIssuesFor:
    def test_are_those_of_ones_own_studies(self) -> None:
        study, other = make_study(), make_study()
        mine = make_issue(make_repository(study))
        make_issue(make_repository(other))
        member = make_member(study)

        assert list(issues_for(member.user)) == [mine]
        assert list(issues_for(make_user())) == []

    def test_are_none_once_one_has_left(self) -> None:
        study = make_study()
        make_issue(make_repository(study))
        member = make_member(study, left_at=timezone.now())

        assert list(issues_for(member.user)) == []


class TestListedIssues:
    @pytest.fixture
    def study(self):
        study = make_study()
        first, second = make_repository(study, "a/first"), make_repository(study, "b/second")
        make_issue(first, "1", year=2023, is_pull_request=False, title="CUDA out of memory")
        make_issue(first, "2", year=2024, is_pull_request=True, title="Fix memory leak")
        make_issue(second, "I3X", year=2024, text=False)
        make_issue(second, "4", title="100% _wrong_ \\ results")
        make_issue(make_repository(make_study()), "5", title="CUDA of another study")
        return study

    def test_all_without_a_filter(self, study) -> None:
        assert numbers(study) == ["4", "I3X", "2", "1"]

    @pytest.mark.parametrize(
        ("narrowed", "found"),
        [
            ({"year": 2024}, ["I3X", "2"]),
            ({"kind": "issue"}, ["1"]),
            ({"kind": "pull_request"}, ["2"]),
            ({"kind": "unknown"}, ["4", "I3X"]),
            ({"text": "with"}, ["4", "2", "1"]),
            ({"text": "without"}, ["I3X"]),
            ({"words": "memory"}, ["2", "1"]),
            ({"words": "MEMORY cuda"}, ["1"]),
            ({"words": "#2"}, ["2"]),
            ({"words": "i3x"}, ["I3X"]),
            ({"words": "100%"}, ["4"]),
            ({"words": "_wrong_ \\"}, ["4"]),
            ({"words": "_uda"}, []),
            ({"words": "memory", "year": 2024}, ["2"]),
        ],
    )
    def test_narrowed(self, study, narrowed, found) -> None:
        assert numbers(study, **narrowed) == found

    def test_narrowed_to_a_repository(self, study) -> None:
        assert numbers(study, repository=study.repositories.get(path="a/first").pk) == ["2", "1"]

    def test_counts(self, study) -> None:
        counts = issue_counts(study)

        assert [(r.path, issues) for r, issues in counts.repositories] == [("a/first", 2), ("b/second", 2)]
        assert counts.years == [(2023, 1), (2024, 2)]
        assert counts.kinds == {"issue": 1, "pull_request": 1, "unknown": 2}
        assert (counts.total, counts.with_text, counts.without_text) == (4, 3, 1)

    @pytest.mark.parametrize("how_many", [1, 3])
    def test_takes_a_fixed_number_of_queries(self, django_assert_num_queries, how_many) -> None:
        study = make_study()
        for number in range(how_many):
            make_issue(make_repository(study), str(number))

        with django_assert_num_queries(1):
            issues = listed_issues(study, IssueFilter())
            shown = [(i.repository.path, i.number, i.current.title, i.current.state) for i in issues]
        with django_assert_num_queries(2):
            issue_counts(study)
        assert len(shown) == how_many


class TestImports:
    def test_former_import_is_one_of_the_same_bytes_that_was_taken(self) -> None:
        study = make_study()
        first = load(study, urls(1), "a.txt")
        load(make_study(), urls(2), "b.txt")
        receive(study, urls(2), "waiting.txt")

        assert former_import(receive(study, urls(1), "again.txt")) == first
        assert former_import(receive(study, urls(2), "b.txt")) is None
        assert former_import(first) is None

    @pytest.mark.parametrize(
        ("fields", "state"),
        [
            ({"kind": "issues"}, "waiting"),
            ({"kind": "issues", "counts": {"complete": True}}, "done"),
            ({"kind": "published"}, "done"),
        ],
    )
    def test_state_without_a_job(self, fields, state) -> None:
        assert state_of(Import.objects.create(study=make_study(), name="x", **fields)) == state

    @pytest.mark.parametrize("state", ["queued", "running"])
    def test_state_is_that_of_its_job(self, state) -> None:
        job = Job.objects.create(kind="x", state=state)
        run = Import.objects.create(study=make_study(), name="x", kind="issues", job=job)

        assert state_of(run) == state

    def test_those_of_a_study_come_with_who_made_them(self, django_assert_num_queries) -> None:
        study = make_study()
        for number in (1, 2):
            receive(study, urls(number), f"{number}.txt", by=make_user())

        with django_assert_num_queries(1):
            listed = [(run.name, run.job, run.created_by.name != "") for run in imports_of(study)]
        assert sorted(listed) == [("1.txt", None, True), ("2.txt", None, True)]


class TestReport:
    def test_rows_by_outcome(self) -> None:
        run = load(make_study(), urls(1, "x", 1, "y", 2, 2, "z"), "list.txt")

        assert row_counts(run) == {"refused": 3, "repeated": 2}
        assert [row.line for row in report_rows(run)] == [2, 3, 4, 6, 7]
        assert [row.line for row in report_rows(run, "refused")] == [2, 4, 7]
        assert list(report_rows(run, "skipped")) == []

    def test_rows_of_another_import_are_not_its(self) -> None:
        study = make_study()
        run = load(study, urls(1, "x"), "a.txt")
        other = load(study, urls(1, "y", "z"), "b.txt")

        assert report_rows(run).count() == 1
        assert set(report_rows(other)) == set(ImportRow.objects.filter(run=other))


class TestPreview:
    def test_says_what_the_whole_file_would_bring(self) -> None:
        study = make_study()
        load(study, urls(1), "list.txt")
        data = jsonl(
            record(1),
            record(2, pull_request={"url": "x"}),
            record(2),
            record(3, repository="a/b", title="\0"),
        )

        found = preview(receive(study, data + b'{"html_url": "x"}\n'))

        assert (found.rows, found.whole, found.estimate) == (5, True, 5)
        assert (found.new, found.known, found.repeated, found.refused) == (2, 1, 1, 1)
        assert (found.repaired, found.pull_requests, found.with_text) == (1, 1, 3)
        assert found.repositories == [("owner/repo", 2), ("a/b", 1)]
        assert [refusal.line for refusal in found.refusals] == [5]

    def test_reads_the_beginning_of_a_long_file(self, monkeypatch) -> None:
        monkeypatch.setattr(previews, "LOOKED_AT", 10)
        run = receive(make_study(), urls(*range(1, 20_001)), "list.txt")

        found = preview(run)

        assert (found.rows, found.whole, found.new) == (10, False, 10)
        assert found.estimate > 10

    def test_is_none_when_the_file_is_gone(self) -> None:
        assert preview(load(make_study(), urls(1), "list.txt")) is None

    def test_what_it_says_is_what_happens(self) -> None:
        study = make_study()
        load(study, jsonl(record(1), record(2)))
        data = jsonl(record(2, title="Other"), record(3), record(3)) + b"{broken\n" + urls(5)
        run = receive(study, data)

        found = preview(run)
        done = load(study, data)

        counts = done.counts
        assert found.new == counts["new"]
        assert found.known == counts["known"] + counts["changed"]
        assert (found.repeated, found.refused) == (counts["repeated"], counts["refused"])
