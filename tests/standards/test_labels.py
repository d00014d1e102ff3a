"""What labels answer: nothing before the reveal, nothing that is hidden from the reader, and the truth of imports."""

import json

import pytest
from django.urls import reverse

from annotate.actions.rounds import close_round
from ingest.models import Issue
from rounds.models import Round
from standards.files import package_files
from standards.queries.facts import facts_of_panel, read_facts
from tests.kept import kept
from tests.protocols.plans import frozen
from tests.worlds.pages import client, label_all, queries_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db
ROWS = ("A.1 A.1 A.1", "B.1 B.1 B.1", "A.1 B.1 C.1", "A.1 A.1 B.1")
OF_LABELS = ("I4", "I6", "I9", "I10", "I12", "I17", "I18", "R9", "S6", "G2")


@kept
def world() -> World:
    return small_world(issues=4, members=3)


def items(member, study):
    answer = client(member).get(reverse("checklist_file", args=[study.slug, "reviewers", "json"]))
    return {one["number"]: one for one in json.loads(answer.content)["items"]}


def texts(round_, member) -> str:
    return "\n".join(b"".join(chunks).decode() for _name, chunks in package_files(round_, member))


def test_labels_answer_nothing_before_the_round_reveals_them(world):
    round_ = world.round(reveal=Round.Reveal.ROUND_CLOSED)
    empty = texts(round_, world.lead)
    label_all(world, round_, *ROWS)
    found = items(world.lead, world.study)
    assert {found[number]["state"] for number in OF_LABELS} == {"after reveal"}
    assert texts(round_, world.lead) == empty

    close_round(round_=round_, by=world.lead)
    found = items(world.lead, world.study)
    assert found["I6"]["state"] == "met"
    assert "over 4 issues, 3 raters and 12 labels" in found["I6"]["evidence"][0]


def test_what_is_hidden_from_a_reader_is_in_no_number_for_them(world):
    round_ = world.round()
    label_all(world, round_, *ROWS)
    first, second = world.members[:2]
    waiting = Issue.objects.filter(pk=world.issues[2].pk)
    world.round(kind=Round.Kind.PILOT, members=[first], issues=waiting)

    held, whole = (items(member, world.study) for member in (first, second))

    assert "over 4 issues" in whole["R9"]["evidence"][0]
    assert "over 3 issues" in held["R9"]["evidence"][0]
    assert "Issues hidden from you until you label them in another round: 1." in held["R9"]["evidence"]
    assert whole["I4"]["evidence"][-1] == "Open disagreements: 2."
    assert held["I4"]["evidence"][-1] == "Open disagreements: 1."


def test_a_study_with_imported_labels_says_what_nobody_observed(world):
    round_ = world.round()
    label_all(world, round_, *ROWS)
    Round.objects.filter(pk=round_.pk).update(closed_at=round_.opened_at)
    found = items(world.lead, world.study)
    assert {found[number]["state"] for number in ("I3", "I4", "I12", "R3", "R8")} == {"yours to answer"}
    assert found["I3"]["evidence"][0] == "The labels were imported; their independence was not observed."
    text = texts(Round.objects.get(pk=round_.pk), world.lead)
    assert "could see a label" not in text
    assert "The decisions were imported. How disagreements were settled was not observed." in text


def test_a_protocol_and_its_deviations_answer_their_items(world):
    assert items(world.lead, world.study)["RR1"]["state"] == "not met"
    frozen(world, raters=7, level="type", coefficient="fleiss_kappa")
    round_ = world.round()
    label_all(world, round_, *ROWS)

    found = items(world.lead, world.study)
    assert (found["RR1"]["state"], found["RR2"]["state"]) == ("met", "not met")
    text = texts(round_, world.lead)
    assert "Protocol 1 planned Fleiss’ kappa at the level type: this number is exploratory." in text
    assert "planned 7, happened 3. No reason is given yet." in text


def test_the_panel_asks_nothing_of_labels(world):
    round_ = world.round()
    label_all(world, round_, *ROWS)
    panel, whole = facts_of_panel(world.study, world.lead), read_facts(world.study, world.lead)
    assert (panel.agreement, panel.settled) == (None, None)
    assert (whole.agreement.issues, whole.settled.open) == (4, 2)
    page = client(world.lead).get(reverse("study", args=[world.study.slug]))
    unmet = [line.item.number for line in page.context["unmet"]]
    assert {"I7", "O3", "RR1"} <= set(unmet)
    assert "unmet" not in client(world.members[0]).get(reverse("study", args=[world.study.slug])).context


def test_once_no_round_is_open_the_overview_says_nothing(world):
    close_round(round_=world.round(), by=world.lead)
    assert "unmet" not in client(world.lead).get(reverse("study", args=[world.study.slug])).context


@pytest.mark.parametrize("page", ["standards", "standards_method"])
def test_pages_ask_as_often_for_three_rounds_as_for_one(world, page):
    address = reverse(page, args=[world.study.slug])
    counts = []
    for size in (1, 2):
        for _again in range(size):
            label_all(world, world.round(), *ROWS[: size + 1])
        counts.append(queries_of(client(world.lead), address))
    assert counts[0] == counts[1] <= 80
