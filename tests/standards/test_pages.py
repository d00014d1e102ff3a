"""The standards page: states, evidence that opens, answers, and files."""

import json

import pytest
from django.urls import reverse

from rounds.models import Round
from tests.findings.world import FindingWorld, finding_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of

pytestmark = pytest.mark.django_db


@kept
def world() -> FindingWorld:
    return finding_world()


@pytest.fixture
def lead(world):
    return client(world.lead)


def of(world, name, *more):
    return reverse(name, args=[world.study.slug, *more])


def items(browser, world):
    answer = browser.get(of(world, "checklist_file", "reviewers", "json"))
    return {one["number"]: one for one in json.loads(answer.content)["items"]}


def test_each_item_has_a_state_with_evidence_that_opens(world, lead):
    page = lead.get(of(world, "standards"))
    rows = [row for _section, rows in page.context["sections"] for row in rows]
    assert (len(rows), page.context["all"], page.context["by_platform"] >= 44) == (57, 57, True)
    assert {url for row in rows for url in row["links"] if lead.get(url).status_code != 200} == set()
    assert [row["item"].number for row in rows if not row["links"]] == []


def test_numbers_in_sentences_are_those_of_the_rows(world, lead):
    found = items(lead, world)
    assert found["I2"]["evidence"] == [
        f"3 raters labelled in the round “{world.round.name}”, with 3 labels for each issue."
    ]
    assert found["I5"]["evidence"] == [
        "The variable is nominal: categories in a tree of 3 levels, without an order among them."
    ]


def test_pages_ask_as_often_for_three_rounds_as_for_one(world, lead):
    one = queries_of(lead, of(world, "standards"))
    for name in ("second", "third"):
        world.base.round(name=name)
    assert Round.objects.filter(study=world.study).count() == 3
    assert queries_of(lead, of(world, "standards")) == one
