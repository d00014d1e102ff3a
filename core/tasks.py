"""Celery tasks, each of which makes one call to core.jobs."""

from celery import shared_task

from core import jobs
from core.upkeep.doctor import note_worker


@shared_task(name=jobs.RUN_JOB)
def run_job(job_id: int) -> None:
    jobs.run(job_id)


@shared_task
def sweep() -> None:
    note_worker()
    jobs.sweep()
