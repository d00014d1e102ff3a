"""Drafts into the study: by natural keys, a chunk a transaction, every line accounted for."""

import io
import threading

import pytest
from django.db import connection

from ingest import actions, files
from ingest.actions import chunks, loading
from ingest.models import Import, ImportRow, Issue, Repository, Snapshot, Source
from ingest.queries.issues import issue_counts
from studies.models import Event
from tests.factories import make_issue, make_repository, make_study
from tests.ingest.files import counted, jsonl, load, receive, record, urls
from tests.long import only_long


def state() -> dict[str, object]:
    """All that an import stores, by natural keys."""
    issues = Issue.objects.select_related("repository", "current").order_by("repository__path", "number")
    return {
        "issues": [
            (i.repository.path, i.number, i.url, i.year, i.is_pull_request, i.current and i.current.title)
            for i in issues
        ],
        "snapshots": sorted(Snapshot.objects.values_list("issue__number", "title")),
        "rows": list(ImportRow.objects.order_by("pk").values_list("outcome", "line", "code", "raw")),
        "counts": [run.counts for run in Import.objects.order_by("pk")],
        "folders": sorted(Repository.objects.values_list("path", "folder")),
    }


@pytest.mark.django_db
class TestIssues:
    def test_stores_all_that_the_forge_says(self) -> None:
        comments = [
            {"user": {"login": "bo"}, "body": "Same.", "created_at": "2024-03-02T00:00:00+08:00",
             "author_association": "MEMBER"},
        ]  # fmt: skip
        data = jsonl(
            record(7, body="a\r\nb", comments=comments, state="closed", state_reason="not_planned",
                   author_association="CONTRIBUTOR", closed_at="2024-04-01T00:00:00Z")
        )  # fmt: skip

        run = load(make_study(), data)

        issue = Issue.objects.get()
        text = issue.current
        found = (issue.number, issue.year, issue.is_pull_request, issue.first_import)
        assert found == ("7", 2024, False, run)
        assert (text.title, text.body, text.author, text.labels) == ("Title 7", "a\r\nb", "ann", ["bug"])
        found = (text.state, text.state_reason, text.author_association)
        assert found == ("closed", "not_planned", "CONTRIBUTOR")
        assert text.closed_at.isoformat() == "2024-04-01T00:00:00+00:00"
        assert text.comments == [
            {"author": "bo", "association": "MEMBER", "at": "2024-03-01T16:00:00+00:00", "body": "Same."}
        ]
        assert text.comment_count == 1
        assert counted(run) == {"rows": 1, "new": 1}

    def test_strips_and_shifts_nothing(self) -> None:
        odd = "\\N\t\\.\n  {a,b} \"q\" 'r' %s ;--\u2028\U0001f600 "
        load(make_study(), jsonl(record(1, title=odd, body=odd, labels=[odd.strip(), "a,b", "\\"])))

        text = Snapshot.objects.get()
        assert (text.title, text.body) == (odd, odd)
        assert text.labels == [odd.strip(), "a,b", "\\"]

    def test_repairs_what_cannot_be_stored_and_says_so(self) -> None:
        run = load(make_study(), jsonl(record(1, title="a\0b", body="\ud800!"), record(2)))

        assert Snapshot.objects.get(issue__number="1").title == "a\ufffdb"
        assert counted(run) == {"rows": 2, "new": 2, "repaired": 1}
        row = run.rows.get()
        assert (row.outcome, row.line, row.code) == ("repaired", 1, "repaired")
        assert row.message.startswith("2 characters")

    def test_knows_sixteen_spellings_of_one_address(self) -> None:
        data = b"https://github.com/Owner/Repo/issues/5\nhttp://www.github.com/owner/repo/issues/5#x\nowner/repo#5\n"

        run = load(make_study(), data, "list.txt")

        assert Issue.objects.get().url == "https://github.com/Owner/Repo/issues/5"
        assert counted(run) == {"rows": 3, "new": 1, "repeated": 2}
        assert list(run.rows.values_list("line", "message")) == [
            (2, "This line repeats the issue of line 1. The earlier line was imported."),
            (3, "This line repeats the issue of line 1. The earlier line was imported."),
        ]

    def test_repetitions_far_apart_are_found(self, monkeypatch) -> None:
        monkeypatch.setattr(loading, "CHUNK", 2)

        run = load(make_study(), urls(1, 2, 3, 1, 4, 3), "list.txt")

        assert counted(run) == {"rows": 6, "new": 4, "repeated": 2}
        assert list(run.rows.values_list("line", "message")) == [
            (4, "This line repeats the issue of line 1. The earlier line was imported."),
            (6, "This line repeats the issue of line 3. The earlier line was imported."),
        ]

    @pytest.mark.parametrize("chunk", [1, 500])
    def test_the_line_with_the_text_is_kept(self, monkeypatch, chunk) -> None:
        monkeypatch.setattr(loading, "CHUNK", chunk)
        bare = {"html_url": "https://github.com/owner/repo/issues/1"}

        run = load(make_study(), jsonl(bare, record(1), record(2)))

        assert Issue.objects.get(number="1").current.title == "Title 1"
        assert run.counts["rows"] == sum(
            run.counts[name] for name in ("new", "known", "changed", "repeated", "refused")
        )

    def test_lists_every_refused_line(self) -> None:
        data = jsonl(record(1)) + b'{"html_url": "nonsense"}\n{broken\n' + jsonl(record(2))

        run = load(make_study(), data)

        assert counted(run) == {"rows": 4, "new": 2, "refused": 2}
        found = list(run.rows.values_list("outcome", "line", "code"))
        assert found == [("refused", 2, "address_scheme"), ("refused", 3, "json_syntax")]
        assert run.rows.first().raw == '{"html_url": "nonsense"}'

    def test_says_that_the_rest_was_not_read(self) -> None:
        run = load(make_study(), b'[{"html_url": "https://github.com/a/b/issues/1"}, {"html_url":', "a.json")

        row = run.rows.get()
        assert counted(run) == {"rows": 2, "new": 1, "refused": 1}
        assert row.message.endswith("The rest of the file was not read.")

    def test_is_recorded_in_the_audit(self) -> None:
        run = load(make_study(), urls(1), "list.txt")

        event = Event.objects.get(verb="issues.imported")
        assert event.detail == {"name": "list.txt", "rows": 1, "new": 1}
        assert event.study == run.study


