"""Right labels before a training opens, comments after, and who passes."""

from dataclasses import replace

import pytest
from django.db import Error as DatabaseError
from django.db import transaction

from annotate.actions import training as actions
from annotate.actions.rounds import close_round, open_round
from annotate.actions.training import comment, remove_answer, require_no_author
from annotate.actions.volunteers import add_volunteer
from annotate.errors import (
    AnswersStay,
    ExplanationMissing,
    ExplanationTooLong,
    LabelRevealed,
    LabelsInThisTraining,
)
from annotate.rules import may_take_turns
from consensus.errors import CommentMissing, CommentTooLong, NotSeenYet
from consensus.models import Comment
from rounds import errors
from rounds.actions.locks import lock_volunteer
from rounds.models import Answer, Assignment, Label, Round, RoundVolunteer
from rounds.queries.training import TrainingResult, training_result, training_to_pass
from studies.models import Role
from taxonomy.models import Level, Proposal
from tests import factories
from tests.kept import kept
from tests.worlds.trained import again, another_lead, answer, label_as, main_after, take_out, training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=2)]


@kept
def planned(world) -> Round:
    return training(world, "-", "-", opened=False)


def open_label(round_, issue, member, *, nearest=None):
    """A label without a category, as one who found none that fits leaves it."""
    taxonomy = round_.version.taxonomy
    proposal = Proposal.objects.create(
        taxonomy=taxonomy, version=round_.version, name="Missing", proposed_by=member
    )
    slot = Assignment.objects.get(round=round_, issue=issue, volunteer=member)
    Assignment.objects.filter(pk=slot.pk).update(submitted_at=round_.opened_at)
    return Label.objects.create(
        round=round_,
        issue=issue,
        volunteer=member,
        assignment=slot,
        proposal=proposal,
        proposed_reason="None fits.",
        nearest=nearest,
        version=round_.version,
        submitted_at=round_.opened_at,
    )


# --- right labels


def test_an_answer_is_stored_and_given_anew_and_taken_back(world, planned):
    issue = world.issues[0]
    first = answer(world, planned, issue, "C.1", why="  It does not build. ")
    given = (first.category, first.explanation, first.given_by)
    assert given == (world.category("C.1"), "It does not build.", world.lead)

    other = another_lead(world)
    answer(world, planned, issue, "C.2", by=other, why="It does.")
    stored = Answer.objects.get()
    given = (stored.category, stored.explanation, stored.given_by)
    assert given == (world.category("C.2"), "It does.", other)

    answer(world, planned, world.issues[1], "C.2")
    for _twice in range(2):
        remove_answer(round_=planned, issue=issue, by=world.lead)
    assert [one.issue for one in Answer.objects.all()] == [world.issues[1]]


def test_an_answer_is_of_an_issue_and_the_version_of_a_training_and_not_above_its_depth(world, planned):
    answer(world, planned, world.issues[0], "C.1.i")
    with pytest.raises(errors.TooShallow):
        answer(world, planned, world.issues[1], "C")
    other = replace(world, version=factories.make_version(world.study, ["X", "X.1"]))
    with pytest.raises(errors.UnknownCategory):
        answer(other, planned, world.issues[0], "X.1")
    with pytest.raises(errors.NotInTheRound):
        answer(world, planned, world.issues[4], "C.1")
    with pytest.raises(errors.NotATraining):
        answer(world, world.round(opened=False), world.issues[0], "C.1")

    assert Answer.objects.get().category == world.category("C.1.i")


@pytest.mark.parametrize(
    ("why", "refusal"), [(" \n", ExplanationMissing), ("x" * 5001, ExplanationTooLong), ("x" * 5000, None)]
)
def test_an_answer_is_explained(world, planned, why, refusal):
    if refusal is None:
        assert answer(world, planned, world.issues[0], "C.1", why=why).explanation == why
    else:
        with pytest.raises(refusal):
            answer(world, planned, world.issues[0], "C.1", why=why)
        assert not Answer.objects.exists()


def test_only_leads_give_answers(world, planned):
    volunteer = factories.make_member(world.study)
    for who in (volunteer, factories.make_member(world.study, Role.VIEWER)):
        with pytest.raises(errors.NotAllowed):
            answer(world, planned, world.issues[0], "C.1", by=who)
        with pytest.raises(errors.NotAllowed):
            remove_answer(round_=planned, issue=world.issues[0], by=who)

    owner = factories.make_member(world.study, Role.OWNER, pseudonym="Owner")
    assert answer(world, planned, world.issues[0], "C.1", by=owner).given_by == owner


