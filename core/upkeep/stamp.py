"""What brought the database up to date: a comment on the database names the code, so that the same code need
not look again at each start of `up`. `up` asks it without loading the applications.

Where anything is in doubt there is no stamp, and `manage.py prepare` looks: a digest of all code that can
make a table, a trigger or a grant differs from that of other code, `migrate` takes the stamp away before it
begins, and a database that was restored or emptied has none, or no table of accounts.
"""

import hashlib
import sys
from contextlib import closing
from pathlib import Path

import psycopg2
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg2 import sql

from core import embedded
from core.embedded.postgres import DATABASE

_SAID = """
    SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()
"""
_WORDS = "up to date for "
_LEFT_OUT = {
    ".venv",
    ".git",
    "tests",
    "bench",
    "docs",
    "static",
    "templates",
    "locale",
    "var",
    "node_modules",
}


def digest() -> str:
    """Names the code: Python, the packages of the lock file, and each module and statement of ours."""
    top = Path(settings.BASE_DIR)
    found = hashlib.sha256(sys.version.encode())
    for folder in sorted(path for path in top.iterdir() if path.is_dir() and path.name not in _LEFT_OUT):
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.sql")]):
            found.update(f"{path.relative_to(top)} ".encode())
            found.update(hashlib.sha256(path.read_bytes()).digest())
    found.update((top / "requirements.lock").read_bytes())
    return found.hexdigest()[:32]


def put(connection: BaseDatabaseWrapper) -> None:
    """Say that this code has brought the database up to date. Call as its owner."""
    _say(connection, _WORDS + digest())


def take_away(connection: BaseDatabaseWrapper) -> None:
    """Say nothing of the sort any more: something begins to change. Call as the owner of the database."""
    with connection.cursor() as cursor:
        cursor.execute(_SAID)
        (said,) = cursor.fetchone()
    if said and said.startswith(_WORDS):
        _say(connection, None)


def is_new(database: str = DATABASE) -> bool | None:
    """None if the embedded database has to be brought up to date. Otherwise: has nobody an account yet?"""
    try:
        with (
            closing(psycopg2.connect(**embedded.postgres_parameters(), dbname=database)) as opened,
            opened.cursor() as cursor,
        ):
            cursor.execute(_SAID)
            if cursor.fetchone() != (_WORDS + digest(),):
                return None
            cursor.execute("SELECT NOT EXISTS (SELECT FROM accounts_user)")
            (found,) = cursor.fetchone()
            return bool(found)
    except psycopg2.Error:
        return None


def _say(connection: BaseDatabaseWrapper, text: str | None) -> None:
    with connection.cursor() as cursor:
        made = sql.SQL("COMMENT ON DATABASE {} IS {}").format(
            sql.Identifier(connection.settings_dict["NAME"]), sql.Literal(text)
        )
        cursor.execute(made.as_string(cursor.cursor))
