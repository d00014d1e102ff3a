"""The pages of the protocol, by role."""

import hashlib

import pytest
from django.urls import reverse

from protocols.actions.drafts import freeze_protocol, save_draft, start_draft
from protocols.models import Protocol
from tests import factories
from tests.kept import kept
from tests.worlds.pages import client, label_all, queries_of, text_of
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return small_world(issues=3, members=3)


@pytest.fixture
def lead(world):
    return client(world.lead)


def of(world, name, *more):
    return reverse(name, args=[world.study.slug, *more])


def freeze(world, reason="", **plan) -> Protocol:
    start_draft(study=world.study, by=world.lead)
    save_draft(study=world.study, plan=plan, reason=reason, by=world.lead)
    return freeze_protocol(study=world.study, by=world.lead)


def test_a_lead_starts_saves_undoes_and_freezes(world, lead):
    assert "nothing was fixed beforehand" in text_of(lead.get(of(world, "protocol")))
    made = lead.post(of(world, "start_protocol"))
    assert made.url == of(world, "protocol_draft")
    page = text_of(lead.get(made.url))
    assert "Version 1: 1 of 29 fields are filled" in page
    assert "Taken from the rows of the study" in page
    draft = Protocol.objects.get()
    wrong = lead.post(made.url, {"threshold": "2", "revision": draft.revision})
    assert wrong.status_code == 422
    stored = lead.post(made.url, {"question": "Why?", "threshold": "0.6", "revision": draft.revision})
    assert stored.url == made.url
    assert Protocol.objects.get().plan == {"question": "Why?", "threshold": 0.6}
    assert "Last saved" in text_of(lead.get(made.url))
    late = lead.post(made.url, {"question": "How?", "revision": draft.revision})
    assert (late.status_code, "Somebody else changed this draft" in late.text) == (409, True)
    lead.post(of(world, "undo_protocol"))
    assert "question" not in Protocol.objects.get().plan
    lead.post(made.url, {"question": "Why?"})
    lead.post(of(world, "freeze_protocol"))
    shown = text_of(lead.get(of(world, "protocol")))
    assert Protocol.objects.get().digest in shown
    assert "Research question Why?" in shown


def test_freezing_after_the_first_label_is_possible_with_a_warning(world, lead):
    start_draft(study=world.study, by=world.lead)
    round_ = world.round()
    assert "already" not in text_of(lead.get(of(world, "freeze_protocol")))
    label_all(world, round_, "A.1 B.1 -")
    day = f"{round_.labels.order_by('submitted_at')[0].submitted_at:%Y-%m-%d}"
    page = text_of(lead.get(of(world, "freeze_protocol")))
    assert f"2 labels of main rounds exist already, since {day}." in page
    assert lead.post(of(world, "freeze_protocol")).status_code == 302
    assert Protocol.objects.get().frozen_at


def test_a_volunteer_reads_the_frozen_version_and_not_the_draft(world):
    freeze(world, question="Frozen question?")
    start_draft(study=world.study, by=world.lead)
    save_draft(study=world.study, plan={"question": "Drafted question?"}, by=world.lead)
    reader = client(world.members[0])
    page = reader.get(of(world, "protocol"))
    assert ("Frozen question?" in page.text, "Drafted question?" in page.text) == (True, False)
    assert "Edit draft" not in page.text
    assert reader.get(of(world, "protocol_version", 2)).status_code == 404
    assert reader.get(of(world, "protocol_file", 2, "json")).status_code == 404
    for name in ("protocol_draft", "freeze_protocol"):
        assert reader.get(of(world, name)).status_code == 403


def test_a_version_shows_what_it_changed(world, lead):
    freeze(world, question="Why?", raters=3)
    freeze(world, question="Why?", raters=4, reason="One more volunteer.")
    page = text_of(lead.get(of(world, "protocol_version", 2)))
    assert "Volunteers per main round 4 Before: 3" in page
    assert "One more volunteer." in page
    assert "Before" not in text_of(lead.get(of(world, "protocol_version", 1)))


def test_the_files_are_the_frozen_text(world, lead):
    made = freeze(world, question="Why?", coefficient="gwet_ac1")
    found = lead.get(of(world, "protocol_file", 1, "json"))
    assert hashlib.sha256(found.content).hexdigest() == made.digest
    text = lead.get(of(world, "protocol_file", 1, "md")).text
    assert text.startswith(f"# Protocol of {world.study.name}, version 1\n\nFrozen on ")
    assert made.digest in text
    assert "**Coefficient reported first**\n\nGwet’s AC1\n" in text
    assert "**Sources** (taken from the rows of the study)" in text
    assert lead.get(of(world, "protocol_file", 1, "pdf")).status_code == 404


def test_a_stranger_finds_nothing(world):
    freeze(world, question="Why?")
    stranger = client(factories.make_member(factories.make_study(), "lead"))
    for name in ("protocol", "protocol_draft", "freeze_protocol"):
        assert stranger.get(of(world, name)).status_code == 404


def test_pages_take_as_many_queries_with_one_version_as_with_three(world, lead):
    freeze(world, question="Why?")
    names = [of(world, "protocol"), of(world, "protocol_version", 1)]
    before = [queries_of(lead, name) for name in names]
    freeze(world, question="How?", reason="So.")
    freeze(world, question="When?", reason="So.")
    assert [queries_of(lead, name) for name in names] == before
