"""How independent labels are said to be: what was enforced, what nobody observed, and the signs in every document."""

from datetime import timedelta

import pytest
from django.utils import translation

from reports.agreement_report import agreement_report
from reports.formats.document import document
from reports.formats.json_report import report_as_dict
from reports.queries.independence import suspicions
from reports.sections.registry import TABLES
from reports.sentences.independence import how_labels_were_given, what_the_search_found
from reports.sentences.paragraph import how_to_report, paragraph
from rounds.models import Round
from studies.models import Membership, Role
from tests.worlds.pages import label_all
from tests.worlds.world import one_after_the_other, small_world

pytestmark = pytest.mark.django_db


def labelled(**kinds):
    world = small_world(issues=3, members=3)
    round_ = world.round(**kinds)
    label_all(world, round_, "C.1 C.1 C.1", "C.1 C.2 C.1", "A.1 A.1 A.1")
    return world, round_


@pytest.mark.slow
def test_signs_stand_in_every_document():
    _world, round_ = one_after_the_other()
    report = agreement_report(round_)
    found = report_as_dict(report)["independence"]

    assert (found["labels"], found["hidden_until"], found["found"]) == ("blind", round_.reveal, 3)
    assert [one["sign"] for one in found["signs"]] == ["same_rows", "same_label", "never_alone"]
    never = found["signs"][2]
    assert (never["volunteers"], never["issues"], never["reference"]) == (["R3"], 10, 20)
    assert never["text"].startswith("R3 never differs on the 10 issues where all others agree.")
    assert never["first_issue"] is None
    assert found["signs"][0]["first_issue"].startswith("https://")
    assert [row[1] for row in TABLES["independence"](report).rows] == [one["text"] for one in found["signs"]]

    made = document(report)
    (table,) = (one for one in made["sections"] if one["name"] == "independence")
    assert [row[1] for row in table["rows"]] == [one["text"] for one in found["signs"]]
    assert "A sign is a reason to look closer, not a proof" in table["note"]
    assert "A search found 3 signs that labels, or decisions, do not look independent." in made["paragraph"]
    with translation.override("zh-hans"):
        (table,) = (one for one in document(report)["sections"] if one["name"] == "independence")
        assert "R3" in table["rows"][2][1]
        assert "never differs" not in table["rows"][2][1]


def test_what_was_enforced_is_what_the_round_hid():
    _world, at_once = labelled()
    said = how_labels_were_given(agreement_report(at_once))
    assert "hid the labels of an issue from all members until the issue had all of its labels." in said
    assert "Volunteers could read the labels of such issues while they labelled others." in said

    world, later = labelled(reveal="round_closed")
    Round.objects.filter(pk=later.pk).update(closed_at=later.opened_at + timedelta(days=1))
    said = how_labels_were_given(agreement_report(Round.objects.get(pk=later.pk)))
    assert (
        said == "The platform enforced this: it hid all labels from all members until the round was closed."
    )
    assert "led the study" not in said
    Membership.objects.filter(pk=world.members[1].pk).update(role=Role.LEAD)
    report = agreement_report(Round.objects.get(pk=later.pk))
    assert how_labels_were_given(report).endswith("R2 also led the study, with the same labels hidden.")
    assert report_as_dict(report)["independence"]["led_the_study"] == ["R2"]
    assert "without seeing each other’s labels. The platform enforced this" in how_to_report(report)


def test_nobody_observed_imported_labels():
    _world, round_ = labelled()
    Round.objects.filter(pk=round_.pk).update(closed_at=round_.opened_at)
    report = agreement_report(Round.objects.get(pk=round_.pk))
    said = how_to_report(report)
    assert "Their independence was not observed: the labels were imported. A search for signs" in said
    assert "without seeing" not in said
    found = report_as_dict(report)["independence"]
    assert found == {
        "labels": "imported", "hidden_until": None, "led_the_study": [], "found": 0, "signs": [],
    }  # fmt: skip


def test_different_volunteers_of_different_issues_are_not_searched():
    world = small_world(issues=3, members=3)
    round_ = world.k_of_n(2)
    label_all(world, round_, "C.1 C.1", "C.1 C.2", "A.1 A.1")
    report = agreement_report(round_)
    assert (suspicions(report), what_the_search_found(report, ())) == ((), "")
    found = report_as_dict(report)["independence"]
    assert (found["found"], found["signs"]) == (None, None)


def test_a_paragraph_without_the_search_says_so():
    _world, round_ = labelled()
    report = agreement_report(round_)
    assert "[The search for signs of dependence is still being computed.]" in paragraph(report, None)
    assert "being computed" not in paragraph(report, ())
