"""Turns broken rules into responses, keeps the text of forms after a session, forbids storing of pages."""

from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render, resolve_url
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from core.http import VARY, came_from, htmx_of, is_fragment, typed
from core.sql.constraints import as_broken_rule
from core.web.size import most_bytes

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class DomainErrors:
    """Answer a DomainError with its status: as JSON, as a toast for htmx, or as a page.

    A form that htmx sent stays on its page; the page of a refusal shows the user's text again. So does the
    answer (401) to a form posted after the session ended, where a sign-in page would lose the text.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if _asks_to_sign_in(request, response) and (
            is_fragment(request) or request.method not in {"GET", "HEAD"}
        ):
            return refusal(
                request,
                _(
                    "Your session has ended. Sign in again in another tab, then come back. "
                    "Your text is still here."
                ),
                status=401,
                kept=typed(request),
            )
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        broken = as_broken_rule(exception)
        if broken is None:
            return None
        kept = broken.kept or typed(request)
        code = type(broken).__name__
        answer = refusal(request, str(broken.message), status=broken.status, kept=kept, code=code)
        if broken.retry_after is not None:
            answer.headers["Retry-After"] = str(broken.retry_after)
        return answer


class SizeLimit:
    """Answer 413 to a request that announces more than `most_bytes()`; none of its body is read."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if not announced.isdecimal() or int(announced) <= most_bytes():
            return self.get_response(request)
        message = _("The request is larger than %(most)d MB. Nothing was saved. Send fewer or smaller files.")
        most = settings.UPLOAD_MAX_BYTES >> 20
        return refusal(request, message % {"most": most}, status=413, kept={}, code="too_large")


class NoStore:
    """Forbid browsers and proxies to store computed pages: `Cache-Control: no-store`.

    A view may set another value for content that is the same for everybody; it counts only if the request
    carries no identity (session cookie or token). Static files are not pages.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.path.startswith(settings.STATIC_URL):
            return response
        known = settings.SESSION_COOKIE_NAME in request.COOKIES or "Authorization" in request.headers
        if known or not response.has_header("Cache-Control"):
            response.headers["Cache-Control"] = "no-store"
        if response.headers.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, VARY)
        return response


def refusal(
    request: HttpRequest, message: str, *, status: int, kept: Mapping[str, str], code: str = ""
) -> HttpResponse:
    """Refuse with `status` and a message: JSON for programs, a toast for htmx, else a page."""
    if wants_json(request):
        return JsonResponse({"detail": message, "code": code}, status=status)
    context = {"message": message, "kept": kept, "back": came_from(request) or "/", "status": status}
    if is_fragment(request):
        response = render(request, "shared/_refusal.html", context, status=status)
        response["HX-Retarget"] = "#toasts"
        response["HX-Reswap"] = "beforeend"
        response["HX-Push-Url"] = "false"
        return response
    name = f"{status}.html" if status in {401, 429} else "409.html"
    return render(request, name, context, status=status)


def wants_json(request: HttpRequest) -> bool:
    """Does the request come from a program, judged by its address or its accepted types?"""
    return request.path.startswith("/api/") or (
        request.get_preferred_type(["text/html", "application/json"]) == "application/json"
        and not htmx_of(request)
    )


def _asks_to_sign_in(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Does the answer lead to the sign-in page because the view is for users only?"""
    if response.status_code not in {301, 302, 303}:
        return False
    if request.resolver_match and not getattr(request.resolver_match.func, "login_required", True):
        return False
    return urlsplit(response.headers.get("Location", "")).path == resolve_url(settings.LOGIN_URL)
