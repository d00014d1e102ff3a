"""Jobs: rows that are run once at a time, cancelled, lost and found."""

import threading
import time
from contextlib import nullcontext
from datetime import timedelta

import pytest
from celery.signals import before_task_publish
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from config.celery import app
from core import jobs
from core.errors import DomainError
from core.models import Job
from core.tasks import run_job, sweep
from tests.factories import make_user
from tests.long import only_long

ONCE = "tests.once"


@pytest.fixture
def work(monkeypatch):
    """`work(function)` makes `function` the work of jobs of the kind ONCE."""

    def register(function) -> None:
        monkeypatch.setitem(jobs._registry, ONCE, function)

    return register


@pytest.fixture
def rung(monkeypatch) -> list[int]:
    """The ids of the jobs that the bell was rung for; no worker hears it."""
    ids: list[int] = []
    monkeypatch.setattr(jobs, "ring", ids.append)
    return ids


@pytest.fixture
def ran(work):
    """`ran(function, …)` is a job with these fields that has run, with `function` as its work."""

    def run(function, watch=None, **fields) -> Job:
        work(function)
        job = make_job(**fields)
        jobs.run(job.pk, watch=watch)
        return ended(job)

    return run


def raising(error: Exception):
    def work(job, progress):
        raise error

    return work


def make_job(**fields) -> Job:
    return Job.objects.create(**{"kind": ONCE, **fields})


def ended(job: Job) -> Job:
    job.refresh_from_db()
    return job


@pytest.mark.django_db
class TestRun:
    def test_keeps_what_the_function_answers(self, ran) -> None:
        job = ran(lambda job, progress: {"seen": job.arguments["word"]}, arguments={"word": "x"})

        assert (job.state, job.result, job.error, job.attempt) == ("done", {"seen": "x"}, "", 1)
        assert job.started_at <= job.finished_at

    def test_does_nothing_for_a_job_that_is_done(self, work) -> None:
        calls = []
        work(lambda job, progress: calls.append(job.pk))
        job = make_job()

        assert jobs.run(job.pk) is not None
        assert jobs.run(job.pk) is None
        assert jobs.run(job.pk + 1) is None
        assert calls == [job.pk]

    def test_keeps_a_domain_error_in_its_own_words(self, ran) -> None:
        job = ran(raising(DomainError("The file is gone.")))

        assert (job.state, job.error) == ("failed", "The file is gone.")

    def test_says_nothing_of_an_unexpected_error_but_logs_it(self, ran, caplog) -> None:
        job = ran(raising(ValueError("secret path")))

        assert job.state == "failed"
        assert "secret" not in job.error
        assert "secret path" in caplog.text

    def test_takes_over_a_job_whose_worker_is_gone(self, ran) -> None:
        lost = {"state": Job.State.RUNNING, "attempt": 1, "started_at": timezone.now()}

        job = ran(lambda job, progress: {"attempt": job.attempt}, **lost)

        assert (job.state, job.result) == ("done", {"attempt": 2})

    def test_refuses_a_sixth_attempt(self, ran) -> None:
        job = ran(lambda job, progress: {}, state=Job.State.RUNNING, attempt=jobs.ATTEMPTS)

        assert (job.state, job.attempt) == ("running", jobs.ATTEMPTS)

    def test_reports_progress_in_the_row_and_to_a_watcher(self, ran) -> None:
        told = []

        def count(job, progress):
            progress(1, 3, "first")
            progress(2, 3, "second")
            progress(3, 3)

        job = ran(count, watch=lambda *step: told.append(step))

        assert told == [(1, 3, "first"), (2, 3, "second"), (3, 3, "")]
        assert (job.done, job.total, job.step) == (3, 3, "first")
        assert job.heartbeat_at is not None


@pytest.mark.django_db
class TestCancel:
    def test_ends_a_queued_job_at_once(self, work) -> None:
        calls = []
        work(lambda job, progress: calls.append(1))
        job = make_job()

        jobs.cancel(job)

        assert ended(job).state == "cancelled"
        assert job.finished_at is not None
        assert jobs.run(job.pk) is None
        assert calls == []

    def test_ends_a_running_job_at_its_next_step(self, ran) -> None:
        steps = []

        def three_steps(job, progress):
            for step in range(3):
                steps.append(step)
                if step == 1:
                    jobs.cancel(job)
                progress._written = 0
                progress(step, 10)

        job = ran(three_steps)

        assert steps == [0, 1]
        assert (job.state, job.error) == ("cancelled", "")

    def test_leaves_a_finished_job_as_it_is(self, ran) -> None:
        job = ran(lambda job, progress: {})

        jobs.cancel(job)

        assert (ended(job).state, job.cancel_requested_at) == ("done", None)


