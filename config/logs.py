"""Lines of the log: no secrets of links in them, no traceback for what is only a refusal."""

import logging
import re

SECRET = re.compile(r"(/accounts/link/|/invitations/|/accounts/password/reset/key/)[^/\s\"'?]+")
"""An address with the secret of a sign-in link, an invitation or a reset link."""


def without_secrets(text: str) -> str:
    """The text with `…` where an address has a secret by which somebody could sign in."""
    return SECRET.sub(r"\1…", text)


class Line(logging.Formatter):
    """Formats a record, with its traceback, and leaves out secrets of links."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class WithoutSecrets(logging.Filter):
    """Leaves out secrets of links in the lines of gunicorn, which formats them itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_secrets(record.getMessage()), ()
        return True


class Refusals(logging.Filter):
    """Drops the traceback of answers below 500: a visitor who may not see a page is no error."""

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 500) < 500:
            record.exc_info = None
        return True
