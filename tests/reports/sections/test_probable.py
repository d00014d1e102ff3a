"""Models of erring raters in the report: on request, with each volunteer's confusions."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from consensus.queries.probable import posteriors
from reports.agreement_report import agreement_report
from reports.formats.json_report import report_as_dict
from reports.sections.probable import confusions, probable
from reports.sections.registry import TABLES
from rounds.queries.blindness import withheld_issues
from taxonomy.models import Level
from tests.kept import kept
from tests.worlds.pages import client, label_all, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.world(issues=20)]

# R3 labels C.2 as A.1; two decisions follow R3.
ROWS = ["C.1 C.1 C.1"] * 6 + ["C.2 C.2 A.1"] * 5 + ["C.2 C.2 C.2"] + ["A.1 A.1 A.1"] * 6 + ["A.1 A.1 C.1"]


@kept
def round_(world):
    made = world.round()
    label_all(world, made, *ROWS)
    for place, code in ((6, "A.1"), (7, "A.1"), (8, "C.2"), (18, "A.1")):
        world.settle(made, world.issues[place], code)
    return made


def test_tables(round_):
    report = agreement_report(round_)
    assert TABLES["shaky-decisions"](report).rows == (
        ("dawid_skene", "A.1", "C.2", 2),
        ("mace", "A.1", "C.2", 2),
    )
    rows = TABLES["volunteer-confusion"](report).rows
    assert [(row[:3], round(row[3], 3), round(row[4], 3)) for row in rows] == [
        (("R3", "C.2", "A.1"), round(5 / 6, 3), 5.0),
        (("R3", "A.1", "C.1"), round(1 / 7, 3), 1.0),
    ]
    skill = {row[0]: row[1:] for row in TABLES["skill"](report).rows}
    assert [skill[name][0] for name in ("R1", "R2", "R3")] == [19, 19, 19]
    assert skill["R1"][1] == pytest.approx(1.0, abs=1e-6)
    assert skill["R3"][1] == pytest.approx(13 / 19, abs=1e-3)
    assert skill["R3"][2] < skill["R1"][2]


def test_the_level_and_the_issues_are_those_of_the_report(world, round_):
    found = probable(agreement_report(round_, level=Level.TYPE))
    assert [found.states[right].code for _who, right, *_rest in confusions(found)] == ["C", "A"]
    world.waits_for(world.members[0], world.issues[6])
    blind = withheld_issues(round_, world.members[0])
    report = agreement_report(round_, blind=blind)
    assert TABLES["shaky-decisions"](report).rows[0] == ("dawid_skene", "A.1", "C.2", 1)
    assert probable(report).patterns.counts.sum() == 18


def test_the_page_shows_it_on_request_with_a_way_to_the_disagreements(world, round_):
    address = reverse("agreement", args=[round_.pk])
    reader = client(world.lead)
    plain = text_of(reader.get(address))
    assert "Compare decisions with Dawid–Skene and MACE" in plain
    assert "Converged after" not in plain

    answer = reader.get(f"{address}?probable=yes")
    said = text_of(answer)
    # The unanimous issues have a decision too.
    assert "2 of 17 decided issues have a category that is more probable than the decision." in said
    assert "R3 19 68.4" in said
    assert "C.2 as A.1: 83.3" in said
    assert f"/rounds/{round_.pk}/disagreements/?posterior=mace" in answer.text
    assert "posterior=mace" not in reader.get(f"{address}?probable=yes&level=type").text


def test_json_has_it_for_a_group_on_request_and_a_report_never(world, round_):
    assert "probable" not in json.dumps(report_as_dict(agreement_report(round_)))
    path = f"/api/v1/rounds/{round_.pk}/agreement/group/"
    found = client(world.lead).get(f"{path}?type=A&with=probable").json()["probable"]["dawid_skene"]
    # Decided as A: the unanimous ones, the one of two to one, and the two that followed R3.
    assert (found["decided"], found["converged"]) == (9, True)
    assert [one["volunteer"] for one in found["volunteers"]] == ["R1", "R2", "R3"]
    whole = client(world.lead).get(f"{path}?with=probable").json()["probable"]
    assert (whole["mace"]["apart"], whole["dawid_skene"]["apart"]) == (2, 2)
    assert whole["dawid_skene"]["confusion"][0]["label"] == "A.1"
    out = StringIO()
    call_command("agreement", study=round_.study.slug, table="skill", format="csv", stdout=out)
    fitted = posteriors(round_, round_.depth).models["mace"]
    assert out.getvalue().splitlines()[3].split(",")[-1] == repr(float(fitted.skill[2]))
