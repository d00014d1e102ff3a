"""The worker's door to rounds."""

from contextlib import suppress
from typing import Any

from django.utils import translation

from annotate.actions.rounds import open_round
from annotate.errors import RoundAlreadyOpen
from annotate.models import Round
from annotate.queries.rounds import OPENING
from core.jobs import Progress, register
from core.models import Job
from studies.models import Membership


@register(OPENING)
def open_a_round(job: Job, progress: Progress) -> dict[str, Any]:
    """Open a round that is too large for a request, in one transaction: after a kill it is open or not."""
    with translation.override(job.arguments.get("language")):
        round_ = Round.objects.get(pk=job.arguments["round"])
        progress(0)
        # It is open already where the attempt before this one was lost after its commit.
        with suppress(RoundAlreadyOpen):
            open_round(round_=round_, by=Membership.objects.get(pk=job.arguments["member"]))
    return {"round": round_.pk}
