"""Broken rules, in words that the user can act on. The middleware turns them into responses."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class DomainError(Exception):
    """A broken rule that the user can do something about; programming errors are other exceptions.

    A subclass is named for what happened; its `message` tells what happened, what was kept and what to do.
    `status` is the HTTP status, 409 by default. `kept` is the user's text by field name: the page shows it
    again, so that no text is lost. `retry_after`: seconds after which a second try may succeed, sent as a
    header.
    """

    message: str | Promise = _("This is not possible now. Nothing was changed.")
    status: int = 409
    retry_after: int | None = None
    kept: Mapping[str, str]

    def __init__(
        self,
        message: str | Promise | None = None,
        *,
        status: int | None = None,
        kept: Mapping[str, str] | str | None = None,
    ) -> None:
        if message is not None:
            self.message = message
        if status is not None:
            self.status = status
        self.kept = {"": kept} if isinstance(kept, str) else dict(kept or {})
        super().__init__(str(self.message))


class FieldRefused(DomainError):
    """Something cannot be made or changed as requested. `field` is the field to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class StudyIsReadOnly(DomainError):
    """Triggers on every table of a study enforce the same rule in the database (`studies.reach`)."""

    message = _(
        "This study is read-only: it is archived, or about to be deleted. Nothing was changed."
        " A lead can make the study writable again in its settings."
    )
