"""The page for administrators: of the server, of no study, and for nobody else."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.actions import erase_account, make_administrator
from accounts.models import User
from core import clock, embedded
from core.models import Job
from core.upkeep import doctor
from core.version import version
from core.watching import problems, workers
from core.watching.problems import keep_problem
from core.watching.store import store
from core.watching.workers import note_worker
from tests.core.places import free_port
from tests.core.watching.smtp import mail_server
from tests.factories import make_user

pytestmark = pytest.mark.django_db
SERVER, TRY_MAIL = "/server/", "/server/mail/"


@pytest.fixture(autouse=True)
def _of_this_test(monkeypatch):
    embedded.ensure_redis()
    for module in (problems, workers):
        key = f"tests-server-{module.__name__}"
        monkeypatch.setattr(module, "KEY", key)
        store().delete(key)


@pytest.fixture
def administrator() -> User:
    user = make_user("Ada")
    make_administrator(user=user)
    return user


@pytest.fixture
def client(administrator) -> Client:
    client = Client()
    client.force_login(administrator)
    return client


def test_only_administrators_see_it():
    client = Client()
    assert client.get(SERVER).status_code == 302
    user = make_user()
    client.force_login(user)
    for refused in (client.get(SERVER), client.post(TRY_MAIL)):
        assert (refused.status_code, "Only administrators of this server" in refused.text) == (403, True)
    assert mail.outbox == []
    assert reverse("server") not in client.get("/accounts/me/").text
    make_administrator(user=user)
    assert reverse("server") in client.get("/accounts/me/").text
    assert client.get(SERVER).status_code == 200
    make_administrator(user=user, is_one=False)
    assert client.get(SERVER).status_code == 403


def test_administrators_are_made_by_a_command_and_forgotten_with_their_person(capsys):
    user = make_user("Ada")
    call_command("make_administrator", user.email.upper())
    user.refresh_from_db()
    assert (user.is_superuser, capsys.readouterr().out) == (True, "Ada administers this server.\n")
    call_command("make_administrator", user.email, "--end")
    user.refresh_from_db()
    assert (user.is_superuser, capsys.readouterr().out) == (False, "Ada no longer administers this server.\n")
    with pytest.raises(CommandError, match="Nobody"):
        call_command("make_administrator", "nobody@example.org")
    make_administrator(user=user)
    erase_account(user=user)
    user.refresh_from_db()
    assert not user.is_superuser


def test_it_shows_parts_versions_jobs_and_workers(client):
    past = clock.now() - timedelta(hours=2)
    waits = Job.objects.create(kind="tests.waits", created_at=past)
    runs = Job.objects.create(kind="tests.runs", state=Job.State.RUNNING, heartbeat_at=clock.now(), attempt=2)
    failed = Job.objects.create(
        kind="tests.failed", state=Job.State.FAILED, finished_at=past, error="canary words"
    )
    done = Job.objects.create(kind="tests.done", state=Job.State.DONE, finished_at=past)
    with clock.at(clock.now() - timedelta(minutes=5)):
        note_worker("gone@host")
    note_worker("here@host")
    text = plain(client.get(SERVER).text)
    for shown in (
        f"{waits.pk} tests.waits queued",
        f"{runs.pk} tests.runs running",
        f"{failed.pk} tests.failed failed",
    ):
        assert shown in text
    assert f"{done.pk} tests.done" not in text
    assert "1 waiting, 1 running" in text
    assert "here@host runs" in text
    assert "gone@host gone" in text
    assert "canary" not in text
    assert f"Crosscheck {version()}" in text
    assert re.search(r"PostgreSQL 1\d\.\d+", text)
    assert re.search(r"Redis \d+\.\d+", text)
    assert "Backup needs you none was made" in text
    assert "Waiting jobs needs you 1 wait for longer than ten minutes" in text


@pytest.mark.parametrize(
    ("part", "ok", "badge"),
    [("role", None, "could be better"), ("role", True, "works"), ("mail", None, "not set up")],
)
def test_a_part_that_could_be_better_is_not_called_missing(client, monkeypatch, part, ok, badge):
    monkeypatch.setitem(doctor._ASKED, part, lambda: (ok, "said of it"))
    assert f" {badge} said of it" in plain(client.get(SERVER).text)


def test_the_disk_is_told_in_units_that_people_read(client, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=57 << 30))
    assert re.search(r"Disk works 57\.0\sGB free in /", plain(client.get(SERVER).text))


def test_what_is_not_set_up_is_told_once(client, settings):
    settings.SENDS_MAIL = False
    text = plain(client.get(SERVER).text)
    assert "Mail not set up no mail is sent: no digests" in text
    assert "not set up not set up" not in text


def test_it_finds_the_error_that_somebody_tells_by_its_id(client):
    found = keep_problem(ValueError("canary words"), where="/rounds/<int:round_id>/")
    keep_problem(ValueError("canary words"), where="/rounds/<int:round_id>/")
    page = client.get(SERVER, {"error": f" {found} "})
    text = plain(page.text)
    assert "ValueError /rounds/&lt;int:round_id&gt;/ 2 " in text
    assert re.search(rf"{found} · \S.* · ValueError · /rounds/&lt;int:round_id&gt;/", text)
    assert "canary" not in text
    assert "No kept error has this id" in client.get(SERVER, {"error": "<script>x"}).text
    assert "<script>x" not in client.get(SERVER, {"error": "<script>x"}).text


def test_it_costs_the_same_with_one_job_and_with_many(client):
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(SERVER).status_code == 200
        return len(queries)

    Job.objects.create(kind="tests.x")
    client.get(SERVER)
    once = asked()
    for _ in range(3):
        Job.objects.create(kind="tests.x")
        Job.objects.create(kind="tests.x", state=Job.State.FAILED, finished_at=clock.now())
        keep_problem(ValueError(), where="/x/")
        note_worker(f"{_}@host")
    assert asked() == once


def test_a_page_without_redis_is_still_a_page(client, monkeypatch):
    import redis

    from core.watching import server

    for module in (problems, workers, server):
        monkeypatch.setattr(module, "store", lambda: redis.Redis(port=1))
    page = client.get(SERVER)
    assert page.status_code == 200
    assert "Redis does not answer, so no errors are known here" in page.text


# --- the test mail


def smtp(settings, port: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", port, 5


def test_the_test_mail_goes_to_the_administrator_and_shows_what_the_mail_server_said(
    client, administrator, settings
):
    with mail_server({".": "250 2.0.0 Ok: queued as 4Zx<1>"}) as (port, told):
        smtp(settings, port)
        page = client.post(TRY_MAIL)
    assert f"rcpt TO:<{administrator.email}>" in told
    assert "Subject: Test mail of Crosscheck" in told
    assert "took the test mail" in page.text
    assert "250 2.0.0 Ok: queued as 4Zx&lt;1&gt;" in page.text


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"MAIL": "530 5.7.0 Authentication required"}, "530 5.7.0 Authentication required"),
        ({"RCPT": "550 5.1.1 No such user"}, "550 5.1.1 No such user"),
        ({".": "554 5.6.0 Looks like spam"}, "554 5.6.0 Looks like spam"),
    ],
)
def test_a_refusal_is_shown_as_the_mail_server_said_it(client, settings, answers, said):
    with mail_server(answers) as (port, _told):
        smtp(settings, port)
        page = client.post(TRY_MAIL)
    assert (page.status_code, "The test mail was not sent" in page.text) == (200, True)
    assert said in page.text


def test_a_mail_server_that_is_not_there_is_an_answer(client, settings):
    smtp(settings, free_port())
    assert "ConnectionRefusedError" in client.post(TRY_MAIL).text


def test_without_mail_there_is_no_button(client, settings):
    assert "Send test mail" in client.get(SERVER).text
    settings.SENDS_MAIL = False
    assert "Send test mail" not in client.get(SERVER).text
    assert "No mail is set up." in client.post(TRY_MAIL).text


def plain(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())
