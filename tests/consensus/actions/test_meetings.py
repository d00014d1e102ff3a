from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.utils import timezone

from consensus import errors
from consensus.actions.meetings import (
    change_meeting,
    close_meeting,
    come_back,
    open_meeting,
    park,
    plan_meeting,
    take_chair,
    turn_to,
)
from consensus.actions.presence import away, here
from consensus.actions.votes import open_vote
from consensus.models import AgendaItem, Decision, Meeting, Participant, Spell, Vote
from rounds.errors import NotAllowed
from rounds.models import Assignment, Round
from studies.models import Event, Role
from tests import factories
from tests.kept import kept
from tests.worlds.meeting import held, meeting_world, put, there

pytestmark = pytest.mark.django_db


@kept
def world():
    return held(3, members=3, come="nobody", quorum=2)


def _asked(meeting):
    return list(meeting.participants.order_by("pk").values_list("member__pseudonym", flat=True))


def _revision(meeting):
    return Meeting.objects.get(pk=meeting.pk).revision


def _silent_for(meeting, member, **time):
    rows = Participant.objects.filter(meeting=meeting, member=member)
    rows.update(last_seen_at=timezone.now() - timedelta(**time))


@contextmanager
def _refused(field: str) -> Iterator[None]:
    """The plan of a meeting is refused because of this field."""
    with pytest.raises(errors.MeetingRefused) as refused:
        yield
    assert refused.value.field == field


def _plan(world, **fields):
    fields = {"by": world.lead, "name": "Thursday", "chair": world.lead, "quorum": 2} | fields
    return plan_meeting(round_=world.round_, **fields)


def test_a_meeting_is_planned_for_the_volunteers_with_an_account_and_its_chair():
    world = meeting_world(1, members=3)
    world.members[1].user = None
    world.members[1].save()
    starts_at = timezone.now() + timedelta(days=1)
    made = _plan(world, name="  Thursday \n noon ", starts_at=starts_at)
    made.refresh_from_db()
    assert (made.name, made.kind, made.quorum, made.by_majority) == ("Thursday noon", "together", 2, False)
    assert (made.chair, made.created_by, made.starts_at) == (world.lead, world.lead, starts_at)
    assert (made.opened_at, made.closed_at, made.item) == (None, None, None)
    assert _asked(made) == ["R1", "R3", "Lead"]
    assert there(made) == set()
    event = Event.objects.get(verb="meetings.planned")
    assert event.detail == {"round": world.round_.name, "meeting": "Thursday noon"}


def test_those_who_are_named_are_asked_and_the_chair():
    world = meeting_world(1, members=3)
    made = _plan(world, chair=world.members[2], participants=[world.members[0], world.members[0]])
    assert _asked(made) == ["R1", "R3"]


def test_a_pair_is_two_with_a_quorum_of_two_and_no_majority():
    world = meeting_world(1, members=3)
    made = _plan(world, kind="pair", quorum=1, by_majority=True, participants=world.members[:2])
    assert (made.quorum, made.by_majority, _asked(made)) == (2, False, ["R1", "R2"])
    for participants in ([], world.members, [world.members[0]] * 2):
        with _refused("participants"):
            _plan(world, kind="pair", participants=participants)


@pytest.mark.parametrize(
    ("field", "fields"),
    [
        ("name", {"name": "  "}),
        ("name", {"name": "x" * 121}),
        ("quorum", {"quorum": 0}),
        ("quorum", {"quorum": 5}),
        ("ends_at", {"starts_at": timezone.now(), "ends_at": timezone.now() - timedelta(hours=1)}),
    ],
)
def test_what_a_plan_cannot_be(field, fields):
    world = meeting_world(1, members=3)
    with _refused(field):
        _plan(world, **fields)
    assert not Meeting.objects.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MODEL])
def test_who_does_not_label_neither_chairs_nor_takes_part(role):
    world = meeting_world(1, members=3)
    other = factories.make_member(world.study, role, pseudonym="Other")
    for field, fields in (("chair", {"chair": other}), ("participants", {"participants": [other]})):
        with _refused(field):
            _plan(world, **fields)


def test_owner_and_leads_plan_once_labels_can_be_revealed():
    world = meeting_world(1, members=3)
    for member in (world.members[0], factories.make_member(factories.make_study(), Role.LEAD)):
        with pytest.raises(NotAllowed):
            _plan(world, by=member)
    Round.objects.filter(pk=world.round_.pk).update(reveal=Round.Reveal.ROUND_CLOSED)
    with pytest.raises(errors.NotRevealed):
        _plan(world)
    Round.objects.filter(pk=world.round_.pk).update(closed_at=timezone.now())
    assert _plan(world).pk
    Round.objects.filter(pk=world.round_.pk).update(opened_at=None, closed_at=None)
    with pytest.raises(NotAllowed):
        _plan(world)


