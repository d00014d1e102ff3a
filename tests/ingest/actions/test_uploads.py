"""Files on their way in: kept to be looked at, refused with their cause, confirmed once."""

import io

import pytest
from django.conf import settings

from core import jobs
from core.models import Job
from ingest import actions, files
from ingest.errors import (
    AlreadyImported,
    FileChanged,
    FileGone,
    FileRefused,
    FileTooLarge,
    ImportRunning,
    ImportStarted,
)
from ingest.models import Import, Issue
from tests.factories import make_study, make_user
from tests.ingest.files import jsonl, load, receive, record, urls

pytestmark = pytest.mark.django_db


def kept() -> list[str]:
    """The names of the files that are kept."""
    folder = settings.DATA_DIR / files.FOLDER
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


class TestReceive:
    def test_keeps_the_file_and_how_it_will_be_read_and_nothing_else(self) -> None:
        study, person, data = make_study(), make_user(), jsonl(record(1), record(2))

        run = receive(study, data, "../../etc/passwd", by=person)

        found = (run.name, run.size, run.kind, run.created_by)
        assert found == ("../../etc/passwd", len(data), "issues", person)
        assert kept() == [run.path.rpartition("/")[2]]
        assert files.located(run.path).read_bytes() == data
        assert files.located(run.path).parent.stat().st_mode & 0o077 == 0
        assert run.mapping["mapping"]["author"] == "user.login"
        assert [row["title"] for row in run.mapping["sample"]] == ["Title 1", "Title 2"]
        assert not Issue.objects.exists()

    def test_hashes_what_it_keeps(self) -> None:
        import hashlib

        data = urls(1, 2, 3)
        assert receive(make_study(), data, "a.txt").sha256 == hashlib.sha256(data).hexdigest()

    def test_refuses_a_file_past_the_limit_and_keeps_nothing(self, settings) -> None:
        settings.UPLOAD_MAX_BYTES = 100

        assert receive(make_study(), urls(1, 2), "a.txt").size == 78
        with pytest.raises(FileTooLarge, match=r"b\.txt is larger than 100"):
            receive(make_study(), urls(*range(1, 5)), "b.txt")

        assert len(kept()) == 1

    @pytest.mark.parametrize(
        ("name", "data", "code", "words"),
        [
            ("a.csv", b"<!DOCTYPE html><html><body>Sign in</body></html>", "html", "HTML page"),
            ("a.csv", b"", "empty", "empty"),
            ("a.jsonl", b"PK\x03\x04rest", "zip_damaged", "ZIP"),
            ("a.csv", "url,title\nhttps://github.com/a/b/issues/1,Größe\n".encode("cp1252"), None, "UTF-8"),
            ("a.csv", b"url,title,title\nx,y,z\n", "duplicate_header", "columns 2 and 3"),
            ("a.csv", b"name\nx\n", "no_url_column", "address of the issue"),
        ],
    )
    def test_refuses_what_it_cannot_read_and_keeps_nothing(self, name, data, code, words) -> None:
        with pytest.raises(FileRefused, match=words) as refused:
            receive(make_study(), data, name)

        assert refused.value.status == 422
        assert str(refused.value.message).startswith(f"{name}: ")
        assert code is None or refused.value.refusal.code == code
        assert kept() == []
        assert not Import.objects.exists()

    def test_reads_an_encoding_that_the_user_chose(self) -> None:
        data = "url,title\nhttps://gitee.com/a/b/issues/I1ABC,内存\n".encode("gb18030")

        run = receive(make_study(), data, "a.csv", encoding="gb18030")

        assert run.mapping["encoding"] == "gb18030"
        actions.import_issues(run=run)
        assert Issue.objects.get().current.title == "内存"

    def test_keeps_nothing_when_the_stream_breaks_off(self) -> None:
        class Broken(io.BytesIO):
            def read(self, size=-1):
                if self.tell():
                    raise ConnectionResetError
                return super().read(10)

        with pytest.raises(ConnectionResetError):
            actions.receive_upload(study=make_study(), by=None, name="a.txt", stream=Broken(urls(1, 2)))

        assert kept() == []


class TestConfirm:
    def test_stores_a_job_that_stores_the_issues(self, django_capture_on_commit_callbacks) -> None:
        person = make_user()
        run = receive(make_study(), urls(1, 2), "a.txt")

        job = actions.confirm_import(run=run, by=person)

        assert (job.kind, job.state, job.created_by) == (actions.JOB, "queued", person)
        with django_capture_on_commit_callbacks(execute=True):
            assert jobs.run(job.pk).result["new"] == 2
        assert Issue.objects.count() == 2
        assert kept() == []

    def test_refuses_a_second_start(self) -> None:
        run = receive(make_study(), urls(1, 2), "a.txt")
        job = actions.confirm_import(run=run, by=None)

        with pytest.raises(ImportRunning):
            actions.confirm_import(run=run, by=None)
        jobs.run(job.pk)
        with pytest.raises(AlreadyImported):
            actions.confirm_import(run=run, by=None)

        assert Job.objects.count() == 1

    def test_refuses_a_file_that_the_study_has_taken(self) -> None:
        study, other = make_study(), make_study()
        load(study, urls(1, 2), "a.txt")

        with pytest.raises(AlreadyImported):
            actions.confirm_import(run=receive(study, urls(1, 2), "renamed.txt"), by=None)

        assert actions.confirm_import(run=receive(other, urls(1, 2), "a.txt"), by=None)

    def test_refuses_a_file_that_changed_since_it_was_shown(self) -> None:
        run = receive(make_study(), urls(1, 2), "a.txt")
        files.located(run.path).write_bytes(urls(1, 3))

        with pytest.raises(FileChanged):
            actions.confirm_import(run=run, by=None)

        files.located(run.path).unlink()
        with pytest.raises(FileGone):
            actions.confirm_import(run=run, by=None)
        assert not Job.objects.exists()

    def test_a_file_that_changes_later_fails_the_job_in_words(self) -> None:
        run = receive(make_study(), urls(1, 2), "a.txt")
        job = actions.confirm_import(run=run, by=None)
        files.located(run.path).write_bytes(urls(1, 3))

        ended = jobs.run(job.pk)

        assert (ended.state, ended.error) == ("failed", str(FileChanged.message))
        assert not Issue.objects.exists()

    def test_goes_on_with_one_that_was_cancelled(self) -> None:
        run = receive(make_study(), urls(1, 2), "a.txt")
        first = actions.confirm_import(run=run, by=None)
        jobs.cancel(first)

        second = actions.confirm_import(run=run, by=None)

        assert second.pk != first.pk
        assert jobs.run(second.pk).state == "done"
        assert Issue.objects.count() == 2


class TestDiscard:
    def test_forgets_the_file(self, django_capture_on_commit_callbacks) -> None:
        run = receive(make_study(), urls(1), "a.txt")

        with django_capture_on_commit_callbacks(execute=True):
            actions.discard_import(run=run)

        assert kept() == []
        assert not Import.objects.exists()

    def test_refuses_once_rows_were_read(self) -> None:
        run = load(make_study(), urls(1), "a.txt")

        with pytest.raises(ImportStarted):
            actions.discard_import(run=run)

        assert Import.objects.filter(pk=run.pk).exists()
