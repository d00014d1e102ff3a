from bisect import bisect_left
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.turns import (
    AHEAD,
    BEHIND,
    BY_RANK,
    FREE,
    claim_query,
    next_turn,
    skip_issue,
    take_back_skip,
)
from annotate.errors import AlreadyLabelled, ReasonMissing, SlotTaken
from annotate.models import Draft, Skip
from ingest.models import Issue
from rounds.errors import NotYourTurn, RoundClosed, RoundNotOpen
from rounds.models import Assignment, RoundVolunteer
from studies.models import Membership
from tests.long import only_long
from tests.worlds.world import small_world, undone

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1, members=2)]


def _next(round_, member):
    """The issue of the member's next turn, None without one."""
    turn = next_turn(round_=round_, member=member)
    return turn and turn.issue


# Fully crossed


@pytest.mark.world(issues=5)
def test_a_crossed_round_comes_in_the_volunteers_own_order(world):
    round_ = world.round()
    member = world.members[1]
    ranked = Assignment.objects.filter(round=round_, volunteer=member).order_by("rank")
    expected = [slot.issue for slot in ranked.select_related("issue")]
    came = []
    while (issue := _next(round_, member)) is not None:
        came.append(issue)
        world.submit(round_, issue, member, "C.2")
    assert came == expected


@pytest.mark.world(issues=3, members=3)
def test_asking_again_gives_the_same_issue(world):
    for round_ in (world.round(), world.k_of_n(1)):
        assert _next(round_, world.members[0]) == _next(round_, world.members[0]) is not None


@pytest.mark.world(issues=3, members=3)
def test_a_turn_carries_issue_draft_and_lease(world):
    round_ = world.k_of_n(1, lease_minutes=20)
    before = timezone.now()
    issue = _next(round_, world.members[0])
    draft = world.draft(round_, issue, world.members[0], None, "half a thou")
    turn = next_turn(round_=round_, member=world.members[0])
    assert (turn.issue, turn.draft, turn.label) == (issue, draft, None)
    assert (turn.seen_revision, turn.seen_snapshot) == (1, issue.current_id)
    assert before + timedelta(minutes=20) <= turn.lease_until <= timezone.now() + timedelta(minutes=20)


@pytest.mark.world(issues=4)
def test_skipped_issues_come_again_at_the_end_the_longest_waiting_first(world):
    round_ = world.round()
    member = world.members[0]
    skipped = []
    for _ in range(2):
        skipped.append(_next(round_, member))
        skip_issue(round_=round_, issue=skipped[-1], member=member, reason="too long")
    for _ in range(2):
        issue = _next(round_, member)
        assert issue not in skipped
        world.submit(round_, issue, member, "C.2")
    assert _next(round_, member) == skipped[0]
    skip_issue(round_=round_, issue=skipped[0], member=member, reason="still too long")
    assert _next(round_, member) == skipped[1]
    skip_issue(round_=round_, issue=skipped[1], member=member, reason="no")
    assert _next(round_, member) == skipped[0]


@pytest.mark.world(issues=4, members=2)
def test_a_skip_stays_with_its_volunteer(world):
    """It puts the issue last for the volunteer, and moves it for nobody else."""
    round_, came = world.round(), {}
    order = {
        member: list(Assignment.objects.filter(round=round_, volunteer=member).order_by("rank"))
        for member in world.members
    }
    one, other = world.members
    skip_issue(round_=round_, issue=order[one][0].issue, member=one, reason="x")
    for member in world.members:
        came[member] = []
        while (issue := _next(round_, member)) is not None:
            came[member].append(issue.pk)
            world.submit(round_, issue, member, "C.2")
    assert came[one] == [slot.issue_id for slot in [*order[one][1:], order[one][0]]]
    assert came[other] == [slot.issue_id for slot in order[other]]


@pytest.mark.world(issues=3, members=3)
def test_a_double_click_on_skip_stores_one_skip(world):
    for round_ in (world.round(), world.k_of_n(1)):
        issue = _next(round_, world.members[0])
        first = skip_issue(round_=round_, issue=issue, member=world.members[0], reason="x")
        assert skip_issue(round_=round_, issue=issue, member=world.members[0], reason="x") == first
        assert Skip.objects.filter(round=round_).count() == 1


@pytest.mark.world(issues=3, members=3)
def test_taking_a_skip_back_brings_the_issue_back(world):
    for round_ in (world.round(), world.k_of_n(1)):
        member = world.members[0]
        issue = _next(round_, member)
        skip_issue(round_=round_, issue=issue, member=member, reason="x")
        assert _next(round_, member) != issue
        assert take_back_skip(round_=round_, issue=issue, member=member).issue == issue
        assert _next(round_, member) == issue
        assert not Skip.objects.filter(round=round_).exists()


