import pytest
from django.utils import timezone

from consensus import errors
from consensus.actions.agendas import assign_pair, put_found_on_agenda, put_on_agenda, take_off_agenda
from consensus.models import AgendaItem, Decision, Meeting
from consensus.queries.disagreement_filters import Narrowing
from rounds.errors import NotAllowed
from rounds.models import Round
from studies.models import Event, Role
from tests import factories
from tests.factories import make_meeting
from tests.long import only_long
from tests.races import at_once
from tests.worlds.parted import give_labels
from tests.worlds.world import World, small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4)]

ROWS = (
    "C.2 C.3 C.9",  # three ways: last
    "C.2 C.2 C.3",
    "C.2 C.2 C.2",  # unanimous
    "C.9 C.9 C.2",
)


def _round(world: World, **fields) -> Round:
    round_ = world.round(**fields)
    give_labels(world, round_, *ROWS)
    return round_


def _agenda(world: World, meeting: Meeting) -> list[int]:
    """The places of the issues that are on it, in its order."""
    places = {issue.pk: place for place, issue in enumerate(world.issues)}
    items = meeting.items.filter(released_at=None).order_by("position")
    return [places[item.issue_id] for item in items]


def _put(world: World, meeting: Meeting, *places: int, by=None) -> int:
    issues = [world.issues[place].pk for place in places]
    return put_on_agenda(meeting=meeting, by=by or world.lead, issues=issues)


def test_disagreements_are_put_on_an_agenda_in_the_order_of_what_one_argument_settles(world):
    round_ = _round(world)
    meeting = make_meeting(round_, world.lead)
    assert _put(world, meeting, 0, 1, 2, 3) == 3
    assert _agenda(world, meeting) == [1, 3, 0]
    assert set(AgendaItem.objects.values_list("added_by", "round")) == {(world.lead.pk, round_.pk)}
    assert Meeting.objects.get().revision == 1
    assert Event.objects.get(verb="meetings.put_on_agenda").detail == {
        "round": round_.name, "meeting": "Monday", "issues": 3,
    }  # fmt: skip


def test_again_adds_nothing(world):
    meeting = make_meeting(_round(world), world.lead)
    assert [_put(world, meeting, 1), _put(world, meeting, 1)] == [1, 0]
    assert Meeting.objects.get().revision == 1


def test_what_the_filters_find_is_put_behind_what_is_there(world):
    meeting = make_meeting(_round(world), world.lead)
    _put(world, meeting, 3)
    put = put_found_on_agenda(meeting=meeting, by=world.lead, narrowing=Narrowing(pair=("C.2", "C.3")))
    assert put == 2
    assert _agenda(world, meeting) == [3, 1, 0]


def test_what_is_decided_or_awaited_elsewhere_is_left_out(world):
    round_ = _round(world)
    world.settle(round_, world.issues[1], "C.3", rationale="It is one.")
    first, second = make_meeting(round_, world.lead), make_meeting(round_, world.lead, name="Tuesday")
    assert _put(world, first, 0) == 1
    assert put_found_on_agenda(meeting=second, by=world.lead, narrowing=Narrowing()) == 1
    assert (_agenda(world, first), _agenda(world, second)) == ([0], [3])


def test_issues_of_another_round_are_none_of_it(world):
    first, second = _round(world), _round(world)
    meeting = make_meeting(first, world.lead)
    other = small_world(issues=1)
    other_round = other.round()
    give_labels(other, other_round, "C.2 C.3 C.9")
    assert put_on_agenda(meeting=meeting, by=world.lead, issues=[other.issues[0].pk, 10**12]) == 0
    assert put_on_agenda(meeting=make_meeting(second, world.lead), by=world.lead, issues=[]) == 0


def test_what_the_lead_still_has_to_label_is_left_out(world):
    round_ = _round(world)
    meeting = make_meeting(round_, world.lead)
    again = world.round(members=[world.lead, *world.members])
    assert _put(world, meeting, 0, 1, 3) == 0
    assert put_found_on_agenda(meeting=meeting, by=world.lead, narrowing=Narrowing()) == 0
    world.submit(again, world.issues[3], world.lead, "C.9")
    assert _put(world, meeting, 0, 1, 3) == 1
    assert _agenda(world, meeting) == [3]


def test_who_puts_on_an_agenda_and_until_when(world):
    round_ = _round(world)
    meeting = make_meeting(round_, world.members[0])
    for by in (world.members[0], small_world().lead):
        with pytest.raises(NotAllowed):
            _put(world, meeting, 1, by=by)
    now = timezone.now()
    Meeting.objects.update(opened_at=now, closed_at=now)
    with pytest.raises(errors.MeetingClosed):
        _put(world, meeting, 1)
    assert not AgendaItem.objects.exists()


def test_taken_off_an_issue_can_be_put_elsewhere_and_come_back(world):
    round_ = _round(world)
    first, second = make_meeting(round_, world.members[0]), make_meeting(round_, world.lead, name="Tuesday")
    _put(world, first, 1, 3)
    item = first.items.get(issue=world.issues[1])
    take_off_agenda(item=item, by=world.members[0])
    take_off_agenda(item=item, by=world.members[0])
    assert _agenda(world, first) == [3]
    assert Event.objects.filter(verb="meetings.taken_off_agenda").count() == 1
    assert _put(world, second, 1) == 1
    take_off_agenda(item=second.items.get(), by=world.lead)
    assert _put(world, first, 1) == 1
    assert _agenda(world, first) == [3, 1]
    assert first.items.count() == 2