@pytest.mark.django_db
class TestSweep:
    def test_rings_for_what_waits_or_lost_its_worker(self, rung) -> None:
        past = timezone.now() - jobs.LOST_AFTER - timedelta(seconds=1)
        forgotten = make_job()
        Job.objects.filter(pk=forgotten.pk).update(created_at=past)
        lost = make_job(state=Job.State.RUNNING, attempt=1, heartbeat_at=past)
        make_job()  # just queued
        make_job(state=Job.State.RUNNING, attempt=1, heartbeat_at=timezone.now())  # alive
        make_job(state=Job.State.DONE, heartbeat_at=past, finished_at=past)

        assert jobs.sweep() == 2
        assert sorted(rung) == [forgotten.pk, lost.pk]

    def test_gives_up_after_the_last_attempt(self, rung) -> None:
        past = timezone.now() - jobs.LOST_AFTER - timedelta(seconds=1)
        job = make_job(state=Job.State.RUNNING, attempt=jobs.ATTEMPTS, heartbeat_at=past)

        assert jobs.sweep() == 0
        assert rung == []
        assert (ended(job).state, job.error) == ("failed", "The process that ran this job was lost 5 times.")


def test_sweeps_do_not_pile_up_while_no_worker_is_there(settings) -> None:
    entry = settings.BELL["sweep-jobs"]

    assert (entry["task"], entry["expires"]) == (sweep.name, entry["seconds"])


@pytest.mark.django_db(transaction=True)
class TestOneAtATime:
    def test_two_runs_at_once_do_the_work_once(self, work) -> None:
        started, go_on, calls = threading.Event(), threading.Event(), []

        def wait(job, progress):
            calls.append(job.attempt)
            started.set()
            assert go_on.wait(10)

        work(wait)
        job = make_job()

        def run() -> None:
            jobs.run(job.pk)
            connection.close()

        first = threading.Thread(target=run)
        first.start()
        assert started.wait(10)
        second = jobs.run(job.pk)
        go_on.set()
        first.join()

        assert second is None
        assert calls == [1]
        assert (ended(job).state, job.attempt) == ("done", 1)

    def test_a_long_step_keeps_its_heartbeat(self, work, monkeypatch) -> None:
        monkeypatch.setattr(jobs, "HEARTBEAT", timedelta(milliseconds=20))
        beats = []

        def sleep(job, progress):
            first = Job.objects.get(pk=job.pk).heartbeat_at
            waited = threading.Event()
            for _ in range(100):
                waited.wait(0.02)
                beats.append(Job.objects.get(pk=job.pk).heartbeat_at > first)
                if beats[-1]:
                    return

        work(sleep)

        jobs.run(make_job().pk)

        assert beats[-1] is True


@pytest.mark.django_db(transaction=True)
class TestDatabaseGone:
    """PostgreSQL may be killed or started anew under a job: then the job is lost, not failed."""

    @pytest.mark.parametrize("in_transaction", [False, True])
    def test_a_job_that_loses_its_connection_is_found_by_the_sweeper(
        self, work, rung, in_transaction
    ) -> None:
        def cut_off(job, progress):
            if job.attempt > 1:
                return {"attempt": job.attempt}
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_backend_pid()")
                (pid,) = cursor.fetchone()
            with transaction.atomic() if in_transaction else nullcontext():
                Job.objects.filter(pk=job.pk).update(step="working")
                terminate(pid)
                Job.objects.filter(pk=job.pk).update(step="never told")
            raise AssertionError

        work(cut_off)
        job = make_job()

        assert jobs.run(job.pk) is None
        assert (ended(job).state, job.error, job.finished_at) == ("running", "", None)

        Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - jobs.LOST_AFTER * 2)
        assert jobs.sweep() == 1
        assert rung == [job.pk]
        jobs.run(job.pk)
        assert (ended(job).state, job.result) == ("done", {"attempt": 2})

    def test_an_error_of_the_database_that_is_still_there_fails_the_job(self, ran) -> None:
        def divide(job, progress):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)")

        assert ran(divide).state == "failed"


def terminate(pid: int) -> None:
    """End one connection as a server that is shut down does, from another connection."""

    def end() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        connection.close()

    thread = threading.Thread(target=end)
    thread.start()
    thread.join()


