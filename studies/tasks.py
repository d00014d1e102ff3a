"""The worker's task that removes studies whose days of grace are over."""

from celery import shared_task

from studies import actions


@shared_task
def remove_due_studies() -> None:
    actions.remove_due_studies()
