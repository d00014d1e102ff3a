"""While the disk is nearly full nothing is saved, everything can be read, and work goes on by itself afterwards."""

import errno
from contextlib import contextmanager

import pytest
from django.conf import settings as project
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from config.urls import handler400, handler403, handler404, handler500  # noqa: F401 - of this URLconf
from config.urls import urlpatterns as all_urls
from core import jobs
from core.disk import reserve, room
from core.disk.errors import is_of_full_disk
from core.models import Job
from tests.factories import make_user

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true", "HX-Target": "x"}
saved: list[str] = []


def save(request: HttpRequest) -> HttpResponse:
    saved.append(request.POST.get("summary", ""))
    return HttpResponse("saved")


def finds_no_room(request: HttpRequest) -> HttpResponse:
    if request.GET["where"] == "file":
        raise OSError(errno.ENOSPC, "No space left on device", "/inner/secret")
    raise OperationalError("inner secret") from full_in_the_database()


def full_in_the_database() -> Exception:
    class DiskFull(Exception):
        pgcode = "53100"

    return DiskFull()


urlpatterns = [path("save/", save), path("api/save/", save), path("no-room/", finds_no_room), *all_urls]


@pytest.fixture
def client():
    client = Client(raise_request_exception=False)
    client.force_login(make_user())
    saved.clear()
    with override_settings(ROOT_URLCONF=__name__):
        yield client


@contextmanager
def full_disk():
    """The margin is more than any disk has."""
    with override_settings(DISK_MARGIN=1 << 62):
        assert room.is_full()
        yield


def test_nothing_is_saved_and_the_text_is_kept(client):
    with full_disk():
        page = client.post("/save/", {"summary": "typed <text>", "password": "unspeakable"})
        toast = client.post("/save/", {"summary": "typed"}, headers=HTMX)
        program = client.post("/api/save/", {"summary": "typed"}, content_type="application/json")
        upload = client.post("/save/", {"file": SimpleUploadedFile("labels.csv", b"a,b\n")})
        for answer in (page, toast, program, upload):
            assert (answer.status_code, answer.headers["Retry-After"]) == (507, "60")
            assert "The disk of the server is full. Nothing was saved" in answer.text
        assert "typed &lt;text&gt;" in page.text
        assert "unspeakable" not in page.text
        assert "<title>Nothing was saved · Crosscheck" in page.text
        assert "<html" not in toast.text
        assert program.json()["code"] == "disk_full"
        assert saved == []
    # With room it goes on at once.
    assert client.post("/save/", {"summary": "typed"}).status_code == 200
    assert saved == ["typed"]


def test_reading_and_signing_in_go_on(client):
    with full_disk():
        assert client.get("/healthz").status_code == 200
        assert client.get("/").status_code == 200
        assert Client().post("/accounts/login/", {"login": "x", "password": "y"}).status_code == 200
        ready = Client().get("/readyz")
        assert (ready.status_code, "disk wrong" in ready.text) == (503, True)


@pytest.mark.parametrize("where", ["file", "database"])
def test_a_write_that_finds_no_room_says_so(client, where):
    answer = client.post(f"/no-room/?where={where}", {"summary": "typed <text>"})
    assert answer.status_code == 507
    assert "The disk of the server is full" in answer.text
    assert "typed &lt;text&gt;" in answer.text
    assert "secret" not in answer.text


def test_other_errors_are_no_full_disk():
    assert not is_of_full_disk(OSError(errno.EACCES, "Permission denied"))
    assert not is_of_full_disk(OperationalError())
    assert not is_of_full_disk(None)


def test_a_job_waits_for_room_says_so_and_is_run_then():
    job = jobs.enqueue("core.ping", arguments={"n": 1})
    with full_disk():
        assert jobs.run(job.pk) is None
        job.refresh_from_db()
        assert (job.state, job.attempt, job.error) == ("queued", 0, "")
        assert job.step == "The disk of the server is full. This job goes on when there is room."
    assert jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result) == ("done", {"pong": {"n": 1}})


@pytest.mark.parametrize(("is_full", "attempts"), [(True, 0), (False, 1)])
def test_a_job_that_finds_the_disk_full_is_begun_again(monkeypatch, is_full, attempts):
    def fills_the_disk(job, progress):
        if is_full:
            monkeypatch.setattr(project, "DISK_MARGIN", 1 << 62)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setitem(jobs._registry, "test.fills", fills_the_disk)
    job = jobs.enqueue("test.fills", arguments={})
    assert jobs.run(job.pk) is None
    job.refresh_from_db()
    # A job that needs more than there is does not try for ever.
    assert (job.state, job.attempt) == (Job.State.QUEUED, attempts)


def test_the_reserve_is_taken_with_room_and_given_up_without(tmp_path, monkeypatch):
    file = tmp_path / "reserve"
    free = []
    monkeypatch.setattr(reserve.shutil, "disk_usage", lambda folder: Usage(free[-1]))
    for now, is_there in [
        (reserve.ROOM_TO_KEEP, False),
        (reserve.ROOM_TO_KEEP + 1, True),
        (reserve.LAST_ROOM, True),
        (reserve.LAST_ROOM - 1, False),
        (reserve.LAST_ROOM + reserve.RESERVE, False),
    ]:
        free.append(now)
        reserve.look_after(tmp_path)
        assert file.exists() == is_there
        assert not is_there or file.stat().st_blocks * 512 >= reserve.RESERVE


class Usage:
    def __init__(self, free: int) -> None:
        self.free = free