@pytest.mark.django_db
class TestPages:
    def test_a_stranger_finds_nothing(self, client) -> None:
        job = make_job(created_by=make_user())
        nobodys = make_job()
        client.force_login(make_user())

        for found in (job, nobodys):
            assert client.get(reverse("job", args=[found.pk])).status_code == 404
            assert client.post(reverse("cancel_job", args=[found.pk])).status_code == 404
            assert ended(found).cancel_requested_at is None

    def test_its_creator_sees_how_far_it_is(self, client) -> None:
        job = make_job(
            created_by=make_user(), state=Job.State.RUNNING, done=1234, total=5000, started_at=timezone.now()
        )
        client.force_login(job.created_by)

        page = client.get(reverse("job", args=[job.pk])).text
        fragment = client.get(
            reverse("job", args=[job.pk]), headers={"HX-Request": "true", "HX-Target": "job"}
        ).text

        assert "<h1>Progress</h1>" in page
        assert "1,234" in page
        assert fragment.strip().startswith("<section")
        assert f'hx-get="{reverse("job", args=[job.pk])}"' in fragment
        assert f'action="{reverse("cancel_job", args=[job.pk])}"' in fragment

    def test_a_finished_job_is_polled_no_more(self, client) -> None:
        now = timezone.now()
        job = make_job(
            created_by=make_user(),
            state=Job.State.FAILED,
            error="<b>why</b>",
            started_at=now,
            finished_at=now,
        )
        client.force_login(job.created_by)

        page = client.get(reverse("job", args=[job.pk])).text

        assert "hx-trigger" not in page.partition("<main")[2]
        assert "&lt;b&gt;why&lt;/b&gt;" in page

    def test_cancelling_goes_back_to_the_page_that_asked(self, client) -> None:
        job = make_job(created_by=make_user())
        client.force_login(job.created_by)
        address = reverse("cancel_job", args=[job.pk])

        back = client.post(address, headers={"Referer": "http://testserver/studies/x/imports/1/"})
        elsewhere = client.post(address, headers={"Referer": "https://example.org/"})

        assert back["Location"] == "http://testserver/studies/x/imports/1/"
        assert elsewhere["Location"] == reverse("job", args=[job.pk])
        assert ended(job).state == "cancelled"
        assert client.get(address).status_code == 405


@only_long
def test_the_bell_names_the_task_that_runs_a_job(settings) -> None:
    published: list[tuple[str, object]] = []

    def note(sender: str, body: tuple[object, ...], **_more: object) -> None:
        published.append((sender, body[0]))

    before_task_publish.connect(note)
    settings.REDIS_URL = app.conf.broker_url  # nothing listens there, and nothing is to be started
    try:
        jobs.ring(41)
    finally:
        before_task_publish.disconnect(note)

    assert published == [(run_job.name, [41])]


class Watched:
    """Work in one long transaction, which waits until another session sees its progress."""

    def __init__(self, cancels: bool = False) -> None:
        self.cancels = cancels
        self.seen: list[tuple[int, int | None, str]] = []

    def __call__(self, job, progress) -> None:
        def look() -> None:
            try:
                for _ in range(200):
                    found = Job.objects.get(pk=job.pk)
                    if found.done == 3:
                        self.seen.append((found.done, found.total, found.step))
                        if self.cancels:
                            jobs.cancel(found)
                        break
                    time.sleep(0.05)
            finally:
                connection.close()

        watcher = threading.Thread(target=look)
        with jobs.apart(progress) as report, transaction.atomic():
            Job.objects.create(kind="made inside")
            report(3, 9, "storing")
            watcher.start()
            watcher.join()
            for _ in range(60 if self.cancels else 0):
                report(4, 9, "storing more")
                time.sleep(0.05)


@pytest.mark.django_db(transaction=True)
def test_progress_of_one_transaction_is_seen_while_it_lasts(ran):
    work = Watched()
    job = ran(work)

    assert (job.state, work.seen) == ("done", [(3, 9, "storing")])
    assert Job.objects.filter(kind="made inside").exists()


@pytest.mark.django_db(transaction=True)
@only_long
def test_one_transaction_that_is_cancelled_leaves_nothing(ran):
    job = ran(Watched(cancels=True))

    assert job.state == "cancelled"
    assert not Job.objects.filter(kind="made inside").exists()


HELD = """
    SELECT a.state, l.pid = pg_backend_pid()
    FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE l.locktype = 'advisory' AND l.classid = %s AND l.objid = %s AND l.granted
"""


@pytest.mark.django_db(transaction=True)
def test_the_lock_of_a_job_belongs_to_a_transaction_and_not_to_a_session(work):
    """A pooler gives a session to others after each transaction: a lock of the session would stay there."""
    found = {}

    def held(job_id):
        with connection.cursor() as cursor:
            cursor.execute(HELD, [jobs._LOCK, job_id])
            return cursor.fetchall()

    def look(job, progress):
        found["during"] = held(job.pk)
        # What another user of the same pooled session does before or after.
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock_all()")
        found["again"] = jobs.run(job.pk)

    work(look)
    job = make_job()
    assert jobs.run(job.pk).state == Job.State.DONE
    assert found == {"during": [("idle in transaction", False)], "again": None}
    assert held(job.pk) == []
