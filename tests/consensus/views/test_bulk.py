"""Deciding many at one stroke, as a page: first shown, then done, then taken back."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from consensus.actions.bulk import decide_alike, decide_majority
from consensus.models import BulkDecision, Decision
from consensus.queries.disagreement_filters import Narrowing
from rounds.models import Round
from tests.worlds.pages import client as signed_in
from tests.worlds.pages import label_all, queries_of, text_of
from tests.worlds.world import World

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=5, members=5)]

ROWS = (
    "C.2 C.2 C.2 C.3 C.3",
    "C.2 C.2 C.2 C.2 C.3",
    "C.9 C.9 C.9 C.9 C.2",
    "C.2 C.2 C.3 C.3 C.9",
    "C.2 C.2 C.3 C.9 B.1",
)


def _round(world: World, **fields) -> Round:
    round_ = world.round(**fields)
    label_all(world, round_, *ROWS)
    return round_


def _get(member, round_, **query):
    return signed_in(member).get(reverse("decide_majority", args=[round_.pk]), query)


def _post(member, round_, query="", headers=None, **form):
    form = {"form_key": str(uuid4()), "at_least": 3} | form
    address = reverse("decide_majority", args=[round_.pk]) + (f"?{query}" if query else "")
    return signed_in(member).post(address, form, headers=headers)


def _back(member, round_, bulk):
    return signed_in(member).post(reverse("take_back_bulk", args=[round_.pk, bulk.pk]))


def test_the_dry_run_says_what_is_decided_and_what_stays_open(world):
    text = text_of(_get(world.lead, _round(world), at_least=4))
    assert "Would be decided 2 Would stay open 3 On an agenda, not decided here 0" in text
    assert "C.2 Name of C.2 1 50.0 % of 2 C.9 Name of C.9 1 50.0 % of 2" in text
    assert "4 : 1 decided 2" in text
    assert "3 : 2 open: fewer than 4 equal labels 1" in text
    assert "2 : 2 : 1 open: no largest group 1" in text
    assert "2 : 1 : 1 : 1 open: fewer than 4 equal labels 1" in text
    assert "nothing is decided yet" in text
    assert "Decide 2 issues by majority" in text
    assert not Decision.objects.exists()


def test_without_a_number_it_shows_the_smallest_majority(world):
    body = _get(world.lead, _round(world)).content.decode()
    assert re.findall(r'aria-current="true">([\d :]+)<', body) == ["3 : 2"]


def test_decided_it_can_be_undone_at_once(world):
    round_ = _round(world)
    done = _post(world.lead, round_)
    bulk = BulkDecision.objects.get()
    assert done.status_code == 302
    assert done["Location"] == f"{reverse('decide_majority', args=[round_.pk])}?at_least=3&done={bulk.pk}"
    text = text_of(signed_in(world.lead).get(done["Location"]))
    assert "3 issues were decided by at least 3 equal labels. Take back decisions" in text
    assert "nothing is decided yet" not in text
    assert "3 issues by majority, at least 3 equal labels by Lead" in text

    back = _back(world.lead, round_, bulk)
    assert (back.status_code, back["Location"]) == (302, reverse("decide_majority", args=[round_.pk]))
    text = text_of(_get(world.lead, round_, done=bulk.pk))
    assert "Take back decisions" not in text
    assert "taken back by Lead" in text
    assert "Would be decided 3" in text
    assert "nothing is decided yet" in text


def test_filters_in_the_address_narrow_it_and_stay(world):
    round_ = _round(world)
    text = text_of(_get(world.lead, round_, pair="C.2 C.3", split="4:1"))
    assert "Pair C.2 and C.3 Split 4 : 1 Remove filters" in text
    assert "Decide 1 issue by majority" in text
    done = _post(world.lead, round_, "pair=C.2+C.3&split=4%3A1")
    assert "pair=C.2+C.3&split=4%3A1&at_least=3" in done["Location"]
    assert BulkDecision.objects.get().decisions.count() == 1
    assert _get(world.lead, round_, pair="C.2").status_code == 404


@pytest.mark.parametrize("at_least", ["", "x", "2", "6", "99999999999999999999"])
@pytest.mark.slow(cases=2)
def test_what_is_no_majority_is_refused_with_the_page(world, at_least):
    round_ = _round(world)
    response = _post(world.lead, round_, at_least=at_least)
    assert response.status_code == 422
    assert "Would be decided 3" in text_of(response)
    assert _get(world.lead, round_, at_least=at_least).status_code == 200
    assert not Decision.objects.exists()


def test_nothing_to_decide_is_said(world):
    round_ = _round(world)
    assert "nothing to decide" in text_of(_get(world.lead, round_, at_least=5))
    response = _post(world.lead, round_, at_least=5)
    assert response.status_code == 409
    assert "None of these issues waits for this decision now." in text_of(response)


def test_where_a_meeting_decides_only_undoing_is_left(world):
    round_ = _round(world, rule=Round.Rule.MEETING)
    assert "In this round only a meeting decides" in text_of(_get(world.lead, round_))
    assert _post(world.lead, round_).status_code == 409
    hidden = _round(world, reveal=Round.Reveal.ROUND_CLOSED)
    assert "Labels are revealed when this round closes" in text_of(_get(world.lead, hidden))


def test_what_is_withheld_is_a_number_and_nothing_else(world):
    round_ = _round(world)
    world.round(members=[world.lead, *world.members])
    text = text_of(_get(world.lead, round_))
    assert "Would be decided 0 Would stay open 0 On an agenda, not decided here 0 Hidden from you 5" in text
    assert "Result by split" not in text


def test_a_bulk_decision_of_another_round_is_not_found(world):
    bulk = decide_majority(round_=_round(world), by=world.lead, at_least=4, narrowing=Narrowing())
    assert _back(world.lead, _round(world), bulk).status_code == 404
    assert bulk.decisions.filter(superseded_at=None).count() == 2


def test_alike_decisions_are_in_the_list(world):
    round_ = _round(world)
    decide_alike(
        round_=round_, by=world.lead, issues=[world.issues[0].pk], category=world.category("C.2"),
        rationale="The log shows it.",
    )  # fmt: skip
    assert "1 issue similar issues, one rationale by Lead" in text_of(_get(world.lead, round_))


def test_the_page_costs_the_same_at_one_issue_and_at_five(world):
    counts = []
    for rows in (ROWS[:1], ROWS):
        round_ = world.round()
        label_all(world, round_, *rows)
        counts.append(queries_of(signed_in(world.lead), reverse("decide_majority", args=[round_.pk])))
    assert counts[0] == counts[1] <= 16
