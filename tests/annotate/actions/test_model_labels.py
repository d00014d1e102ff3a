"""What a model may say, and that nothing but its own report ever hears of it."""

import pytest

from annotate import errors
from annotate.actions.model_labels import ModelRow, label_as_model
from annotate.actions.rounds import close_round
from annotate.models import ModelLabel
from rounds.errors import NotAllowed, RoundNotOpen
from rounds.models import Round, RoundIssue
from studies.models import Event, Membership, Role
from taxonomy.models import Level
from tests import factories
from tests.kept import kept
from tests.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=3)]


@kept
def model(world) -> Membership:
    return factories.make_member(world.study, Role.MODEL, pseudonym="M1")


def rows(world, *said: str, summary: str = "") -> list[ModelRow]:
    """A code for each issue in turn, `-` for none."""
    return [
        ModelRow(issue.pk, code, summary)
        for issue, code in zip(world.issues, said, strict=False)
        if code != "-"
    ]


def stored() -> list[tuple[int, str, str]]:
    found = ModelLabel.objects.order_by("issue")
    return list(found.values_list("issue", "category__states__code", "summary"))


def test_many_are_stored_at_once_and_said_again_without_harm(world, model):
    round_ = world.round()
    done = label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2", summary=" so \x00"))

    assert (done.stored, done.repeated) == (2, 0)
    first, second, third = (issue.pk for issue in world.issues)
    assert stored() == [(first, "C.1", "so \ufffd"), (second, "C.2", "so \ufffd")]
    assert set(ModelLabel.objects.values_list("version", "member")) == {(round_.version_id, model.pk)}

    again = rows(world, "C.1", "C.2", "A.1", summary="another")
    done = label_as_model(round_=round_, member=model, rows=[*again, again[2]])
    assert (done.stored, done.repeated) == (1, 3)
    assert stored() == [(first, "C.1", "so \ufffd"), (second, "C.2", "so \ufffd"), (third, "A.1", "another")]
    done = label_as_model(round_=round_, member=model, rows=again)
    assert (done.stored, done.repeated) == (0, 3)
    told = {"round": round_.name, "member": "M1"}
    events = Event.objects.filter(verb="models.labelled").order_by("pk")
    assert [(event.by, event.detail) for event in events] == [
        (model.user, {**told, "labels": 2}),
        (model.user, {**told, "labels": 1}),
    ]


def test_another_category_than_before_is_refused_by_row_and_nothing_stored(world, model):
    round_ = world.round()
    label_as_model(round_=round_, member=model, rows=rows(world, "C.1"))

    with pytest.raises(errors.ModelLabelsStay) as refusal:
        label_as_model(round_=round_, member=model, rows=rows(world, "C.2", "C.1"))
    issue = world.issues[0].pk
    assert refusal.value.problems == (
        f"row 1: issue {issue} already has the label C.1, and a stored label cannot change.",
    )
    assert refusal.value.status == 409
    assert str(refusal.value.message) == f"Nothing was saved.\n{refusal.value.problems[0]}"
    assert len(stored()) == 1

    same_issue_twice = [ModelRow(world.issues[1].pk, code) for code in ("C.1", "C.2")]
    with pytest.raises(errors.ModelLabelsStay, match=r"row 2: issue \d+ already has the label C.1"):
        label_as_model(round_=round_, member=model, rows=same_issue_twice)
    assert len(stored()) == 1


def test_every_row_that_is_wrong_is_named_and_nothing_stored(world, model):
    round_ = world.round(issues=type(world.issues[0]).objects.filter(pk=world.issues[0].pk))
    inside, outside = world.issues[0].pk, world.issues[1].pk
    with pytest.raises(errors.ModelLabelsRefused) as refusal:
        label_as_model(
            round_=round_,
            member=model,
            rows=[
                ModelRow(inside, "C.1"),
                ModelRow(outside, "C.1"),
                ModelRow(inside, "Z.9"),
                ModelRow(inside, "C"),
                ModelRow(inside, "C.1", "x" * 501),
            ],
        )
    assert refusal.value.status == 422
    assert refusal.value.problems == (
        f"row 2: the round has no issue {outside}.",
        "row 3: the round’s version has no category “Z.9”.",
        "row 4: the round compares labels at a deeper level than C.",
        "row 5: the summary is longer than 500 characters.",
    )
    assert stored() == []


def test_it_says_so_once_the_round_was_opened_and_after_it_is_closed(world, model):
    round_ = world.round(opened=False)
    with pytest.raises(RoundNotOpen):
        label_as_model(round_=round_, member=model, rows=rows(world, "C.1"))
    round_ = world.round()
    close_round(round_=round_, by=world.lead)
    assert label_as_model(round_=round_, member=model, rows=rows(world, "C.1")).stored == 1


@pytest.mark.parametrize(
    ("kind", "may"), [("main", True), ("pilot", True), ("training", False), ("screening", False)]
)
def test_models_label_pilots_and_main_rounds_only(world, model, kind, may):
    round_ = world.round(opened=False)
    Round.objects.filter(pk=round_.pk).update(kind=kind, opened_at=round_.created_at)
    if may:
        assert label_as_model(round_=round_, member=model, rows=rows(world, "C.1")).stored == 1
    else:
        with pytest.raises(errors.NotForModels):
            label_as_model(round_=round_, member=model, rows=rows(world, "C.1"))
        assert stored() == []


def test_only_a_model_of_the_study_may(world, model):
    round_ = world.round()
    others = [factories.make_member(world.study, role) for role in (Role.OWNER, Role.LEAD, Role.VIEWER)]
    stranger = factories.make_member(factories.make_study(), Role.MODEL, pseudonym="M1")
    Membership.objects.filter(pk=model.pk).update(left_at=round_.opened_at)
    for member in (*others, world.members[0], stranger, model):
        with pytest.raises(NotAllowed):
            label_as_model(round_=round_, member=member, rows=rows(world, "C.1"))
    assert stored() == []


def test_labels_of_a_model_complete_reveal_and_decide_nothing(world, model):
    round_ = world.round(depth=Level.TYPE)
    for member in world.members[:2]:
        world.submit(round_, world.issues[0], member, "C.1")
    label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.1", "C"))
    assert not RoundIssue.objects.filter(round=round_, completed_at__isnull=False).exists()
    assert not round_.decisions.exists()
    done = world.submit(round_, world.issues[0], world.members[2], "C.1")
    assert done.completed
    assert done.decision.category == world.category("C")


@pytest.mark.django_db(transaction=True)
def test_the_same_rows_at_the_same_moment_are_stored_once(world, model):
    round_ = world.round()

    def label():
        return label_as_model(round_=round_, member=model, rows=rows(world, "C.1", "C.2", "A.1"))

    assert sorted(done.stored for done in at_once(label, label, label)) == [0, 0, 3]
    assert len(stored()) == 3
