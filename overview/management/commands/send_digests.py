"""Send the digests of today."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core import clock
from overview.actions import digests


class Command(BaseCommand):
    help = "Mails everybody who wants it what waits for them. Once a member and day, however often it runs."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            sent = digests.send_digests(now=clock.now())
        except digests.MailFailed as failed:
            raise CommandError(
                f"{failed.sent} sent, {failed.failed} not: see the log for why, and run this again."
            ) from failed
        self.stdout.write(f"{sent} sent.")
