from datetime import timedelta

import pytest
from django.utils import timezone

from consensus import errors
from consensus.actions.decisions import settle_issue
from consensus.actions.meetings import turn_to
from consensus.actions.presence import away, here
from consensus.actions.votes import ClosedVotes, cast_ballot, close_vote, close_votes_with_quorum, open_vote
from consensus.models import Ballot, Decision, Meeting, Participant, Vote
from rounds.errors import NotAllowed, TooShallow, UnknownCategory
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.worlds.meeting import held, meeting_world, stay

pytestmark = pytest.mark.django_db


@kept
def of_three():
    return held(2, members=3, quorum=2)


@pytest.fixture
def world(of_three):
    """Three volunteers and the lead, who is their chair, are there; the quorum is two."""
    return stay(of_three)


def _left(world, member, **time):
    rows = Participant.objects.filter(meeting=world.meeting, member=member)
    rows.update(left_at=timezone.now() - timedelta(**time))


def _present(vote: Vote) -> int | None:
    """How many took part in the vote, which is stored as it closes."""
    return Vote.objects.get(pk=vote.pk).present


def _ballots(vote):
    codes = Ballot.objects.filter(vote=vote).order_by("pk")
    return [(ballot.member.pseudonym, ballot.category_id) for ballot in codes]


def test_the_chair_opens_a_vote_once_and_before_that_nobody_votes(world):
    item = world.items[0]
    with pytest.raises(errors.VoteNotOpen):
        world.ballot(item, world.members[0], "C.9")
    for member in world.members:
        with pytest.raises(NotAllowed):
            open_vote(item=item, by=member)
    first = open_vote(item=item, by=world.lead)
    assert (first.number, first.opened_by, first.closed_at) == (1, world.lead, None)
    before = world.fresh().revision
    assert open_vote(item=item, by=world.lead) == first
    assert world.fresh().revision == before


def test_a_vote_closes_with_the_last_ballot_of_those_present(world):
    item = world.items[0]
    vote = world.vote(item, "C.9", "C.1", "-")
    assert vote.closed_at is None
    before = world.fresh().revision
    world.ballot(item, world.lead, "C.9")
    assert (_present(vote), Vote.objects.get(pk=vote.pk).closed_by) == (4, None)
    assert world.fresh().revision > before
    nine, one = world.category("C.9").pk, world.category("C.1").pk
    assert _ballots(vote) == [("R1", nine), ("R2", one), ("R3", None), ("Lead", nine)]


def test_the_chair_reveals_before_all_have_voted(world):
    vote = world.vote(world.items[0], "C.9")
    with pytest.raises(NotAllowed):
        close_vote(vote=vote, by=world.members[0])
    closed = close_vote(vote=vote, by=world.lead)
    assert (closed.closed_by, closed.present) == (world.lead, 4)
    before = world.fresh().revision
    assert close_vote(vote=vote, by=world.lead).closed_at == closed.closed_at
    assert world.fresh().revision == before
    again = open_vote(item=world.items[0], by=world.lead)
    assert again.number == 2


def test_a_ballot_can_change_while_the_vote_is_open_and_no_screen_hears_of_it(world):
    vote = world.vote(world.items[0], "C.9")
    before = world.fresh().revision
    changed = world.ballot(world.items[0], world.members[0], "C.1")
    same = world.ballot(world.items[0], world.members[0], "C.1")
    assert (same, same.changed_at) == (changed, changed.changed_at)
    assert _ballots(vote) == [("R1", world.category("C.1").pk)]
    assert world.fresh().revision == before


def test_a_ballot_counts_at_the_depth_of_the_round(world):
    open_vote(item=world.items[0], by=world.lead)
    ballot = world.ballot(world.items[0], world.members[0], "A.1.ii")
    assert ballot.category == world.category("A.1")
    for code, error in (("A", TooShallow), ("X", UnknownCategory)):
        other = factories.make_version(factories.make_study(), ["X"])
        category = factories.category(other, "X") if code == "X" else world.category(code)
        with pytest.raises(error):
            cast_ballot(item=world.items[0], member=world.members[1], category=category)