def test_a_lead_who_labels_in_the_training_gives_no_answers(world):
    both = another_lead(world)
    planned = training(world, "C.1", "-", opened=False, members=[both, world.members[0]])

    with pytest.raises(LabelsInThisTraining):
        answer(world, planned, world.issues[1], "C.1", by=both)
    with pytest.raises(LabelsInThisTraining):
        remove_answer(round_=planned, issue=world.issues[0], by=both)

    assert Answer.objects.count() == 1


def test_answers_stay_once_the_training_is_open(world):
    opened = training(world, "C.1")

    with pytest.raises(AnswersStay):
        answer(world, opened, world.issues[0], "C.2")
    with pytest.raises(AnswersStay):
        remove_answer(round_=opened, issue=world.issues[0], by=world.lead)
    with pytest.raises(DatabaseError, match="an answer stays"), transaction.atomic():
        Answer.objects.update(explanation="Something else")

    assert Answer.objects.get().explanation == "Because of C.1."


# --- opening


def test_a_training_opens_with_an_answer_for_each_issue_only(world):
    planned = training(world, "C.1", "-", "-", opened=False)
    with pytest.raises(errors.RoundRefused, match="2 of the 3 issues have no right label yet") as refusal:
        open_round(round_=planned, by=world.lead)
    assert refusal.value.field == "answers"
    assert again(world, planned).opened_at is None

    answer(world, planned, world.issues[1], "C.1")
    answer(world, planned, world.issues[2], "C.1")
    assert open_round(round_=planned, by=world.lead).opened_at is not None


def test_a_training_does_not_open_with_a_volunteer_who_wrote_answers(world):
    both = another_lead(world)
    planned = training(world, "C.1", "C.1", opened=False, by=both)
    RoundVolunteer.objects.create(round=planned, member=both, column=3, seed=3)
    Round.objects.filter(pk=planned.pk).update(labels_per_issue=3)

    with pytest.raises(errors.RoundRefused, match="wrote right labels of this training"):
        open_round(round_=planned, by=world.lead)
    with pytest.raises(errors.VolunteerRefused, match="Choose other volunteers"):
        require_no_author(planned, both)
    require_no_author(planned, world.members[0])


def test_who_wrote_answers_is_not_added_to_an_open_training(world):
    opened = training(world, "C.1")
    with pytest.raises(errors.VolunteerRefused, match="wrote right labels"):
        add_volunteer(round_=opened, member=world.lead, by=world.lead)

    assert add_volunteer(round_=opened, member=another_lead(world), by=world.lead) == 1


def test_other_rounds_open_without_answers(world):
    actions.require_answers(world.round(opened=False))


# --- the result


def test_a_training_is_passed_at_its_mark_exactly_and_not_one_short(world):
    opened = training(world, "C.1", "C.1", "C.1", "C.1", "C.1", pass_mark=80)
    first, second = world.members
    label_as(world, opened, first, "C.1", "C.1", "C.1", "C.1", "C.2")
    label_as(world, opened, second, "C.1", "C.1", "C.1", "C.2", "C.2")

    assert training_result(opened, first) == TrainingResult(total=5, done=5, right=4, pass_mark=80)
    assert training_result(opened, second) == TrainingResult(total=5, done=5, right=3, pass_mark=80)
    assert (training_result(opened, first).passed, training_result(opened, second).passed) == (True, False)
    assert training_result(opened, second).needed == 4


def test_a_training_is_not_passed_before_all_is_labelled(world):
    opened = training(world, "C.1", "C.1", pass_mark=50)
    label_as(world, opened, world.members[0], "C.1", "-")

    result = training_result(opened, world.members[0])
    assert (result.done, result.right, result.percent, result.is_finished, result.passed) == (
        1, 1, 50, False, False,
    )  # fmt: skip


def test_labels_are_compared_at_the_depth_of_the_training(world):
    by_theme = training(world, "C.1.i", "C.1", "A.1.i", depth=Level.THEME)
    by_sub_theme = training(world, "C.1.i", "A.1.i", depth=Level.SUB_THEME)
    label_as(world, by_theme, world.members[0], "C.1", "C.1.i", "A.1.ii")
    label_as(world, by_sub_theme, world.members[0], "C.1.i", "A.1.ii")

    assert training_result(by_theme, world.members[0]).right == 3
    assert training_result(by_sub_theme, world.members[0]).right == 1


def test_an_open_label_matches_nothing(world):
    opened = training(world, "C.1", pass_mark=1)
    open_label(opened, world.issues[0], world.members[0], nearest=world.category("C.1"))

    result = training_result(opened, world.members[0])
    assert (result.done, result.right, result.passed) == (1, 0, False)


