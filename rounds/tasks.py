"""The tasks that seal what happened in rounds."""

from celery import shared_task

from rounds.actions import seals


@shared_task
def seal_new() -> None:
    seals.seal_new()


@shared_task
def seal_all() -> None:
    seals.seal_all()
