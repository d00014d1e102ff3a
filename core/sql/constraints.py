"""Names the constraint of the database that was violated."""

from django.db import IntegrityError

from core.errors import DomainError, StudyIsReadOnly

READ_ONLY = "study_is_read_only"


def violated(error: IntegrityError) -> str:
    """The name of the constraint that `error` broke; "" if the database did not name one."""
    diagnosis = getattr(error.__cause__, "diag", None)
    return getattr(diagnosis, "constraint_name", None) or ""


def as_broken_rule(error: Exception) -> DomainError | None:
    """The rule for people that stands behind this error of the database, None if it is no such error."""
    if isinstance(error, DomainError):
        return error
    if isinstance(error, IntegrityError) and violated(error) == READ_ONLY:
        return StudyIsReadOnly()
    return None
