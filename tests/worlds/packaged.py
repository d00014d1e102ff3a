"""A study whose replication package has a file of each kind that somebody could change."""

import pgtrigger
from django.utils import timezone

from annotate.models import Repeat
from consensus.actions.meetings import close_meeting
from consensus.actions.votes import close_vote
from consensus.models import Decision
from ingest.models import Issue
from reports.actions.frozen import freeze_report
from rounds.models import Label, Round
from studies.models import Guideline
from taxonomy.models import Level
from tests.factories.interviews import make_guide, make_participant, make_session
from tests.findings.world import rank
from tests.worlds.meeting import MeetingWorld, meeting_world
from tests.worlds.pages import label_all

ROWS = ("C.9 C.9 C.1", "C.1 C.9 C.2", "B.1 B.1 A.1", "C.9 C.9 C.9", "A.1 A.1 A.1", "C.1 C.1 C.1")


def packaged_world() -> MeetingWorld:
    """A round of six issues and three volunteers with a meeting, a guideline, second labels, a frozen report;
    a pilot beside it, and rankings of three participants.
    """
    world = meeting_world(issues=6, members=3, rows=ROWS)
    Issue.objects.filter(pk__in=[issue.pk for issue in world.issues]).update(year=2024)
    guideline = Guideline.objects.create(
        study=world.study, number=1, text="# What to label\n\nThe cause.\n", published_by=world.lead
    )
    with pgtrigger.ignore("rounds.Label:revealed_labels_stay"):
        Label.objects.filter(round=world.round_).update(guideline=guideline, summary="The cache is stale.")
    pilot = world.round(name="Pilot", kind=Round.Kind.PILOT)
    label_all(world, pilot, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 B.1")
    world.plan(quorum=2)
    world.arrive()
    for item, code in zip(world.items[:2], ("C.9", "C.1"), strict=True):
        close_vote(vote=world.vote(item, code, code, code), by=world.lead)
        world.decide(item, code, Decision.How.UNANIMITY)
    close_meeting(meeting=world.fresh(), by=world.lead)
    for issue, code in zip(world.issues, ("C.9", "C.1", "B.1", "C.1"), strict=False):
        Repeat.objects.create(
            round=world.round_, issue=issue, volunteer=world.members[0], due_at=timezone.now(),
            submitted_at=timezone.now(), category=world.category(code), version=world.version,
        )  # fmt: skip
    ranks = {"is_ranking": True, "taxonomy": world.version.taxonomy, "level": Level.TYPE, "top": 1}
    guide = make_guide(world.study, world.lead, ranks)
    for codes in ("ABC", "ACB", "BAC"):
        session = make_session(make_participant(world.study, world.lead), world.lead, guide=guide)
        rank(world, session, guide.parts.get().questions.get(), *codes)
    freeze_report(round_=world.round_, by=None, name="Submitted")
    world.round_ = Round.objects.select_related("version__taxonomy", "study").get(pk=world.round_.pk)
    return world