def test_a_leaf_above_the_depth_can_be_chosen():
    world = meeting_world(1, members=3, depth=Level.SUB_THEME)
    world.plan(quorum=2)
    world.arrive()
    open_vote(item=world.items[0], by=world.lead)
    assert world.ballot(world.items[0], world.members[0], "C.9").category == world.category("C.9")


def test_after_the_close_a_ballot_is_refused_and_kept(world):
    item = world.items[0]
    vote = world.vote(item, "C.9", "C.1")
    close_vote(vote=vote, by=world.lead)
    with pytest.raises(errors.VoteClosed) as refused:
        world.ballot(item, world.members[2], "C.9")
    assert refused.value.kept == {"category": "C.9"}
    with pytest.raises(errors.VoteClosed):
        world.ballot(item, world.members[0], "C.1")
    # The same again, as after a double click, is the ballot that was counted.
    assert world.ballot(item, world.members[0], "C.9").vote == vote
    # A form that showed the first vote does not vote in the second.
    open_vote(item=item, by=world.lead)
    with pytest.raises(errors.VoteClosed):
        world.ballot(item, world.members[2], "C.9", number=1)
    assert world.ballot(item, world.members[0], "C.9", number=1).vote == vote
    assert world.ballot(item, world.members[2], "C.9", number=2).vote.number == 2


def test_who_is_absent_or_may_not_take_part_does_not_vote(world):
    item = world.items[0]
    open_vote(item=item, by=world.lead)
    away(meeting=world.meeting, member=world.members[0])
    newcomer = factories.make_member(world.study, pseudonym="R9")
    for member in (world.members[0], newcomer):
        with pytest.raises(errors.NotPresent):
            world.ballot(item, member, "C.9")
    for role in (Role.VIEWER, Role.MODEL):
        with pytest.raises(NotAllowed):
            world.ballot(item, factories.make_member(world.study, role, pseudonym=role), "C.9")
    here(meeting=world.meeting, member=world.members[0])
    assert world.ballot(item, world.members[0], "C.9").pk


def test_who_must_not_see_the_issue_neither_votes_nor_is_waited_for(world):
    factories.make_round(world.version, [world.issues[0]], [world.members[2]])
    vote = world.vote(world.items[0], "C.9", "C.9")
    with pytest.raises(errors.OffTheAgenda):
        world.ballot(world.items[0], world.members[2], "C.9")
    world.ballot(world.items[0], world.lead, "C.9")
    assert _present(vote) == 3


def test_a_vote_waits_for_its_quorum(world):
    Meeting.objects.update(quorum=3)
    for member in (world.members[2], world.lead):
        away(meeting=world.meeting, member=member)
        _left(world, member, minutes=5)
    open_vote(item=world.items[0], by=world.lead)
    for member in world.members[:2]:
        vote = world.ballot(world.items[0], member, "C.9").vote
    assert _present(vote) is None
    here(meeting=world.meeting, member=world.members[2])
    world.ballot(world.items[0], world.members[2], "C.1")
    assert _present(vote) == 3


def test_a_vote_does_not_wait_for_who_lost_the_connection(world):
    vote = world.vote(world.items[0], "C.9", "C.9")
    world.ballot(world.items[0], world.lead, "C.9")
    rows = Participant.objects.filter(member=world.members[2])
    rows.update(last_seen_at=timezone.now() - timedelta(seconds=31))
    here(meeting=world.meeting, member=world.members[0])
    assert _present(vote) == 3


def test_loading_the_page_again_reveals_nothing(world):
    vote = world.vote(world.items[0], "C.9", "C.9")
    away(meeting=world.meeting, member=world.members[2])
    here(meeting=world.meeting, member=world.members[0])
    world.ballot(world.items[0], world.lead, "C.9")
    assert _present(vote) is None
    here(meeting=world.meeting, member=world.members[2])
    away(meeting=world.meeting, member=world.members[2])
    _left(world, world.members[2], seconds=11)
    here(meeting=world.meeting, member=world.members[0])
    assert _present(vote) == 3


