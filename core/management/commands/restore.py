from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from core.sql.roles import as_owner
from core.upkeep.errors import BackupError
from core.upkeep.restoring import restore


class Command(BaseCommand):
    """Restores a backup into an empty server."""

    help = "Restores a backup into this server, which must be empty and whose web and worker must have ended."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", type=Path, metavar="FILE")

    def handle(self, *args: Any, backup: Path, **options: Any) -> None:
        try:
            with as_owner(connection):
                manifest = restore(backup, self.stdout.write)
        except (BackupError, DatabaseError) as error:
            raise CommandError(str(error).strip()) from error
        rows = sum(count for count, _total in manifest.sums.values())
        self.stdout.write(
            _("Restored the backup of %(at)s: %(rows)d rows in %(tables)d tables, %(files)d files.")
            % {
                "at": manifest.made_at,
                "rows": rows,
                "tables": len(manifest.tables),
                "files": len(manifest.files),
            }
        )
