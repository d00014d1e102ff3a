"""A lead explains a deviation; earlier reasons stay, and nobody explains what is hidden."""

import csv
import io

import pytest
from django.core.exceptions import PermissionDenied
from django.db import InternalError, transaction
from django.urls import reverse

from protocols.actions.reasons import explain_deviation
from protocols.errors import PlanRefused, UnknownDeviation
from protocols.files import package_files
from protocols.models import DeviationReason
from protocols.queries.deviations import deviations_of
from tests.kept import kept
from tests.protocols.plans import frozen
from tests.worlds.pages import client, label_all, queries_of, text_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    made = small_world(issues=3, members=3)
    frozen(made, raters=5)
    made.round()
    return made


@pytest.fixture
def lead(world):
    return client(world.lead)


@pytest.fixture
def key(world):
    [one] = deviations_of(world.lead, world.study)
    return one.key


def of(world, name):
    return reverse(name, args=[world.study.slug])


def test_a_reason_is_written_replaced_and_kept(world, lead, key):
    page = text_of(lead.get(of(world, "deviations")))
    assert "1 deviation is not explained yet." in page
    assert "Round 1 not explained yet Planned in version 1 5 Happened 3" in page
    for text in ("Two were ill.", "Two left before the round."):
        sent = lead.post(of(world, "explain_deviation"), {"deviation": key, "text": text})
        assert sent.url == of(world, "deviations")
    [one] = deviations_of(world.lead, world.study)
    assert [was.text for was in one.reasons] == ["Two were ill.", "Two left before the round."]
    assert one.reason.by == "Lead"
    page = text_of(lead.get(of(world, "deviations")))
    assert "not explained yet" not in page
    assert "Two left before the round. Lead" in page
    assert "Earlier reasons Two were ill. Lead" in page


def test_the_same_reason_twice_is_stored_once(world, key):
    for _time in range(2):
        explain_deviation(study=world.study, deviation=key, text="So.", by=world.lead)
    assert DeviationReason.objects.count() == 1


def test_what_cannot_be_stored_is_refused(world, lead, key):
    for text in ("", " ", "a\0b", "x" * 4_001):
        with pytest.raises(PlanRefused):
            explain_deviation(study=world.study, deviation=key, text=text, by=world.lead)
    with pytest.raises(UnknownDeviation):
        explain_deviation(study=world.study, deviation="raters:round:0", text="So.", by=world.lead)
    with pytest.raises(PermissionDenied):
        explain_deviation(study=world.study, deviation=key, text="So.", by=world.members[0])
    assert lead.post(of(world, "explain_deviation"), {"deviation": key, "text": ""}).status_code == 422
    assert DeviationReason.objects.count() == 0


def test_what_is_hidden_is_not_explained(world):
    world.round(name="Second")
    frozen(world, raters=3, reason="So.")
    late = small_world(issues=1)
    late.round()
    frozen(late)
    hidden = {one.kind: one for one in deviations_of(late.lead, late.study)}["late"]
    assert hidden.is_hidden
    with pytest.raises(UnknownDeviation):
        explain_deviation(study=late.study, deviation=hidden.key, text="So.", by=late.lead)


def test_the_database_keeps_reasons_as_written(world, key):
    made = explain_deviation(study=world.study, deviation=key, text="So.", by=world.lead)
    for change in (lambda: DeviationReason.objects.update(text="Other"), made.delete):
        with pytest.raises(InternalError, match="Cannot"), transaction.atomic():
            change()


def test_a_volunteer_reads_and_does_not_write(world, key):
    explain_deviation(study=world.study, deviation=key, text="Two were ill.", by=world.lead)
    reader = client(world.members[0])
    page = reader.get(of(world, "deviations"))
    assert ("Two were ill." in page.text, "Save reason" in page.text) == (True, False)
    assert reader.post(of(world, "explain_deviation"), {"deviation": key, "text": "No"}).status_code == 403


def test_files_have_plan_and_deviations(world, lead, key):
    explain_deviation(study=world.study, deviation=key, text="Two were ill.", by=world.lead)
    sent = b"".join(lead.get(of(world, "deviations_csv")).streaming_content)
    [row] = csv.DictReader(io.StringIO(sent.decode()))
    assert {name: row[name] for name in ("Kind", "About", "Protocol", "Planned", "Happened", "Reason")} == {
        "Kind": "raters", "About": "Round 1", "Protocol": "v1", "Planned": "5", "Happened": "3", "Reason": "Two were ill.",
    }  # fmt: skip
    files = package_files(world.study, world.lead)
    assert list(files) == ["protocol.md", "protocol-v1.json", "deviations.csv"]
    assert files["deviations.csv"] == sent
    assert b"**Research question**\n\nWhy?" in files["protocol.md"]


def test_without_a_protocol_there_is_no_file():
    bare = small_world(issues=1)
    bare.round()
    assert package_files(bare.study, None) == {}
    page = text_of(client(bare.lead).get(reverse("deviations", args=[bare.study.slug])))
    assert "Without a frozen protocol nothing can be compared." in page


def test_the_page_takes_as_many_queries_with_one_reason_as_with_three(world, lead, key):
    label_all(world, world.study.rounds.get(), "A.1 A.1 A.1")
    explain_deviation(study=world.study, deviation=key, text="One", by=world.lead)
    before = queries_of(lead, of(world, "deviations"))
    world.round(name="More")
    for one in deviations_of(world.lead, world.study):
        for text in ("Two", "Three"):
            explain_deviation(study=world.study, deviation=one.key, text=text, by=world.lead)
    assert queries_of(lead, of(world, "deviations")) == before
