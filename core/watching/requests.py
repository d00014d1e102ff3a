"""Each request has an id, a line in the log, and a place in the counters."""

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from core.watching import counts
from core.watching.ids import HEADER, accepted, under

GetResponse = Callable[[HttpRequest], HttpResponseBase]

log = logging.getLogger("crosscheck.requests")

WATCHED_AS = "watched_as"
"""Where a request keeps its id, for what Django logs after all middleware."""
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


class Requests:
    """Give the request an id, which its answer has too, log it and count it, by the name of its page.

    A proxy that is trusted may give the id (core.watching.proxies). The line has neither the address nor a
    parameter that is no number: these can be texts or secrets.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        begun = time.perf_counter()
        with under(accepted(request.headers.get(HEADER, ""))) as one:
            setattr(request, WATCHED_AS, one)
            response = self.get_response(request)
            response.headers[HEADER] = one
            self._note(request, response.status_code, time.perf_counter() - begun)
        return response

    def _note(self, request: HttpRequest, status: int, seconds: float) -> None:
        route = page_of(request)
        method = str(request.method) if request.method in METHODS else "other"
        counts.count("crosscheck_http_requests_total", route=route, method=method, status=str(status))
        counts.measure("crosscheck_http_request_seconds", seconds, route=route, method=method)
        if log.isEnabledFor(logging.INFO):
            about = {
                "route": route,
                "method": method,
                "status": status,
                "ms": round(seconds * 1000, 1),
                **numbers_of(request),
            }
            told = " ".join(f"{name}={value}" for name, value in about.items())
            log.info("%s", told, extra={"about": about})


def page_of(request: HttpRequest) -> str:
    """The name of the page, `static` for files of pages, `none` for an address that leads nowhere."""
    if request.resolver_match is None:
        return "static" if request.path.startswith(settings.STATIC_URL) else "none"
    return request.resolver_match.view_name or "unnamed"


def pattern_of(request: HttpRequest) -> str:
    """The pattern of the address, with the names of its parts in the place of their values."""
    return "none" if request.resolver_match is None else f"/{request.resolver_match.route}"


def numbers_of(request: HttpRequest) -> dict[str, int]:
    """Which study, round or issue the address names, where it does so by number."""
    found = request.resolver_match
    return {} if found is None else {key: value for key, value in found.kwargs.items() if type(value) is int}
