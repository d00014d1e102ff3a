"""What a backup and a restore ask PostgreSQL: its programs, and a sum of the rows of each table."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg2
from django.db import connection
from django.utils.translation import gettext as _

from core import embedded
from core.embedded.errors import EmbeddedServerError
from core.upkeep.errors import BackupError

# In these settings a row has the same text on every server.
_ALIKE = """
    SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; SET bytea_output = 'hex'
"""
_TABLES = """
    SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY c.relname
"""
_SUM = "SELECT count(*), coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text FROM public.{table} t"

_PLACES = {"host": "--host", "port": "--port", "user": "--username", "dbname": "--dbname"}
# How the connection is encrypted: the programs of PostgreSQL read these from their environment.
_ENCRYPTION = {
    name: f"PG{name.upper().replace('_', '')}"
    for name in ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "channel_binding", "gssencmode")
}

Sums = dict[str, tuple[int, str]]
"""By table: the number of rows, and a sum of their hashes that does not depend on their order."""


def parameters(database: str | None = None) -> dict[str, str]:
    """How libpq reaches the database of this server, or another one there."""
    connection.ensure_connection()
    info = connection.connection.info
    found = {name: str(info.dsn_parameters.get(name, "")) for name in (*_PLACES, *_ENCRYPTION)}
    found["password"] = info.password or ""
    if database:
        found["dbname"] = database
    return {name: value for name, value in found.items() if value}


@contextmanager
def session(given: Mapping[str, str]) -> Iterator[Any]:
    """A connection of its own, without Django; closed at the end, whatever happens. Raises BackupError for
    what PostgreSQL refuses.
    """
    try:
        with closing(psycopg2.connect(**given)) as opened:
            with opened.cursor() as cursor:
                cursor.execute(_ALIKE)
            opened.commit()
            yield opened
    except psycopg2.Error as error:
        raise BackupError(_("PostgreSQL refused: %(reason)s") % {"reason": str(error).strip()}) from error


def sums_of(opened: Any) -> Sums:
    """The sums of all tables, in the transaction that the connection is in. Reads every row once."""
    with opened.cursor() as cursor:
        cursor.execute(_TABLES)
        found: Sums = {}
        for (table,) in cursor.fetchall():
            cursor.execute(_SUM.format(table=psycopg2.extensions.quote_ident(table, cursor)))
            rows, total = cursor.fetchone()
            found[table] = (rows, total)
    return found


def run(name: str, given: Mapping[str, str], *arguments: str) -> None:
    """Run a program of PostgreSQL on a database. Raises BackupError with the end of what it printed."""
    command = [str(_program(name))]
    command += [f"{option}={given[key]}" for key, option in _PLACES.items() if key in given]
    environment = {**os.environ, "PGPASSWORD": given.get("password", ""), "PGOPTIONS": ""}
    environment |= {variable: given[key] for key, variable in _ENCRYPTION.items() if key in given}
    answer = subprocess.run(
        [*command, *arguments], env=environment, capture_output=True, text=True, errors="replace", check=False
    )
    if answer.returncode:
        raise BackupError(
            _("%(program)s failed. The end of what it printed:") % {"program": name}
            + f"\n{answer.stderr[-2000:]}"
        )


def _program(name: str) -> Path:
    """The program that comes with Crosscheck, else the one of this computer."""
    try:
        return embedded.postgres.program(name)
    except EmbeddedServerError:
        if found := shutil.which(name):
            return Path(found)
    raise BackupError(_("There is no %(program)s on this computer.") % {"program": name})
