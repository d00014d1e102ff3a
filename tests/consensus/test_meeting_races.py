"""A meeting in which everybody acts at the same moment: real threads, real transactions, a real PostgreSQL."""

# ruff: noqa: B023 - the threads end before the loop goes on

from collections import Counter
from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone

from consensus import errors
from consensus.actions.meetings import close_meeting, take_chair, turn_to
from consensus.actions.presence import away, here
from consensus.actions.votes import close_vote, close_votes_with_quorum, open_vote
from consensus.models import AgendaItem, Ballot, Decision, Meeting, Participant, Spell, Vote
from studies.models import Role
from tests import factories
from tests.long import only_long, sampled
from tests.races import at_once
from tests.worlds.meeting import held, meeting_world, there

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def _promises_hold(meeting: Meeting) -> None:
    """What must be true of a meeting after anything at all has happened in it."""
    for vote in Vote.objects.filter(meeting=meeting, closed_at__isnull=False):
        cast = vote.ballots.count()
        assert cast <= vote.present
        assert vote.present <= Participant.objects.filter(meeting=meeting, joined_at__isnull=False).count()
    assert max(Counter(Ballot.objects.values_list("vote", "member")).values(), default=0) <= 1
    for numbers in _numbers(Vote.objects.filter(meeting=meeting), "item").values():
        assert numbers == list(range(1, len(numbers) + 1))
    for numbers in _numbers(Decision.objects.filter(item__meeting=meeting), "issue").values():
        assert numbers == list(range(1, len(numbers) + 1))
    standing = Decision.objects.filter(item__meeting=meeting, superseded_at=None)
    assert max(Counter(standing.values_list("issue", flat=True)).values(), default=0) <= 1
    assert Spell.objects.filter(meeting=meeting, ended_at=None).count() <= 1


def _numbers(rows, of: str) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for key, number in rows.order_by("number").values_list(of, "number"):
        found.setdefault(key, []).append(number)
    return found


def _kinds(results) -> list[str]:
    return sorted(type(result).__name__ for result in results)


@only_long
def test_two_windows_of_the_chair_decide_at_once():
    """One decision stands each time; the other window is told which, and keeps its text."""
    world = held(sampled(100, 25), members=3, come="volunteers", quorum=2)
    for item in world.items:
        results = at_once(
            lambda: world.decide(item, "C.9", rationale="One."),
            lambda: world.decide(item, "C.1", rationale="Other."),
        )
        assert _kinds(results) == ["Decision", "StaleDecision"]
        won = next(result for result in results if isinstance(result, Decision))
        lost = next(result for result in results if isinstance(result, errors.StaleDecision))
        assert lost.standing == won
        assert lost.kept["rationale"] != won.rationale
        assert Decision.objects.get(issue=item.issue_id) == won
    assert Decision.objects.count() == len(world.items)
    _promises_hold(world.meeting)


@only_long
def test_two_chairs_decide_at_once():
    """The owner takes the chair while the chair decides: whoever leads in that moment decides, alone."""
    world = held(sampled(100, 25), members=3, come="volunteers", quorum=2)
    chairs = [world.lead, factories.make_member(world.study, Role.OWNER, pseudonym="Owner")]

    def seize_and_decide(item, new):
        take_chair(meeting=world.meeting, by=new)
        return world.decide(item, "C.1", by=new)

    for turn, item in enumerate(world.items):
        old, new = chairs[turn % 2], chairs[(turn + 1) % 2]
        results = at_once(lambda: world.decide(item, "C.9", by=old), lambda: seize_and_decide(item, new))
        assert _kinds(results) in (["Decision", "NotAllowed"], ["Decision", "StaleDecision"])
        assert Decision.objects.get(issue=item.issue_id) in results
    assert world.fresh().chair in chairs
    _promises_hold(world.meeting)


@only_long
def test_a_double_click_decides_once():
    world = held(10, members=3, come="volunteers", quorum=2)
    for item in world.items:
        first, second = at_once(*[lambda: world.decide(item, "C.9")] * 2)
        assert first == second
    assert Decision.objects.count() == 10


