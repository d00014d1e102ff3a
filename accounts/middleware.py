"""Chooses the language, records when a user was last here, and leads the first visitor to the page that makes
an account.
"""

from collections.abc import Callable
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.middleware.locale import LocaleMiddleware
from django.urls import reverse
from django.utils import timezone, translation

from accounts import actions, queries
from accounts.models import User
from accounts.signing_in import known_browsers

GetResponse = Callable[[HttpRequest], HttpResponseBase]

OF_MACHINES = {"/healthz", "/readyz", "/metrics"}
"""Pages of programs that watch the server: they read no session and note nobody."""


class Language(LocaleMiddleware):
    """Answer in the language of the account; without it, in that of the cookie or the browser."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        user = request.user
        if isinstance(user, User) and user.language in dict(settings.LANGUAGES):
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()


class Zone:
    """Show dates of pages in the time zone of the account. REST gives UTC to everybody."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        zone = "" if not _is_page(request.path) else getattr(request.user, "time_zone", "")
        with zone_of(zone):
            return self.get_response(request)


def zone_of(name: str) -> timezone.override:
    """Dates in this time zone, or in that of the server for "" and for a name that the computer lacks."""
    try:
        return timezone.override(ZoneInfo(name) if name else None)
    except (ZoneInfoNotFoundError, ValueError):
        return timezone.override(None)


class FirstVisit:
    """Until an account exists, every page leads to the page that makes the first one. Queries the database
    only for visitors without a session, and never again once an account exists.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self._anybody = False

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not self._anybody and _is_page(request.path) and not request.user.is_authenticated:
            self._anybody = queries.anybody()
            if not self._anybody and request.path != reverse("welcome"):
                return HttpResponseRedirect(reverse("welcome"))
        return self.get_response(request)


class Seen:
    """Record when a user last made a request, to the minute, by session or by token. A browser is told that
    it has signed in, which later tells it from a stranger's.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # After the response: only then has REST framework set the user of a token on the request.
        if request.path not in OF_MACHINES and isinstance(request.user, User):
            actions.note_seen(user=request.user)
            if SESSION_KEY in request.session:
                known_browsers.remember(request, response, request.user.email)
        if proved := getattr(request, "address_proved", ""):
            known_browsers.remember(request, response, proved)
        return response


def _is_page(path: str) -> bool:
    return not path.startswith("/api/") and path not in OF_MACHINES
