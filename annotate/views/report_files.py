"""The whole agreement report as one file: asked for, made by a worker, taken."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.http import AuthedRequest
from annotate.actions.report_files import ask_for_report
from annotate.errors import ReportFileGone, ReportFileHeldBack
from annotate.exports import WITHHELD
from annotate.letters import boxes
from annotate.models import Round
from annotate.queries.report_files import finished_file, report_jobs
from annotate.queries.rounds import rounds_for
from annotate.report_files import FORMS
from annotate.report_shelf import located
from annotate.reports import LEVELS
from core.http import go_to, render_page, require
from core.models import Job
from studies.models import Membership
from studies.queries import membership_of
from studies.rules import may_read_revealed


@require_POST
def make_agreement_file(request: AuthedRequest, round_id: int) -> HttpResponse:
    """Have the whole report at `level` made as a file of this `form`."""
    round_, member = _round(request, round_id)
    form, level = request.POST.get("form", ""), request.POST.get("level", "")
    if form not in FORMS or level not in LEVELS:
        raise Http404
    job = ask_for_report(round_=round_, by=member, form=form, level=LEVELS[level])
    return go_to(request, "agreement_file", round_.pk, job.pk)


@require_safe
def agreement_file(request: AuthedRequest, round_id: int, job_id: int) -> HttpResponse:
    """Show how far one's own file is, and where it can be had."""
    round_, member = _round(request, round_id)
    job = get_object_or_404(report_jobs(round_, member), pk=job_id)
    context: dict[str, Any] = {
        "study": round_.study,
        "round": round_,
        "membership": member,
        "job": job,
        "form": job.arguments["form"],
        "level": job.arguments["level"],
        "title": _("The report as %(form)s") % {"form": job.arguments["form"].upper()},
        **(_finished(job, round_, member) if job.state == Job.State.DONE else {}),
    }
    return render_page(request, "annotate/agreement/file.html", context, partials=["job"])


@require_safe
def send_agreement_file(request: AuthedRequest, round_id: int, job_id: int) -> HttpResponse:
    """Send one's own file, if nothing in it is held back from its reader now."""
    round_, member = _round(request, round_id)
    return sent(get_object_or_404(report_jobs(round_, member), pk=job_id), round_, member)


def sent(job: Job, round_: Round, member: Membership) -> HttpResponse:
    """The file of this job. Raises what `finished_file` raises."""
    try:
        content = located(finished_file(job, round_, member)).read_bytes()
    except FileNotFoundError as error:
        raise ReportFileGone from error
    named = content_disposition_header(as_attachment=True, filename=job.result["name"])
    return HttpResponse(
        content,
        content_type=FORMS[job.arguments["form"]].mime,
        headers={
            "Content-Disposition": named or "attachment",
            "Cache-Control": "no-store",
            WITHHELD: str(job.result["withheld"]),
        },
    )


def _round(request: AuthedRequest, round_id: int) -> tuple[Round, Membership]:
    round_ = get_object_or_404(rounds_for(request.user), pk=round_id)
    member = membership_of(request.user, round_.study)
    require(may_read_revealed(member))
    assert member is not None  # noqa: S101 - who reads is a member
    return round_, member


def _finished(job: Job, round_: Round, member: Membership) -> dict[str, Any]:
    """The size and moment of a file, or why it is not to be had."""
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
