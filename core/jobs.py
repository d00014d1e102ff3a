"""Long work: a job is a row, a function is registered under its kind, and Redis only wakes the worker.

A job may be killed anywhere, run twice or in parallel: an advisory lock admits one run at a time, the sweeper
queues jobs without a heartbeat again, and functions store by natural keys, one chunk a transaction.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import psycopg2
from celery import current_app
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, InterfaceError, OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import translation
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core import clock
from core.disk.errors import is_of_full_disk
from core.disk.room import is_full
from core.errors import DomainError
from core.models import Job
from core.sql.constraints import as_broken_rule
from core.watching import counts
from core.watching.problems import keep_problem

log = logging.getLogger(__name__)

HEARTBEAT = timedelta(seconds=5)
LOST_AFTER = timedelta(seconds=30)
ATTEMPTS = 5

RUN_JOB = "core.tasks.run_job"
"""The name of the Celery task that a worker runs for a job; core.tasks registers the task under it."""

# The first key of pg_try_advisory_xact_lock(int, int), for this kind of lock; the second is the job's id.
_LOCK = 0x6A6F62


Watch = Callable[[int, int | None, str], None]
"""Called at each step of a job that runs in this process, for a progress bar in a terminal."""


class Cancelled(Exception):
    """Raised inside a job that somebody cancelled."""


class Progress:
    """The progress of a job, written at most twice a second; each write also checks for cancellation."""

    def __init__(self, job: Job, watch: Watch | None = None) -> None:
        self.job = job
        self._watch = watch
        self._written = 0.0

    def __call__(self, done: int, total: int | None = None, step: str = "") -> None:
        """Report `done` of `total` (any unit) and the step in words. Raises Cancelled if the job was
        cancelled. Call it between transactions, so that its writes are visible at once.
        """
        if self._watch:
            self._watch(done, total, step)
        now = time.monotonic()
        if now - self._written < 0.5 and done != total:
            return
        self._written = now
        Job.objects.filter(pk=self.job.pk).update(
            done=done,
            total=total if total is not None else F("total"),
            step=step[:200] or F("step"),
            heartbeat_at=clock.now(),
        )
        if Job.objects.filter(pk=self.job.pk, cancel_requested_at__isnull=False).exists():
            raise Cancelled


@contextmanager
def apart(progress: Progress) -> Iterator[Watch]:
    """The progress of work in one long transaction, where what `progress` writes shows only at the end.

    What was reported last is written twice a second by a thread with a connection of its own, so that the
    work holds no lock on the job's row. A report raises Cancelled once the job was cancelled.
    """
    job_id = progress.job.pk
    told: list[dict[str, Any]] = []
    cancelled, stop = threading.Event(), threading.Event()

    def report(done: int, total: int | None = None, step: str = "") -> None:
        told[:] = [{"done": done, "step": step[:200]} | ({} if total is None else {"total": total})]
        if cancelled.is_set():
            raise Cancelled

    def follow() -> None:
        try:
            while not stop.wait(0.5):
                job = Job.objects.filter(pk=job_id, state=Job.State.RUNNING)
                job.update(heartbeat_at=clock.now(), **(told[-1] if told else {}))
                if job.filter(cancel_requested_at__isnull=False).exists():
                    cancelled.set()
        finally:
            connection.close()

    thread = threading.Thread(target=follow, name=f"progress of job {job_id}", daemon=True)
    thread.start()
    try:
        yield report
    finally:
        stop.set()
        thread.join()


JobFunction = Callable[[Job, Progress], dict[str, Any] | None]
_registry: dict[str, JobFunction] = {}


def register(kind: str) -> Callable[[JobFunction], JobFunction]:
    """Register a function as the work of jobs of this kind; its result is stored in the job's row."""

    def keep(function: JobFunction) -> JobFunction:
        _registry[kind] = function
        return function

    return keep


@register("core.ping")
def ping(job: Job, progress: Progress) -> dict[str, Any]:
    """Answer, to show that a worker runs."""
    progress(1, 1)
    return {"pong": job.arguments}


