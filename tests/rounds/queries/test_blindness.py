"""Who could still be given a turn at an issue elsewhere sees nothing of it; who has labelled it there does."""

import pytest

from annotate.actions.plan_changes import delete_round, take_back_opening
from annotate.actions.rounds import open_round
from consensus.models import Disagreement
from consensus.queries.disagreements import rounds_to_label
from ingest.models import Issue
from rounds.models import Answer, Assignment, Round
from rounds.queries.blindness import is_withheld, seen_by, seen_by_seats, withheld_from, withheld_issues
from studies.models import Membership
from tests.kept import kept
from tests.worlds.parted import give_labels
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=2, members=3)]


@kept
def revealed(world: World) -> Round:
    round_ = world.round()
    give_labels(world, round_, "C.2 C.9 C.9", "C.2 C.9 C.9")
    return round_


def elsewhere(world: World, k: int, **fields) -> Round:
    """An open round in which k of the three label the first issue."""
    return world.k_of_n(k, issues=Issue.objects.filter(pk=world.issues[0].pk), **fields)


def hold(round_: Round, *members: Membership) -> None:
    """Give the slots of the round to these, one each."""
    slots = Assignment.objects.filter(round=round_).order_by("pk")
    for slot, member in zip(slots, members, strict=True):
        Assignment.objects.filter(pk=slot.pk).update(volunteer=member)


def kept_from(world: World, round_: Round) -> list[list[bool]]:
    """For each member, asked in each of the ways: is the first issue kept from them? The second never is."""
    first, second = world.issues
    rows = Disagreement.objects.filter(round=round_)
    members = [member.pk for member in world.members]
    among = withheld_from(round_, first.pk, members)
    found = []
    for member in world.members:
        ways = [
            is_withheld(round_, first.pk, member),
            withheld_issues(round_, member).filter(issue=first).exists(),
            not seen_by(rows, round_, member).filter(issue=first).exists(),
            not seen_by_seats(rows, [member]).filter(issue=first).exists(),
            member.pk in among,
        ]
        assert not is_withheld(round_, second.pk, member)
        assert seen_by(rows, round_, member).filter(issue=second).exists()
        found.append(ways)
    return found


def test_a_slot_that_another_one_holds_can_fall_to_whoever_has_not_labelled(world, revealed):
    """It falls free when they skip, leave or take too long."""
    hold(elsewhere(world, 1), world.members[1])
    assert kept_from(world, revealed) == [[True] * 5] * 3


def test_a_free_slot_does_not_wait_for_who_has_labelled(world, revealed):
    round_ = elsewhere(world, 2)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    assert kept_from(world, revealed) == [[False] * 5, [True] * 5, [True] * 5]


def test_what_is_complete_elsewhere_waits_for_nobody(world, revealed):
    round_ = elsewhere(world, 1)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    assert kept_from(world, revealed) == [[False] * 5] * 3


def test_where_everybody_labels_everything_only_ones_own_turn_counts(world, revealed):
    world.waits_for(world.members[1], world.issues[0])
    assert kept_from(world, revealed) == [[False] * 5, [True] * 5, [False] * 5]


def test_a_planned_training_keeps_its_issues_from_its_volunteers_and_another_plan_keeps_nothing(
    world, revealed
):
    """Its right labels are in the pilot that its issues come from."""
    first = Issue.objects.filter(pk=world.issues[0].pk)
    world.round(opened=False, issues=first)
    assert kept_from(world, revealed) == [[False] * 5] * 3
    fields = {"kind": "training", "pass_mark": 80, "issues": first, "members": world.members[:2]}
    training = world.round(opened=False, **fields)
    assert kept_from(world, revealed) == [[True] * 5, [True] * 5, [False] * 5]
    assert rounds_to_label(revealed, world.members[0]) == []  # nothing to go to before it opens

    delete_round(round_=training, by=world.lead)
    assert kept_from(world, revealed) == [[False] * 5] * 3
    training = world.round(opened=False, name="Again", **fields)
    Answer.objects.create(
        round=training,
        issue=world.issues[0],
        category=world.category("C.2"),
        given_by=world.lead,
        explanation="So.",
    )
    take_back_opening(round_=open_round(round_=training, by=world.lead), by=world.lead)
    assert kept_from(world, revealed) == [[True] * 5, [True] * 5, [False] * 5]
    assert rounds_to_label(revealed, world.members[0]) == []
    open_round(round_=training, by=world.lead)
    assert rounds_to_label(revealed, world.members[0]) == [training]
