import pytest
from django.contrib.auth.models import AnonymousUser

from annotate.actions.turns import next_turn, skip_issue
from annotate.models import Draft
from annotate.queries.turns import current_turn, guideline_of, keywords_at, seat_of, turn_at
from ingest.queries.keywords import keywords_of
from rounds.models import Assignment
from tests import factories
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=1)]


@pytest.mark.world(issues=3, members=3)
def test_the_current_turn_is_the_next_one_or_what_was_claimed(world):
    round_ = world.round()
    assert current_turn(round_, world.members[0]) == next_turn(round_=round_, member=world.members[0])
    assert current_turn(round_, world.lead) is None
    round_ = world.k_of_n(1)
    assert current_turn(round_, world.members[0]) is None  # reading claims nothing
    assert not Assignment.objects.filter(round=round_).exclude(volunteer=None).exists()
    claimed = next_turn(round_=round_, member=world.members[0])
    assert current_turn(round_, world.members[0]) == claimed


@pytest.mark.world(issues=3, members=3)
def test_the_slot_last_touched_is_the_current_one(world):
    round_, member = world.k_of_n(1), world.members[0]
    first = next_turn(round_=round_, member=member).issue
    Assignment.objects.filter(volunteer=member).update(volunteer=world.members[1])
    second = next_turn(round_=round_, member=member).issue
    Assignment.objects.filter(issue=first).update(volunteer=member)
    assert current_turn(round_, member).issue == second
    world.draft(round_, first, member)
    assert current_turn(round_, member).issue == first


@pytest.mark.world(issues=4, members=2)
def test_turn_at_shows_what_is_the_members_own(world):
    round_ = world.round()
    member, other = world.members
    labelled, drafted, skipped, untouched = world.issues
    label = world.submit(round_, labelled, member, "C.2").label
    draft = world.draft(round_, drafted, member, None, "x")
    skip_issue(round_=round_, issue=skipped, member=member, reason="x")
    world.submit(round_, untouched, other, "C.9", summary="canary")
    seen = {issue: turn_at(round_, member, issue.pk) for issue in world.issues}
    assert {issue: (turn.label, turn.draft) for issue, turn in seen.items()} == {
        labelled: (label, None),
        drafted: (None, draft),
        skipped: (None, None),
        untouched: (None, None),
    }
    assert all(turn.assignment.volunteer_id == member.pk for turn in seen.values())
    assert [turn.seen_revision for turn in seen.values()] == [0, 1, 0, 0]


@pytest.mark.world(issues=2)
def test_turn_at_is_none_for_what_never_was_theirs(world):
    round_ = world.k_of_n(1)
    outsider = small_world()
    assert turn_at(round_, world.members[0], world.issues[0].pk) is None
    assert turn_at(round_, world.members[0], outsider.issues[0].pk) is None
    assert turn_at(world.round(), world.lead, world.issues[0].pk) is None


def test_turn_at_keeps_showing_a_lost_slot(world):
    round_ = world.k_of_n(1)
    draft = Draft.objects.create(
        round=round_, issue=world.issues[0], volunteer=world.members[0], summary="kept"
    )
    turn = turn_at(round_, world.members[0], world.issues[0].pk)
    assert (turn.assignment, turn.draft, turn.lease_until) == (None, draft, None)


@pytest.mark.parametrize("text", [True, False])
def test_the_form_knows_which_text_it_showed(world, text):
    if not text:
        world.issues[0].current = None
        world.issues[0].save()
    assert current_turn(world.round(), world.members[0]).seen_snapshot == (world.issues[0].current_id or 0)


def test_a_seat_comes_with_all_that_the_page_needs_in_one_query(world, django_assert_num_queries):
    round_, member = world.round(selection={"source": "all"}), world.members[0]
    lists = [factories.make_list(world.study, "stall", name=name) for name in ("second", "First")]
    keywords_of(world.study.pk)  # this process has read them
    with django_assert_num_queries(1):
        seat = seat_of(member.user, round_.pk)
        assert (seat.member, seat.round, seat.round.study) == (member, round_, world.study)
        assert (seat.round.version, seat.round.version.taxonomy) == (world.version, world.version.taxonomy)
        assert (seat.round.opened_at, seat.left_at, guideline_of(seat)) == (round_.opened_at, None, None)
        assert seat.round.selection == round_.selection
        assert [terms.version for terms in keywords_at(seat)] == [lists[1].pk, lists[0].pk]
    assert keywords_at(seat) == keywords_of(world.study.pk)
    stranger = factories.make_member(factories.make_study())
    assert seat_of(stranger.user, round_.pk) is None
    assert seat_of(AnonymousUser(), round_.pk) is None