@pytest.mark.django_db
class TestRepositories:
    def test_folders_are_the_last_part_made_unlike(self) -> None:
        data = b"".join(
            urls(1, repository=path) for path in ("a/core", "B/Core", "c/core", "b/core-2", "a-c/core")
        )

        load(make_study(), data, "list.txt")

        assert dict(Repository.objects.values_list("path", "folder")) == {
            "a/core": "core",
            "B/Core": "B-Core",
            "c/core": "c-core",
            "b/core-2": "core-2",
            "a-c/core": "a-c-core",
        }

    @pytest.mark.parametrize(
        ("taken", "folder"),
        [([], "core"), (["core"], "a-core"), (["core", "a-core"], "a-core-2"), (["other"], "core")],
    )
    def test_free_folder(self, taken, folder) -> None:
        assert chunks.free_folder("a/core", taken) == folder

    def test_are_shared_with_those_that_the_study_has(self, study) -> None:
        repository = make_repository(study, "Owner/Repo", folder="elsewhere")
        known = make_issue(repository, "1", text=False)
        make_repository(make_study(), "owner/repo")

        run = load(study, urls(1, 2), "list.txt")

        assert counted(run) == {"rows": 2, "new": 1, "known": 1}
        assert set(repository.issues.values_list("number", flat=True)) == {"1", "2"}
        assert Issue.objects.get(pk=known.pk).url == known.url

    def test_an_address_too_long_to_store_is_refused(self) -> None:
        run = load(make_study(), urls(1) + urls(2, repository=f"owner/{'r' * 320}"), "list.txt")

        assert counted(run) == {"rows": 2, "new": 1, "refused": 1}
        assert run.rows.get().line == 2


