"""Rankings: recorded with ties, checked against the question, and read by who may read the interview."""

import csv

import pytest
from django.urls import reverse
from django.utils import timezone

from agreement.reasons import Reason
from interviews.models import Participant, Question, Ranking, Session
from interviews.queries.rankings import competition_places, shared_ranks
from taxonomy.models import Level
from tests import factories
from tests.factories.interviews import make_audience, make_guide, make_participant, make_session
from tests.interviews.test_api import get as api_get
from tests.interviews.world import InterviewWorld, interview_world
from tests.kept import kept
from tests.long import only_long
from tests.worlds.pages import client, queries_of, text_of

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
    shown = client(world.lead).get(address)
    [(found, figure)] = shown.context["ranked"]
    assert found.answers == (("U1", [["C.1"], ["C.2", "C.3"]]), ("U2", [["C.2"]]))
    lines = [
        (line.state.code, line.numbers.mean_rank, line.numbers.mean_given, line.numbers.ranked_by)
        for line in found.lines
    ]
    # Five categories: who ranked only C.2 gives the others (2 + 3 + 4 + 5) / 4.
    assert lines == [
        ("C.2", 1.75, 1.75, 2),
        ("C.1", 2.25, 1.0, 1),
        ("C.3", 3.0, 2.5, 1),
        ("C.9", 4.0, None, 0),
        ("C.10", 4.0, None, 0),
    ]
    assert [row.code for row in figure.rows] == [code for code, *_numbers in lines]
    words = text_of(shown)
    assert (
        "undefined: participants ranked only their first categories, and W needs complete rankings" in words
    )
    assert "Not compared: one of the groups has no ranking." in words
    assert "Fewer than five participants give no interval of a mean rank." in words
    assert client(world.coder).get(address).context["ranked"] == []
    world.open_coding()
    [(found, _figure)] = client(world.coder).get(address).context["ranked"]
    assert [who for who, _order in found.answers] == ["U1"]
    world.open_coding(second, revealed_at=timezone.now(), settled_at=timezone.now(), settled_by=world.lead)
    [(found, _figure)] = client(world.viewer).get(address).context["ranked"]
    assert [who for who, _order in found.answers] == ["U2"]


def many(world, experience=("1 year", "9 years")):
    """Six users of little experience who put B.1 first, and six of much who put B.2 first."""
    for number in range(12):
        made = make_participant(world.study, world.lead, experience=experience[number % 2])
        session = make_session(made, world.lead, guide=world.session.guide)
        places = {"B_1": 1, "B_2": 2} if number % 2 == 0 else {"B_1": 2, "B_2": 1}
        assert ranked(world, "All of B?", session=session, **places).status_code == 302


def test_groups_are_compared_side_by_side_with_everything_printed(world):
    many(world)
    address = reverse("rankings", args=[world.study.slug])
    shown = client(world.lead).get(address + "?by=experience")
    words = text_of(shown)
    assert "below 9 (6) and 9 or more (6)" in words
    for number in ("χ²(1) = 0.00", "0.002", "0.004", "-1.00", "All categories at once", "50 % of 12"):
        assert number in words.replace("\N{NO-BREAK SPACE}", " "), number
    assert (words.count("-1.00 no interval"), words.count(" 1.00 no interval")) == (1, 1)
    assert (
        "A difference has no interval if the participants of each group gave the category the same rank."
        in words
    )
    assert (shown.context["groups"].at, '<option value="experience" selected>' in shown.text) == (9, True)
    assert 'class="whisker"' in shown.text
    moved = client(world.lead).get(address + "?by=experience&at=1").context["ranked"][0][0]
    assert (moved.comparison.first, moved.comparison.second) == (0, 12)


def test_five_who_rank_alike_have_no_interval_on_the_page_in_json_and_in_csv(world):
    """An interval from 1 to 1 would claim an error of 0; a sixth who ranks otherwise gives one."""

    def rank_all(places):
        made = make_participant(world.study, world.lead)
        session = make_session(made, world.lead, guide=world.session.guide)
        assert ranked(world, "All of B?", session=session, **places).status_code == 302

    def shown() -> tuple[tuple[int, bool], dict, dict]:
        words = text_of(client(world.lead).get(reverse("rankings", args=[world.study.slug])))
        [found] = api_get(world.lead, f"studies/{world.study.slug}/rankings/").json()
        file = client(world.lead).get(reverse("rankings_csv", args=[world.study.slug]))
        row = next(csv.DictReader(file.getvalue().decode().splitlines()))
        note = "A category has no interval if all participants gave it the same rank." in words
        return (words.count(" no interval "), note), found, row

    for _number in range(5):
        rank_all({"B_1": 1, "B_2": 2})
    said, found, row = shown()
    w, first = found["concordance"], found["categories"][0]
    assert (w["w"], w["low"], w["high"], w["reason"]) == (1, None, None, Reason.RANKED_ALIKE.text)
    assert (first["mean_rank"], first["interval"], first["reason"]) == (1, None, Reason.SAME_RANK.text)
    assert (row["w"], row["w_low"], row["w_reason"]) == ("1.0", "", Reason.RANKED_ALIKE.text)
    assert (row["mean_rank_low"], row["reason"], said) == ("", Reason.SAME_RANK.text, (3, True))

    rank_all({"B_1": 2, "B_2": 1})
    said, found, row = shown()
    w, first = found["concordance"], found["categories"][0]
    assert (w["low"] < w["w"] < w["high"], w["reason"], first["reason"], said) == (True, "", "", (0, False))
    assert float(row["mean_rank_low"]) < float(row["mean_rank"]) < float(row["mean_rank_high"])


