"""Who was here when, and who comes first."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse

from accounts import actions, queries
from accounts.models import User

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class FirstVisit:
    """Until there is an account, every page leads to the one that makes it.

    Asks the database for visitors without a session only, and never again once there is an account.
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
    """Keep when a user was last here, to the minute: by session or by token."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # After the answer: only then has REST framework put a token's user here.
        if request.path != reverse("healthz") and isinstance(request.user, User):
            actions.note_seen(user=request.user)
        return response


def _is_page(path: str) -> bool:
    return not path.startswith("/api/") and path != reverse("healthz")
