"""Rankings: recorded with ties, checked against the question, and read by who may read the interview."""

import pytest
from django.urls import reverse
from django.utils import timezone

from interviews.models import Question, Ranking, Session
from interviews.queries.rankings import competition_places, shared_ranks
from taxonomy.models import Level
from tests import factories
from tests.factories.interviews import make_audience, make_guide, make_participant, make_session
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of

pytestmark = pytest.mark.django_db


@kept
def world() -> InterviewWorld:
    world = interview_world()
    taxonomy = world.version.taxonomy
    ranks = {"is_ranking": True, "taxonomy": taxonomy, "level": Level.THEME}
    world.session.guide = make_guide(
        world.study,
        world.lead,
        {"text": "Top themes?", **ranks, "under": factories.category(world.version, "C"), "top": 3},
        {"text": "All of B?", **ranks, "under": factories.category(world.version, "B")},
        {"text": "For developers?", **ranks, "audience": make_audience(world.study, "D")},
        {"text": "Open?"},
    )
    world.session.save()
    return world


def ranked(world, text="Top themes?", *, session=None, by=None, **places):
    session = session or world.session
    question = Question.objects.get(text=text)
    fields = {
        f"place_{factories.category(world.version, code.replace('_', '.')).pk}": place
        for code, place in places.items()
    }
    address = reverse("rank", args=[session.pk])
    return client(by or world.lead).post(address, {"question": question.pk, **fields})


def stored(text="Top themes?") -> dict[str, int]:
    ranking = Ranking.objects.get(question__text=text)
    return {one.category.states.get().code: one.place for one in ranking.places.select_related("category")}


def test_places_are_counted_as_in_a_competition_and_ties_share_their_ranks():
    assert competition_places({1: 2, 2: 5, 3: 2, 4: 9}) == {1: 1, 2: 3, 3: 1, 4: 4}
    assert shared_ranks({1: 1, 2: 3, 3: 1, 4: 4}) == {1: 1.5, 2: 3, 3: 1.5, 4: 4}


def test_the_form_asks_the_questions_of_this_audience_with_their_categories(world):
    page = client(world.lead).get(reverse("rank", args=[world.session.pk]))
    lines = page.context["lines"]
    assert [answer.question.text for answer, _choices in lines] == ["Top themes?", "All of B?"]
    assert [[choice.state.code for choice, _shown in choices] for _answer, choices in lines] == [
        ["C.1", "C.2", "C.3", "C.9", "C.10"],
        ["B.1", "B.2"],
    ]


def test_an_order_with_ties_is_recorded_changed_and_removed(world):
    assert ranked(world, C_9=2, C_1=1, C_2=2).status_code == 302
    assert stored() == {"C.1": 1, "C.2": 2, "C.9": 2}
    assert ranked(world, C_3=7).status_code == 302
    assert stored() == {"C.3": 1}
    assert ranked(world).status_code == 302
    assert not Ranking.objects.exists()


@pytest.mark.parametrize(
    ("text", "places", "words"),
    [
        ("Top themes?", {"C_1": 1, "C_2": 2, "C_3": 3, "C_9": 4}, "asks for the first 3 places only"),
        ("All of B?", {"B_1": 1}, "This question asks for all categories."),
        ("Top themes?", {"B_1": 1}, "does not ask about one of these categories"),
        ("Top themes?", {"C_1": 0}, "Places are whole numbers from 1."),
        ("Top themes?", {"C_1": "first"}, "Places are whole numbers from 1."),
    ],
)
def test_what_the_question_does_not_ask_is_refused(world, text, places, words):
    answer = ranked(world, text, **places)
    assert (answer.status_code, words in answer.text) == (422, True)
    assert not Ranking.objects.exists()


def test_a_question_of_another_audience_and_other_roles_are_refused(world):
    assert ranked(world, "For developers?", C_1=1).status_code == 404
    assert ranked(world, by=world.coder, C_1=1).status_code == 403
    assert ranked(world, by=world.stranger, C_1=1).status_code == 404
    assert not Ranking.objects.exists()


def test_the_page_of_rankings_shows_means_and_shares_of_readable_interviews(world):
    second = make_session(make_participant(world.study, world.lead), world.lead, guide=world.session.guide)
    ranked(world, C_1=1, C_2=2, C_3=2)
    ranked(world, session=second, C_2=1)
    address = reverse("rankings", args=[world.study.slug])
    [found] = client(world.lead).get(address).context["ranked"]
    assert found.answers == [("U1", [["C.1"], ["C.2", "C.3"]]), ("U2", [["C.2"]])]
    assert [(one.code, one.mean, one.ranked_by, one.top) for one in found.categories] == [
        ("C.1", 1.0, 1, 1),
        ("C.2", 1.75, 2, 2),
        ("C.3", 2.5, 1, 1),
    ]
    assert client(world.coder).get(address).context["ranked"] == []
    world.open_coding()
    [found] = client(world.coder).get(address).context["ranked"]
    assert [who for who, _order in found.answers] == ["U1"]
    world.open_coding(second, revealed_at=timezone.now(), settled_at=timezone.now(), settled_by=world.lead)
    [found] = client(world.viewer).get(address).context["ranked"]
    assert [who for who, _order in found.answers] == ["U2"]


def test_the_page_costs_the_same_at_one_ranking_and_at_three(world):
    address, counts = reverse("rankings", args=[world.study.slug]), []
    ranked(world, C_1=1)
    counts.append(queries_of(client(world.lead), address))
    while Session.objects.count() < 3:
        made = make_session(make_participant(world.study, world.lead), world.lead, guide=world.session.guide)
        ranked(world, session=made, C_1=1, C_2=2)
        ranked(world, "All of B?", session=made, B_1=1, B_2=1)
    counts.append(queries_of(client(world.lead), address))
    assert Ranking.objects.count() == 5
    assert counts[0] == counts[1]
