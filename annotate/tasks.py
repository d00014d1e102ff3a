"""The worker's door to rounds, reports and digests."""

from contextlib import suppress
from typing import Any

from celery import shared_task
from django.utils import timezone, translation

from annotate.actions import digests
from annotate.actions.report_files import make_report
from annotate.actions.rounds import open_round_in_steps, take_back_slots
from annotate.errors import RoundAlreadyOpen
from annotate.models import Round
from annotate.queries.report_files import MAKING
from annotate.queries.rounds import OPENING
from annotate.reports import LEVELS
from core.jobs import Cancelled, Progress, register
from core.models import Job
from studies.models import Membership


@register(OPENING)
def open_a_round(job: Job, progress: Progress) -> dict[str, Any]:
    """Open a round that is too large for a request; a kill leaves it as planned, and the next run goes on.

    Cancelled, the round stays as planned, without the slots that were made.
    """
    with translation.override(job.arguments.get("language")):
        round_ = Round.objects.get(pk=job.arguments["round"])
        by = Membership.objects.get(pk=job.arguments["member"])
        # It is open already where the attempt before this one was lost after its commit.
        with suppress(RoundAlreadyOpen):
            try:
                open_round_in_steps(round_=round_, by=by, report=progress)
            except Cancelled:
                take_back_slots(round_=round_)
                raise
    return {"round": round_.pk}


@register(MAKING)
def make_a_report(job: Job, progress: Progress) -> dict[str, Any]:
    """Make an agreement report as a file, for the member who asked and as they may read it now."""
    given = job.arguments
    with translation.override(given["language"]):
        return make_report(
            round_=Round.objects.select_related("study", "version__taxonomy").get(pk=given["round"]),
            by=Membership.objects.get(pk=given["member"]),
            form=given["form"],
            level=LEVELS[given["level"]],
            report=progress,
        )


# Digests that were sent are not sent again, so a later try is for those whose mail failed.
@shared_task(autoretry_for=(digests.MailFailed,), retry_backoff=60, retry_backoff_max=3600, max_retries=6)
def send_digests() -> None:
    digests.send_digests(now=timezone.now())
