"""What a volunteer sees of a training, what stands before a round, and how the trainings of a study went."""

import pytest

from annotate.actions.rounds import close_round
from annotate.actions.training import comment
from annotate.queries.training import VolunteerStanding, answer_view, standing
from reports.queries.calibration import calibrations
from rounds.models import Round
from rounds.queries.training import TrainingResult, answer_lines, answers_given, training_results
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.annotate.actions.test_training import open_label
from tests.kept import kept
from tests.worlds.pages import cost
from tests.worlds.trained import again, another_lead, label_as, main_after, take_out, training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=2)]


def codes(*states):
    return tuple(state.code if state else None for state in states)


# --- the answer beside one's own label


def test_there_is_no_answer_before_the_label(world):
    opened = training(world, "C.1")
    assert answer_view(opened, world.issues[0], world.members[0]) is None


def test_an_answer_stands_beside_ones_own_label(world):
    opened = training(world, "C.1.i", "C.2")
    main = main_after(world, opened)
    first, second = world.members
    label_as(world, opened, first, "C.1", "-")
    label_as(world, opened, second, "A.1", "A.1")
    comment(round_=opened, issue=world.issues[0], author=first, text="Unclear.")
    comment(round_=opened, issue=world.issues[0], author=second, text="Very unclear.")

    view = answer_view(opened, world.issues[0], first)

    assert codes(view.own, view.own_at_depth, view.lead, view.lead_at_depth) == ("C.1", "C.1", "C.1.i", "C.1")
    assert (view.is_right, view.is_the_same) == (True, False)
    assert [one.text for one in view.comments] == ["Unclear."]
    assert view.result == TrainingResult(total=2, done=1, right=1, pass_mark=80)
    assert view.opens == []

    label_as(world, opened, first, "-", "C.2")
    view = answer_view(opened, world.issues[1], first)
    assert (view.is_right, view.is_the_same, view.opens) == (True, True, [main])


def test_a_wrong_label_and_an_open_one_are_not_right(world):
    opened = training(world, "C.1", "C.2")
    label_as(world, opened, world.members[0], "C.2")
    open_label(opened, world.issues[1], world.members[0], nearest=world.category("C.2"))

    wrong = answer_view(opened, world.issues[0], world.members[0])
    left_open = answer_view(opened, world.issues[1], world.members[0])

    assert (wrong.is_right, wrong.is_the_same, codes(wrong.own_at_depth)) == (False, False, ("C.2",))
    assert (left_open.is_right, left_open.own, left_open.own_at_depth) == (False, None, None)
    assert left_open.label.proposal.name == "Missing"


def test_an_answer_costs_a_fixed_number_of_queries(world):
    opened = training(world, "C.1", "C.2", "C.1")
    main_after(world, opened)
    counts = []
    for number in range(3):
        label_as(world, opened, world.members[0], *["-"] * number, "C.1")
        counts.append(cost(lambda: answer_view(opened, world.issues[number], world.members[0])))  # noqa: B023 - called at once
    assert counts == [5, 5, 6]


# --- what stands before a round


def test_standing_of_one_who_can_label(world):
    main = main_after(world, training(world, "C.1", pass_mark=1))
    label_as(world, main.training, world.members[0], "C.1")

    assert standing(main, world.members[0]) == VolunteerStanding()
    assert standing(main, world.lead) == VolunteerStanding()


def test_standing_before_the_training_is_passed(world):
    opened = training(world, "C.1", "C.2")
    main = main_after(world, opened)
    label_as(world, opened, world.members[0], "C.1")

    found = standing(main, world.members[0])

    assert (found.training, found.may_train, found.removed) == (opened, True, False)
    assert found.first == TrainingResult(total=2, done=1, right=1, pass_mark=80)


