"""The room of a meeting: all that its page shows, and nothing that the member must not know."""

from dataclasses import asdict, fields, is_dataclass
from datetime import timedelta

import pytest
from django.db.models import Model
from django.utils import timezone

from consensus.actions.meetings import close_meeting, park, turn_to
from consensus.actions.presence import away
from consensus.actions.votes import close_vote, open_vote
from consensus.models import Comment, Decision, FollowUp, Meeting, Spell
from consensus.queries.meeting_issue import PossibleDecision, ShownBallot
from consensus.queries.meeting_room import AgendaGroup, AgendaIssue, room
from consensus.queries.meetings import meetings_for, meetings_of
from consensus.views.meeting_screen import screen
from ingest.models import Issue, Snapshot
from rounds.queries.rounds import could_come, usual_quorum
from studies.models import Membership, Role
from tests import factories
from tests.kept import kept
from tests.worlds.meeting import held, meeting_world, stay

pytestmark = pytest.mark.django_db


@kept
def of_three():
    return held(4, members=3, quorum=2, by_majority=True)


@pytest.fixture
def world(of_three):
    """Four issues: two of C.1 and C.9, one of B.1 and B.2, one of three; three volunteers and a lead."""
    return stay(of_three)


def _seen(world, member=None, item=None):
    return room(world.meeting, member or world.lead, item.pk if item else None)


def _states(found):
    return [(line.title, line.state) for group in found.groups if group.is_opened for line in group.lines]


def test_meetings_are_found_through_the_rounds_that_a_user_may_see(world):
    held(1, members=3, come="nobody")  # of strangers
    second = world.plan(on_agenda=0)
    first = Meeting.objects.filter(round=world.round_).earliest("pk")
    assert list(meetings_for(world.members[0].user)) == [second, first]
    assert list(meetings_of(world.round_)) == [second, first]


@pytest.mark.parametrize(("members", "quorum"), [(1, 1), (2, 2), (3, 2), (7, 4)])
def test_the_usual_quorum_is_more_than_half_of_the_volunteers(members, quorum):
    assert usual_quorum(meeting_world(1, members=members).round_) == quorum


def test_who_was_taken_out_of_the_round_is_not_asked_to_come():
    world = meeting_world(1, members=7)
    world.round_.volunteers.filter(member=world.members[0]).update(left_at=timezone.now())
    Membership.objects.filter(pk=world.members[1].pk).update(left_at=timezone.now())
    assert set(could_come(world.round_)) == set(world.members[2:])
    assert usual_quorum(world.round_) == 3


def test_the_agenda_is_in_groups_by_the_pair_that_is_confused(world):
    first, second, third, fourth = world.items
    world.decide(first, "C.9")
    park(item=second, by=world.lead)
    turn_to(meeting=world.meeting, item=third, by=world.lead)
    found = _seen(world)
    titles = [issue.current.title for issue in world.issues]
    assert found.groups == (
        AgendaGroup(codes=("C.1", "C.9"), total=2, decided=1, first=first.pk, is_opened=False, lines=()),
        AgendaGroup(
            codes=("B.1", "B.2"), total=1, decided=0, first=third.pk, is_opened=True,
            lines=(
                AgendaIssue(
                    id=third.pk, title=titles[2], state="now", code="", is_current=True,
                    is_shown=True, is_voted=False,
                ),
            ),
        ),
        # A group of one issue shows it, whatever is opened.
        AgendaGroup(
            codes=("A.1", "C.2"), total=1, decided=0, first=fourth.pk, is_opened=False,
            lines=(
                AgendaIssue(
                    id=fourth.pk, title=titles[3], state="waiting", code="", is_current=False,
                    is_shown=False, is_voted=False,
                ),
            ),
        ),
    )  # fmt: skip
    assert (found.total, found.decided, found.left, found.withheld) == (4, 1, 3, 0)
    other = _seen(world, item=second)
    assert _states(other) == [(titles[0], "decided"), (titles[1], "parked")]
    assert [line.code for line in other.groups[0].lines] == ["C.9", ""]
    assert (other.current, other.shown.item) == (third.pk, second)


