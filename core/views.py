"""Answers that belong to no room."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.http import typed
from core.middleware import refusal


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Refuse a form whose token is missing or of an earlier session (CSRF_FAILURE_VIEW), keeping what was typed."""
    return refusal(
        request,
        _("This form was opened in an earlier session, so nothing was saved. Load the page again and send it once more."),
        status=403,
        kept=typed(request),
        code="csrf",
    )
