"""Errors have an id that the reader sees, and by which an administrator finds them; texts are not kept."""

import json
from datetime import timedelta

import pytest
import redis
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from config.urls import handler400, handler403, handler404, handler500  # noqa: F401 - of this URLconf
from config.urls import urlpatterns as all_urls
from core import clock, embedded, jobs
from core.models import Job
from core.watching import problems
from core.watching.problems import grouped, keep_problem
from core.watching.store import store
from tests.core.watching.listening import logged
from tests.factories import make_user

pytestmark = pytest.mark.django_db

TEXT = "canary words"


def broken(request: HttpRequest, word: str) -> HttpResponse:
    raise ValueError(TEXT + word)


urlpatterns = [path("broken/<str:word>/", broken), path("api/broken/<str:word>/", broken), *all_urls]


@pytest.fixture(autouse=True)
def _of_this_test(monkeypatch):
    embedded.ensure_redis()
    monkeypatch.setattr(problems, "KEY", "tests-problems")
    store().delete("tests-problems")


@pytest.fixture
def client():
    client = Client(raise_request_exception=False)
    client.force_login(make_user())
    with override_settings(ROOT_URLCONF=__name__, TRUSTED_PROXIES=["127.0.0.1"]):
        yield client


def test_the_page_of_an_error_shows_the_id_under_which_it_is_kept_and_logged(client):
    with logged() as stream:
        answer = client.get(f"/broken/{TEXT}/?q={TEXT}")
    (kept,) = problems.problems()
    assert (kept.kind, kept.where) == ("ValueError", "/broken/<str:word>/")
    assert answer.status_code == 500
    assert f'<code class="mono">{kept.id}</code>' in answer.text
    assert answer.headers["X-Request-ID"] == kept.id
    (line,) = [one for one in map(json.loads, stream.getvalue().splitlines()) if one["level"] == "ERROR"]
    assert (line["request"], line["traceback"].splitlines()[-1]) == (kept.id, "ValueError")
    assert line["message"] == "Internal Server Error: /broken/<str:word>/"
    assert TEXT not in stream.getvalue()
    assert "canary%20words" not in stream.getvalue()


def test_a_program_gets_the_id_too_and_the_id_may_come_from_the_proxy(client):
    answer = client.get("/api/broken/x/", headers={"X-Request-ID": "of-the-proxy-0001"})
    assert answer.json()["id"] == "of-the-proxy-0001" == answer.headers["X-Request-ID"]
    assert [one.id for one in problems.problems()] == ["of-the-proxy-0001"]


def test_the_page_of_an_error_speaks_the_language_of_its_reader(client):
    assert 'lang="zh-hans"' in client.get("/broken/x/", headers={"Accept-Language": "zh-hans"}).text


def test_a_failed_job_shows_its_id(monkeypatch):
    def fails(job, progress):
        raise ValueError(TEXT)

    monkeypatch.setitem(jobs._registry, "tests.fails", fails)
    job = Job.objects.create(kind="tests.fails")
    jobs.run(job.pk)
    job.refresh_from_db()
    (kept,) = problems.problems()
    assert (kept.kind, kept.where) == ("ValueError", "job tests.fails")
    assert job.error.endswith(f"its id: {kept.id}")
    assert TEXT not in job.error


def test_nothing_of_what_an_error_says_is_kept():
    try:
        int(TEXT)
    except ValueError as error:
        keep_problem(error, where="/x/")
    (line,) = store().lrange("tests-problems", 0, -1)
    assert sorted(json.loads(line)) == ["at", "id", "kind", "where"]
    assert TEXT not in line


def test_the_newest_are_kept_and_old_ones_are_not_shown(monkeypatch):
    monkeypatch.setattr(problems, "KEPT", 3)
    with clock.at(clock.now() - timedelta(days=31)):
        old = keep_problem(ValueError(), where="/old/")
    newer = [keep_problem(KeyError(), where="/new/") for _ in range(2)]
    assert store().llen("tests-problems") == 3
    assert [one.id for one in problems.problems()] == newer[::-1]
    last = [keep_problem(KeyError(), where="/new/") for _ in range(3)]
    assert [one.id for one in problems.problems()] == last[::-1]
    assert old not in str(store().lrange("tests-problems", 0, -1))


def test_errors_of_one_kind_at_one_place_are_one_line():
    first = keep_problem(ValueError(), where="/a/")
    keep_problem(KeyError(), where="/a/")
    second = keep_problem(ValueError(), where="/a/")
    found = [
        (one.newest.kind, one.count, [each.id for each in one.problems])
        for one in grouped(problems.problems())
    ]
    assert [(kind, number) for kind, number, _ids in found] == [("ValueError", 2), ("KeyError", 1)]
    assert found[0][2] == [second, first]


def test_without_redis_an_error_still_has_an_id(monkeypatch, client):
    monkeypatch.setattr(problems, "store", lambda: redis.Redis(port=1))
    answer = client.get("/broken/x/")
    assert answer.status_code == 500
    assert answer.headers["X-Request-ID"] in answer.text