def test_an_issue_without_a_text_is_called_by_its_number(world):
    Issue.objects.filter(pk=world.issues[2].pk).update(current=None)
    assert _states(_seen(world, item=world.items[2])) == [
        (f"{world.repository.path} #{world.issues[2].number}", "waiting")
    ]


def test_the_shown_issue_comes_with_labels_thread_decisions_and_what_follows(world):
    item, issue = world.items[0], world.issues[0]
    said = Comment.objects.create(
        round=world.round_, issue=issue, author=world.members[0], text="Look.", category=world.category("C.9")
    )
    first = world.decide(item, "C.9", cause="slip")
    Decision.objects.filter(pk=first.pk).update(
        superseded_at=timezone.now(), superseded_by=world.lead, superseded_why="Too soon."
    )
    world.decide(item, "C.1")
    FollowUp.objects.create(
        item=item, kind="example", category=world.category("C.1"), made_by=world.lead, made_at=timezone.now()
    )
    shown = _seen(world, item=item).shown
    assert (shown.item, shown.item.issue, shown.seen_number) == (item, issue, 2)
    assert [chip.code for chip in shown.row.labels] == ["C.9", "C.1", "C.9"]
    assert [column.member for column in shown.columns] == world.members
    assert [state.code for state in shown.choices] == ["C.9", "C.1"]
    [comment] = shown.thread
    assert (comment.id, comment.name, comment.code) == (said.pk, "R1", "C.9")
    assert [
        (
            one.decision.number,
            one.category.code,
            one.decision.how,
            one.decision.cause,
            one.by,
            one.superseded_by,
            one.decision.superseded_why,
            one.stands,
        )
        for one in shown.decisions
    ] == [
        (1, "C.9", "chair", "slip", "Lead", "Lead", "Too soon.", False),
        (2, "C.1", "chair", "", "Lead", "", "", True),
    ]
    assert shown.standing.decision.number == 2
    assert [(one.kind, code) for one, code in shown.follow_ups] == [("example", "C.1")]


def test_the_next_that_waits_may_be_in_another_group(world):
    def steps():
        drawn = screen(_seen(world, item=world.items[0]), world.lead, world.items[0].pk)
        return drawn["previous"], drawn["following"]

    assert steps() == (None, world.items[1].pk)
    for item in world.items[:3]:
        world.decide(item, "C.9")
    assert steps() == (None, world.items[3].pk)
    world.decide(world.items[3], "C.9")
    # Nothing waits any more: the next one in its order.
    assert steps() == (None, world.items[1].pk)


def test_of_an_open_vote_one_sees_who_has_voted_and_ones_own_ballot(world):
    item = world.items[0]
    world.vote(item, "C.9", "-")
    first, second, third = world.members
    for member, own in ((first, "C.9"), (second, ""), (third, None), (world.lead, None)):
        found = _seen(world, member)
        [vote] = found.shown.votes
        assert vote == found.shown.open_vote
        assert (vote.own, vote.voted) == (own, {first.pk, second.pk})
        assert (vote.ballots, vote.split, vote.tally.abstained, vote.tally.votes) == ((), (), 0, {})
        assert {one.name: one.has_voted for one in found.people} == {
            "R1": True, "R2": True, "R3": False, "Lead": False,
        }  # fmt: skip
        assert found.shown.ballot_number == 1
    assert _seen(world).shown.possible == PossibleDecision(is_voting=True, there=4, needs=2)


def test_of_a_closed_vote_everybody_sees_every_ballot(world):
    item = world.items[0]
    vote = world.vote(item, "C.9", "C.9", "C.1")
    world.ballot(item, world.lead, "C.9")
    found = _seen(world, world.members[0])
    [line] = found.shown.votes
    people = [*world.members, world.lead]
    assert line.ballots == tuple(
        ShownBallot(member.pk, str(member), code)
        for member, code in zip(people, ("C.9", "C.9", "C.1", "C.9"), strict=True)
    )
    assert (line.id, line.split, line.tally.present) == (vote.pk, (("C.9", 3), ("C.1", 1)), 4)
    assert found.shown.open_vote is None
    assert found.shown.ballot_number is None
    possible = found.shown.possible
    assert (possible.unanimity, possible.majority.code, possible.chair) == (None, "C.9", True)