def test_the_last_two_ballots_at_once_close_the_vote_once_with_all_of_them():
    world = held(15, members=4, come="volunteers", quorum=3)
    third, fourth = world.members[2:]
    for item in world.items:
        vote = world.vote(item, "C.9", "C.1")
        before = world.fresh().revision
        results = at_once(lambda: world.ballot(item, third, "C.9"), lambda: world.ballot(item, fourth, "-"))
        assert _kinds(results) == ["Ballot", "Ballot"]
        vote.refresh_from_db()
        assert (vote.closed_at is not None, vote.closed_by, vote.present) == (True, None, 4)
        assert vote.ballots.count() == 4
        assert world.fresh().revision == before + 3
    _promises_hold(world.meeting)


@only_long
def test_the_two_of_a_pair_at_once_decide_once():
    world = held(12, members=2, come="nobody", kind="pair")
    for place, item in enumerate(world.items):
        codes = ("C.9", "C.9") if place % 2 else ("C.9", "C.1")
        results = at_once(
            *(
                lambda member=member, code=code: world.ballot(item, member, code, number=1)
                for member, code in zip(world.members, codes, strict=True)
            )
        )
        assert _kinds(results) == ["Ballot", "Ballot"]
        vote = Vote.objects.get(item=item)
        assert (vote.closed_at is not None, vote.present) == (True, 2)
        assert Decision.objects.filter(item=item).count() == place % 2
    _promises_hold(world.meeting)


@only_long
def test_a_ballot_and_the_reveal_at_once():
    """The ballot is in and counted, or refused with the choice kept; never in a vote that was closed before."""
    world = held(15, members=4, come="volunteers", quorum=2)
    outcomes = Counter()
    for item in world.items:
        vote = world.vote(item, "C.9", "C.1")
        ballot, closed = at_once(
            lambda: world.ballot(item, world.members[2], "C.9"), lambda: close_vote(vote=vote, by=world.lead)
        )
        assert closed == vote
        if isinstance(ballot, Ballot):
            assert vote.ballots.count() == 3
        else:
            assert isinstance(ballot, errors.VoteClosed)
            assert ballot.kept == {"category": "C.9"}
            assert vote.ballots.count() == 2
        outcomes[type(ballot).__name__] += 1
    assert sum(outcomes.values()) == 15
    _promises_hold(world.meeting)


@only_long
def test_closing_the_meeting_and_deciding_at_once():
    """The decision is of the open meeting, or there is none."""
    for _ in range(8):
        world = held(1, members=3, come="volunteers", quorum=2)
        decided, closed = at_once(
            lambda: world.decide(world.items[0], "C.9"),
            lambda: close_meeting(meeting=world.meeting, by=world.lead),
        )
        assert isinstance(closed, Meeting)
        found = Decision.objects.filter(item=world.items[0])
        if isinstance(decided, Decision):
            assert found.get().decided_at <= closed.closed_at
        else:
            assert isinstance(decided, errors.MeetingClosed)
            assert not found.exists()
        assert AgendaItem.objects.get(pk=world.items[0].pk).released_at == closed.closed_at
        assert there(world.meeting) == set()


@only_long
def test_closing_the_meeting_and_voting_at_once_over_days():
    for _ in range(6):
        world = held(1, members=3, come="nobody", kind="apart", quorum=1)
        cast, closed = at_once(
            lambda: world.ballot(world.items[0], world.members[0], "C.9"),
            lambda: close_meeting(meeting=world.meeting, by=world.lead),
        )
        assert isinstance(closed, Meeting)
        assert isinstance(cast, Ballot | errors.MeetingClosed)
        assert not Vote.objects.filter(closed_at=None).exists()
        _promises_hold(world.meeting)


