"""`manage.py removed_studies`: what was deleted from this server."""

from typing import Any

from django.core.management.base import BaseCommand

from studies.actions import remove_due_studies
from studies.models import RemovedStudy


class Command(BaseCommand):
    help = "Remove the studies whose days of grace are over, and list all studies that were deleted."

    def handle(self, *_args: Any, **_options: Any) -> None:
        remove_due_studies()
        for one in RemovedStudy.objects.select_related("asked_by").order_by("pk"):
            who = one.asked_by.email if one.asked_by else "?"
            rows = sum(one.rows.values())
            self.stdout.write(
                f"{one.removed_at:%Y-%m-%d %H:%M} {one.name} ({who}): {rows} rows, {one.files} files"
            )
