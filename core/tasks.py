"""Celery tasks, each of which makes one call to core.jobs."""

from celery import shared_task

from core import jobs
from core.upkeep.doctor import note_worker


@shared_task(name=jobs.RUN_JOB)
def run_job(job_id: int) -> None:
    # Long jobs can take every place of a worker, so that no sweep notes that it runs.
    jobs.run(job_id, beat=note_worker)


@shared_task
def sweep() -> None:
    note_worker()
    jobs.sweep()
