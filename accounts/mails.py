"""Mails about an account, in the language of its person."""

from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.models import User


def address_link(token: str, site: str = "") -> str:
    """The address of the page that changes somebody's address."""
    return (site or settings.SITE_URL).rstrip("/") + reverse("confirm_address", args=[token])


def send_address_link(*, user: User, email: str, token: str) -> None:
    """Mail the link to the new address."""
    _send(user, email, "address_link", {"link": address_link(token)})


def send_address_notice(*, user: User, former: str) -> None:
    """Tell the former address that the account has another one now. A server without mail tells nobody."""
    if settings.SENDS_MAIL:
        _send(user, former, "address_notice", {"email": user.email})


def _send(user: User, to: str, name: str, context: dict[str, Any]) -> None:
    with translation.override(user.language or settings.LANGUAGE_CODE):
        subjects = {
            "address_link": _("Crosscheck: confirm your new email address"),
            "address_notice": _("Crosscheck: your email address was changed"),
        }
        EmailMessage(
            subject=subjects[name],
            body=render_to_string(f"accounts/mails/{name}.txt", {"user": user, **context}).strip() + "\n",
            to=[to],
            headers={"Auto-Submitted": "auto-generated"},
        ).send()
