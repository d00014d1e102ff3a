"""Rules that somebody broke, in words that they can act on. The middleware turns them into answers."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class DomainError(Exception):
    """A broken rule that the person can do something about; programming errors are other exceptions.

    A subclass is named for what happened and sets `message`: what happened, what was kept, what to do.
    `status` is the HTTP status (409 if not said otherwise). `kept` is what the person had typed, by the
    name of the field: the page shows it back, so that nothing typed is lost. `retry_after`: so many seconds
    later it may be possible, which the answer says in its header.
    """

    message: str | Promise = _("That is not possible now. Nothing was changed.")
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
    """Something cannot be made or changed as it was asked for. `field` names what to change."""

    def __init__(self, message: str | Promise, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)