def enqueue(kind: str, *, arguments: dict[str, Any], by: Any = None, content_hash: str = "") -> Job:
    """Store a job and wake a worker at commit. The job runs even if Redis does not answer, and in the
    language of the request that asks for it.
    """
    job = Job.objects.create(
        kind=kind,
        arguments=arguments,
        created_by=by,
        content_hash=content_hash,
        language=get_language() or settings.LANGUAGE_CODE,
    )
    transaction.on_commit(lambda: ring(job.pk))
    return job


def ring(job_id: int) -> None:
    """Tell a worker that a job waits. If Redis does not answer, the sweeper rings again later."""
    try:
        if not settings.REDIS_URL:
            from core import embedded  # noqa: PLC0415  (nothing embedded is loaded where Redis is given)

            embedded.ensure_redis()
        current_app.send_task(RUN_JOB, args=[job_id], retry=False)
    except Exception:
        log.warning("the bell for job %s was not heard; the sweeper will ring again", job_id, exc_info=True)


Leave = Callable[[Job, AbstractBaseUser | AnonymousUser], bool]
_shared: dict[str, Leave] = {}


def share(kind: str, leave: Leave) -> None:
    """Register what happens when somebody cancels a job of this kind that several wait for. `leave` takes
    this user from those who wait, in the same transaction, and is true if the job goes on for somebody else.
    """
    _shared[kind] = leave


@transaction.atomic
def cancel(job: Job, by: AbstractBaseUser | AnonymousUser | None = None) -> None:
    """Cancel a job: a queued one ends at once, a running one at its next step. If others wait for it as well,
    it goes on for them.
    """
    held = Job.objects.select_for_update(no_key=True, of=("self",)).get(pk=job.pk)
    if by is not None and held.kind in _shared and _shared[held.kind](held, by):
        return
    now = clock.now()
    ended = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED).update(
        state=Job.State.CANCELLED, finished_at=now, cancel_requested_at=now
    )
    if not ended:
        Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel_requested_at=now)


@contextmanager
def _only_one(job_id: int) -> Iterator[bool]:
    """Take the job's advisory lock for the block; False if another process has it.

    The lock belongs to an open transaction of a connection of its own. A lock of a session would outlive the
    job behind a pooler that gives the session to others (pgbouncer).
    """
    connection.ensure_connection()
    here = connection.connection.info
    # psycopg2 begins a transaction with the first statement.
    apart = psycopg2.connect(**{**here.dsn_parameters, "password": here.password})
    try:
        with apart.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK, job_id % 2**31])
            (got,) = cursor.fetchone()
        yield got
    finally:
        with suppress(psycopg2.Error):
            apart.rollback()
        apart.close()


