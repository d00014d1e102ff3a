"""The worker's task for report files."""

from typing import Any

from django.utils import translation

from core.jobs import Progress, register
from core.models import Job
from reports.actions.report_files import make_report
from reports.agreement_report import LEVELS
from reports.queries.report_files import MAKING
from rounds.models import Round
from studies.models import Membership


@register(MAKING)
def make_a_report(job: Job, progress: Progress) -> dict[str, Any]:
    """Make an agreement report as a file for the requesting member, with what this member may read now."""
    given = job.arguments
    with translation.override(given["language"]):
        return make_report(
            round_=Round.objects.select_related("study", "version__taxonomy").get(pk=given["round"]),
            by=Membership.objects.get(pk=given["member"]),
            form=given["form"],
            level=LEVELS[given["level"]],
            without_coached=given.get("without_coached", False),
            report=progress,
            job_id=job.pk,
        )
