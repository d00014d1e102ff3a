"""Puts a backup back: into a scratch database, to check it, or into an empty server."""

import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.utils.translation import gettext as _
from psycopg2.extensions import quote_ident

from core.upkeep.database import Sums, parameters, run, session, sums_of
from core.upkeep.errors import BackupError
from core.upkeep.leftovers import work_folder
from core.upkeep.making import DATABASE, FILES, MANIFEST, Manifest, Say, hash_of


def checked(backup: Path, say: Say = lambda _text: None) -> bool:
    """Restore the database of a backup into a scratch database and compare each table. False if the role may
    not make databases; raises BackupError if the backup is not what it says. Needs room beside the backup,
    not where people work.
    """
    given = parameters()
    # One name for each database: what a killed check left is found again.
    scratch = f"crosscheck_check_{crc32(given['dbname'].encode()):08x}"
    with session({**given, "dbname": "postgres"}) as server:
        server.autocommit = True
        with server.cursor() as cursor:
            cursor.execute("SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user")
            if not cursor.fetchone()[0]:
                return False
            say(_("Checking the backup in a scratch database …"))
            cursor.execute("SELECT pg_advisory_lock(hashtext(%s))", [scratch])
            cursor.execute(f"DROP DATABASE IF EXISTS {quote_ident(scratch, cursor)} WITH (FORCE)")
            cursor.execute(f"CREATE DATABASE {quote_ident(scratch, cursor)} TEMPLATE template0")
            try:
                with unpacked(backup, backup.parent) as (manifest, dump, _files):
                    _load(parameters(scratch), dump)
                    _compare(manifest.sums, parameters(scratch))
            finally:
                cursor.execute(f"DROP DATABASE {quote_ident(scratch, cursor)} WITH (FORCE)")
    return True


def restore(backup: Path, say: Say = lambda _text: None) -> Manifest:
    """Restore a backup into this server, which must be empty, and bring its tables up to this version.

    Raises BackupError, and leaves the server as it was, for a backup that is damaged or from a newer version,
    and for a server with an account.
    """
    with unpacked(backup, settings.DATA_DIR) as (manifest, dump, files):
        _refuse_newer(manifest)
        _refuse_full()
        given = parameters()
        connections.close_all()
        say(_("Restoring the database …"))
        _empty(given)
        try:
            _load(given, dump)
            _compare(manifest.sums, given)
        except BackupError:
            _empty(given)
            raise
        say(_("Restoring files …"))
        for name in manifest.files:
            target = Path(settings.DATA_DIR) / name
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (files / name).replace(target)
    call_command("migrate", verbosity=0, interactive=False)
    return manifest


@contextmanager
def unpacked(backup: Path, place: Path) -> Iterator[tuple[Manifest, Path, Path]]:
    """The manifest of a backup, its dump and the folder of its files, each compared with its hash; below
    `place` until the block ends.
    """
    with work_folder("restore", place) as top:
        try:
            with tarfile.open(backup) as archive:
                archive.extractall(top, filter="data")
            manifest = Manifest(**json.loads((top / MANIFEST).read_text(encoding="utf-8")))
        except (OSError, tarfile.TarError, ValueError, TypeError) as error:
            raise BackupError(
                _("%(file)s is no backup, or is damaged: %(reason)s.") % {"file": backup, "reason": error}
            ) from error
        wanted = {DATABASE: manifest.database} | {
            f"{FILES}/{name}": one for name, one in manifest.files.items()
        }
        for name, (size, digest) in wanted.items():
            path = top / name
            if not path.is_file() or path.stat().st_size != size or hash_of(path.open("rb")) != digest:
                raise BackupError(
                    _("%(name)s in the backup is damaged. Nothing was changed.") % {"name": name}
                )
        yield manifest, top / DATABASE, top / FILES


def _refuse_newer(manifest: Manifest) -> None:
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    known = set(loader.disk_migrations) | {
        key for migration in loader.disk_migrations.values() for key in migration.replaces
    }
    if newer := [f"{app}.{name}" for app, name in manifest.migrations if (app, name) not in known]:
        raise BackupError(
            _(
                "A newer version (%(version)s) made this backup: this version does not know %(migrations)s."
                " Nothing was changed."
            )
            % {"version": manifest.version, "migrations": ", ".join(newer[:5])}
        )


def _refuse_full() -> None:
    """Raise unless nobody has an account here: a server that was just set up has none."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('public.accounts_user') IS NOT NULL")
        if cursor.fetchone()[0]:
            cursor.execute("SELECT EXISTS (SELECT FROM accounts_user)")
            if cursor.fetchone()[0]:
                raise BackupError(
                    _(
                        "This server has accounts. Nothing was changed. Restore into an empty data folder or"
                        " database."
                    )
                )


def _empty(given: dict[str, str]) -> None:
    with session(given) as opened, opened.cursor() as cursor:
        cursor.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        opened.commit()


def _load(given: dict[str, str], dump: Path) -> None:
    run(
        "pg_restore",
        given,
        "--no-owner",
        "--no-privileges",
        "--clean",
        "--if-exists",
        "--exit-on-error",
        "--single-transaction",
        str(dump),
    )


def _compare(wanted: Sums, given: dict[str, str]) -> None:
    with session(given) as opened:
        found = sums_of(opened)
    wrong = sorted(table for table in wanted.keys() | found.keys() if wanted.get(table) != found.get(table))
    if wrong:
        raise BackupError(
            _("The restored tables differ from the backup: %(tables)s.") % {"tables": ", ".join(wrong)}
        )