@pytest.mark.django_db
class TestLaterFetches:
    def test_equal_content_is_known(self, study) -> None:
        load(study, jsonl(record(1, body="a\nb")))

        touched = record(1, body="a\r\nb", updated_at="2025-01-01T00:00:00Z", reactions={"+1": 3})
        run = load(study, jsonl(touched), "later.jsonl")

        assert counted(run) == {"rows": 1, "known": 1}
        assert Snapshot.objects.count() == 1

    def test_other_content_adds_a_snapshot_and_is_shown(self, study) -> None:
        load(study, jsonl(record(1), record(2)))
        first = Issue.objects.get(number="1").current

        later = record(1, title="Better title", state="closed", updated_at="2024-05-01T00:00:00Z")
        run = load(study, jsonl(later, record(2)), "later.jsonl")

        issue = Issue.objects.get(number="1")
        assert counted(run) == {"rows": 2, "known": 1, "changed": 1}
        assert (issue.current.title, issue.current.state) == ("Better title", "closed")
        assert list(issue.snapshots.order_by("pk")) == [first, issue.current]

    def test_an_older_fetch_is_kept_and_not_shown(self, study) -> None:
        load(study, jsonl(record(1, title="New", updated_at="2024-05-01T00:00:00Z")))

        run = load(study, jsonl(record(1, title="Old", updated_at="2024-04-01T00:00:00Z")), "older.jsonl")

        assert counted(run) == {"rows": 1, "known": 1}
        assert Issue.objects.get().current.title == "New"
        assert sorted(Snapshot.objects.values_list("title", flat=True)) == ["New", "Old"]

    def test_an_address_takes_no_text_away(self, study) -> None:
        load(study, jsonl(record(1)))

        run = load(study, urls(1), "list.txt")

        assert counted(run) == {"rows": 1, "known": 1}
        assert Issue.objects.get().current.body == "Body 1"

    def test_a_text_joins_an_address(self, study) -> None:
        first = load(study, urls(1), "list.txt")
        assert Issue.objects.get().current is None

        run = load(study, jsonl(record(1)))

        issue = Issue.objects.get()
        assert counted(run) == {"rows": 1, "changed": 1}
        assert (issue.current.title, issue.year, issue.first_import) == ("Title 1", 2024, first)

    def test_what_a_file_is_silent_about_stays(self, study) -> None:
        comments = [{"user": {"login": "bo"}, "body": "Same.", "created_at": "2024-03-02T00:00:00Z"}]
        load(study, jsonl(record(1, comments=comments)))

        load(study, b"url,title,body\nhttps://github.com/owner/repo/issues/1,Other,\n", "later.csv")
        text = Issue.objects.get().current

        assert (text.title, text.body) == ("Other", "")
        assert (text.author, text.labels, len(text.comments)) == ("ann", ["bug"], 1)

        load(study, jsonl(record(1, comments=4)), "count.jsonl")
        text = Issue.objects.get().current
        assert (len(text.comments), text.comment_count) == (1, 4)

        load(study, jsonl(record(1, comments=0)), "none.jsonl")
        text = Issue.objects.get().current
        assert (text.comments, text.comment_count) == ([], 0)

    def test_a_pull_request_is_told_from_unknown_only(self, study) -> None:
        load(study, urls(1, 2), "list.txt")
        assert set(Issue.objects.values_list("is_pull_request", flat=True)) == {None}

        pull = record(1, pull_request={"url": "x"}, html_url="https://github.com/owner/repo/pull/1")
        run = load(study, jsonl(pull, record(2, pull_request=None)))
        assert dict(Issue.objects.values_list("number", "is_pull_request")) == {"1": True, "2": False}
        assert run.counts["pull_requests"] == 1

        load(study, b"https://github.com/owner/repo/pull/2\n", "again.txt")
        assert dict(Issue.objects.values_list("number", "is_pull_request")) == {"1": True, "2": False}


class Killed(BaseException):
    """The process is gone."""


def killed_after(calls: int):
    """A report that ends the run at its `calls`th call."""
    left = iter(range(calls))

    def report(done, total, step):
        if next(left, None) is None:
            raise Killed

    return report


