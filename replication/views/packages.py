"""A replication package: ask for it, follow the worker, download it."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, is_fragment, render_page
from core.models import Job
from replication.actions.packages import ask_for_package
from replication.errors import PackageGone, PackageHeldBack
from replication.package_responses import package_response
from replication.queries.packages import finished_package, kept_until, packages_of
from reports.actions.exports import note_download
from rounds.models import Round
from rounds.pages import seat_in
from studies.models import Membership
from studies.pages import frame, works_when_read_only
from studies.rules import may_read_revealed


@works_when_read_only
@require_POST
def make_package(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Ask for the package of a round, and go to its progress."""
    round_, member = _round(request, round_id)
    without = request.POST.get("coached") == "no"
    job = ask_for_package(round_=round_, by=member, without_coached=without)
    return go_to(request, "package", round_.pk, job.pk)


@require_safe
def package(request: AuthedRequest, round_id: int, job_id: int) -> HttpResponse:
    """Show the progress of a package, then its download."""
    round_, member = _round(request, round_id)
    job = get_object_or_404(packages_of(round_, member), pk=job_id)
    own = job.created_by_id == request.user.pk
    context: dict[str, Any] = {
        **frame(round_.study, member, "export"),
        "round": round_,
        "job": job,
        "without": job.arguments["without_coached"],
        "cancel_url": reverse("cancel_job", args=[job.pk]) if own else "",
        "cancel_text": _("Cancel this job? Nothing is kept."),
        **(_finished(job, round_, member) if job.state == Job.State.DONE else {}),
    }
    response = render_page(request, "replication/package.html", context, partials=["job"])
    if is_fragment(request) and request.htmx.target == "job" and job.finished_at:
        # The job ended while its page was open: load the page again, with the download.
        response["HX-Refresh"] = "true"
    return response


@works_when_read_only
@require_POST
def send_package(request: AuthedRequest, round_id: int, job_id: int) -> HttpResponseBase:
    """Send a kept package, and record it in the audit: a POST, since the audit is a change."""
    round_, member = _round(request, round_id)
    job = get_object_or_404(packages_of(round_, member), pk=job_id)
    answer = package_response(job, round_, member)
    note_download(round_=round_, by=member, file=job.result["name"], manifest=job.result["manifest"])
    return answer


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    return seat_in(request, round_id, lambda member, _round: may_read_revealed(member))


def _finished(job: Job, round_: Round, member: Membership) -> dict[str, Any]:
    try:
        size = finished_package(job, round_, member).stat().st_size
    except FileNotFoundError:
        return {"why_not": PackageGone.message}
    except (PackageGone, PackageHeldBack) as error:
        return {"why_not": error.message}
    return {"size": size, "as_of": datetime.fromisoformat(job.result["as_of"]), "until": kept_until(job)}
