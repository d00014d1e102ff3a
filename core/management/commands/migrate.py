import sys
import time
from collections.abc import Callable
from typing import Any

import pgtrigger
from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _
from psycopg2.errors import LockNotAvailable

from core.sql.roles import as_owner, grant, make_application, missing_grants
from core.upkeep import stamp

LOCK_SECONDS = 5.0
TRIES = 12
EARLIER_TABLE = "annotate_label"
EARLIER_MIGRATIONS = {("annotate", "0002_composite_keys"), ("annotate", "0021_cards_are_brought")}


class Command(migrate.Command):
    """Django's command, which refuses a database of an earlier 0.1.0 before it changes anything.

    The migrations were rewritten when the rooms were built (docs/decisions/0024), and folded into one for
    each room later (docs/decisions/0042): Django would report an inconsistent history, or take half for the
    whole.

    It works as the owner of the tables, and says at the end what the application's role may do with them.
    """

    def execute(self, *args: Any, **options: Any) -> str | None:
        # Around the system checks too, which ask the database: the application's role may be yet to make.
        with as_owner(connections[options["database"]]):
            return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        refuse_earlier(connection)
        only_looks = options["plan"] or options["check_unapplied"]
        if not only_looks:
            make_application(connection)
            stamp.take_away(connection)
        patiently(connection, lambda: super(Command, self).handle(*args, **options), self.stdout.write)
        if not only_looks:
            grant(connection)
        # Applied migrations are half of it: `migrate` installs triggers and grants rights after them.
        if options["check_unapplied"] and (missing := [*missing_triggers(), *missing_grants(connection)]):
            self.stderr.write(_("Not done yet: %(names)s") % {"names": ", ".join(missing[:5])})
            sys.exit(1)


def missing_triggers() -> list[str]:
    """The triggers of the models that the database lacks, or has otherwise."""
    return [
        f"{model._meta.db_table}.{trigger.name}"  # noqa: SLF001 - public by documentation
        for model, trigger in pgtrigger.registered()
        if trigger.get_installation_status(model)[0] != "INSTALLED"
    ]


def patiently(
    connection: BaseDatabaseWrapper,
    act: Callable[[], object],
    say: Callable[[str], object],
    *,
    wait: float = LOCK_SECONDS,
    tries: int = TRIES,
) -> None:
    """Do `act`, in which no statement waits longer than `wait` seconds for a lock: all who come later would
    wait behind it. What was done stays, and the rest is tried again. Raises CommandError when no try is left.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{wait * 1000:.0f}ms"])
    for left in reversed(range(tries)):
        try:
            act()
            break
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            if not left:
                raise CommandError(
                    _("Other work holds a table that has to change. Run this command again later.")
                ) from error
            say(_("Other work holds a table. Trying again …"))
            time.sleep(wait)
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")


def refuse_earlier(connection: BaseDatabaseWrapper) -> None:
    if is_earlier(connection):
        raise CommandError(
            _(
                "An earlier 0.1.0 made the database of this data folder. Nothing in the database was"
                " changed. Export each study with the commit that made it (ad5a204: manage.py"
                " export_study). Then import each study with this version into an empty data folder"
                " (manage.py import_study)."
            )
        )
    if is_between(connection):
        raise CommandError(
            _(
                "An earlier 0.1.0 made the database of this data folder. Nothing in the database was"
                " changed. Update the database with commit 80ae07b1 first (manage.py migrate). Then start"
                " this version again."
            )
        )


def is_earlier(connection: BaseDatabaseWrapper) -> bool:
    """Was the database made before the migrations were rewritten? Reads only."""
    recorded = MigrationRecorder(connection).applied_migrations()
    return (
        bool(EARLIER_MIGRATIONS & recorded.keys()) or EARLIER_TABLE in connection.introspection.table_names()
    )


def is_between(connection: BaseDatabaseWrapper) -> bool:
    """Has the database some, but not all, of what a folded migration makes? Reads only.

    All that was folded is recorded, in a database of before and in a new one. A room's own migration is
    recorded as well, at the end: a new database that was interrupted lacks it, and is whole.
    """
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    recorded = MigrationRecorder(connection).applied_migrations().keys()
    for key, migration in loader.disk_migrations.items():
        folded = set(migration.replaces) - loader.disk_migrations.keys()
        if recorded & {key, *folded} and not folded <= recorded:
            return True
    return False
