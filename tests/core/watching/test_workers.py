"""A job that waits for a worker that is not there says so on its page, and no other does."""

from datetime import timedelta

import pytest
import redis
from django.urls import reverse

from core import clock, embedded
from core.models import Job
from core.tasks import run_job, sweep
from core.watching import workers
from core.watching.store import store
from core.watching.workers import absence, note_worker, workers_seen
from tests.factories import make_user

pytestmark = pytest.mark.django_db
SECOND = timedelta(seconds=1)
NOW = object()


@pytest.fixture(autouse=True)
def _of_this_test(monkeypatch):
    embedded.ensure_redis()
    monkeypatch.setattr(workers, "KEY", "tests-workers")
    store().delete("tests-workers")


def waiting(seconds: int = 60, **fields) -> Job:
    return Job.objects.create(kind="tests.waits", created_at=clock.now() - seconds * SECOND, **fields)


def seen(seconds: int) -> None:
    with clock.at(clock.now() - seconds * SECOND):
        note_worker("a@host")


def test_a_job_that_waits_for_a_dead_worker_says_for_how_long():
    job = waiting()
    assert absence(job).startswith("Nothing runs jobs on this server. This job waits")
    seen(200)
    assert absence(job).startswith("Nothing has run jobs on this server for 3 minutes. This job waits")
    seen(62)
    assert absence(job).startswith("Nothing has run jobs on this server for 1 minute. This job waits")
    seen(55)
    assert absence(job) == ""


@pytest.mark.parametrize(
    "fields",
    [
        {"seconds": 20},
        {"state": Job.State.DONE, "finished_at": NOW},
        {"state": Job.State.RUNNING, "heartbeat_at": NOW},
    ],
)
def test_no_other_job_says_so(fields):
    fields = {name: clock.now() if value is NOW else value for name, value in fields.items()}
    assert absence(waiting(**fields)) == ""


def test_a_job_whose_worker_died_says_so():
    past = clock.now() - timedelta(minutes=2)
    assert absence(waiting(state=Job.State.RUNNING, heartbeat_at=past)).startswith("Nothing runs jobs")


def test_without_redis_the_page_says_that_nobody_can_be_called(monkeypatch):
    monkeypatch.setattr(workers, "store", lambda: redis.Redis(port=1))
    assert absence(waiting()).startswith("Redis does not answer")
    note_worker("a@host")  # and a worker goes on


def test_the_page_of_the_job_and_its_fragment_say_it(client):
    user = make_user()
    client.force_login(user)
    job = waiting(created_by=user)
    for headers in ({}, {"HX-Request": "true", "HX-Target": "job"}):
        assert (
            "Nothing runs jobs on this server."
            in client.get(reverse("job", args=[job.pk]), headers=headers).text
        )
    seen(0)
    assert "Nothing runs jobs" not in client.get(reverse("job", args=[job.pk])).text


def test_each_worker_is_known_by_its_name_and_forgotten_after_a_day():
    with clock.at(clock.now() - timedelta(hours=25)):
        note_worker("old@host")
    seen(5)
    sweep()
    run_job(0)
    names = list(workers_seen())
    assert len(names) == 2
    assert names[1] == "a@host"
    assert store().hlen("tests-workers") == 2
