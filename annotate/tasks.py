"""The worker's door to the opening of a round."""

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
