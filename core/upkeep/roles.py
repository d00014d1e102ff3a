"""What `doctor` and `/readyz` say of the role that runs: may it change the audit?"""

from django.db import connection
from django.utils.translation import gettext as _

from core.sql.append_only import append_only

_NO_RIGHT = "42501"
"""What PostgreSQL says of a table that a migration has not yet opened to the role."""

# A member of the owner's role can become the owner, whatever the role itself may do.
_MAY_CHANGE = """
    SELECT c.relname FROM pg_class c
    WHERE c.oid = ANY(%s::regclass[]) AND (
        has_table_privilege(c.oid, 'DELETE, TRUNCATE') OR has_any_column_privilege(c.oid, 'UPDATE')
        OR pg_has_role(session_user, c.relowner, 'MEMBER')
    )
    ORDER BY 1
"""


def is_before_migrate(error: BaseException) -> bool:
    """Did the database refuse a table to the role? The first `migrate` of this version gives it the right."""
    return getattr(error.__cause__, "pgcode", None) == _NO_RIGHT


def before_migrate() -> str:
    return _("The database role may not use the tables yet. Run manage.py migrate.")


def role() -> tuple[bool | None, str]:
    """A finding of `doctor`: a warning if the role may change the audit, or a pooler hides who asks."""
    tables = [f'public."{model._meta.db_table}"' for model in append_only()]  # noqa: SLF001 - documented
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_user, pg_backend_pid()")
        name, answers = cursor.fetchone()
        cursor.execute(_MAY_CHANGE, [tables])
        open_to_it = [table for (table,) in cursor.fetchall()]
    if open_to_it:
        return None, _(
            "%(role)s runs, and may change %(tables)s. Use a role that does not own the tables: see"
            " DATABASE_OWNER_URL in docs/administrator.md."
        ) % {"role": name, "tables": ", ".join(open_to_it)}
    if answers != connection.connection.info.backend_pid:
        return None, _(
            "%(role)s runs, and may not change the audit. A pooler is in front of the database: let it keep a"
            " connection for a whole session, and each role its own."
        ) % {"role": name}
    return True, _("%(role)s runs, and may not change the audit") % {"role": name}
