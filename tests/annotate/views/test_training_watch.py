"""A training as its leads see it while it runs, and who did not pass on the pages from which they are let in."""

import pytest
from django.urls import reverse

from annotate.actions.rounds import close_round
from annotate.actions.training import comment
from tests.worlds.pages import client, text_of
from tests.worlds.trained import again, another_lead, label_as, main_after, training

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=3)]


def page(member, name, *args):
    return text_of(client(member).get(reverse(name, args=args)))


@pytest.fixture
def running(world):
    """Four answers; R1 has passed, R2 has not, R3 has begun."""
    round_ = training(world, "C.1", "C.2", "B.1", "B.2", pass_mark=75)
    one, two, three = world.members
    label_as(world, round_, one, "C.1", "C.2", "B.1", "B.1")
    label_as(world, round_, two, "C.1", "C.1", "B.2", "B.1")
    label_as(world, round_, three, "C.1", "-", "-", "-")
    return again(world, round_)


def test_a_lead_sees_how_a_training_goes(world, running):
    one, two, three = (member.known_as for member in world.members)
    said = page(world.lead, "round", running.pk)
    assert "Results of the training" in said
    assert f"{one} 4 of 4 75 % of 4 passed" in said
    assert f"{two} 4 of 4 25 % of 4 not passed, 3 needed" in said
    assert f"{three} 1 of 4 100 % of 1 labelling" in said
    fourth, second = world.issues[3], world.issues[1]
    assert said.index(f"#{fourth.number}") < said.index(f"#{second.number}")
    assert "2 of 2 labels differ" in said
    assert f"#{world.issues[0].number}" not in said, "everybody got it right"


def test_questions_are_there_with_who_asked(world, running):
    comment(round_=running, issue=world.issues[0], author=world.members[0], text="Why not C.9?")
    said = page(world.lead, "round", running.pk)
    assert f"Why not C.9? {world.members[0].known_as}, owner/" in said


def test_nobody_else_sees_it(world, running):
    for member in world.members:
        assert "Results of the training" not in page(member, "round", running.pk)


def test_a_lead_who_labels_in_it_waits_until_they_are_through(world):
    other = another_lead(world)
    round_ = training(world, "C.1", "C.2", by=other, members=[world.lead, world.members[0]])
    label_as(world, round_, world.members[0], "C.2", "C.2")
    assert "Results of the training" in page(other, "round", round_.pk)
    assert "Results of the training" not in page(world.lead, "round", round_.pk)
    label_as(world, round_, world.lead, "C.1", "C.2")
    assert "Results of the training" in page(world.lead, "round", round_.pk)


def test_the_question_before_opening_counts_those_who_passed(world, running):
    main = main_after(world, running, opened=False)
    question = client(world.lead).get(reverse("round", args=[main.pk])).content.decode()
    assert "and 1 volunteer can begin" in question


def test_issues_that_a_lead_has_yet_to_label_elsewhere_are_not_named(world, running):
    """The scores stay: numbers of all issues together, and no label."""
    comment(round_=running, issue=world.issues[3], author=world.members[0], text="Why B?")
    world.waits_for(world.lead, world.issues[3])
    said = page(world.lead, "round", running.pk)
    assert "4 of 4 75 % of 4 passed" in said
    assert f"#{world.issues[3].number}" not in said
    assert f"#{world.issues[1].number}" in said
    assert "Why B?" not in said


def test_who_did_not_pass_is_let_in_from_home_the_study_and_the_round(world, running):
    main = main_after(world, running)
    two = world.members[1]
    for said in (page(world.lead, "home"), page(world.lead, "study", world.study.slug)):
        assert f"1 volunteer did not pass the training {two.known_as} Let volunteers in" in said
    said = page(world.lead, "round", main.pk)
    assert f"{two.known_as} has not passed the training Let in" in said
    assert said.count("has not passed the training") == 1, "R3 may still pass"
    assert "has not passed the training" in page(world.lead, "round_volunteers", main.pk)
    assert "did not pass" not in page(world.members[0], "home")
    shut = "You can label here after you pass"
    assert [shut in page(member, "round", main.pk) for member in world.members[:2]] == [False, True]
    assert shut not in page(world.lead, "round", main.pk)
    assert "has not passed" not in page(world.members[0], "round", main.pk)

    admit = reverse("admit", args=[main.pk, two.pk])
    refused = client(world.lead).post(admit, {"reason": " "})
    assert refused.status_code == 422
    assert "Give the reason why this volunteer may label without the training." in text_of(refused)
    long = client(world.lead).post(admit, {"reason": "typed" * 100})
    assert long.status_code == 422
    assert "typed" * 100 in text_of(long)
    assert '<details class="admit" open>' in long.content.decode()
    client(world.lead).post(admit, {"reason": "They talked about it."})
    assert "did not pass" not in page(world.lead, "home")
    for name, of in (("round", main), ("round_volunteers", main), ("round", running)):
        told = page(world.lead, name, of.pk)
        assert f"let in by {world.lead.known_as}" in told
        assert "They talked about it." in told
    assert "They talked" not in page(world.members[0], "round", main.pk)
    assert "has not passed" not in page(world.lead, "round", main.pk)


def test_who_never_finished_did_not_pass_once_it_is_closed(world, running):
    main_after(world, running)
    close_round(round_=running, by=world.lead)
    assert "2 volunteers did not pass the training" in page(world.lead, "home")


def test_a_closed_training_says_nothing_of_what_is_yet_to_come(world, running):
    close_round(round_=running, by=world.lead)
    world.waits_for(world.lead, *world.issues[:4])
    said = page(world.lead, "training", world.study.slug)
    assert "You still have to label issues of this training in another round." in said


def test_a_training_without_labels_says_so(world):
    round_ = training(world, "C.1", "C.2")
    said = page(world.lead, "training", world.study.slug)
    assert "Results appear here when a lead closes the training." in said
    close_round(round_=round_, by=world.lead)
    said = page(world.lead, "training", world.study.slug)
    assert "Nobody labelled an issue of this training." in said