def test_standing_of_one_who_cannot_label_in_the_training(world):
    outsider = factories.make_member(world.study, pseudonym="R9")
    opened = training(world, "C.1")
    main = main_after(world, opened, members=[*world.members, outsider])
    assert (standing(main, outsider).training, standing(main, outsider).may_train) == (opened, False)

    take_out(opened, world.members[0])
    assert not standing(main, world.members[0]).may_train

    close_round(round_=opened, by=world.lead)
    assert not standing(main, world.members[1]).may_train


def test_standing_of_one_who_was_taken_out(world):
    main = main_after(world, training(world, "C.1"))
    take_out(main, world.members[0])

    assert standing(main, world.members[0]) == VolunteerStanding(removed=True)


def test_standing_in_a_training_tells_its_result_and_what_opens(world):
    opened = training(world, "C.1")
    main = main_after(world, opened)
    label_as(world, opened, world.members[0], "C.1")
    label_as(world, opened, world.members[1], "C.2")

    passed, failed = standing(opened, world.members[0]), standing(opened, world.members[1])

    assert (passed.result.passed, passed.opens) == (True, (main,))
    assert (failed.result.passed, failed.opens) == (False, ())


def test_results_of_many_are_one_query(world):
    opened = training(world, "C.1.i", "C.2", depth=Level.THEME)
    deep = training(world, "C.1.i", depth=Level.SUB_THEME, pass_mark=50)
    label_as(world, opened, world.members[0], "C.1", "C.1")
    label_as(world, deep, world.members[0], "C.1.i")
    pairs = [(round_.pk, member.pk) for round_ in (opened, deep) for member in (*world.members, world.lead)]

    assert cost(lambda: training_results(pairs)) == 1
    assert training_results(pairs) == {
        pairs[0]: TrainingResult(2, 2, 1, 80),
        pairs[1]: TrainingResult(2, 0, 0, 80),
        pairs[2]: TrainingResult(2, 0, 0, 80, wrote=2),
        pairs[3]: TrainingResult(1, 1, 1, 50),
        pairs[4]: TrainingResult(1, 0, 0, 50),
        pairs[5]: TrainingResult(1, 0, 0, 50, wrote=1),
    }
    assert training_results([]) == {}


# --- what a lead fills in


def test_lines_of_answers_come_in_the_order_of_the_round(world):
    planned = training(world, "C.1", "-", "C.2", opened=False)

    lines = answer_lines(planned)
    assert [(line.issue, line.answer and line.answer.category) for line in lines] == [
        (world.issues[0], world.category("C.1")),
        (world.issues[1], None),
        (world.issues[2], world.category("C.2")),
    ]
    assert [line.issue for line in answer_lines(planned, after=1, limit=1)] == [world.issues[1]]
    assert answers_given(planned) == (2, 3)


# --- how the trainings went


def seats(found):
    return [(seat.volunteer.member.pseudonym, seat.right, seat.labels, seat.passed) for seat in found.seats]


def departures(found):
    return [
        (
            one.state.code,
            one.wrong,
            one.labels,
            [(state.code if state else None, n) for state, n in one.instead],
        )
        for one in found.departures
    ]


def test_others_are_counted_once_the_training_is_closed_and_oneself_before(world):
    opened = training(world, "C.1", "C.1", "C.2")
    first, second = world.members
    label_as(world, opened, first, "C.1", "C.2", "C.2")
    label_as(world, opened, second, "C.1", "-", "-")

    mine, theirs = calibrations(world.study, first)[0], calibrations(world.study, second)[0]
    of_lead = calibrations(world.study, world.lead)[0]

    assert seats(mine) == [("R1", 2, 3, False), ("R2", 0, 0, None)]
    assert seats(theirs) == [("R1", 0, 0, None), ("R2", 1, 1, False)]
    assert seats(of_lead) == [("R1", 0, 0, None), ("R2", 0, 0, None)]
    for found in (mine, theirs, of_lead):
        assert (found.issues, found.revealed, found.right, found.labels) == (3, 0, 0, 0)
        assert departures(found) == []

    close_round(round_=opened, by=world.lead)
    for reader in (first, second, world.lead):
        found = calibrations(world.study, reader)[0]
        assert seats(found) == [("R1", 2, 3, False), ("R2", 1, 1, False)]
        assert (found.issues, found.revealed, found.right, found.labels) == (3, 3, 3, 4)
        assert departures(found) == [("C.1", 1, 3, [("C.2", 1)]), ("C.2", 0, 1, [])]


