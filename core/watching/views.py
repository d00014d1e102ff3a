"""The page for administrators, and the numbers for Prometheus."""

from hmac import compare_digest

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from core.http import render_page, require
from core.watching import server
from core.watching.mail import Answer, send_test_mail
from core.watching.metrics import CONTENT_TYPE, exposition
from core.watching.proxies import within


@require_safe
def server_page(request: HttpRequest) -> HttpResponse:
    """How the server is, for its administrators."""
    return _page(request)


@require_POST
def try_mail(request: HttpRequest) -> HttpResponse:
    """Send a mail to the reader, and show what the mail server said."""
    _for_administrators(request)
    return _page(request, answer=send_test_mail(getattr(request.user, "email", "")))


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers for Prometheus: with the token, or from the networks of the settings; else 404."""
    if not _may_scrape(request):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE)


def _page(request: HttpRequest, answer: Answer | None = None) -> HttpResponse:
    _for_administrators(request)
    asked = request.GET.get("error", "").strip()
    context = {
        "parts": server.parts(),
        "versions": server.versions(),
        "counts": server.state_counts(),
        "unfinished": server.unfinished_jobs(),
        "failed": server.failed_jobs(),
        "workers": server.seen_workers(),
        "errors": server.recent_errors(asked),
        "asked": asked,
        "answer": answer,
        "sends_mail": settings.SENDS_MAIL,
        "mail_host": settings.EMAIL_HOST,
        "mail_from": settings.DEFAULT_FROM_EMAIL,
    }
    return render_page(request, "core/server.html", context)


def _for_administrators(request: HttpRequest) -> None:
    is_one = request.user.is_active and getattr(request.user, "is_superuser", False)
    require(is_one, _("Only administrators of this server can open this page."))


def _may_scrape(request: HttpRequest) -> bool:
    kind, _space, given = request.headers.get("Authorization", "").partition(" ")
    token = settings.METRICS_TOKEN
    if token and kind.lower() == "bearer" and compare_digest(given.strip().encode(), token.encode()):
        return True
    return within(request.META.get("REMOTE_ADDR", ""), settings.METRICS_NETWORKS)
