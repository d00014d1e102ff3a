"""The findings of the trust world: one that is frozen, with an issue and a number that hold what others chose."""

from django.utils import timezone

from findings.models import Evidence, Finding

WORDS = "Found by the study"


def make_findings(world) -> Finding:
    lead = world.members["lead"]
    made = Finding.objects.create(
        study=world.study,
        position=1,
        text=WORDS + ": {1}, {2}.",
        made_by=lead,
        frozen_at=timezone.now(),
        frozen_by=lead,
    )
    own = {"finding": made, "attached_by": lead, "round": world.round}
    issue = world.round.round_issues.order_by("position")[0].issue
    Evidence.objects.create(number=1, kind=Evidence.Kind.ISSUE, issue=issue, **own)
    figure = ["groups", "all", "fleiss_kappa"]
    Evidence.objects.create(number=2, kind=Evidence.Kind.NUMBER, level="theme", figure=figure, **own)
    return made