def test_who_voted_and_left_was_there(world):
    vote = world.vote(world.items[0], "C.9", "C.9", "C.1")
    for member in world.members:
        away(meeting=world.meeting, member=member)
    assert close_vote(vote=vote, by=world.lead).present == 3


@kept
def apart():
    """Three volunteers and the lead are asked to a meeting over days; the quorum is two."""
    return held(4, members=3, come="nobody", kind="apart", quorum=2, by_majority=True)


def test_over_days_the_first_ballot_opens_and_the_last_closes(apart):
    item = apart.items[0]
    vote = apart.vote(item, "C.9", "C.1", "-")
    assert (vote.number, vote.opened_by, vote.closed_at) == (1, apart.members[0], None)
    apart.ballot(item, apart.lead, "C.9")
    vote.refresh_from_db()
    assert (vote.closed_at is not None, vote.present, Vote.objects.count()) == (True, 4, 1)
    with pytest.raises(errors.VoteClosed):
        apart.ballot(item, apart.members[0], "C.1")
    again = open_vote(item=item, by=apart.lead)
    assert apart.ballot(item, apart.members[0], "C.1").vote == again


def test_over_days_nobody_waits_for_who_left_the_study_or_must_not_see_the_issue(apart):
    first, second, third = apart.members
    type(second).objects.filter(pk=second.pk).update(left_at=timezone.now())
    factories.make_round(apart.version, [apart.issues[0]], [third])
    apart.ballot(apart.items[0], apart.lead, "C.9")
    vote = apart.ballot(apart.items[0], first, "C.9").vote
    assert _present(vote) == 2


def test_over_days_what_is_decided_takes_no_vote(apart):
    vote = apart.vote(apart.items[0], "C.9", "C.9")
    close_vote(vote=vote, by=apart.lead)
    apart.decide(apart.items[0], "C.9")
    with pytest.raises(errors.VoteClosed):
        apart.ballot(apart.items[0], apart.members[2], "C.9")


def test_the_chair_closes_what_has_its_quorum(apart, django_assert_max_num_queries):
    first, second, third, _fourth = apart.items
    unanimous = apart.vote(first, "C.9", "C.9")
    split = apart.vote(second, "C.9", "C.1")
    alone = apart.vote(third, "C.9")
    for member in (apart.members[0], apart.members[1]):
        with pytest.raises(NotAllowed):
            close_votes_with_quorum(meeting=apart.meeting, by=member)
    with django_assert_max_num_queries(25):
        assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(2, 1)
    assert [_present(vote) for vote in (unanimous, split, alone)] == [2, 2, None]
    decision = Decision.objects.get(item__isnull=False)
    assert (decision.item, decision.how, decision.vote) == (first, "unanimity", unanimous)
    assert (decision.method, decision.number, decision.decided_by) == ("meeting", 1, apart.lead)
    before = apart.fresh().revision
    assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(0, 0)
    assert apart.fresh().revision == before


def test_what_closed_by_itself_is_decided_with_the_rest_and_what_was_reopened_is_not(apart):
    first, second, *_ = apart.items
    for item in (first, second):
        apart.vote(item, "C.9", "C.9", "C.1", "C.9", of=[*apart.members, apart.lead])
    assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(0, 2)
    assert set(Decision.objects.values_list("how", flat=True)) == {"majority"}
    now = timezone.now()
    Decision.objects.filter(item=first).update(
        superseded_at=now, superseded_by=apart.lead, superseded_why="wrong"
    )
    assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(0, 0)


def test_the_chair_leaves_alone_what_they_put_off(apart):
    first, second, *_ = apart.items
    for item in (first, second):
        apart.vote(item, "C.9", "C.9")
    type(first).objects.filter(pk=first.pk).update(parked_at=timezone.now(), parked_why="Ask them.")
    assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(1, 1)
    assert Decision.objects.get(item__isnull=False).item == second
    first.refresh_from_db()
    assert first.parked_why == "Ask them."


