"""Numbers of the report are marked planned or exploratory, by the protocol that was in force."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from reports.agreement_report import LEVELS, agreement_report
from reports.formats.document import document
from reports.planned import planned_of
from rounds.models import Round
from tests.kept import kept
from tests.protocols.plans import frozen
from tests.worlds.pages import client, label_all, text_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db
FLEISS = {"level": "theme", "coefficient": "fleiss_kappa"}


@kept
def world() -> World:
    return small_world(issues=3, members=3)


def labelled(world) -> Round:
    round_ = world.round()
    label_all(world, round_, "A.1 A.1 B.1", "B.1 B.1 B.1", "C.1 C.1 C.1")
    return round_


def marks(world, round_, level) -> dict[str, str]:
    """By the page's CSV; the same as by REST and by the command."""
    reader = client(world.lead)
    address = f"{reverse('agreement', args=[round_.pk])}?level={level}&format=csv&table=coefficients"
    rows = list(csv.DictReader(io.StringIO(reader.get(address).text)))
    by_page = {row["coefficient"]: row.get("mark") for row in rows}
    by_rest = reader.get(f"/api/v1/rounds/{round_.pk}/agreement/?level={level}").json()
    out = io.StringIO()
    call_command("agreement", study=world.study.slug, level=level, stdout=out)
    assert json.loads(out.getvalue())["protocol"] == by_rest["protocol"]
    assert by_rest["protocol"]["marks"] == by_page
    return by_page


def page(world, round_, level) -> str:
    return text_of(client(world.lead).get(f"{reverse('agreement', args=[round_.pk])}?level={level}"))


def test_the_planned_number_is_planned_and_all_others_are_exploratory(world):
    frozen(world, **FLEISS)
    round_ = labelled(world)
    found = marks(world, round_, "theme")
    assert {name for name, mark in found.items() if mark == "planned"} == {"fleiss_kappa"}
    assert set(found.values()) == {"planned", "exploratory"}
    text = page(world, round_, "theme")
    assert (
        "Protocol version 1 names Fleiss’ kappa at the theme level. All other numbers are exploratory."
        in text
    )
    assert "Fleiss’ kappa planned" in text


def test_a_report_at_another_level_is_exploratory(world):
    frozen(world, **FLEISS)
    round_ = labelled(world)
    for level in ("type", "sub-theme"):
        assert set(marks(world, round_, level).values()) == {"exploratory"}
    assert "All numbers of this report are exploratory." in page(world, round_, "type")


def test_without_a_protocol_there_is_no_mark(world):
    round_ = labelled(world)
    reader = client(world.lead)
    assert "protocol" not in reader.get(f"/api/v1/rounds/{round_.pk}/agreement/").json()
    address = f"{reverse('agreement', args=[round_.pk])}?format=csv&table=coefficients"
    assert "mark" not in next(csv.reader(io.StringIO(reader.get(address).text)))
    assert "Nothing was fixed beforehand: the study has no frozen protocol." in page(world, round_, "theme")


def test_a_protocol_that_came_after_the_opening_plans_nothing(world):
    round_ = labelled(world)
    frozen(world, **FLEISS)
    assert set(marks(world, round_, "theme").values()) == {"exploratory"}
    assert "This version was frozen after the round was opened." in page(world, round_, "theme")


def test_a_later_version_does_not_change_the_marks_of_a_round_that_is_open(world):
    frozen(world, **FLEISS)
    round_ = labelled(world)
    frozen(world, level="type", coefficient="gwet_ac1")
    assert marks(world, round_, "theme")["fleiss_kappa"] == "planned"
    assert planned_of(round_).version == 1


def test_a_protocol_that_names_no_coefficient_plans_no_number(world):
    frozen(world, level="theme")
    round_ = labelled(world)
    assert set(marks(world, round_, "theme").values()) == {"exploratory"}
    assert "names no number to report first" in page(world, round_, "theme")


def test_other_rounds_than_main_rounds_are_not_marked(world):
    frozen(world, **FLEISS)
    assert planned_of(world.round(kind=Round.Kind.PILOT)) is None


def test_the_document_and_the_latex_table_say_what_was_planned(world):
    frozen(world, **FLEISS)
    round_ = labelled(world)
    report = agreement_report(round_, level=LEVELS["theme"])
    said = "Protocol version 1 names Fleiss’ kappa at the theme level. All other numbers are exploratory."
    assert said in document(report)["notes"]
    reader = client(world.lead)
    latex = reader.get(f"{reverse('agreement', args=[round_.pk])}?format=tex&table=coefficients").text
    assert ("planned" in latex, "exploratory" in latex) == (True, True)
