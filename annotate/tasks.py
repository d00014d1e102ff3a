"""The worker's job that opens a round."""

from contextlib import suppress
from typing import Any

from django.utils import translation

from annotate.actions.rounds import open_round_in_steps, take_back_slots
from core.jobs import Cancelled, Progress, register
from core.models import Job
from rounds.errors import RoundAlreadyOpen
from rounds.models import Round
from rounds.queries.rounds import OPENING
from studies.models import Membership


@register(OPENING)
def open_a_round(job: Job, progress: Progress) -> dict[str, Any]:
    """Open a round that is too large for a request. After a kill the round is still planned, and the next run
    continues. After a cancel the slots that were made are deleted.
    """
    with translation.override(job.arguments.get("language")):
        round_ = Round.objects.get(pk=job.arguments["round"])
        by = Membership.objects.get(pk=job.arguments["member"])
        # The round is open already if the previous attempt was lost after its commit.
        with suppress(RoundAlreadyOpen):
            try:
                open_round_in_steps(
                    round_=round_, by=by, report=progress, reason=job.arguments.get("reason", "")
                )
            except Cancelled:
                take_back_slots(round_=round_)
                raise
    return {"round": round_.pk}