@pytest.mark.world(issues=2)
def test_skip_refusals(world):
    round_ = world.round()
    member = world.members[0]
    issue, other = world.issues
    with pytest.raises(ReasonMissing):
        skip_issue(round_=round_, issue=issue, member=member, reason=" \n")
    world.submit(round_, issue, member, "C.2")
    with pytest.raises(AlreadyLabelled):
        skip_issue(round_=round_, issue=issue, member=member, reason="x")
    with pytest.raises(NotYourTurn):
        skip_issue(round_=round_, issue=other, member=world.lead, reason="x")
    with pytest.raises(NotYourTurn):
        take_back_skip(round_=round_, issue=other, member=member)
    close_round(round_=round_, by=world.lead)
    with pytest.raises(RoundClosed):
        skip_issue(round_=round_, issue=other, member=member, reason="x")
    assert Skip.objects.count() == 0


@pytest.mark.world(issues=3, members=3)
def test_no_turns_before_opening_after_closing_or_for_others(world):
    planned = world.round(opened=False)
    with pytest.raises(RoundNotOpen):
        next_turn(round_=planned, member=world.members[0])
    for round_ in (world.round(), world.k_of_n(1)):
        with pytest.raises(NotYourTurn):
            next_turn(round_=round_, member=world.lead)
        with pytest.raises(RoundClosed):
            next_turn(round_=close_round(round_=round_, by=world.lead), member=world.members[0])


@pytest.mark.world(issues=3, members=3)
def test_who_left_the_study_takes_no_more_turns(world):
    round_ = world.k_of_n(1)
    Membership.objects.filter(pk=world.members[0].pk).update(left_at=timezone.now())
    with pytest.raises(NotYourTurn):
        next_turn(round_=round_, member=world.members[0])


# k of n


@pytest.mark.world(issues=3, members=3)
def test_volunteers_claim_different_slots_until_none_is_left(world):
    round_ = world.k_of_n(1)
    issues = [_next(round_, member) for member in world.members]
    assert set(issues) == set(world.issues)
    for member, issue in zip(world.members, issues, strict=True):
        world.submit(round_, issue, member, "C.2")
    assert [_next(round_, member) for member in world.members] == [None, None, None]


@only_long
@pytest.mark.world(issues=40, members=3)
def test_volunteers_start_at_different_places_of_one_ring_and_go_round_it(world):
    round_ = world.k_of_n(3)
    slots = Assignment.objects.filter(round=round_, slot=1).order_by("rank")
    ranks, ring = zip(*slots.values_list("rank", "issue"), strict=True)
    seeds = dict(RoundVolunteer.objects.filter(round=round_).values_list("member", "seed"))
    assert len(set(seeds.values())) == 3
    for member in world.members:
        came = []
        while (issue := _next(round_, member)) is not None:
            came.append(issue.pk)
            world.submit(round_, issue, member, "C.2")
        start = bisect_left(ranks, seeds[member.pk]) % 40
        assert came == [*ring[start:], *ring[:start]]


def test_an_expired_claim_goes_to_somebody_else_and_leaves_a_trace(world):
    round_ = world.k_of_n(1)
    slow, quick = world.members
    assert _next(round_, slow) == world.issues[0]
    assert _next(round_, quick) is None
    world.expire(round_, slow)
    assert _next(round_, quick) == world.issues[0]
    assert _next(round_, slow) is None
    assert list(Draft.objects.values_list("volunteer", "category", "summary", "revision")) == [
        (slow.pk, None, "", 0)
    ]


def test_an_expired_claim_keeps_its_draft_when_retaken(world):
    round_ = world.k_of_n(1)
    slow, quick = world.members
    world.draft(round_, _next(round_, slow), slow, None, "half a thou")
    world.expire(round_, slow)
    assert next_turn(round_=round_, member=quick).draft is None
    assert list(Draft.objects.values_list("volunteer", "summary")) == [(slow.pk, "half a thou")]


@pytest.mark.world(issues=2, members=2)
def test_an_expired_claim_that_nobody_took_is_renewed(world):
    round_ = world.k_of_n(1)
    issue = _next(round_, world.members[0])
    world.expire(round_, world.members[0])
    turn = next_turn(round_=round_, member=world.members[0])
    assert turn.issue == issue
    assert turn.lease_until > timezone.now() + timedelta(minutes=59)


