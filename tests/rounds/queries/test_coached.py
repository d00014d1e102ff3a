"""Which issues of a round volunteers were coached on, by what happened when."""

import pytest
from django.utils import timezone

from ingest.models import Issue
from rounds.models import Round
from rounds.queries.coached import coached_by, coached_issues
from tests import factories
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=4, members=2)]


def among(world: World, *places: int):
    return Issue.objects.filter(pk__in=[world.issues[place].pk for place in places]).order_by("pk")


def coached(round_: Round, world: World) -> list[int]:
    places = {issue.pk: place for place, issue in enumerate(world.issues)}
    return [
        places[issue] for issue in coached_issues(round_).order_by("issue").values_list("issue", flat=True)
    ]


def label_all(world: World, round_: Round, place: int) -> None:
    for member in world.members:
        world.submit(round_, world.issues[place], member, "C.1")


def opened(plan: Round) -> Round:
    Round.objects.filter(pk=plan.pk).update(opened_at=timezone.now())
    return Round.objects.get(pk=plan.pk)


@pytest.mark.parametrize("kind", ["pilot", "training"])
def test_an_issue_is_coached_on_until_it_had_all_of_its_labels(world, kind):
    made = world.round(name="Main round")
    label_all(world, made, 0)
    plan = world.round(kind=kind, name="Coaching", issues=among(world, 0, 1), opened=False)
    assert coached(made, world) == []
    opened(plan)
    assert coached(made, world) == [1]
    label_all(world, made, 1)
    assert coached(made, world) == [1]
    assert [(one.round, one.issues) for one in coached_by(made)] == [(plan, 1)]


def test_a_main_round_and_another_taxonomy_coach_on_nothing(world):
    world.round(name="First", issues=among(world, 0))
    relevance = factories.make_version(world.study, ["R", "F"])
    world.round(kind="pilot", name="Of relevance", version=relevance, depth=1, issues=among(world, 0))
    made = world.round(name="Second")
    assert (coached(made, world), coached_by(made)) == ([], [])
    assert coached_issues(made).query.is_empty()


def test_a_second_pilot_is_coached_on_by_the_first_and_a_training_by_none(world):
    first = world.round(kind="pilot", name="First", issues=among(world, 0, 1))
    second = world.round(kind="pilot", name="Second", issues=among(world, 1, 2))
    training = opened(world.round(kind="training", name="Training", issues=among(world, 1), opened=False))
    assert (coached(second, world), coached(training, world)) == ([1], [])
    # It was opened later, while the issue still lacked labels in the first.
    assert coached(first, world) == [1]


def test_a_round_that_hides_what_is_complete_says_nothing_by_it(world):
    made = world.round(name="Main round", reveal="round_closed")
    label_all(world, made, 0)
    world.round(kind="pilot", name="Pilot", issues=among(world, 0, 1))
    assert coached(made, world) == [0, 1]


def test_questions_asked_of_the_database(world, django_assert_num_queries):
    made = world.round(name="Main round")
    with django_assert_num_queries(1):
        assert coached_by(made) == []
    for name in ("One", "Two", "Three"):
        world.round(kind="pilot", name=name, issues=among(world, 0))
    made = Round.objects.select_related("version").get(pk=made.pk)
    with django_assert_num_queries(2):
        assert len(coached_by(made)) == 3