@contextmanager
def _heartbeat(job_id: int, beat: Callable[[], None] | None) -> Iterator[None]:
    """Refresh the job's heartbeat from a thread, with its own connection, during long transactions, and call
    `beat` each time.
    """
    stop = threading.Event()

    def refresh() -> None:
        try:
            while not stop.wait(HEARTBEAT.total_seconds()):
                if beat:
                    beat()
                Job.objects.filter(pk=job_id, state=Job.State.RUNNING).update(heartbeat_at=clock.now())
        finally:
            connection.close()

    thread = threading.Thread(target=refresh, name=f"heartbeat of job {job_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def jobs_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Job]:
    """The jobs that this user started, newest first."""
    return Job.objects.filter(created_by=user.pk).exclude(created_by=None).order_by("-pk")


def run(job_id: int, *, watch: Watch | None = None, beat: Callable[[], None] | None = None) -> Job | None:
    """Run one job to its end in this process; None if it is done or gone, runs elsewhere, or was begun
    ATTEMPTS times. `beat` is called every few seconds meanwhile, by a thread.

    Never raises an error of the job's function: that becomes the job's error, a DomainError in its own words.
    Any other error gets a general sentence. None also if the database went away meanwhile: the sweeper then
    finds the lost job.
    """
    with _only_one(job_id) as got:
        if not got:
            return None
        if is_full():
            _wait_for_room(job_id)
            return None
        now = clock.now()
        started = Job.objects.filter(pk=job_id, finished_at=None, attempt__lt=ATTEMPTS).update(
            state=Job.State.RUNNING, started_at=now, heartbeat_at=now, attempt=F("attempt") + 1, error=""
        )
        if not started:
            return None
        job = Job.objects.get(pk=job_id)
        with translation.override(job.language):
            return _run(job, watch, beat)


def _run(job: Job, watch: Watch | None, beat: Callable[[], None] | None) -> Job | None:
    """Run a job whose lock this process has, and store how it ended."""
    session = connection.connection
    try:
        if job.cancel_requested_at:
            raise Cancelled  # noqa: TRY301 - each way out is handled below
        with _heartbeat(job.pk, beat):
            result = _registry[job.kind](job, Progress(job, watch)) or {}
    except Cancelled:
        _finish(job.pk, Job.State.CANCELLED)
    except (DomainError, IntegrityError) as error:
        broken = as_broken_rule(error)
        told = str(broken.message) if broken else _unexpected(job, error)
        _finish(job.pk, Job.State.FAILED, error=told)
    except Exception as error:
        # Django reconnects by itself.
        cut_off = connection.connection is not session or not connection.is_usable()
        if cut_off and isinstance(error, OperationalError | InterfaceError):
            log.warning("job %s lost the database; the sweeper will ring again", job.pk, exc_info=True)
            connection.close()
            return None
        if is_of_full_disk(error):
            log.warning("job %s found the disk full; it is run again when there is room", job.pk)
            if is_full():  # else this job alone needs more than there is, and its attempts count
                Job.objects.filter(pk=job.pk).update(attempt=F("attempt") - 1)
            _wait_for_room(job.pk)
            return None
        _finish(job.pk, Job.State.FAILED, error=_unexpected(job, error))
    else:
        _finish(job.pk, Job.State.DONE, result=result)
    job = Job.objects.get(pk=job.pk)
    counts.count("crosscheck_jobs_finished_total", kind=job.kind, state=job.state)
    return job


def _wait_for_room(job_id: int) -> None:
    """Put a job back into the queue because the disk is full, and say so; the sweeper rings for it again."""
    job = Job.objects.filter(pk=job_id, finished_at=None)
    for language in job.values_list("language", flat=True):
        with translation.override(language):
            step = _("The disk of the server is full. This job goes on when there is room.")
        job.exclude(step=step, state=Job.State.QUEUED).update(
            state=Job.State.QUEUED, step=step, heartbeat_at=None
        )


def _unexpected(job: Job, error: Exception) -> str:
    """Keep an error that is ours, and what to tell of it."""
    log.error("job %s (%s) failed", job.pk, job.kind, exc_info=error)
    found = keep_problem(error, where=f"job {job.kind}")
    told = _(
        "An unexpected error. Everything that was finished before the error is kept."
        " If the error comes again, tell the administrator of this server its id: %(id)s"
    )
    return told % {"id": found}


def _finish(job_id: int, state: str, **fields: Any) -> None:
    now = clock.now()
    Job.objects.filter(pk=job_id).update(state=state, finished_at=now, heartbeat_at=now, **fields)


def sweep() -> int:
    """Ring for jobs that no worker took or whose worker died, up to the last attempt; return how many."""
    lost = clock.now() - LOST_AFTER
    waiting = Q(state=Job.State.QUEUED, created_at__lt=lost) | Q(
        state=Job.State.RUNNING, heartbeat_at__lt=lost
    )
    given_up = Job.objects.filter(waiting, finished_at=None, attempt__gte=ATTEMPTS)
    for language in given_up.order_by().values_list("language", flat=True).distinct():
        with translation.override(language):
            error = _("The process that ran this job was lost %(count)s times.") % {"count": ATTEMPTS}
        given_up.filter(language=language).update(
            state=Job.State.FAILED, finished_at=clock.now(), error=error
        )
    ids = list(Job.objects.filter(waiting, finished_at=None).values_list("pk", flat=True))
    for job_id in ids:
        ring(job_id)
    return len(ids)
