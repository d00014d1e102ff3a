"""The standards page: states, evidence that opens, answers, and files."""

import csv
import io
import json

import pytest
from django.urls import reverse

from rounds.models import Round
from standards.models import ItemAnswer
from tests.findings.world import FindingWorld, finding_world
from tests.kept import kept
from tests.worlds.pages import client, queries_of, text_of

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


def test_an_answer_is_stored_changed_and_undone_with_its_history(world, lead):
    address = of(world, "answer_standard_item", "reviewers", "R11")
    assert items(lead, world)["R11"]["state"] == "yours to answer"

    lead.post(address, {"text": "Frameworks for language models only.", "number": 0})
    lead.post(address, {"text": "Two frameworks.", "number": 1})
    found = items(lead, world)["R11"]
    assert (found["state"], found["answer"], found["answers"]) == ("answered", "Two frameworks.", 2)

    lead.post(of(world, "undo_standard_item", "reviewers", "R11"))
    found = items(lead, world)["R11"]
    assert (found["answer"], found["answers"]) == ("Frameworks for language models only.", 3)
    page = text_of(lead.get(of(world, "standards")))
    assert "3 answers so far to R11" in page
    assert [one.given_by for one in ItemAnswer.objects.all()] == [world.lead] * 3


def test_an_answer_from_an_old_page_overwrites_nothing(world, lead):
    address = of(world, "answer_standard_item", "reviewers", "R11")
    lead.post(address, {"text": "first", "number": 0})
    stale = lead.post(address, {"text": "second", "number": 0})
    assert stale.status_code == 409
    assert items(lead, world)["R11"]["answer"] == "first"


def test_what_does_not_apply_needs_a_reason(world, lead):
    address = of(world, "answer_standard_item", "reviewers", "R16")
    refused = lead.post(address, {"text": "", "does_not_apply": "on"})
    assert (refused.status_code, ItemAnswer.objects.count()) == (422, 0)
    lead.post(address, {"text": "All issues are ours.", "does_not_apply": "on"})
    assert items(lead, world)["R16"]["state"] == "does not apply"


def test_a_word_of_a_lead_does_not_make_an_unmet_item_met(world, lead):
    assert items(lead, world)["RR1"]["state"] == "not met"
    lead.post(of(world, "answer_standard_item", "reviewers", "RR1"), {"text": "We had a plan."})
    assert items(lead, world)["RR1"]["state"] == "not met"


def test_only_owners_and_leads_answer(world):
    for member, status in ((world.volunteer, 403), (world.viewer, 403), (world.owner, 302)):
        given = client(member).post(of(world, "answer_standard_item", "reviewers", "R11"), {"text": "x"})
        assert given.status_code == status


def test_the_checklist_is_the_same_in_all_forms(world, lead):
    found = items(lead, world)
    table = lead.get(of(world, "checklist_file", "reviewers", "csv"))
    rows = list(csv.DictReader(io.StringIO(b"".join(table).decode())))
    assert [(row["number"], row["state"]) for row in rows] == [
        (number, one["state"]) for number, one in found.items()
    ]
    text = lead.get(of(world, "checklist_file", "reviewers", "md")).content.decode()
    ticked = sum(line.startswith("- [x]") for line in text.splitlines())
    assert ticked == sum(one["state"] in {"met", "answered", "does not apply"} for one in found.values())


def test_each_number_of_the_method_section_is_in_its_list(world, lead):
    rows = list(
        csv.DictReader(
            io.StringIO(b"".join(lead.get(of(world, "standards_file", "method_numbers.csv"))).decode())
        )
    )
    text = b"".join(lead.get(of(world, "standards_file", "method.md"))).decode()
    assert rows != []
    assert [row for row in rows if row["sentence"] not in text or row["value"] not in row["sentence"]] == []
    assert {name for row in rows for name in row["files"].split()} <= {
        "labels_long.csv", "agreement.json", "issues.csv", "decisions.csv", "taxonomy.csv",
        "method_numbers.csv", "labels_twice.csv", "findings/findings.csv",
    }  # fmt: skip