def test_a_plan_can_change_until_the_meeting_is_closed(world):
    same = {"by": world.lead, "name": "Friday", "chair": world.members[0], "quorum": 2}
    world.arrive(world.members[1])
    changed = change_meeting(meeting=world.meeting, **same, shows_names=True, participants=[world.members[0]])
    changed.refresh_from_db()
    assert (changed.name, changed.chair, changed.shows_names) == ("Friday", world.members[0], True)
    # R2 was there, and stays on the list; the chair is on it anyway.
    assert _asked(changed) == ["R1", "R2"]
    change_meeting(meeting=world.meeting, **same)
    assert _asked(changed) == ["R1", "R2"]
    with _refused("kind"):
        change_meeting(meeting=world.meeting, **same, kind="apart")
    with pytest.raises(NotAllowed):
        change_meeting(meeting=world.meeting, **(same | {"by": world.members[0]}))
    close_meeting(meeting=world.meeting, by=world.lead)
    with pytest.raises(errors.MeetingClosed):
        change_meeting(meeting=world.meeting, **same)


def test_the_rules_of_a_meeting_stay_once_it_votes(world):
    same = {"meeting": world.meeting, "by": world.lead, "name": "Friday", "chair": world.lead}
    assert change_meeting(**same, quorum=3, by_majority=True).by_majority is True
    world.arrive()
    open_vote(item=world.items[0], by=world.lead)
    for fields in ({"quorum": 2, "by_majority": True}, {"quorum": 3}):
        with _refused("quorum"):
            change_meeting(**same, **fields)
    assert change_meeting(**same, quorum=3, by_majority=True).name == "Friday"


def test_it_opens_and_closes_once():
    world = meeting_world(2, members=3)
    meeting = world.plan(opened=False)
    with pytest.raises(errors.MeetingNotOpen):
        close_meeting(meeting=meeting, by=world.lead)
    with pytest.raises(NotAllowed):
        open_meeting(meeting=meeting, by=world.members[0])
    opened = open_meeting(meeting=meeting, by=world.lead)
    assert open_meeting(meeting=meeting, by=world.lead).opened_at == opened.opened_at
    world.arrive(world.members[0])
    turn_to(meeting=meeting, item=world.items[0], by=world.lead)
    with pytest.raises(NotAllowed):
        close_meeting(meeting=meeting, by=world.members[0])
    closed = close_meeting(meeting=meeting, by=world.lead)
    assert closed.closed_at >= closed.opened_at
    assert closed.item is None
    assert set(AgendaItem.objects.values_list("released_at", flat=True)) == {closed.closed_at}
    assert Spell.objects.get().ended_at == closed.closed_at
    gone = Participant.objects.get(member=world.members[0])
    assert (gone.joined_at is not None, gone.left_at) == (True, closed.closed_at)
    before = _revision(meeting)
    assert close_meeting(meeting=meeting, by=world.lead).closed_at == closed.closed_at
    assert _revision(meeting) == before
    events = Event.objects.filter(verb__startswith="meetings.").order_by("pk")
    assert list(events.values_list("verb", flat=True)) == [
        "meetings.planned",
        "meetings.opened",
        "meetings.closed",
    ]


def test_a_closed_meeting_does_not_change_any_more(world):
    world.arrive()
    item, *_ = world.items
    close_meeting(meeting=world.meeting, by=world.lead)
    before = Meeting.objects.values().get(), list(Participant.objects.order_by("pk").values())
    for act in (
        lambda: open_meeting(meeting=world.meeting, by=world.lead),
        lambda: take_chair(meeting=world.meeting, by=world.lead),
        lambda: turn_to(meeting=world.meeting, item=item, by=world.lead),
        lambda: park(item=item, by=world.lead),
        lambda: come_back(item=item, by=world.lead),
        lambda: open_vote(item=item, by=world.lead),
        lambda: world.ballot(item, world.members[0], "C.9"),
        lambda: world.decide(item, "C.9"),
    ):
        with pytest.raises(errors.MeetingClosed):
            act()
    away(meeting=world.meeting, member=world.members[0])
    assert here(meeting=world.meeting, member=world.members[0]).left_at is not None
    newcomer = factories.make_member(world.study, pseudonym="New")
    assert here(meeting=world.meeting, member=newcomer).pk is None
    assert (Meeting.objects.values().get(), list(Participant.objects.order_by("pk").values())) == before
    # What it leaves can be taken up elsewhere.
    assert len(put(_plan(world), world.lead, world.issues)) == 3


