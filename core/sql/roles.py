"""The two roles of the database: the owner makes and migrates the tables, the application works with them.

`settings.DATABASES` is how the application signs in, `settings.DATABASE_OWNER` what differs for the owner, or
None where one role does all (docs/decisions/0052).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.management import CommandError
from django.db import ProgrammingError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _
from psycopg2 import sql

from core.sql.append_only import append_only

WORKS = {"SELECT", "INSERT", "UPDATE", "DELETE"}
MAINTAINED_FROM = 170000
"""The version of PostgreSQL from which a role that is not the owner may be let ANALYZE."""

# Privileges as the application's role has them now; what everybody has is not counted.
_TABLES = """
    SELECT c.relname, c.relkind::text, coalesce((
        SELECT array_agg(a.privilege_type::text)
        FROM aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = %(role)s
    ), '{}')
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
"""
_OWNS = """
    SELECT EXISTS (
        SELECT FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
          AND pg_has_role(%(role)s, c.relowner, 'MEMBER')
    )
"""
_SCHEMA = """
    SELECT has_schema_privilege(%(role)s, 'public', 'USAGE'),
           has_schema_privilege('public', 'public', 'CREATE')
"""
_DOORS = """
    SELECT p.oid::regprocedure::text FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND NOT EXISTS (
        SELECT FROM aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE r.rolname = %(role)s
    )
"""


@contextmanager
def as_owner(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Work as the owner of the tables in this block. Does nothing where one role does all."""
    if not settings.DATABASE_OWNER:
        yield
        return
    usual = connection.settings_dict
    owner = {key: value for key, value in settings.DATABASE_OWNER.items() if value}
    connection.close()
    connection.settings_dict = usual | owner | {"NAME": usual["NAME"]}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict = usual


def make_application(connection: BaseDatabaseWrapper) -> None:
    """Make the application's role, with the password of its settings, if there is none. Raises CommandError
    if this role may not.
    """
    role = settings.DATABASE_APPLICATION
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_roles WHERE rolname = %s", [role])
        if not role or cursor.fetchone() is not None:
            return
        password = settings.DATABASES["default"].get("PASSWORD", "")
        make = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password))
        try:
            cursor.execute(make.as_string(cursor.cursor))
        except ProgrammingError as error:
            raise CommandError(
                _(
                    "There is no role %(role)s, and this role may not make it. Nothing was changed. Let an"
                    " administrator of the database run CREATE ROLE %(role)s LOGIN PASSWORD '…'; with the"
                    " password of DATABASE_URL. Then run this command again."
                )
                % {"role": role}
            ) from error


def grant(connection: BaseDatabaseWrapper) -> None:
    """Let the application's role do what it needs with each table, and no more: it makes no table, empties
    none, and changes no line of the audit. Does nothing if all is so already, or if the role is the one that
    asks. Call as the owner.
    """
    role = settings.DATABASE_APPLICATION
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        if role in {"", cursor.fetchone()[0]}:
            return
        cursor.execute(_SCHEMA, {"role": role})
        is_used, is_open = cursor.fetchone()
        if not is_used:
            _run(cursor, "GRANT USAGE ON SCHEMA public TO {role}", role)
        if is_open:  # a database of PostgreSQL 14 or before
            cursor.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        for name, kind, wanted in _differing(cursor, role):
            what = "SEQUENCE" if kind == "S" else "TABLE"
            allowed = ", ".join(sorted(wanted))
            _run(cursor, f"REVOKE ALL ON {what} {{thing}} FROM {{role}}", role, name)
            _run(cursor, f"GRANT {allowed} ON {what} {{thing}} TO {{role}}", role, name)
        cursor.execute(_DOORS, {"role": role})
        for (signature,) in cursor.fetchall():
            _run(cursor, f"GRANT EXECUTE ON FUNCTION {signature} TO {{role}}", role)


def missing_grants(connection: BaseDatabaseWrapper) -> list[str]:
    """The tables and sequences with which the application's role may not yet do what it is to; none if this
    role owns them.
    """
    role = settings.DATABASE_APPLICATION
    with connection.cursor() as cursor:
        cursor.execute(_OWNS, {"role": role})
        if not role or cursor.fetchone()[0]:
            return []
        return [name for name, _kind, _wanted in _differing(cursor, role)]


def _differing(cursor: CursorWrapper, role: str) -> list[tuple[str, str, set[str]]]:
    """The tables whose privileges of the role are others than it is to have, with their kind and those."""
    cursor.execute("SHOW server_version_num")
    works = WORKS | ({"MAINTAIN"} if int(cursor.fetchone()[0]) >= MAINTAINED_FROM else set())
    only_added = {model._meta.db_table for model in append_only()}  # noqa: SLF001 - public by documentation
    cursor.execute(_TABLES, {"role": role})
    found = (
        (name, kind, set(has), _wanted(name, kind, only_added, works))
        for name, kind, has in cursor.fetchall()
    )
    return [(name, kind, wanted) for name, kind, has, wanted in found if has != wanted]


def _wanted(name: str, kind: str, only_added: set[str], works: set[str]) -> set[str]:
    if kind == "S":
        return {"USAGE", "SELECT"}
    if kind in "vm" or name == MigrationRecorder.Migration._meta.db_table:  # noqa: SLF001 - public by documentation
        return {"SELECT"}
    return {"SELECT", "INSERT"} if name in only_added else works


def _run(cursor: CursorWrapper, statement: str, role: str, thing: str = "") -> None:
    made = sql.SQL(statement).format(role=sql.Identifier(role), thing=sql.Identifier("public", thing or role))
    cursor.execute(made.as_string(cursor.cursor))