def test_a_draft_renews_the_lease(world):
    round_ = world.k_of_n(1)
    slow, quick = world.members
    issue = _next(round_, slow)
    world.expire(round_, slow)
    world.draft(round_, issue, slow, None, "I am here")
    assert _next(round_, quick) is None


def test_a_submitted_slot_never_expires(world):
    round_ = world.k_of_n(1)
    world.submit(round_, _next(round_, world.members[0]), world.members[0], "C.2")
    Assignment.objects.update(lease_until=timezone.now() - timedelta(days=1))
    assert _next(round_, world.members[1]) is None


@pytest.mark.world(issues=2, members=2)
def test_free_slots_come_before_expired_ones(world):
    round_ = world.k_of_n(1)
    slow, quick = world.members
    claimed = _next(round_, slow)
    world.expire(round_, slow)
    free = _next(round_, quick)
    assert {claimed, free} == set(world.issues)
    world.submit(round_, free, quick, "C.2")
    assert _next(round_, quick) == claimed


@pytest.mark.world(issues=2, members=2)
def test_skipping_frees_the_slot_and_the_issue_comes_again_last(world):
    round_ = world.k_of_n(1)
    first, second = world.members
    skipped = _next(round_, first)
    world.draft(round_, skipped, first, None, "what I had so far")
    skip_issue(round_=round_, issue=skipped, member=first, reason="not my field")
    assert Assignment.objects.filter(round=round_, volunteer=None).count() == 2
    other = _next(round_, first)
    assert other != skipped
    world.submit(round_, other, first, "C.2")
    turn = next_turn(round_=round_, member=first)
    assert (turn.issue, turn.draft.summary) == (skipped, "what I had so far")
    skip_issue(round_=round_, issue=skipped, member=first, reason="really not")
    assert _next(round_, second) == skipped
    assert _next(round_, first) is None


def test_a_skip_is_not_taken_back_when_others_hold_the_slots(world):
    round_ = world.k_of_n(1)
    first, second = world.members
    skip_issue(round_=round_, issue=_next(round_, first), member=first, reason="x")
    assert _next(round_, second) == world.issues[0]
    with pytest.raises(SlotTaken):
        take_back_skip(round_=round_, issue=world.issues[0], member=first)
    assert Skip.objects.count() == 1
    world.expire(round_, second)
    assert take_back_skip(round_=round_, issue=world.issues[0], member=first).issue == world.issues[0]


# What others do is not to be seen


@pytest.mark.world(issues=6, members=3)
def test_turns_do_not_depend_on_what_others_label(world):
    for round_ in (world.round(), world.k_of_n(2)):
        watcher, other = world.members[:2]
        _next(round_, watcher)
        issue = _next(round_, other)
        seen = []
        for code in ("A.1", "C.9"):
            with undone():
                world.submit(round_, issue, other, code, summary=f"canary {code}")
                turn = next_turn(round_=round_, member=watcher)
                seen.append((turn.issue.pk, turn.draft, turn.label, turn.assignment.pk))
        assert seen[0] == seen[1]


@pytest.mark.parametrize("issues", [1, 3, 300])
def test_a_turn_costs_the_same_whatever_the_size(issues, django_assert_num_queries):
    world = small_world(issues=issues, members=2)
    crossed, shared = world.round(), world.k_of_n(2)
    RoundVolunteer.objects.update(seed=-(2**63))  # before the first rank: nobody has to go round the ring
    with django_assert_num_queries(1):
        next_turn(round_=crossed, member=world.members[0])
    with django_assert_num_queries(8):
        next_turn(round_=shared, member=world.members[0])
    with django_assert_num_queries(6):
        next_turn(round_=shared, member=world.members[0])


@pytest.mark.parametrize("analyzed", [True, False])
def test_a_claim_walks_the_index_and_sorts_nothing(world, analyzed):
    Issue.objects.bulk_create(
        Issue(repository=world.repository, number=f"bulk {number}", url="x") for number in range(2000)
    )
    round_ = world.k_of_n(2)
    values = {"round": round_.pk, "member": world.members[0].pk, "now": None, "lease": None, "start": 0}
    with connection.cursor() as cursor:
        if analyzed:
            cursor.execute("ANALYZE rounds_assignment")
        for where in (AHEAD, BEHIND):
            cursor.execute(f"EXPLAIN {claim_query(FREE, where, BY_RANK)}", values)
            plan = "\n".join(row[0] for row in cursor.fetchall())
            assert "Index Scan using turns_to_come" in plan
            assert "Sort" not in plan
