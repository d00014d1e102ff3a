from typing import Any

from django.contrib.auth import get_user_model
from django.core.management import BaseCommand, call_command
from django.db import connection

from core.sql.roles import as_owner
from core.upkeep import stamp


class Command(BaseCommand):
    """Brings the database up to date before `up` lets visitors in; prints `new` while there is no account."""

    help = "Brings the database up to date, as each `up` does; prints `new` while there is no account."
    requires_system_checks: list[str] = []  # they would open the database before our checks

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        if connection.settings_dict["ENGINE"] == "core.postgres":
            with as_owner(connection):
                stamp.put(connection)
        if not get_user_model().objects.exists():
            self.stdout.write("new")
