"""Second looks at their edges: whom they wait for, what they are asked for, and what is decided after them."""

import csv
import io

import pytest
from django.utils import timezone

from annotate.actions.rounds import close_round
from annotate.actions.volunteers import add_volunteer, remove_volunteer
from annotate.models import Draft
from consensus.models import Disagreement
from ingest.models import Issue
from reports.exports import labels_csv
from rounds.errors import VolunteerRefused
from rounds.models import Assignment, Label, Round, RoundIssue, RoundVolunteer
from rounds.queries.rounds import revealed
from taxonomy.actions.answers import answer
from taxonomy.tree.drafts import ADD, DESCRIBE, MERGE, MOVE, RETIRE, SPLIT
from tests.annotate.actions.test_version_upgrade import (
    change,
    counters_are_right,
    labelled_world,
    publication,
    retired_world,
    said,
    standing,
)
from tests.kept import kept
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=3)]


@kept
def labelled(world: World) -> tuple[World, Round]:
    return labelled_world(world)


@kept
def retired(world: World) -> tuple[World, Round, Round, Issue]:
    return retired_world(world)


def test_a_look_of_a_look(retired):
    world, round_, look, fourth = retired
    world.submit(look, fourth, world.members[1], "C.10")
    change(world, RETIRE, "C.10")
    world.version = publication(world)
    look.refresh_from_db()
    world.submit(look, fourth, world.members[2], "B.1")
    assert not Round.objects.filter(of=look).exists()
    place = RoundIssue.objects.get(round=round_, issue=fourth)
    assert place.completed_at is None


def test_counter_drift_open_label(labelled):
    world, round_ = labelled
    fifth = world.issues[4]
    world.submit(round_, fifth, world.members[1], "C.2")
    world.submit(round_, fifth, world.members[2], "?Docs")
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.3"), by=world.lead)
    look = Round.objects.get(of=round_)
    world.submit(look, fifth, world.members[2], "C.10")
    assert (said(round_)[4], counters_are_right()) == (["C.2", "C.2", "C.10"], True)
    change(world, MERGE, "C.10", into="C.2")
    publication(world)
    assert (said(round_)[4], counters_are_right()) == (["C.2", "C.2", "C.2"], True)


