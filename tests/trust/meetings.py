"""Meetings of the world: on its issue 1, which the lead and two volunteers still have to label elsewhere."""

from datetime import timedelta
from types import SimpleNamespace

from django.utils import timezone

from consensus.actions.agendas import assign_pair, put_on_agenda
from consensus.actions.consensus import decide_item
from consensus.actions.decisions import reopen
from consensus.actions.follow_ups import follow_up
from consensus.actions.meetings import close_meeting, open_meeting, park, plan_meeting, turn_to
from consensus.actions.presence import here
from consensus.actions.threads import say
from consensus.actions.votes import cast_ballot, open_vote
from consensus.models import AgendaItem, FollowUp, Meeting, Participant
from tests.factories import category

HELD_BACK = {
    "card": "canarycardlyrebird",
    "argument": "canaryargumentpitta",
    "rationale": "canaryrationalehoneyguide",
    "reopened": "canaryreopenedsunbittern",
    "parked": "canaryparkedlapwing",
    "guideline": "canaryguidelinetrogon",
    "example": "canaryexamplemanakin",
}
"""What is said, decided and noted of issue 1: only who may see it reads that. It is on a board, too."""


def make_meetings(world) -> None:
    """`more.past` is closed: it decided, reopened and parked issue 1. `more.meeting` is open, with an open vote
    on the same issue; `more.item` is its item. The owner chairs both, the idle volunteer takes part.
    """
    owner, idle, more = world.members["owner"], world.members["idle volunteer"], world.more
    more.past = _begun(world, "Past", Meeting.Kind.TOGETHER)
    item = _put(world, more.past)
    turn_to(meeting=more.past, item=item, by=owner)
    said = {"round_": world.round, "issue": world.issues[0]}
    say(author=idle, text=f"{HELD_BACK['argument']} @R1 @R2 @R3", category=None, **said)
    decide_item(
        item=item,
        by=owner,
        category=category(world.version, "C.1"),
        how="chair",
        rationale=HELD_BACK["rationale"],
        cause="slip",
        seen_number=0,
    )
    follow_up(item=item, by=owner, kind=FollowUp.Kind.GUIDELINE, text=HELD_BACK["guideline"])
    of_it = {"category": category(world.version, "C.1"), "text": HELD_BACK["example"]}
    follow_up(item=item, by=owner, kind=FollowUp.Kind.EXAMPLE, **of_it)
    reopen(by=owner, why=HELD_BACK["reopened"], seen_number=1, **said)
    park(item=item, by=owner, why=HELD_BACK["parked"])
    close_meeting(meeting=more.past, by=owner)
    more.follow_up = FollowUp.objects.filter(item=item).first()
    more.meeting = _begun(world, "Present", Meeting.Kind.TOGETHER)
    more.item = _put(world, more.meeting)
    turn_to(meeting=more.meeting, item=more.item, by=owner)
    open_vote(item=more.item, by=owner)
    # Nobody falls silent while pages are read.
    Participant.objects.update(last_seen_at=timezone.now() + timedelta(hours=1))


def _begun(world, name: str, kind: str) -> Meeting:
    owner, idle = world.members["owner"], world.members["idle volunteer"]
    meeting = plan_meeting(
        round_=world.round, by=owner, name=name, kind=kind, chair=owner, quorum=2, participants=[owner, idle]
    )
    meeting = open_meeting(meeting=meeting, by=owner)
    for member in (owner, idle):
        here(meeting=meeting, member=member)
    return meeting


def _put(world, meeting: Meeting) -> AgendaItem:
    put_on_agenda(meeting=meeting, by=world.members["owner"], issues=[world.issues[0].pk])
    return meeting.items.get()


def voted(world, item: AgendaItem, code: str) -> None:
    """The idle volunteer votes on this item, or changes their vote; who else takes part has not voted."""
    cast_ballot(item=item, member=world.members["idle volunteer"], category=category(world.version, code))


def elsewhere(world, kind: str) -> SimpleNamespace:
    """The present meeting makes way for one over days, or of the owner and the idle volunteer alone, in which
    the idle volunteer has voted.
    """
    owner, idle = world.members["owner"], world.members["idle volunteer"]
    AgendaItem.objects.filter(pk=world.more.item.pk).update(released_at=world.more.item.added_at)
    if kind == Meeting.Kind.PAIR:
        meeting = assign_pair(
            round_=world.round, by=owner, first=owner, second=idle, issues=[world.issues[0].pk]
        )
        item = meeting.items.get()
    else:
        meeting = _begun(world, "Over days", kind)
        item = _put(world, meeting)
    voted(world, item, "C.2")
    return SimpleNamespace(meeting=meeting, item=item)
