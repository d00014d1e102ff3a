"""The task that sends the daily mail."""

from celery import shared_task

from core import clock
from overview.actions import digests


# No digest is sent twice, so a later try is for the mails that failed.
@shared_task(autoretry_for=(digests.MailFailed,), retry_backoff=60, retry_backoff_max=3600, max_retries=6)
def send_digests() -> None:
    digests.send_digests(now=clock.now())
