"""The worker's task that closes votes past their deadline."""

from celery import shared_task

from taxonomy import actions


@shared_task
def close_due_motions() -> None:
    actions.close_due()
