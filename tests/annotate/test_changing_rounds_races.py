"""A round is changed at the same moment as people label in it: real threads, a real PostgreSQL."""

# ruff: noqa: B023 - the threads end before the loop goes on

import time
from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.actions import plan_changes, volunteers
from annotate.actions.labels import SubmittedLabel
from annotate.actions.turns import next_turn
from annotate.actions.volunteers import (
    RemovedVolunteer,
    add_volunteer,
    raise_labels_per_issue,
    remove_volunteer,
)
from annotate.errors import LabellingBegan
from annotate.models import Draft
from consensus.models import Decision
from rounds import errors
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from tests import factories
from tests.long import only_long
from tests.races import at_once
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TIMES = 12


def promises_hold(round_: Round) -> None:
    """Labels and slots fit, and exactly the issues that wait for nobody are complete."""
    labels = Label.objects.filter(round=round_, surplus=False)
    slots = Assignment.objects.filter(round=round_)
    assert set(labels.values_list("assignment", flat=True)) == set(
        slots.exclude(submitted_at=None).values_list("pk", flat=True)
    )
    assert max(Counter(slots.values_list("issue", "slot")).values(), default=0) <= 1
    waiting = set(slots.filter(submitted_at=None).values_list("issue", flat=True))
    places = RoundIssue.objects.filter(round=round_)
    assert set(places.filter(completed_at=None).values_list("issue", flat=True)) == waiting
    assert not Decision.objects.filter(round=round_, issue__in=waiting).exists()


def submit(world, round_, issue, member):
    return world.submit(round_, issue, member, "C.2", summary="typed")


def test_a_volunteer_is_removed_while_they_submit():
    seen = Counter()
    for _ in range(TIMES):
        world = small_world(issues=1, members=2)
        round_ = world.round()
        one, two = world.members
        submit(world, round_, world.issues[0], one)
        submitted, removed = at_once(
            lambda: submit(world, round_, world.issues[0], two),
            lambda: remove_volunteer(round_=round_, member=two, by=world.lead),
        )
        assert isinstance(removed, RemovedVolunteer), removed
        if isinstance(submitted, SubmittedLabel):
            assert (removed.given_back, removed.completed) == (0, 0)
            assert Label.objects.filter(volunteer=two).count() == 1
        else:
            assert isinstance(submitted, errors.RemovedFromRound), submitted
            assert (removed.given_back, removed.completed) == (1, 1)
            assert "typed" in {
                *submitted.kept.values(),
                *Draft.objects.filter(volunteer=two).values_list("summary", flat=True),
            }
        assert Decision.objects.get(round=round_).method == "unanimous"
        promises_hold(round_)
        seen[type(submitted).__name__] += 1
    assert sum(seen.values()) == TIMES


@pytest.mark.parametrize("reveal", Round.Reveal.values)
@only_long
def test_a_volunteer_is_added_while_the_last_label_of_an_issue_comes_in(reveal):
    for _ in range(TIMES):
        world = small_world(issues=2, members=2)
        round_ = world.round(reveal=reveal)
        one, two = world.members
        submit(world, round_, world.issues[0], one)
        new = factories.make_member(world.study)
        submitted, added = at_once(
            lambda: submit(world, round_, world.issues[0], two),
            lambda: add_volunteer(round_=round_, member=new, by=world.lead),
        )
        assert isinstance(submitted, SubmittedLabel), submitted
        place = RoundIssue.objects.get(round=round_, issue=world.issues[0])
        if reveal == Round.Reveal.ISSUE_COMPLETE:
            # Either they came first and the issue waits for them, or it was complete and stays without them.
            assert added == (1 if place.completed_at else 2)
        else:
            assert (added, place.completed_at) == (2, None)
        promises_hold(round_)


