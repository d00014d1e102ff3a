from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        connection_created.connect(_name_no_triggers, dispatch_uid="core.name_no_triggers")


def _name_no_triggers(connection: Any, **_given: Any) -> None:
    """Say at the start of a session that no trigger is to be passed over.

    Every trigger asks for this setting. Where it was never made it catches an error instead, and PostgreSQL
    then looks through all that the transaction has deferred, once per row: a minute for ten thousand rows.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET pgtrigger.ignore = '{}'")
