from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

EARLIER_TABLE = "annotate_label"
EARLIER_MIGRATIONS = {("annotate", "0002_composite_keys"), ("annotate", "0021_cards_are_brought")}


class Command(migrate.Command):
    """Django's command, which refuses a database of an earlier 0.1.0 before it changes anything.

    The migrations were rewritten when the rooms were built (docs/decisions/0024): Django would only report an
    inconsistent history.
    """

    def handle(self, *args: Any, **options: Any) -> None:
        if is_earlier(connections[options["database"]]):
            raise CommandError(
                _(
                    "An earlier 0.1.0 made the database of this data folder. Nothing in the database was"
                    " changed. Export each study with the commit that made it (ad5a204: manage.py"
                    " export_study). Then import each study with this version into an empty data folder"
                    " (manage.py import_study)."
                )
            )
        super().handle(*args, **options)


def is_earlier(connection: BaseDatabaseWrapper) -> bool:
    """Was the database made before the migrations were rewritten? Reads only."""
    recorded = MigrationRecorder(connection).applied_migrations()
    return (
        bool(EARLIER_MIGRATIONS & recorded.keys()) or EARLIER_TABLE in connection.introspection.table_names()
    )