def test_a_vote_from_before_a_reopening_decides_nothing(apart):
    first, second, *_ = apart.items
    for item in (first, second):
        close_vote(vote=apart.vote(item, "C.9", "C.9"), by=apart.lead)
    # A lead settled the first one without the meeting, and opened it again.
    now = timezone.now()
    Decision.objects.create(
        round=apart.round_, issue=first.issue, number=1, category=apart.category("C.1"),
        version=apart.version, method="lead", rationale="No.", decided_by=apart.lead, decided_at=now,
        superseded_at=now, superseded_by=apart.lead, superseded_why="Wrong.",
    )  # fmt: skip
    assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(0, 1)
    assert Decision.objects.get(superseded_at=None).item == second


def test_the_chair_does_not_close_what_is_kept_from_them(apart):
    vote = apart.vote(apart.items[0], "C.9", "C.9")
    factories.make_round(apart.version, [apart.issues[0]], [apart.lead])
    assert close_votes_with_quorum(meeting=apart.meeting, by=apart.lead) == ClosedVotes(0, 0)
    assert _present(vote) is None


@kept
def pair():
    return held(2, members=3, come="nobody", kind="pair")


def test_two_equal_ballots_decide_for_a_pair(pair):
    first, second, third = pair.members
    vote = pair.vote(pair.items[0], "C.9")
    with pytest.raises(NotAllowed):
        pair.ballot(pair.items[0], third, "C.9")
    assert not Decision.objects.exists()
    pair.ballot(pair.items[0], second, "C.9")
    decision = Decision.objects.get()
    assert (decision.item, decision.vote, decision.how) == (pair.items[0], vote, "unanimity")
    assert (decision.decided_by, decision.rationale) == (second, "")
    with pytest.raises(errors.ItemDecided):
        pair.ballot(pair.items[0], first, "C.1")


@pytest.mark.parametrize("codes", [("C.9", "C.1"), ("C.9", "-"), ("-", "-")])
def test_a_pair_that_differs_talks_and_votes_again(pair, codes):
    vote = pair.vote(pair.items[0], *codes)
    assert (vote.closed_at is not None, vote.present) == (True, 2)
    assert not Decision.objects.exists()
    # A second click on the form of the first vote opens no other.
    assert pair.ballot(pair.items[0], pair.members[1], codes[1], number=1).vote == vote
    with pytest.raises(errors.VoteClosed):
        pair.ballot(pair.items[0], pair.members[1], "C.2", number=1)
    again = pair.ballot(pair.items[0], pair.members[0], "C.9", number=2).vote
    assert again.number == 2
    pair.ballot(pair.items[0], pair.members[1], "C.9", number=2)
    assert Decision.objects.get().vote == again


def test_nobody_reveals_one_ballot_of_a_pair(pair):
    vote = pair.vote(pair.items[0], "C.9")
    for member in (*pair.members, pair.lead):
        with pytest.raises(NotAllowed):
            close_vote(vote=vote, by=member)


def test_a_vote_stays_open_while_the_chair_looks_elsewhere(world):
    vote = world.vote(world.items[0], "C.9", "C.9", "C.9")
    turn_to(meeting=world.meeting, item=world.items[1], by=world.lead)
    world.ballot(world.items[0], world.lead, "C.9")
    assert _present(vote) is not None


def test_a_pair_does_not_undo_what_was_decided_while_it_voted(pair):
    [item] = pair.items[:1]
    pair.ballot(item, pair.members[0], "C.9")
    with_reason = {"rationale": "The logs say so.", "seen_number": 0}
    settled = settle_issue(
        round_=pair.round_, issue=item.issue, by=pair.lead, category=pair.category("C.1"), **with_reason
    )
    pair.ballot(item, pair.members[1], "C.9")
    assert Vote.objects.get(item=item).closed_at is not None
    assert Decision.objects.get(round=pair.round_, issue=item.issue_id) == settled
    settled.refresh_from_db()
    assert settled.superseded_at is None
