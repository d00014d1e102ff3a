from typing import Any

from django.core.management import BaseCommand, CommandError
from django.utils.translation import gettext as _

from core.upkeep.doctor import findings

SIGNS = {True: "ok", None: "--", False: "!!"}


class Command(BaseCommand):
    """Says which parts of the server work, and when the last good backup was made."""

    help = "Asks each part of the server whether it works; ends with 1 if one does not."
    requires_system_checks: list[str] = []  # a database that does not answer is a finding, not a crash

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for found in findings():
            wrong += found.ok is False
            line = f"{SIGNS[found.ok]} {found.part:<11} {found.said}"
            self.stdout.write(self.style.ERROR(line) if found.ok is False else line)
        if wrong:
            raise CommandError(_("%(n)d parts need you.") % {"n": wrong})