def test_a_closed_training_tells_who_passed_and_which_definitions_are_unclear(world):
    opened = training(world, "C.1.i", "C.1", "C.2", "A.1", pass_mark=75)
    first, second = world.members
    label_as(world, opened, first, "C.1", "C.2", "C.2", "A.1.i")
    label_as(world, opened, second, "C.2", "B.1", "-", "-")
    open_label(opened, world.issues[2], second)
    before = calibrations(world.study, world.lead)[0]
    assert (before.revealed, seats(before), before.departures) == (
        0, [("R1", 0, 0, None), ("R2", 0, 0, None)], (),
    )  # fmt: skip

    close_round(round_=opened, by=world.lead)
    found = calibrations(world.study, world.lead)[0]

    assert seats(found) == [("R1", 3, 4, True), ("R2", 0, 3, False)]
    assert departures(found) == [
        ("C.1", 3, 4, [("C.2", 2), ("B.1", 1)]),
        ("C.2", 1, 2, [(None, 1)]),
        ("A.1", 0, 1, []),
    ]
    assert (found.right, found.labels) == (3, 7)


def test_trainings_come_oldest_first_and_only_those_that_were_opened(world):
    one, two = training(world, "C.1"), training(world, "C.1", "C.2")
    training(world, "C.1", opened=False)
    world.round()

    assert [found.round for found in calibrations(world.study, world.lead)] == [one, two]
    assert calibrations(factories.make_study(), world.lead) == []


def test_calibration_costs_the_same_for_one_training_and_for_three(world):
    counts = []
    for number in range(3):
        opened = training(world, *["C.1"] * (number + 1))
        for member in world.members:
            label_as(world, opened, member, *["C.1"] * (number + 1))
        close_round(round_=opened, by=world.lead)
        counts.append(cost(lambda: calibrations(world.study, world.lead)))
    assert counts == [8, 8, 8]


# --- who reads which comments


@kept
def commented(world) -> Round:
    """Two volunteers and a lead who labels too; R1 comments on issue 1 (labelled by all) and on issue 2."""
    both = another_lead(world)
    opened = training(world, "C.1", "C.1", "C.1", members=[*world.members, both])
    label_as(world, opened, world.members[0], "C.1", "C.2", "C.1")
    label_as(world, opened, world.members[1], "C.1")
    label_as(world, opened, both, "C.1", "-", "C.1")
    for number, issue in enumerate(world.issues[:3], start=1):
        comment(round_=opened, issue=issue, author=world.members[0], text=f"About {number}")
    world.both = both
    return opened


def read_by(world, member) -> list[str]:
    return [one.text for one in calibrations(world.study, member)[0].comments]


def test_comments_are_read_by_their_author_and_by_leads(world, commented):
    assert read_by(world, world.members[0]) == ["About 1", "About 2", "About 3"]
    assert read_by(world, world.lead) == ["About 1", "About 2", "About 3"]


def test_a_lead_who_labels_in_the_training_reads_comments_on_what_they_have_labelled(world, commented):
    # They have labelled issues 1 and 3, and still have to label issue 2.
    assert read_by(world, world.both) == ["About 1", "About 3"]


def test_others_read_comments_once_the_training_is_closed(world, commented):
    viewer = factories.make_member(world.study, Role.VIEWER)
    assert read_by(world, world.members[1]) == read_by(world, viewer) == []

    close_round(round_=commented, by=world.lead)
    assert read_by(world, viewer) == ["About 1", "About 2", "About 3"]
    assert again(world, commented).closed_at
