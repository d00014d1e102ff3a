"""Plans that are changed, openings that are taken back and rounds that are deleted, while nobody has labelled."""

import pytest
from django.db import IntegrityError, connection, transaction

from annotate.actions import plan_changes
from annotate.actions.rounds import open_round
from annotate.actions.training import set_answer
from annotate.errors import LabellingBegan, OpeningRuns, RoundInUse
from annotate.models import LeftOut, Skip
from core.models import Job
from ingest.models import Issue
from rounds import errors
from rounds.models import Answer, Assignment, Round
from rounds.queries.rounds import OPENING
from studies.models import Event
from taxonomy.models import Level

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=6, members=3)]


def numbers(round_):
    return list(round_.round_issues.order_by("position").values_list("issue__number", flat=True))


def columns(round_):
    return list(round_.volunteers.order_by("column").values_list("member__pseudonym", "column", "seed"))


def planned(world, **values):
    every = Issue.objects.filter(repository__study=world.study).order_by("pk")
    plan = {"version": world.version, "depth": Level.THEME, "issues": every, "members": world.members}
    return plan | values


def changed(world, round_, **values):
    return plan_changes.change_plan(round_=round_, by=world.lead, **planned(world, **values))


def test_a_plan_is_changed_in_all_that_it_says(world):
    round_ = world.round(name="Main", opened=False)
    seed, some = round_.seed, Issue.objects.filter(pk__in=[one.pk for one in world.issues[2:5]])
    first, _second, third = world.members

    changed(
        world, round_, name=" Main  round ", depth=1, issues=some, members=[third, first], allocation="k_of_n",
        labels_per_issue=1, quota=2, rule="majority", majority=1, order="by_repository", drift_percent=10,
        selection={"source": "issues"},
    )  # fmt: skip

    now = Round.objects.get()
    assert (now.name, now.depth, now.labels_per_issue, now.allocation) == ("Main round", 1, 1, "k_of_n")
    assert (now.rule, now.majority, now.order, now.drift_percent) == ("majority", 1, "by_repository", 10)
    assert (now.seed, now.opened_at, now.selection) == (seed, None, {"source": "issues"})
    assert numbers(now) == [one.number for one in world.issues[2:5]]
    assert [name for name, _column, _seed in columns(now)] == [str(third.pseudonym), str(first.pseudonym)]
    assert set(now.volunteers.values_list("quota", flat=True)) == {2}
    assert Event.objects.order_by("-pk").first().verb == "rounds.plan_changed"
    assert open_round(round_=now, by=world.lead).opened_at
    assert Assignment.objects.filter(round=now).count() == 3


def test_the_same_plan_again_is_the_same_round(world):
    round_ = world.round(name="Main", opened=False)
    before = numbers(round_), columns(round_)
    changed(world, round_, name="Main")
    assert (numbers(round_), columns(round_)) == before


def test_a_refused_plan_changes_nothing(world):
    world.round(name="Pilot", kind="pilot", opened=False)
    round_ = world.round(name="Main", opened=False)
    for values, field in (
        ({"name": "Pilot"}, "name"),
        ({"name": "Main", "members": []}, "members"),
        ({"name": "Main", "left_out": [f"round:{round_.pk}"]}, "left_out"),
    ):
        with pytest.raises(errors.RoundRefused) as refused:
            changed(world, round_, **values)
        assert refused.value.field == field
    round_.refresh_from_db()
    assert (round_.name, round_.volunteers.count(), len(numbers(round_))) == ("Main", 3, 6)


def test_a_training_does_not_require_itself(world):
    round_ = world.round(name="Training", kind="training", reveal="round_closed", opened=False)
    with pytest.raises(errors.RoundRefused) as refused:
        changed(world, round_, name="Training", reveal="round_closed", training=round_)
    assert refused.value.field == "training"