def test_what_suffices_for_a_decision(world):
    item = world.items[0]
    world.vote(item, "C.9", "C.9", "C.9")
    world.ballot(item, world.lead, "-")
    possible = _seen(world).shown.possible
    assert (possible.unanimity.code, possible.majority.code) == ("C.9", "C.9")
    for member in world.members:
        away(meeting=world.meeting, member=member)
    found = _seen(world)
    assert (found.present, found.has_quorum) == (1, False)
    assert (found.shown.possible.chair, found.shown.possible.has_quorum) == (False, False)
    # The vote had its quorum as it closed.
    assert found.shown.possible.unanimity.code == "C.9"
    Meeting.objects.update(by_majority=False)
    assert _seen(world).shown.possible.majority is None


def test_names_are_shown_where_the_meeting_shows_them_to_those_who_may_know(world):
    assert [one.name for one in _seen(world).people] == ["R1", "R2", "R3", "Lead"]
    Meeting.objects.update(shows_names=True)
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V")
    names = ["Member R1", "Member R2", "Member R3", "Member Lead"]
    assert [one.name for one in _seen(world).people] == names
    assert [one.name for one in _seen(world, viewer).people] == ["R1", "R2", "R3", "Lead"]


def test_what_each_may_do(world):
    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    viewer = factories.make_member(world.study, Role.VIEWER, pseudonym="V")
    assert [
        (found.is_chair, found.may_take_chair, found.takes_part, found.is_present)
        for found in (_seen(world, member) for member in (world.lead, owner, world.members[0], viewer))
    ] == [
        (True, False, True, True),
        (False, True, True, False),
        (False, False, True, True),
        (False, False, False, False),
    ]


def test_time_is_that_of_the_issues_that_were_decided(world):
    assert (_seen(world).median_seconds, _seen(world).seconds_left) == (None, None)
    first, second, third, _fourth = world.items
    now = timezone.now()
    for item, seconds in ((first, 60), (second, 100), (first, 60), (third, 1000)):
        Spell.objects.create(
            meeting=world.meeting, item=item, began_at=now - timedelta(seconds=seconds), ended_at=now
        )
    for item in (first, second):
        world.decide(item, "C.9")
    found = _seen(world)
    assert (found.median_seconds, found.seconds_left) == (110, 220)


CANARY = "Zanzibar"


def _everything(found) -> str:
    """All that the room holds, as text: dataclasses and rows to the last field."""

    def text(value, depth=0):
        if is_dataclass(value):
            return " ".join(text(getattr(value, one.name), depth) for one in fields(value))
        if isinstance(value, Issue):
            return f"issue:{value.pk} {value.url} {value.current and value.current.title}"
        if isinstance(value, Model):
            return f"{type(value).__name__}:{value.pk} {value}"
        if isinstance(value, tuple | list | frozenset):
            return " ".join(text(one, depth) for one in value)
        if isinstance(value, dict):
            return " ".join(f"{text(key)} {text(one)}" for key, one in value.items())
        return str(value)

    return text(found)


def test_an_issue_that_a_member_still_has_to_label_is_a_number_and_nothing_else(world):
    member, item, issue = world.members[0], world.items[0], world.issues[0]
    snapshot = Snapshot.objects.create(issue=issue, content_hash=CANARY, title=CANARY)
    Issue.objects.filter(pk=issue.pk).update(current=snapshot)
    Comment.objects.create(round=world.round_, issue=issue, author=world.lead, text=CANARY)
    vote = world.vote(item, "C.9", "C.9")
    close_vote(vote=vote, by=world.lead)
    world.decide(item, "C.3", rationale=CANARY)
    open_vote(item=item, by=world.lead)
    assert CANARY in _everything(_seen(world, member))
    world.waits_for(member, issue)
    # Of the issue itself, also where it is asked for, and whoever looks at it.
    for found in (_seen(world, member), _seen(world, member, item)):
        assert found.shown is None
        assert CANARY not in _everything(found)
        assert "C.3" not in _everything(found)
        assert (found.withheld, found.total, found.decided) == (1, 3, 0)
        assert (found.current, found.current_is_withheld) == (None, True)
        assert not any(one.has_voted for one in found.people)
        assert all(item.pk != group.first for group in found.groups)
    seen = _seen(world)
    assert (seen.withheld, seen.current_is_withheld, seen.total, seen.decided) == (0, False, 4, 1)
    assert seen.shown.possible.there == 3


