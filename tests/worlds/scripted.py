"""A meeting as it could have gone, minute by minute, on a clock that stands still between two acts."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from consensus.actions.agendas import take_off_agenda
from consensus.actions.decisions import reopen
from consensus.actions.follow_ups import follow_up
from consensus.actions.meetings import close_meeting, park, turn_to
from consensus.actions.presence import away
from consensus.actions.threads import say
from consensus.actions.votes import close_vote
from consensus.models import Decision
from ingest.models import Snapshot
from tests.worlds.meeting import MeetingWorld, meeting_world

BEGIN = datetime(2026, 11, 14, 14, 0, tzinfo=UTC)
TITLES = (
    "assert without a message on driver 535",
    "驱动程序崩溃 | # ** <b>x</b> [a](http://evil.example)",
    "فشل البناء",
)


@dataclass
class Clock:
    """What `timezone.now` says; it goes on when it is told to."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now

    def go_on(self, **span: int) -> None:
        self.now += timedelta(**span)


def stopped_clock(monkeypatch) -> Clock:
    clock = Clock(BEGIN - timedelta(days=1))
    monkeypatch.setattr(timezone, "now", clock)
    return clock


def scripted_meeting(clock: Clock, *, closed: bool = True, **fields) -> MeetingWorld:
    """Five issues with three volunteers, a lead who chairs and one who never comes.

    The first is decided by majority after two votes, opened again and decided by the chair; the second
    unanimously, with a follow-up of each kind; the third is parked, the fourth discussed and left; the fifth
    never reached. One is taken off before anything was said of it.
    """
    rows = ("C.9 C.9 C.1", "C.1 C.9 C.9", "B.1 B.2 B.2", "C.9 C.9 C.1", "C.2 C.2 C.9", "C.9 C.1 C.1")
    world = meeting_world(6, members=3, rows=rows)
    for issue, title in zip(world.issues, TITLES, strict=False):
        issue.current = Snapshot.objects.create(issue=issue, content_hash="x", title=title)
        issue.save()
    clock.now = BEGIN
    world.plan(name="Meeting of 14 November", quorum=3, by_majority=True, **fields)
    r1, r2, _r3 = world.members
    world.arrive(world.lead, r1, r2)
    clock.go_on(minutes=1)
    by_issue = {item.issue_id: item for item in world.items}
    first, second, third, fourth, _fifth, sixth = (by_issue[issue.pk] for issue in world.issues)
    take_off_agenda(item=sixth, by=world.lead)
    _discuss(world, clock, first)
    _agree(world, clock, second)
    world.arrive(world.lead, r1, r2)
    turn_to(meeting=world.meeting, item=third, by=world.lead)
    clock.go_on(seconds=20)
    park(item=third, by=world.lead, why="Nobody knows the driver.")
    turn_to(meeting=world.meeting, item=fourth, by=world.lead)
    clock.go_on(seconds=15)
    away(meeting=world.meeting, member=r2)
    if closed:
        clock.go_on(minutes=1)
        close_meeting(meeting=world.meeting, by=world.lead)
    world.fresh()
    return world


def _discuss(world: MeetingWorld, clock: Clock, item) -> None:
    """Two votes, a decision by majority, which is opened again; then the chair decides."""
    r1, r2, _r3 = world.members
    vote = world.vote(item, "C.9", "C.1", of=(r1, r2))
    clock.go_on(seconds=30)
    close_vote(vote=vote, by=world.lead)
    say(
        round_=world.round_,
        issue=item.issue,
        author=r1,
        text="The trigger is the driver.\n# Not a heading",
        category=world.category("C.9"),
    )
    clock.go_on(seconds=60)
    vote = world.vote(item, "C.9", "C.9", of=(r1, r2))
    close_vote(vote=vote, by=world.lead)
    decision = world.decide(item, "C.9", Decision.How.MAJORITY, rationale="", cause=Decision.Cause.GUIDELINE)
    clock.go_on(seconds=30)
    world.arrive(world.lead, r1, r2)
    reopen(
        round_=world.round_,
        issue=item.issue,
        by=world.lead,
        why="The fix says otherwise.",
        seen_number=decision.number,
    )
    world.decide(
        item,
        "C.1",
        Decision.How.CHAIR,
        rationale="Read the fix.\n\n- It adds the *message*.",
        cause=Decision.Cause.ISSUE,
    )


def _agree(world: MeetingWorld, clock: Clock, item) -> None:
    """Everybody present votes alike, the chair too; three things follow."""
    r1, r2, _r3 = world.members
    world.vote(item, "C.9", "C.9", of=(r1, r2))
    world.ballot(item, world.lead, "C.9")
    clock.go_on(seconds=50)
    world.decide(item, "C.9", Decision.How.UNANIMITY, rationale="", cause=Decision.Cause.GUIDELINE)
    world.arrive(world.lead, r1, r2)
    follow_up(item=item, by=world.lead, kind="guideline", text="Look at what was repaired.")
    follow_up(item=item, by=world.lead, kind="example", category=world.category("C.9"))
    follow_up(item=item, by=world.lead, kind="proposal", name="Drivers", text="None fits.")
