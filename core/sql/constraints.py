"""Names the constraint of the database that was violated."""

from django.db import IntegrityError


def violated(error: IntegrityError) -> str:
    """The name of the constraint that `error` broke; "" if the database did not name one."""
    diagnosis = getattr(error.__cause__, "diag", None)
    return getattr(diagnosis, "constraint_name", None) or ""