def test_unanimous_decision_stands_against_the_second_look(world):
    round_ = world.round(depth=1)
    for member, code in zip(world.members, ("C.1", "C.1", "C.9"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    assert standing(round_) == {world.issues[0].pk: "C"}
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    look = Round.objects.get(of=round_)
    world.submit(look, world.issues[0], world.members[2], "B.1")
    assert Disagreement.objects.filter(round=round_, issue=world.issues[0]).exists()
    assert standing(round_) == {}


def test_moved_together_decision_says_old_place(world):
    round_ = world.round(depth=2)
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.1.i")
    assert standing(round_) == {world.issues[0].pk: "C.1"}
    change(world, MOVE, "C.1.i", parent="A.2")
    publication(world)
    assert standing(round_) == {world.issues[0].pk: "A.2"}


def test_split_of_the_parent_leaves_limbo(world):
    round_ = world.round(depth=2)
    for member in world.members:
        world.submit(round_, world.issues[0], member, "C.1.i")
    change(world, SPLIT, "C.1", parts=[{"name": "Other part"}], stays=True)
    world.version = publication(world)
    assert standing(round_) == {world.issues[0].pk: "C.1"}


def test_closed_look_is_not_asked_again(retired):
    world, round_, look, _fourth = retired
    close_round(round_=look, by=world.lead)
    change(world, DESCRIBE, "C.3", name="Other")
    publication(world)
    assert Round.objects.filter(of=round_).count() == 1


def test_open_label_in_the_look_is_asked_again_for_ever(retired):
    world, round_, look, fourth = retired
    world.submit(look, fourth, world.members[1], "?Docs")
    world.submit(look, fourth, world.members[2], "B.1")
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at is not None
    world.settle(round_, fourth, "B.1", rationale="so")
    change(world, DESCRIBE, "C.3", name="Other")
    publication(world)
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at is not None
    assert Round.objects.filter(of=round_).count() == 1


def test_answer_of_the_open_label_of_the_look_is_preselected(retired):
    world, round_, look, fourth = retired
    world.submit(look, fourth, world.members[1], "?Docs")
    world.submit(look, fourth, world.members[2], "B.1")
    answer(taxonomy=world.version.taxonomy, name="Docs", category=world.category("C.2"), by=world.lead)
    second = Round.objects.filter(of=round_).latest("pk")
    assert second != look
    assert Draft.objects.get(round=second, volunteer=world.members[1]).category == world.category("C.2")


def test_what_all_authors_have_left_is_for_the_lead_to_settle(labelled):
    world, round_ = labelled
    RoundVolunteer.objects.filter(round=round_).update(left_at=timezone.now())
    change(world, RETIRE, "C.1")
    world.version = publication(world)
    first = world.issues[0]
    assert standing(round_) == {}
    assert Disagreement.objects.filter(round=round_, issue=first).exists()
    world.settle(round_, first, "C.3", rationale="so")


def test_majority_of_the_rule_that_is_none_any_more(world):
    round_ = world.round(depth=2, rule="majority", majority=2)
    change(world, ADD, "", parent="C.1", name="Second")
    world.version = publication(world)
    for member, code in zip(world.members, ("C.1.i", "C.1.ii", "B.1"), strict=True):
        world.submit(round_, world.issues[0], member, code)
    assert standing(round_) == {world.issues[0].pk: "C.1"}
    change(world, MOVE, "C.1.ii", parent="A.2")
    publication(world)
    assert standing(round_) == {}


def test_removing_somebody_else_reveals_what_waits(retired):
    """R1 has no second look; taking R1 out of the round must not complete the issue that the others look at."""
    world, round_, _look, fourth = retired
    remove_volunteer(round_=round_, member=world.members[0], by=world.lead)
    round_.refresh_from_db()
    assert not revealed(round_).filter(issue=fourth).exists()


def test_removed_from_the_look_the_issue_does_not_wait_for_ever(retired):
    world, round_, look, fourth = retired
    world.submit(look, fourth, world.members[1], "B.1")
    remove_volunteer(round_=look, member=world.members[2], by=world.lead)
    assert not Assignment.objects.filter(round=look, submitted_at=None).exists()
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at is not None


def test_completed_by_a_removal_with_a_lost_label_is_looked_at_again(labelled):
    world, round_ = labelled
    fifth = world.issues[4]
    world.submit(round_, fifth, world.members[1], "C.9")
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    remove_volunteer(round_=round_, member=world.members[2], by=world.lead)
    assert Assignment.objects.filter(round__of=round_, issue=fifth, volunteer=world.members[1]).exists()


def test_nobody_else_comes_into_a_second_look(retired):
    world, _round, look, fourth = retired
    with pytest.raises(VolunteerRefused):
        add_volunteer(round_=look, member=world.members[0], by=world.lead)
    world.submit(look, fourth, world.members[1], "B.1")
    with pytest.raises(VolunteerRefused):
        remove_volunteer(round_=look, member=world.members[2], by=world.lead, to=world.members[0])


def test_left_study_while_look_waits(retired):
    world, round_, look, fourth = retired
    world.submit(look, fourth, world.members[1], "B.1")
    member = world.members[2]
    member.left_at = timezone.now()
    member.save()
    change(world, DESCRIBE, "C.3", name="Other")
    publication(world)
    assert RoundIssue.objects.get(round=round_, issue=fourth).completed_at is not None


def test_the_files_keep_first_labels_apart_from_those_of_a_second_look(world):
    round_ = world.round()
    first, second, third = world.members
    for member, code in ((first, "C.9"), (second, "C.2"), (third, "C.9")):
        world.submit(round_, world.issues[0], member, code, summary=f"once by {member}", unsure=True)
    change(world, RETIRE, "C.9")
    world.version = publication(world)
    look = Round.objects.get(of=round_)
    world.submit(look, world.issues[0], first, "C.3", summary="read again")
    world.submit(look, world.issues[0], third, "?Spam", unsure=True)
    round_.refresh_from_db()
    assert rows_of(round_, "long", "Volunteer", "Label", "Summary", "Unsure", "Open") == [
        ("R1", "C.9@v1", "once by R1", "yes", ""),
        ("R2", "C.2", "once by R2", "yes", ""),
        ("R3", "C.9@v1", "once by R3", "yes", ""),
    ]
    columns = ("Volunteer", "First_Label", "Label", "Summary", "Unsure", "Open", "Version")
    assert rows_of(round_, "second-look", *columns) == [
        ("R1", "C.9@v1", "C.3", "read again", "", "", "2"),
        ("R3", "C.9@v1", "", "", "yes", "Spam", "2"),
    ]
    for layout, made in (("long", {"round": round_}), ("second-look", {"round": look})):
        moments = Label.objects.filter(**made).order_by("volunteer").values_list("submitted_at", flat=True)
        assert rows_of(round_, layout, "Submitted_at") == [(moment.isoformat(),) for moment in moments]
    wide = list(csv.reader(io.StringIO(b"".join(labels_csv(round_)).decode())))
    assert wide[1][1:4] == ["C.3", "C.2", ""]


def rows_of(round_: Round, layout: str, *names: str) -> list[tuple[str, ...]]:
    rows = csv.DictReader(io.StringIO(b"".join(labels_csv(round_, layout=layout)).decode()))
    return [tuple(row[name] for name in names) for row in rows]
