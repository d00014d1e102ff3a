"""Celery tasks, each of which makes one call to core.jobs."""

from functools import partial
from typing import Any

from celery import shared_task

from core import jobs
from core.upkeep import leftovers
from core.watching.folders import note_folder
from core.watching.workers import note_worker


@shared_task(name=jobs.RUN_JOB, bind=True)
def run_job(self: Any, job_id: int) -> None:
    # Long jobs can take every place of a worker, so that no sweep notes that it runs.
    jobs.run(job_id, beat=partial(note_worker, self.request.hostname))


@shared_task(bind=True)
def sweep(self: Any) -> None:
    note_worker(self.request.hostname)
    note_folder(self.request.hostname)
    jobs.sweep()


@shared_task
def sweep_files() -> None:
    leftovers.sweep()
