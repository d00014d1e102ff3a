from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.utils.translation import gettext as _

from core.sql.roles import as_owner
from core.upkeep.errors import BackupError
from core.upkeep.making import keep_newest, make_backup, note, set_aside
from core.upkeep.restoring import checked


class Command(BaseCommand):
    """Writes a backup of the whole server while people label, and checks it by a restore."""

    help = "Writes a backup of database and files into a folder, and checks it in a scratch database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
        parser.add_argument("--keep", type=int, default=0, help="delete all but so many backups (0: none)")
        parser.add_argument(
            "--no-check", action="store_true", help="skip the restore into a scratch database"
        )

    def handle(self, *args: Any, to: Path, keep: int, no_check: bool, **options: Any) -> None:
        failed = ""
        try:
            with as_owner(connection):
                path = make_backup(to, self.stdout.write)
        except (BackupError, DatabaseError) as error:
            raise CommandError(str(error).strip()) from error
        try:
            with as_owner(connection):
                is_checked = not no_check and checked(path, self.stdout.write)
        except (BackupError, DatabaseError) as error:
            failed = _("The check of the backup failed. The file is now %(path)s. %(reason)s") % {
                "path": set_aside(path),
                "reason": str(error).strip(),
            }
        for gone in keep_newest(to, keep):
            self.stdout.write(_("Deleted the older backup %(name)s.") % {"name": gone.name})
        if failed:
            raise CommandError(failed)
        note(path, checked=is_checked)
        said = (
            _("%(path)s: restored and compared.") if is_checked else _("%(path)s: not checked by a restore.")
        )
        self.stdout.write(said % {"path": path})
        self.stdout.write(_("The key of this server is not in it. Keep a copy of the key in another place."))