def test_a_result_is_of_one_volunteer_and_one_training(world):
    one, two = training(world, "C.1", "C.1"), training(world, "C.2", "C.2")
    label_as(world, one, world.members[0], "C.1", "C.1")
    label_as(world, two, world.members[1], "C.2", "C.1")

    found = {
        (round_.name, member.pseudonym): (result.done, result.right)
        for round_ in (one, two)
        for member in world.members
        for result in [training_result(round_, member)]
    }
    assert found == {
        (one.name, "R1"): (2, 2),
        (one.name, "R2"): (0, 0),
        (two.name, "R1"): (0, 0),
        (two.name, "R2"): (2, 1),
    }


def test_a_training_without_answers_is_never_passed(world):
    planned = training(world, "-", "-", opened=False)
    assert training_result(planned, world.members[0]) == TrainingResult(0, 0, 0, 80)
    assert not training_result(planned, world.members[0]).passed


# --- the gate


def test_a_main_round_opens_with_the_passed_training(world):
    first, second = world.members
    opened = training(world, "C.1", "C.1", pass_mark=100)
    main = main_after(world, opened)
    assert not may_take_turns(first, main)
    with transaction.atomic(), pytest.raises(errors.TrainingFirst):
        lock_volunteer(main, first)

    label_as(world, opened, first, "C.1", "C.1")
    label_as(world, opened, second, "C.1", "C.2")

    assert (may_take_turns(first, main), may_take_turns(second, main)) == (True, False)
    label_as(world, main, first, "C.1")
    with pytest.raises(errors.TrainingFirst):
        label_as(world, main, second, "C.1")


def test_who_wrote_answers_or_was_let_in_needs_no_training(world):
    first, second = world.members
    opened = training(world, "C.1")
    main = main_after(world, opened, members=[world.lead, first, second])
    admitted = RoundVolunteer.objects.filter(round=main, member=first)
    admitted.update(admitted_at=main.opened_at, admitted_by=world.lead)
    seats = {seat.member: seat for seat in RoundVolunteer.objects.filter(round=main)}

    needed = [training_to_pass(main, seats[member]) for member in (world.lead, first, second)]
    assert needed == [None, None, opened]
    assert [may_take_turns(member, main) for member in (world.lead, first, second)] == [True, True, False]


def test_a_label_of_a_training_stays_as_it_is_and_who_was_taken_out_gives_no_more(world):
    opened = training(world, "C.1", "C.1")
    member = world.members[0]
    label_as(world, opened, member, "C.2")

    with pytest.raises(LabelRevealed):
        world.change(opened, world.issues[0], member, "C.1")
    with pytest.raises(DatabaseError, match="stays as it is"), transaction.atomic():
        Label.objects.update(category=world.category("C.1"))
    take_out(opened, member)
    with pytest.raises(errors.RemovedFromRound):
        world.submit(opened, world.issues[1], member, "C.1", form_key=None)

    assert Label.objects.get().category == world.category("C.2")


# --- comments


@kept
def labelled(world) -> Round:
    """A training of two issues, of which R1 has labelled the first."""
    opened = training(world, "C.1", "C.1")
    label_as(world, opened, world.members[0], "C.2")
    return opened


def test_a_volunteer_comments_on_what_they_have_labelled_also_after_the_close(world, labelled):
    member = world.members[0]
    comment(round_=labelled, issue=world.issues[0], author=member, text=" C.1 is unclear. ")
    with pytest.raises(NotSeenYet):
        comment(round_=labelled, issue=world.issues[1], author=member, text="What is it?")
    closed = close_round(round_=labelled, by=world.lead)
    comment(round_=closed, issue=world.issues[0], author=member, text="Later.")

    assert [(one.issue, one.author, one.text) for one in Comment.objects.order_by("pk")] == [
        (world.issues[0], member, "C.1 is unclear."),
        (world.issues[0], member, "Later."),
    ]


@pytest.mark.parametrize(("text", "refusal"), [(" \n", CommentMissing), ("x" * 2001, CommentTooLong)])
def test_a_comment_says_something_of_a_size_that_is_read(world, labelled, text, refusal):
    with pytest.raises(refusal):
        comment(round_=labelled, issue=world.issues[0], author=world.members[0], text=text)
    assert not Comment.objects.exists()


def test_nobody_else_comments(world, labelled):
    first, second = world.members
    for round_, author, refusal in (
        (labelled, world.lead, errors.NotYourTurn),
        (labelled, second, NotSeenYet),
        (world.round(), first, errors.NotATraining),
    ):
        with pytest.raises(refusal):
            comment(round_=round_, issue=world.issues[0], author=author, text="Well.")
