"""The user of a request, sessions, and limits on the number of attempts."""

from allauth.core import ratelimit
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse

from accounts.models import User
from core.http import HtmxRequest


class AuthedRequest(HtmxRequest):
    """A request that has passed the login middleware."""

    user: User


def sign_in(request: HttpRequest, user: User) -> None:
    """Start a session of `user`; another user's session in this browser ends."""
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")


def throttle(request: HttpRequest, action: str, key: str | None = None) -> HttpResponse | None:
    """Count one attempt at `action` (ACCOUNT_RATE_LIMITS); return the 429 page after too many attempts."""
    response: HttpResponse | None = ratelimit.consume_or_429(request, action=action, key=key)
    return response