def test_it_does_not_close_over_an_open_vote(world):
    world.arrive()
    vote = open_vote(item=world.items[0], by=world.lead)
    with pytest.raises(errors.VoteStillOpen):
        close_meeting(meeting=world.meeting, by=world.lead)
    vote.refresh_from_db()
    assert (vote.closed_at, world.fresh().closed_at) == (None, None)


def test_over_days_a_meeting_ends_with_what_was_cast():
    world = meeting_world(2, members=3)
    meeting = world.plan(kind="apart", quorum=3)
    world.ballot(world.items[0], world.members[0], "C.9")
    closed = close_meeting(meeting=meeting, by=world.lead)
    vote = Vote.objects.get()
    assert (vote.closed_at, vote.closed_by, vote.present) == (closed.closed_at, None, 1)
    assert not Decision.objects.filter(item__isnull=False).exists()


def test_a_lead_takes_the_chair(world):
    other = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    with pytest.raises(NotAllowed):
        take_chair(meeting=world.meeting, by=world.members[0])
    assert take_chair(meeting=world.meeting, by=other).chair == other
    with pytest.raises(NotAllowed):
        turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    assert turn_to(meeting=world.meeting, item=world.items[0], by=other).item == world.items[0]
    before = _revision(world.meeting)
    assert take_chair(meeting=world.meeting, by=other).revision == before


def test_who_opens_the_page_is_there_until_they_leave_and_again(world):
    first = world.members[0]
    before = _revision(world.meeting)
    joined = here(meeting=world.meeting, member=first)
    assert there(world.meeting) == {"R1"}
    assert joined.meeting.revision == _revision(world.meeting) == before + 1
    away(meeting=world.meeting, member=first)
    away(meeting=world.meeting, member=first)
    assert there(world.meeting) == set()
    assert _revision(world.meeting) == before + 2
    back = here(meeting=world.meeting, member=first)
    assert (back.joined_at, back.left_at) == (joined.joined_at, None)
    assert _revision(world.meeting) == before + 3


def test_a_member_who_was_not_asked_can_come(world):
    other = factories.make_member(world.study, pseudonym="R9")
    assert here(meeting=world.meeting, member=other).pk
    assert there(world.meeting) == {"R9"}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MODEL])
def test_who_may_only_look_is_never_there(world, role):
    with pytest.raises(NotAllowed):
        here(meeting=world.meeting, member=factories.make_member(world.study, role, pseudonym="Other"))
    assert there(world.meeting) == set()


def test_a_sign_of_life_costs_one_query_and_two_every_five_seconds(world, django_assert_num_queries):
    first = world.members[0]
    world.arrive()
    before = _revision(world.meeting)
    with django_assert_num_queries(1):
        here(meeting=world.meeting, member=first)
    _silent_for(world.meeting, first, seconds=6)
    with django_assert_num_queries(2):
        own = here(meeting=world.meeting, member=first)
    with django_assert_num_queries(1):
        here(meeting=world.meeting, member=first)
    assert own.meeting.revision == _revision(world.meeting) == before


def test_who_is_silent_for_half_a_minute_is_gone_and_comes_back(world):
    first, second, third = world.members
    world.arrive(first, second, third)
    _silent_for(world.meeting, first, seconds=29)
    _silent_for(world.meeting, second, seconds=31)
    before = _revision(world.meeting)
    here(meeting=world.meeting, member=third)
    gone = Participant.objects.get(member=second)
    assert (there(world.meeting), gone.left_at) == ({"R1", "R3"}, gone.last_seen_at)
    assert _revision(world.meeting) == before + 1
    here(meeting=world.meeting, member=second)
    assert there(world.meeting) == {"R1", "R2", "R3"}
    assert _revision(world.meeting) == before + 2


def test_who_alone_was_silent_is_still_there_when_they_are_back(world):
    world.arrive(world.members[0])
    _silent_for(world.meeting, world.members[0], minutes=5)
    here(meeting=world.meeting, member=world.members[0])
    assert there(world.meeting) == {"R1"}


def test_over_days_nobody_is_gone_for_being_silent():
    world = held(1, members=3, come="volunteers", kind="apart")
    _silent_for(world.meeting, world.members[0], days=2)
    here(meeting=world.meeting, member=world.members[1])
    away(meeting=world.meeting, member=world.members[1])
    assert there(world.meeting) == {"R1", "R2", "R3"}


def test_over_days_who_was_not_asked_looks_without_being_waited_for():
    world = meeting_world(1, members=3)
    world.plan(kind="apart", participants=world.members[:2], chair=world.members[0])
    assert here(meeting=world.meeting, member=world.members[2]).pk is None
    assert _asked(world.meeting) == ["R1", "R2"]
    world.ballot(world.items[0], world.members[2], "C.9")
    assert there(world.meeting) == {"R3"}


