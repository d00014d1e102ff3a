"""The database of a test run: a copy of one that was migrated once, and is kept in pytest's cache.

To make a cluster and to migrate it takes a dozen seconds of processor time, for each worker; to unpack and to copy
takes one. What is kept is named by a digest of all that makes it, so that a changed migration or trigger makes it again.
`tests/core/test_up.py` migrates an empty database as a user does.
"""

import fcntl
import hashlib
import os
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pgtrigger.registry
import psycopg2
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from core import embedded
from core.embedded import postgres
from core.embedded.folder import Folder

MIGRATED = "crosscheck_migrated"


def use_empty(name: str, cache: Path) -> None:
    """Let this process work on an empty database `name` with all tables and triggers."""
    at = embedded.use()
    with _alone(at):
        kept = cache / f"{digest()}-{at.owner.uid}.tar"
        if kept.exists() and not at.postgres.exists():
            _unpack(kept, at)
        if not _exists(MIGRATED):
            _migrate()
            _keep(at, kept)
        _let_tests_see_others(at)
        _run(f'DROP DATABASE IF EXISTS "{name}"', f'CREATE DATABASE "{name}" TEMPLATE {MIGRATED}')
    _point_to(name)
    connection.settings_dict["OPTIONS"] = {"assume_role": postgres.APPLICATION}
    settings.DATABASES["default"]["OPTIONS"] = connection.settings_dict["OPTIONS"]
    connection.ensure_connection()


@contextmanager
def as_owner() -> Iterator[None]:
    """Work as the owner of the tables in this block, through the door of tables that are append-only; tests work as
    the application's role otherwise (core.sql.roles).
    """
    with connection.cursor() as cursor:
        cursor.execute("SET ROLE NONE; SET crosscheck.door = 'tests'")
        try:
            yield
        finally:
            cursor.execute(f"SET ROLE {postgres.APPLICATION}; RESET crosscheck.door")


@contextmanager
def signed_in_as(role: str) -> Iterator[None]:
    """Connect anew as this role of the server in the block; not inside a transaction."""
    usual = connection.settings_dict
    connection.close()
    connection.settings_dict = usual | {"USER": role, "OPTIONS": {}}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = usual


def digest() -> str:
    """Names all that makes a migrated database: packages, the server's settings, migrations, triggers, models."""
    found = hashlib.sha256()
    beside = [settings.BASE_DIR / "requirements.lock", Path(postgres.__file__)]
    own = (Path(app.path) / "migrations" for app in apps.get_app_configs())
    for file in [*beside, *sorted(file for folder in own for file in folder.glob("*.*") if file.is_file())]:
        found.update(file.read_bytes())
    for model, trigger in pgtrigger.registry.registered():
        found.update(str(trigger.compile(model).install_sql).encode())
    for table in apps.get_models():
        found.update(f"{table._meta.label} {table._meta.permissions}".encode())
    return found.hexdigest()[:16]


def _migrate() -> None:
    """Under another name until it is whole: a failed migration leaves nothing that the next worker would take."""
    half = f"{MIGRATED}_half"
    _run(f"DROP DATABASE IF EXISTS {half}", f"CREATE DATABASE {half}")
    _point_to(half)
    call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)
    connection.close()
    _run(f"ALTER DATABASE {half} RENAME TO {MIGRATED}")


def _keep(at: Folder, kept: Path) -> None:
    """Pack the files of the server, which rests meanwhile, in the place of those that were kept before."""
    connection.close()
    half = kept.with_suffix(f".{os.getpid()}")
    with at.locked():
        postgres.stop(at)
        with tarfile.open(half, "w") as packed:
            packed.add(at.postgres, arcname=at.postgres.name)
        postgres.start(at, durable=False)
    for old in kept.parent.glob("*.tar"):
        old.unlink(missing_ok=True)
    half.rename(kept)


def _unpack(kept: Path, at: Folder) -> None:
    with at.locked(), tarfile.open(kept) as packed:
        at.prepare()
        packed.extractall(at.path, numeric_owner=True, filter="fully_trusted")


def _let_tests_see_others(at: Folder) -> None:
    """Tests sign in as the owner, so that to the application's role their other sessions are those of a stranger: let
    it see whether these wait, and end them.
    """
    given = postgres.connection_parameters(at) | {"user": "postgres", "dbname": "postgres"}
    with closing(psycopg2.connect(**given)) as server, server.cursor() as cursor:
        cursor.execute(f"GRANT pg_read_all_stats, pg_signal_backend TO {postgres.APPLICATION}")
        server.commit()


def _exists(name: str) -> bool:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT FROM pg_database WHERE datname = %s", [name])
        return bool(cursor.fetchone() is not None)


def _run(*statements: str) -> None:
    with connection._nodb_cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _point_to(name: str) -> None:
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = name


@contextmanager
def _alone(at: Folder) -> Iterator[None]:
    """One worker at a time."""
    descriptor = at.open_lock("migrated.lock")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
