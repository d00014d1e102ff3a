"""The sessions of the database; settings name this module as SESSION_ENGINE."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.db import InterfaceError, OperationalError


class SessionStore(db.SessionStore):
    """Django's, which calls each error of an update a deleted session, and answers 400 to it."""

    def save(self, must_create: bool = False) -> None:  # noqa: FBT001, FBT002 - Django's signature
        """Raises UpdateError for a session that was deleted meanwhile, and what the database raised if it is
        away: the answer is 503 then.
        """
        try:
            super().save(must_create)
        except UpdateError as error:
            if isinstance(error.__context__, OperationalError | InterfaceError):
                raise error.__context__ from None
            raise