@only_long
def test_k_is_raised_while_slots_are_claimed_and_labelled():
    for _ in range(TIMES):
        world = small_world(issues=3, members=3)
        round_ = world.k_of_n(1)

        def work(member, world=world, round_=round_):
            turn = next_turn(round_=round_, member=member)
            return turn and submit(world, round_, turn.issue, member)

        *worked, raised = at_once(
            *(lambda member=member: work(member) for member in world.members[:2]),
            lambda: raise_labels_per_issue(round_=round_, to=2, by=world.lead),
        )
        assert isinstance(raised, int), raised
        assert all(isinstance(one, SubmittedLabel) for one in worked), worked
        complete = RoundIssue.objects.filter(round=round_, completed_at__isnull=False).count()
        assert Assignment.objects.filter(round=round_).count() == 3 + raised
        assert 3 - raised <= 2
        assert complete <= 2
        promises_hold(round_)


@only_long
def test_a_volunteer_is_removed_while_they_claim():
    for _ in range(TIMES):
        world = small_world(issues=2, members=2)
        round_ = world.k_of_n(1)
        one = world.members[0]
        claimed, removed = at_once(
            lambda: next_turn(round_=round_, member=one),
            lambda: remove_volunteer(round_=round_, member=one, by=world.lead),
        )
        assert isinstance(removed, RemovedVolunteer), removed
        assert isinstance(claimed, errors.RemovedFromRound) or claimed is not None
        assert not Assignment.objects.filter(round=round_, volunteer=one).exists()


@only_long
def test_two_leads_add_two_people_and_each_gets_a_column():
    for _ in range(TIMES):
        world = small_world(issues=2, members=2)
        round_ = world.round()
        new = [factories.make_member(world.study) for _ in range(2)]
        added = at_once(
            *(
                lambda member=member: add_volunteer(round_=round_, member=member, by=world.lead)
                for member in new
            )
        )
        assert added == [2, 2]
        columns = RoundVolunteer.objects.filter(round=round_).values_list("column", flat=True)
        assert sorted(columns) == [1, 2, 3, 4]
        assert Assignment.objects.filter(round=round_).count() == 8
        promises_hold(round_)


@only_long
def test_the_same_person_is_removed_twice_at_once():
    for _ in range(TIMES):
        world = small_world(issues=2, members=3)
        round_ = world.round()
        done = at_once(
            *(lambda: remove_volunteer(round_=round_, member=world.members[0], by=world.lead),) * 2
        )
        assert Counter(type(one).__name__ for one in done) == {"RemovedVolunteer": 1, "VolunteerRefused": 1}
        promises_hold(round_)


@only_long
@pytest.mark.world(issues=1, members=3)
def test_a_claim_of_a_slot_that_is_being_given_back_passes_it_over(world, monkeypatch):
    """It would leave a draft for who is taken out, as that does, and each would wait for the other."""
    round_ = world.k_of_n(1)
    next_turn(round_=round_, member=world.members[0])
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=5))
    run = volunteers._run

    def slowly(statement, *parts, **parameters):
        done = run(statement, *parts, **parameters)
        if statement == volunteers._TRACE:
            time.sleep(0.5)
        return done

    def claim():
        time.sleep(0.2)
        return next_turn(round_=round_, member=world.members[1])

    monkeypatch.setattr(volunteers, "_run", slowly)
    removed, claimed = at_once(
        lambda: remove_volunteer(round_=round_, member=world.members[0], by=world.lead), claim
    )
    assert (removed, claimed) == (RemovedVolunteer(handed=0, given_back=1, completed=0), None)
    assert next_turn(round_=round_, member=world.members[1]).issue == world.issues[0]


@only_long
def test_a_round_is_deleted_while_its_first_label_is_submitted():
    """Either the label is stored and the round stays, or the round is gone and the label is refused."""
    seen = Counter()
    for _ in range(TIMES):
        world = small_world(issues=1, members=2)
        round_ = world.round()
        submitted, deleted = at_once(
            lambda: submit(world, round_, world.issues[0], world.members[0]),
            lambda: plan_changes.delete_round(round_=round_, by=world.lead),
        )
        is_stored = isinstance(submitted, SubmittedLabel)
        seen[is_stored] += 1
        assert Round.objects.filter(pk=round_.pk).exists() == is_stored
        assert Label.objects.filter(round=round_.pk).exists() == is_stored
        if is_stored:
            assert isinstance(deleted, LabellingBegan)
        else:
            assert deleted is None
            assert isinstance(submitted, errors.NotYourTurn | errors.RoundNotOpen | Round.DoesNotExist)