@only_long
def test_who_comes_back_while_they_are_noticed_as_gone_is_there():
    world = held(1, members=3, come="volunteers", quorum=2)
    first = world.members[0]
    for _ in range(15):
        Participant.objects.filter(member=first).update(last_seen_at=timezone.now() - timedelta(minutes=1))
        results = at_once(
            *(lambda member=member: here(meeting=world.meeting, member=member) for member in world.members)
        )
        assert _kinds(results) == ["Participant"] * 3
        # The others may have noticed the absence after the sign of life: then the next one heals it.
        here(meeting=world.meeting, member=first)
        assert there(world.meeting) == {"R1", "R2", "R3"}


@only_long
def test_all_come_at_once_and_each_once():
    for _ in range(3):
        world = meeting_world(1, members=7)
        world.plan(participants=[world.lead])
        results = at_once(
            *(
                lambda member=member: here(meeting=world.meeting, member=member)
                for member in (*world.members, world.members[0])
            )
        )
        assert _kinds(results) == ["Participant"] * 8
        assert len(there(world.meeting)) == 7
        assert Participant.objects.filter(meeting=world.meeting).count() == 8


@only_long
def test_two_windows_turn_at_once():
    world = held(3, members=3, come="nobody")
    first, second, _third = world.items
    for _ in range(15):
        at_once(
            lambda: turn_to(meeting=world.meeting, item=first, by=world.lead),
            lambda: turn_to(meeting=world.meeting, item=second, by=world.lead),
        )
        running = Spell.objects.get(ended_at=None)
        assert running.item_id == world.fresh().item_id
    spells = list(Spell.objects.order_by("pk"))
    for before, after in pairwise(spells):
        assert before.ended_at == after.began_at
        assert before.item != after.item


def test_two_windows_open_one_vote():
    world = held(20, members=3, come="nobody")
    for item in world.items:
        first, second = at_once(*[lambda: open_vote(item=item, by=world.lead)] * 2)
        assert first == second
    assert Vote.objects.count() == 20


@only_long
def test_a_whole_meeting_over_days_at_once():
    """Everybody votes on everything, while the chair closes what has its quorum and others come and go."""
    world = held(12, members=4, come="nobody", kind="apart", quorum=2, by_majority=True)

    def vote(member, codes):
        given = []
        for item, code in zip(world.items, codes, strict=True):
            try:
                given.append(world.ballot(item, member, code))
            except errors.VoteClosed:
                given.append(None)
        return given

    def close():
        return [close_votes_with_quorum(meeting=world.meeting, by=world.lead) for _ in range(8)]

    def come_and_go():
        for _ in range(10):
            for member in world.members:
                here(meeting=world.meeting, member=member)
                away(meeting=world.meeting, member=member)

    results = at_once(
        *(
            lambda member=member, shift=shift: vote(
                member, (["C.9"] * 7 + ["C.1"] * 5)[shift:] + ["C.9"] * shift
            )
            for shift, member in enumerate(world.members)
        ),
        close,
        come_and_go,
    )
    assert [error for error in results if isinstance(error, Exception)] == []
    cast = sum(ballot is not None for given in results[:4] for ballot in given)
    assert Ballot.objects.count() == cast
    close_votes_with_quorum(meeting=world.meeting, by=world.lead)
    _promises_hold(world.meeting)


@only_long
def test_labels_settling_and_a_meeting_do_not_lock_each_other_out():
    """The lead settles from the dashboard, the chair decides in the meeting, others vote: nobody waits forever."""
    world = held(20, members=4, come="volunteers", quorum=2)

    def settle():
        told = 0
        for issue in reversed(world.issues):
            try:
                world.settle(world.round_, issue, "C.1", rationale="From the dashboard.")
            except errors.StaleDecision:
                told += 1
        return told

    def decide():
        told = 0
        for item in world.items:
            try:
                world.decide(item, "C.9")
            except errors.StaleDecision:
                told += 1
        return told

    results = at_once(settle, decide)
    assert sum(results) == 20
    assert Decision.objects.count() == 20
    assert not Decision.objects.exclude(superseded_at=None).exists()
