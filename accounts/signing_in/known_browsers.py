"""Browsers that have signed in before, by a cookie. Whoever tries passwords from many addresses slows down
strangers, and never the people whose browsers are known (docs/decisions/0053).
"""

import secrets
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.utils.crypto import salted_hmac

COOKIE = "browser"
AGE = 365 * 24 * 3600
_SALT = "accounts.known_browsers"
_ACCOUNTS = 5
"""How many accounts one browser is known for: the last ones."""


def known_as(request: HttpRequest, email: str) -> str:
    """The name of this browser if it has signed in with this address before, else ""."""
    name, accounts = _read(request)
    return name if _digest(email) in accounts else ""


def remember(request: HttpRequest, response: HttpResponseBase, email: str) -> None:
    """Let the response tell the browser that it has signed in with this address, unless it knows."""
    name, accounts = _read(request)
    digest = _digest(email)
    if digest in accounts:
        return
    value = {"name": name or secrets.token_urlsafe(12), "of": [*accounts, digest][-_ACCOUNTS:]}
    response.set_cookie(
        COOKIE,
        signing.dumps(value, salt=_SALT),
        max_age=AGE,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        value: Any = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=AGE)
    except signing.BadSignature:
        return "", []
    return value["name"], value["of"]


def _digest(email: str) -> str:
    return salted_hmac(_SALT, email.strip().casefold()).hexdigest()[:20]
