"""Who a request is from: sessions, and how often somebody may try."""

from allauth.core import ratelimit
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse

from accounts.models import User
from core.http import HtmxRequest


class AuthedRequest(HtmxRequest):
    """A request that has passed the login middleware."""

    user: User


def sign_in(request: HttpRequest, user: User) -> None:
    """Start a session of `user`; a session of somebody else in this browser ends."""
    login(request, user, backend="django.contrib.auth.backends.ModelBackend")


def throttle(request: HttpRequest, action: str, key: str | None = None) -> HttpResponse | None:
    """Count one attempt at `action` (ACCOUNT_RATE_LIMITS); the 429 page when there were too many."""
    response: HttpResponse | None = ratelimit.consume_or_429(request, action=action, key=key)
    return response
