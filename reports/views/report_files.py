"""The whole agreement report as one file: request it, follow the worker, download it."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from core.http import go_to, render_page
from core.models import Job
from drawing.missing_glyphs import boxes
from reports.actions.report_files import ask_for_report
from reports.agreement_report import LEVELS
from reports.errors import ReportFileGone, ReportFileHeldBack
from reports.file_responses import report_file_response
from reports.formats.file_cache import located
from reports.formats.files import FORMS
from reports.queries.report_files import finished_file, report_jobs
from reports.views.shortcuts import round_to_read
from rounds.models import Round
from studies.models import Membership
from studies.pages import frame, works_when_read_only


@works_when_read_only
@require_POST
def make_agreement_file(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Request the whole report at `level` as a file of this `form`."""
    round_, member = round_to_read(request, round_id)
    form, level = request.POST.get("form", ""), request.POST.get("level", "")
    if form not in FORMS or level not in LEVELS:
        raise Http404
    without = request.POST.get("coached") == "no"
    job = ask_for_report(round_=round_, by=member, form=form, level=LEVELS[level], without_coached=without)
    return go_to(request, "agreement_file", round_.pk, job.pk)


@require_safe
def agreement_file(request: AuthedRequest, round_id: int, job_id: int) -> HttpResponse:
    """Show the progress of a reader's own file, and its download."""
    round_, member = round_to_read(request, round_id)
    job = get_object_or_404(report_jobs(round_, member), pk=job_id)
    context: dict[str, Any] = {
        **frame(round_.study, member, "agreement"),
        "round": round_,
        "job": job,
        "form": job.arguments["form"],
        "level": job.arguments["level"],
        "kept_query": "&coached=no" if job.arguments.get("without_coached") else "",
        "title": _("Report as %(form)s") % {"form": job.arguments["form"].upper()},
        **(_finished(job, round_, member) if job.state == Job.State.DONE else {}),
    }
    return render_page(request, "reports/agreement/file.html", context, partials=["job"])


@require_safe
def send_agreement_file(request: AuthedRequest, round_id: int, job_id: int) -> HttpResponse:
    """Send a reader their own file, if they may still read everything in it."""
    round_, member = round_to_read(request, round_id)
    return report_file_response(get_object_or_404(report_jobs(round_, member), pk=job_id), round_, member)


def _finished(job: Job, round_: Round, member: Membership) -> dict[str, Any]:
    try:
        size = located(finished_file(job, round_, member)).stat().st_size
    except FileNotFoundError:
        return {"why_not": ReportFileGone.message}
    except (ReportFileGone, ReportFileHeldBack) as error:
        return {"why_not": error.message}
    return {
        "size": size,
        "as_of": datetime.fromisoformat(job.result["as_of"]),
        "boxes": boxes(job.result["missing_letters"]),
    }
