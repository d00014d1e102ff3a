from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        from core.sql.append_only import guard_history

        guard_history()
        connection_created.connect(_name_no_triggers, dispatch_uid="core.name_no_triggers")


def _name_no_triggers(connection: Any, **_given: Any) -> None:
    """Declare at the start of a session that no trigger is ignored.

    Every trigger reads this setting. If it was never set, the trigger catches an error, and PostgreSQL then
    scans everything that the transaction has deferred, once per row: a minute for ten thousand rows.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET pgtrigger.ignore = '{}'")