def test_what_is_looked_at_is_taken_off_with_its_spell(world):
    meeting = make_meeting(_round(world), world.lead, opened_at=timezone.now())
    _put(world, meeting, 1)
    item = meeting.items.get()
    Meeting.objects.update(item=item)
    meeting.spells.create(item=item, began_at=timezone.now())
    take_off_agenda(item=item, by=world.lead)
    assert Meeting.objects.get().item is None
    assert meeting.spells.get().ended_at is not None


def test_what_is_decided_or_voted_on_stays_on_the_agenda(world):
    round_ = _round(world)
    meeting = make_meeting(round_, world.lead, opened_at=timezone.now())
    meeting.participants.create(member=world.lead, joined_at=timezone.now())
    _put(world, meeting, 1, 3)
    voted, decided = meeting.items.order_by("position")
    meeting.votes.create(item=voted, number=1, opened_by=world.lead, opened_at=timezone.now())
    Decision.objects.create(
        round=round_, issue=decided.issue, category=world.category("C.9"), version=world.version,
        method="meeting", how="chair", item=decided, rationale="x", decided_by=world.lead,
        decided_at=timezone.now(),
    )  # fmt: skip
    with pytest.raises(errors.VoteStillOpen):
        take_off_agenda(item=voted, by=world.lead)
    with pytest.raises(errors.ItemDecided):
        take_off_agenda(item=decided, by=world.lead)
    with pytest.raises(NotAllowed):
        take_off_agenda(item=voted, by=world.members[0])
    Meeting.objects.update(closed_at=timezone.now())
    with pytest.raises(errors.MeetingClosed):
        take_off_agenda(item=voted, by=world.lead)


# --- pairs


def _pair(world: World, round_: Round, *places: int, by=None, first=None, second=None) -> Meeting:
    return assign_pair(
        round_=round_, by=by or world.lead, first=first or world.members[0],
        second=second or world.members[1], issues=[world.issues[place].pk for place in places],
    )  # fmt: skip


def test_a_pair_is_a_meeting_of_two_that_is_open(world):
    meeting = _pair(world, _round(world), 1, 2, 3)
    assert (meeting.name, meeting.kind, meeting.quorum, meeting.by_majority) == (
        "R1 & R2",
        "pair",
        2,
        False,
    )
    assert (meeting.is_open, meeting.chair) == (True, world.lead)
    assert [one.member for one in meeting.participants.order_by("pk")] == world.members[:2]
    assert not meeting.participants.exclude(joined_at=None).exists()
    assert _agenda(world, meeting) == [1, 3]


def test_what_is_no_pair_or_has_nothing_to_settle_is_refused(world):
    round_ = _round(world)
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V")
    for second in (world.members[0], viewer, small_world().lead):
        with pytest.raises(errors.NotAPair):
            _pair(world, round_, 1, second=second)
    with pytest.raises(NotAllowed):
        _pair(world, round_, 1, by=world.members[0])
    with pytest.raises(errors.NothingForTheAgenda):
        _pair(world, round_, 2)
    assert not Meeting.objects.exists()


def test_a_pair_gets_nothing_that_one_of_them_still_has_to_label(world):
    round_ = _round(world)
    again = world.round(members=world.members[1:])
    with pytest.raises(errors.NothingForTheAgenda):
        _pair(world, round_, 1, 3)
    world.submit(again, world.issues[3], world.members[1], "C.9")
    assert _agenda(world, _pair(world, round_, 1, 3)) == [3]


# --- two at once


@only_long
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_two_meetings_at_once_share_no_issue():
    world = small_world(issues=4)
    round_ = _round(world)
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    first, second = make_meeting(round_, world.lead), make_meeting(round_, owner, name="Tuesday")
    for again in range(30):
        done = at_once(
            lambda: _put(world, first, 0, 1, 3),
            lambda again=again: (
                put_found_on_agenda(meeting=second, by=owner, narrowing=Narrowing())
                if again % 2
                else _put(world, second, 3, 1, by=owner)
            ),
        )
        on = [_agenda(world, first), _agenda(world, second)]
        assert done == [len(on[0]), len(on[1])]
        assert sorted(on[0] + on[1]) == [0, 1, 3]
        for item in AgendaItem.objects.filter(released_at=None):
            take_off_agenda(item=item, by=owner)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@only_long
def test_a_decision_and_an_agenda_at_once_do_not_both_get_the_issue():
    world = small_world(issues=4)
    round_ = _round(world)
    meeting = make_meeting(round_, world.lead)
    for again in range(20):
        done = at_once(
            lambda: _put(world, meeting, 1),
            lambda again=again: world.settle(round_, world.issues[1], "C.3", rationale=f"It is one, {again}."),
        )  # fmt: skip
        assert isinstance(done[1], Decision)
        assert done[0] == len(_agenda(world, meeting))
        Decision.objects.filter(pk=done[1].pk).update(
            superseded_at=timezone.now(), superseded_by=world.lead
        )  # fmt: skip
        for item in AgendaItem.objects.filter(released_at=None):
            take_off_agenda(item=item, by=world.lead)