def test_only_the_two_are_in_a_pair_and_nobody_takes_its_chair():
    world = held(1, members=3, come="nobody", kind="pair")
    with pytest.raises(NotAllowed):
        take_chair(meeting=world.meeting, by=factories.make_member(world.study, Role.OWNER))
    for member in (world.members[2], world.lead):
        with pytest.raises(NotAllowed):
            here(meeting=world.meeting, member=member)
    world.arrive(world.members[0])
    assert there(world.meeting) == {"R1"}


def test_the_chair_turns_from_issue_to_issue_and_time_runs(world):
    first, second, _third = world.items
    before = _revision(world.meeting)
    for item in (first, first, second, None, first):
        turn_to(meeting=world.meeting, item=item, by=world.lead)
    assert _revision(world.meeting) == before + 4
    spells = list(Spell.objects.order_by("pk"))
    assert [spell.item for spell in spells] == [first, second, first]
    assert spells[0].ended_at == spells[1].began_at
    assert [spell.ended_at is None for spell in spells] == [False, False, True]
    assert world.fresh().item == first


def test_who_turns_and_where_to(world):
    other = held(1, members=3, come="nobody")
    with pytest.raises(NotAllowed):
        turn_to(meeting=world.meeting, item=world.items[0], by=world.members[0])
    AgendaItem.objects.filter(pk=world.items[1].pk).update(released_at=timezone.now())
    world.waits_for(world.lead, world.issues[2])
    for item in (other.items[0], world.items[1], world.items[2]):
        with pytest.raises(errors.OffTheAgenda):
            turn_to(meeting=world.meeting, item=item, by=world.lead)
    assert world.fresh().item is None
    planned = world.plan(opened=False, on_agenda=0)
    with pytest.raises(errors.MeetingNotOpen):
        turn_to(meeting=planned, item=None, by=world.lead)


def test_over_days_everybody_looks_where_they_like():
    world = held(1, members=3, come="nobody", kind="apart")
    with pytest.raises(errors.NotTogether):
        turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)


def test_an_issue_is_parked_and_comes_back(world):
    item = world.items[0]
    before = _revision(world.meeting)
    for _ in range(2):
        parked = park(item=item, by=world.lead, why=" ask \n upstream ")
    assert (parked.parked_why, parked.parked_at is not None) == ("ask upstream", True)
    for _ in range(2):
        back = come_back(item=item, by=world.lead)
    assert (back.parked_why, back.parked_at) == ("", None)
    assert _revision(world.meeting) == before + 2
    for act in (park, come_back):
        with pytest.raises(NotAllowed):
            act(item=item, by=world.members[0])


def test_what_is_decided_or_voted_on_is_not_parked(world):
    world.arrive()
    open_vote(item=world.items[0], by=world.lead)
    with pytest.raises(errors.VoteStillOpen):
        park(item=world.items[0], by=world.lead)
    park(item=world.items[1], by=world.lead)
    world.decide(world.items[1], "C.9")
    assert AgendaItem.objects.get(pk=world.items[1].pk).parked_at is None
    with pytest.raises(errors.ItemDecided):
        park(item=world.items[1], by=world.lead)


def test_what_is_kept_from_the_chair_is_not_theirs_to_lead(world):
    world.waits_for(world.lead, world.issues[0])
    item = world.items[0]
    for act in (
        lambda: park(item=item, by=world.lead),
        lambda: come_back(item=item, by=world.lead),
        lambda: open_vote(item=item, by=world.lead),
        lambda: world.decide(item, "C.9"),
        lambda: world.ballot(item, world.lead, "C.9"),
    ):
        with pytest.raises(errors.OffTheAgenda):
            act()
    Assignment.objects.filter(volunteer=world.lead).update(submitted_at=timezone.now())
    assert park(item=item, by=world.lead).parked_at is not None


def test_a_pair_stays_two_once_one_of_them_was_there():
    world = meeting_world(1, members=4)
    pair = _plan(world, kind="pair", participants=world.members[:2])
    open_meeting(meeting=pair, by=world.lead)
    fields = {"name": "Pair", "kind": "pair", "chair": world.lead, "quorum": 2}
    change_meeting(meeting=pair, by=world.lead, participants=world.members[1:3], **fields)
    assert _asked(pair) == ["R2", "R3"]
    here(meeting=pair, member=world.members[1])
    with pytest.raises(errors.MeetingRefused, match="R2") as refusal:
        change_meeting(meeting=pair, by=world.lead, participants=world.members[2:4], **fields)
    assert (refusal.value.field, _asked(pair)) == ("participants", ["R2", "R3"])
