"""Answers that belong to no room: jobs, and pages for errors."""

import sys

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.http import HttpRequest, HttpResponse, HttpResponseServerError, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.csrf import requires_csrf_token
from django.views.decorators.http import require_POST, require_safe

from core import jobs
from core.disk.errors import is_of_full_disk
from core.disk.refusing import full
from core.http import came_from, form_key, go_to, is_fragment, render_page, typed
from core.middleware import refusal, wants_json
from core.upkeep.doctor import NEEDED, findings
from core.watching.problems import keep_problem
from core.watching.requests import pattern_of

RETRY_SECONDS = 5
STATES = {True: "ok", None: "warning", False: "wrong"}


@require_safe
def job(request: HttpRequest, job_id: int) -> HttpResponse:
    """Show the progress of the reader's own job; 404 for anybody else's."""
    found = get_object_or_404(jobs.jobs_of(request.user), pk=job_id)
    return render_page(request, "core/job.html", {"job": found}, partials=["job"])


@require_POST
def cancel_job(request: HttpRequest, job_id: int) -> HttpResponse:
    """Cancel the reader's own job, then return to the page that sent the request."""
    found = get_object_or_404(jobs.jobs_of(request.user), pk=job_id)
    jobs.cancel(found, request.user)
    page = came_from(request)
    return go_to(request, page) if page else go_to(request, "job", found.pk)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - Django's signature
    """Refuse a form with a missing token or one of an earlier session; keep the user's text
    (CSRF_FAILURE_VIEW).
    """
    return refusal(
        request,
        _(
            "This form was opened in an earlier session, so nothing was saved."
            " Load the page again and send it once more."
        ),
        status=403,
        kept=typed(request),
        code="csrf",
    )


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """404: nothing is here, or nothing that this visitor may know about (handler404)."""
    message = _("There is no page at this address, or the page belongs to a study that you are not in.")
    return _answer(request, 404, message)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: visible, but not allowed; `exception` tells who may do this (handler403)."""
    said = str(exception)
    return _answer(request, 403, said or _("Your role in this study does not allow this."), said)


@requires_csrf_token
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: the request is unreadable (handler400). Trusts none of its parts, not even its host."""
    message = _("The server could not read this request. Nothing was changed.")
    if isinstance(exception, RequestDataTooBig):
        words = _("This request has more than %(most)s MB of text. Nothing was changed. Split the text.")
        message = words % {"most": settings.DATA_UPLOAD_MAX_MEMORY_SIZE >> 20}
    if wants_json(request):
        return JsonResponse({"detail": message, "code": "bad_request"}, status=400)
    return render(request, "409.html", {"message": message, "back": "/", "status": 400}, status=400)


@login_not_required
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """200 if the database, its tables, Redis, a worker and the disk are well, else 503; a line for each, and
    nothing else to anybody. `role warning`: the role that runs may change the audit (`manage.py doctor`).
    """
    found = list(findings(NEEDED))
    lines = "".join(f"{one.part} {STATES[one.ok]}\n" for one in found)
    is_ready = all(one.ok is not False for one in found)
    return HttpResponse(lines, status=200 if is_ready else 503, content_type="text/plain")


def server_error(request: HttpRequest) -> HttpResponse:
    """500: a page that needs nothing but its template file, with the error's id (handler500). 503 with the
    reader's text where the database is away or did not answer in time.
    """
    error = sys.exc_info()[1]
    found = keep_problem(error, where=pattern_of(request))
    if is_of_full_disk(error):
        return full(request)
    if isinstance(error, InterfaceError | OperationalError):
        return _away(request)
    if wants_json(request):
        detail = _("The server had an error. Try again in a moment.")
        return JsonResponse({"detail": detail, "code": "server_error", "id": found}, status=500)
    reads = request.method in {"GET", "HEAD"}
    return HttpResponseServerError(render_to_string("500.html", {"id": found, "reads": reads}))


def _away(request: HttpRequest) -> HttpResponse:
    message = _not_answered(request)
    kept = typed(request)
    if is_fragment(request) or wants_json(request):
        response = refusal(request, message, status=503, kept=kept, code="no_database")
    else:
        # No page of the site: that would ask the database who is reading.
        response = HttpResponse(render_to_string("503.html", {"message": message, "kept": kept}), status=503)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _not_answered(request: HttpRequest) -> str:
    """What may be said: a connection that breaks at the commit leaves open whether something was saved."""
    if request.method in {"GET", "HEAD"}:
        return _(
            "The database does not answer at the moment. Nothing was changed. Try again in some seconds."
        )
    if form_key(request):
        return _(
            "The database does not answer at the moment. Your changes may be saved or not. Send the form"
            " again in some seconds: what is saved is not saved twice."
        )
    return _(
        "The database does not answer at the moment. Your changes may be saved or not. Look in some seconds"
        " whether they are, before you repeat them."
    )


def _answer(request: HttpRequest, status: int, message: str, exception: str = "") -> HttpResponse:
    if is_fragment(request) or wants_json(request):
        return refusal(request, message, status=status, kept=typed(request), code=str(status))
    return render(request, f"{status}.html", {"exception": exception}, status=status)


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 - Django's signature
    """200 `ok` if the database answers, else 503. Tells nothing else to anybody."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return HttpResponse("no database\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