def test_another_issue_can_be_read_meanwhile(world):
    turn_to(meeting=world.meeting, item=world.items[0], by=world.lead)
    world.waits_for(world.members[0], world.issues[0])
    found = _seen(world, world.members[0], world.items[1])
    assert (found.shown.item, found.current_is_withheld) == (world.items[1], True)


def test_what_is_of_another_meeting_is_not_shown(world):
    other = held(1, members=3, come="nobody")
    assert _seen(world, item=other.items[0]).shown is None


def test_without_an_issue_in_front_nothing_is_shown(world):
    found = _seen(world)
    assert (found.shown, found.current, found.current_is_withheld) == (None, None, False)
    assert found.groups[0].is_opened


def test_over_days_each_sees_the_first_that_waits_for_them():
    world = held(3, members=3, come="nobody", kind="apart", quorum=2)
    first, second = world.members[:2]
    world.ballot(world.items[0], first, "C.9")
    assert _seen(world, first).shown.item == world.items[1]
    assert [line.is_voted for line in _seen(world, first).groups[0].lines] == [True, False]
    assert _seen(world, second).shown.item == world.items[0]
    assert _seen(world, second).shown.ballot_number == 1
    assert _seen(world, first).shown.ballot_number == 1
    for item in world.items[1:]:
        world.ballot(item, first, "C.9")
    assert _seen(world, first).shown.item == world.items[0]


def test_a_pair_that_differs_is_offered_the_next_vote():
    world = held(2, members=2, come="nobody", kind="pair")
    world.vote(world.items[0], "C.9")
    assert _seen(world, world.members[0]).shown.item == world.items[1]
    world.ballot(world.items[0], world.members[1], "C.1")
    shown = _seen(world, world.members[0]).shown
    assert (shown.item, shown.ballot_number, shown.possible.chair) == (world.items[0], 2, False)


def test_a_closed_meeting_shows_what_it_left(world):
    first, second, *_ = world.items
    world.decide(first, "C.9")
    world.decide(second, "C.9")
    Decision.objects.filter(item=second).update(superseded_at=timezone.now(), superseded_by=world.lead)
    turn_to(meeting=world.meeting, item=second, by=world.lead)
    close_meeting(meeting=world.meeting, by=world.lead)
    # What is decided elsewhere afterwards is not its own.
    closed = world.fresh()
    world.plan(name="Later")
    world.arrive()
    world.decide(world.items[1], "C.1")
    world.decide(world.items[0], "C.1", seen_number=1)
    found = room(closed, world.lead, first.pk)
    assert (found.total, found.decided, found.present, found.current) == (4, 1, 0, None)
    assert [(line.state, line.code) for line in found.groups[0].lines] == [
        ("decided", "C.9"),
        ("waiting", ""),
    ]
    assert found.shown.possible.chair is False
    assert found.shown.ballot_number is None


def _filled(issues, people):
    world = held(issues, members=people, quorum=1)
    for item in world.items:
        vote = world.vote(item, *["C.9"] * people)
        world.ballot(item, world.lead, "C.1")
        vote.refresh_from_db()
        assert vote.closed_at is not None
        world.decide(item, "C.9")
        open_vote(item=item, by=world.lead)
        Comment.objects.create(round=world.round_, issue=item.issue, author=world.lead, text="So.")
        FollowUp.objects.create(
            item=item, kind="guideline", text="Say so.", made_by=world.lead, made_at=timezone.now()
        )
    return world


@pytest.mark.parametrize(("issues", "people"), [(1, 2), (3, 2), (1, 4), (3, 4)])
@pytest.mark.slow(cases=2)
def test_the_room_takes_as_many_queries_for_many_issues_and_people(issues, people, django_assert_num_queries):
    world = _filled(issues, people)
    meeting = world.fresh()
    for member in (world.lead, world.members[0]):
        with django_assert_num_queries(17):
            found = room(meeting, member, world.items[0].pk)
            asdict(found.shown.possible)