def test_right_labels_of_issues_that_stay_are_kept(world):
    round_ = world.round(name="Training", kind="training", reveal="round_closed", opened=False)
    for issue in world.issues[:3]:
        set_answer(
            round_=round_, issue=issue, by=world.lead, category=world.category("C.2"), explanation="Why."
        )
    stay = Issue.objects.filter(pk__in=[one.pk for one in world.issues[1:]])
    changed(world, round_, name="Training", reveal="round_closed", issues=stay)
    assert list(Answer.objects.order_by("issue").values_list("issue", flat=True)) == [
        one.pk for one in world.issues[1:3]
    ]
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_an_opening_is_taken_back_until_somebody_begins(world):
    round_ = world.round(name="Main")
    Skip.objects.create(round=round_, issue=world.issues[0], volunteer=world.members[0], reason="Long.")
    plan_changes.take_back_opening(round_=round_, by=world.lead)
    assert Round.objects.get().opened_at is None
    assert not Assignment.objects.exists()
    assert not Skip.objects.exists()
    with pytest.raises(errors.RoundNotOpen):
        plan_changes.take_back_opening(round_=round_, by=world.lead)
    changed(world, round_, name="Main")
    open_round(round_=round_, by=world.lead)
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    for act in (plan_changes.take_back_opening, plan_changes.delete_round):
        with pytest.raises(LabellingBegan):
            act(round_=round_, by=world.lead)
    with pytest.raises(errors.RoundAlreadyOpen):
        changed(world, round_, name="Main")
    assert Assignment.objects.count() == 18


def test_a_draft_is_a_beginning_too(world):
    round_ = world.round(name="Main")
    world.draft(round_, world.issues[0], world.members[0], summary="Half a word")
    with pytest.raises(LabellingBegan):
        plan_changes.delete_round(round_=round_, by=world.lead)


@pytest.mark.parametrize("opened", [False, True])
def test_a_round_is_deleted_with_its_plan(world, opened):
    pilot = world.round(name="Pilot", kind="pilot", opened=False)
    some = Issue.objects.filter(pk__in=[one.pk for one in world.issues[:2]])
    changed(world, pilot, name="Pilot", issues=some)
    round_ = world.round(name="Main", opened=False)
    changed(world, round_, name="Main", left_out=[f"round:{pilot.pk}"])
    if opened:
        open_round(round_=round_, by=world.lead)
    plan_changes.delete_round(round_=round_, by=world.lead)
    assert list(Round.objects.values_list("name", flat=True)) == ["Pilot"]
    assert not LeftOut.objects.exists()
    assert Issue.objects.count() == 6
    event = Event.objects.order_by("-pk").first()
    assert (event.verb, event.detail["round"]) == ("rounds.deleted", "Main")


def test_an_open_training_is_deleted_with_its_right_labels(world):
    round_ = world.round(name="Training", kind="training", reveal="round_closed", opened=False)
    for issue in world.issues:
        set_answer(
            round_=round_, issue=issue, by=world.lead, category=world.category("C.2"), explanation="Why."
        )
    open_round(round_=round_, by=world.lead)
    plan_changes.delete_round(round_=round_, by=world.lead)
    assert not Round.objects.exists()
    assert not Answer.objects.exists()


def test_what_other_plans_need_stays(world):
    training = world.round(name="Training", kind="training", reveal="round_closed", opened=False)
    pilot = world.round(name="Pilot", kind="pilot", opened=False)
    some = Issue.objects.filter(pk__in=[one.pk for one in world.issues[:2]])
    changed(world, pilot, name="Pilot", issues=some)
    main = world.round(name="Main", opened=False)
    changed(world, main, name="Main", training=training, left_out=[f"round:{pilot.pk}"])
    for round_ in (training, pilot):
        with pytest.raises(RoundInUse, match=f"{round_.name} is part of the plan of Main"):
            plan_changes.delete_round(round_=round_, by=world.lead)
    assert Round.objects.count() == 3


def test_only_leads_change_plans(world):
    round_ = world.round(name="Main", opened=False)
    for act in (plan_changes.take_back_opening, plan_changes.delete_round):
        with pytest.raises(errors.NotAllowed):
            act(round_=round_, by=world.members[0])
    with pytest.raises(errors.NotAllowed):
        plan_changes.change_plan(round_=round_, by=world.members[0], **planned(world, name="Main"))


def test_a_plan_waits_for_the_job_that_opens_it(world):
    round_ = world.round(name="Main", opened=False)
    job = Job.objects.create(kind=OPENING, arguments={"round": round_.pk})
    with pytest.raises(OpeningRuns):
        changed(world, round_, name="Main")
    Job.objects.filter(pk=job.pk).update(state=Job.State.FAILED, finished_at=job.created_at)
    changed(world, round_, name="Main round")


def test_the_database_keeps_slots_with_labels(world):
    round_ = world.round(name="Main")
    world.submit(round_, world.issues[0], world.members[0], "C.2")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM rounds_assignment WHERE round_id = %s", [round_.pk])
