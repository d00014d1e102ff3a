"""A test mail, and what the mail server said to it."""

import smtplib
from dataclasses import dataclass

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.smtp import EmailBackend
from django.utils.translation import gettext as _

SMTP = "django.core.mail.backends.smtp.EmailBackend"


@dataclass(frozen=True)
class Answer:
    """How a test mail went: `said` is the mail server's last answer, or why there was none."""

    is_sent: bool
    said: str


def send_test_mail(to: str) -> Answer:
    """Send a test mail by the settings of the server. Raises nothing: what went wrong is the answer."""
    if not settings.SENDS_MAIL:
        return Answer(is_sent=False, said=_("No mail is set up."))
    backend = _Heard() if settings.EMAIL_BACKEND == SMTP else get_connection()
    subject, body = _("Test mail of Crosscheck"), _("Mail works on the server at %(address)s.")
    mail = EmailMessage(subject, body % {"address": settings.SITE_URL}, to=[to], connection=backend)
    try:
        mail.send()
    except smtplib.SMTPResponseException as error:
        return Answer(is_sent=False, said=_answer(error.smtp_code, error.smtp_error))
    except smtplib.SMTPRecipientsRefused as error:
        ((code, said), *_more) = error.recipients.values()
        return Answer(is_sent=False, said=_answer(code, said))
    except (OSError, smtplib.SMTPException) as error:
        return Answer(is_sent=False, said=f"{type(error).__name__}: {error}")
    return Answer(is_sent=True, said=getattr(backend, "heard", "") or _("No answer is known."))


def _answer(code: int, said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    return f"{code} {text}"[:500]


class _Listening(smtplib.SMTP):
    heard = ""

    def getreply(self) -> tuple[int, bytes]:
        code, said = super().getreply()
        self.heard = _answer(code, said)
        return code, said


class _ListeningByTls(_Listening, smtplib.SMTP_SSL):
    pass


class _Heard(EmailBackend):
    """SMTP by the settings, which keeps what the server answered to the mail, the last answer before QUIT."""

    heard = ""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _ListeningByTls if self.use_ssl else _Listening

    def close(self) -> None:
        self.heard = getattr(self.connection, "heard", self.heard)
        super().close()