@pytest.mark.django_db
class TestRepeating:
    DATA = (
        jsonl(record(1), record(2), record(3, title="a\0"))
        + b"{broken\n"
        + jsonl(record(1, title="again"), record(4, repository="other/repo"), record(5), record(2))
        + urls(6)
    )

    def test_the_same_import_again_changes_nothing(self) -> None:
        run = load(make_study(), self.DATA)
        before = state()

        assert actions.import_issues(run=run) == run.counts

        assert state() == before

    @pytest.mark.parametrize("calls", range(1, 7))
    @pytest.mark.slow(cases=3)
    def test_killed_anywhere_and_run_again_is_as_if_undisturbed(self, monkeypatch, calls) -> None:
        monkeypatch.setattr(loading, "CHUNK", 2)
        load(make_study(), self.DATA)
        undisturbed = state()
        Import.objects.all().delete()
        Issue.objects.update(current=None)
        Issue.objects.all().delete()
        Repository.objects.all().delete()

        run = receive(make_study(), self.DATA)
        with pytest.raises(Killed):
            actions.import_issues(run=run, report=killed_after(calls))
        actions.import_issues(run=run)

        assert state() == undisturbed
        assert undisturbed["counts"][0]["rows"] == 9

    def test_a_failing_chunk_leaves_nothing_of_itself(self, monkeypatch) -> None:
        monkeypatch.setattr(loading, "CHUNK", 2)
        run = receive(make_study(), self.DATA)
        whole = chunks.store_texts

        def fail(placed, fields):
            if any(place.draft.line == 3 for place in placed):
                raise OSError("disk full")
            return whole(placed, fields)

        monkeypatch.setattr(chunks, "store_texts", fail)
        with pytest.raises(OSError, match="disk full"):
            actions.import_issues(run=run)

        run.refresh_from_db()
        assert (run.counts["rows"], run.rows.count(), Issue.objects.count()) == (2, 0, 2)

        monkeypatch.undo()
        assert actions.import_issues(run=run)["new"] == 5


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_files_with_the_same_issues_store_each_once(self, monkeypatch) -> None:
        monkeypatch.setattr(loading, "CHUNK", 7)
        study = make_study()
        numbers = range(1, 60)
        runs = [receive(study, urls(*order), "list.txt") for order in (numbers, reversed(numbers))]
        errors: list[BaseException] = []

        def work(run: Import) -> None:
            try:
                actions.import_issues(run=run)
            except BaseException as error:  # noqa: BLE001 - told below
                errors.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=work, args=[run]) for run in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert errors == []
        assert Issue.objects.count() == 59
        assert Repository.objects.count() == 1
        new = [Import.objects.get(pk=run.pk).counts["new"] for run in runs]
        assert sum(new) == 59


@pytest.mark.django_db
class TestSamples:
    @pytest.mark.slow
    def test_real_issues_of_forges(self, study, issue_samples) -> None:
        paths = sorted(issue_samples.glob("*.jsonl"))
        assert [path.name for path in paths] == ["hf_datasets_api_sample.jsonl", "sglang_issues_sample.jsonl"]

        runs = [load(study, path.read_bytes(), path.name) for path in paths]

        found = [counted(run) for run in runs]
        assert found == [{"rows": 559, "new": 559, "pull_requests": 326}, {"rows": 133, "new": 133}]
        counts = issue_counts(study)
        assert (counts.total, counts.with_text) == (692, 692)
        again = load(study, paths[0].read_bytes() + b"\n", "again.jsonl")
        assert counted(again) == {"rows": 559, "known": 559, "pull_requests": 326}
        assert not Source.objects.exists()

    @pytest.mark.slow
    @only_long
    def test_memory_stays_flat(self, tmp_path) -> None:
        """Four times the addresses take the same memory."""
        import tracemalloc

        peaks = []
        for how_many in (1_500, 6_000):
            run = receive(make_study(), urls(*range(1, how_many + 1)), "list.txt")
            tracemalloc.start()
            actions.import_issues(run=run)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()

        assert peaks[1] < peaks[0] * 1.5 + 1_000_000


def test_a_stream_is_read_in_pieces() -> None:
    """No more than a piece of an upload is in memory."""
    sizes = []

    class Watched(io.BytesIO):
        def read(self, size=-1):
            sizes.append(size)
            return super().read(size)

    files.keep(Watched(b"x" * (3 * files.PIECE + 1)), limit=1 << 30)

    assert set(sizes) == {files.PIECE}
