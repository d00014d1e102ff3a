"""Answers while the disk is full: what would be saved is refused, with the reader's text."""

from collections.abc import Callable
from typing import Any

from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from core.disk.room import is_full
from core.http import is_fragment, typed
from core.middleware import refusal, wants_json

RETRY_SECONDS = 60
SAFE = {"GET", "HEAD", "OPTIONS", "TRACE"}
SMALL = {"/accounts/login/", "/accounts/logout/", "/language/"}
"""These save a line, so that people can read meanwhile."""


class NoFiles(FileUploadHandler):
    """Reads the text of a form, and stores none of its files."""

    def new_file(self, *_given: Any, **_named: Any) -> None:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """No file gets here."""

    def file_complete(self, file_size: int) -> None:
        """No file gets here."""


class DiskLimit:
    """Middleware: 507 for requests that would save something while the disk is full."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # Here, and not before the view: by then the check of the form's token has stored its files.
        if request.method in SAFE or request.path in SMALL or not is_full():
            return self.get_response(request)
        return full(request)


def full(request: HttpRequest) -> HttpResponse:
    """507 with the reader's text: as JSON, as a toast, or as a page that asks the database nothing."""
    message = _(
        "The disk of the server is full. Nothing was saved, and you can still read everything."
        " Tell an administrator, and try again later."
    )
    if not hasattr(request, "_files"):
        request.upload_handlers = [NoFiles(request)]
    kept = typed(request)
    if is_fragment(request) or wants_json(request):
        response = refusal(request, message, status=507, kept=kept, code="disk_full")
    else:
        context = {"message": message, "kept": kept, "status": 507}
        response = HttpResponse(render_to_string("503.html", context), status=507)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response