@only_long
def test_three_values_are_chosen_from_two_lists(world):
    many(world, ("Beginner", "Expert"))
    Participant.objects.filter(number__in=(2, 3)).update(experience="Advanced")
    address = reverse("rankings", args=[world.study.slug]) + "?by=experience"
    assert client(world.lead).get(address).context["groups"].chosen == ("Beginner", "Expert")
    page = client(world.lead).get(address + "&first=Advanced&second=")
    assert "Advanced (2) and all others (10)" in text_of(page)
    assert page.text.count("<select") == 3


@pytest.mark.parametrize("asked", ["by=salary", "by=experience&first=Nobody", "by=experience&at=many"])
@pytest.mark.slow
def test_groups_that_do_not_exist_are_refused(world, asked):
    many(world)
    for name in ("rankings", "rankings_csv"):
        assert client(world.lead).get(f"{reverse(name, args=[world.study.slug])}?{asked}").status_code == 404
    answer = api_get(world.lead, f"studies/{world.study.slug}/rankings/?{asked}")
    assert (answer.status_code, list(answer.json())) == (400, ["by"])


def test_backgrounds_divide_only_for_those_who_lead(world):
    """A volunteer reads rankings, but no background: neither the column, nor its values, nor who has which."""
    many(world, ("canary beginner", "canary expert"))
    for session in Session.objects.all():
        world.open_coding(session, revealed_at=timezone.now())
    address = reverse("rankings", args=[world.study.slug])
    shown = client(world.coder).get(address)
    assert (shown.status_code, "canary" in shown.text, "Experience" in shown.text) == (200, False, False)
    assert len(shown.context["ranked"]) == 1
    assert client(world.coder).get(address + "?by=experience").status_code == 404
    assert api_get(world.coder, f"studies/{world.study.slug}/rankings/?by=experience").status_code == 400


@only_long
def test_figure_and_rows_can_be_downloaded(world):
    many(world)
    question = Question.objects.get(text="All of B?")
    for form, kind in (("svg", "image/svg+xml"), ("pdf", "application/pdf")):
        file = client(world.lead).get(reverse("ranks_file", args=[world.study.slug, question.pk, form]))
        assert (file.status_code, file["Content-Type"]) == (200, kind)
    for args in ((question.pk, "exe"), (question.pk + 999, "svg")):
        assert (
            client(world.lead).get(reverse("ranks_file", args=[world.study.slug, *args])).status_code == 404
        )
    address = reverse("rankings_csv", args=[world.study.slug]) + "?by=experience"
    lines = client(world.lead).get(address).getvalue().decode().splitlines()
    [head, first, second] = csv.reader(lines)
    row = dict(zip(head, first, strict=True))
    assert (row["code"], row["mean_rank"], row["share"], row["difference"]) == ("B.1", "1.5", "0.5", "-1.0")
    assert (row["first_group"], row["p"], row["w"]) == ("below 9", str(2 / 924), "0.0")
    assert second[head.index("code")] == "B.2"
    over_rest = api_get(world.lead, f"studies/{world.study.slug}/rankings.csv?by=experience")
    assert over_rest.getvalue().decode().splitlines() == lines


@only_long
def test_the_same_numbers_over_rest(world):
    assert api_get(world.lead, f"studies/{world.study.slug}/rankings/").json() == []
    many(world)
    [found] = api_get(world.lead, f"studies/{world.study.slug}/rankings/?by=experience").json()
    assert (found["participants"], found["asked_for"], found["top"]) == (12, None, 1)
    assert found["answers"][0] == {"participant": "U2", "order": [["B.1"], ["B.2"]]}
    assert found["comparison"] == {
        "first": "below 9", "second": "9 or more", "first_participants": 6, "second_participants": 6,
        "p": 2 / 924, "exact": True, "reason": "",
    }  # fmt: skip
    one = found["categories"][0]
    assert (one["code"], one["mean_rank"], one["top"]["value"], one["reason"]) == ("B.1", 1.5, 0.5, "")
    assert one["difference"]["p_holm"] == 4 / 924
    assert one["interval"]["low"] < 1.5 < one["interval"]["high"]
    assert (one["difference"]["interval"], one["difference"]["reason"]) == (
        None, Reason.SAME_RANK_IN_GROUPS.text,
    )  # fmt: skip
    w = found["concordance"]
    assert (w["w"], w["chi2"], w["df"], w["p"], w["reason"]) == (0, 0, 1, 1, "")


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
