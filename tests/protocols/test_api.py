"""The protocol over REST: what pages do, and the same refusals."""

import hashlib

import pytest

from protocols.queries.deviations import deviations_of
from tests.kept import kept
from tests.protocols.plans import frozen
from tests.worlds.pages import client
from tests.worlds.world import World, small_world

pytestmark = pytest.mark.django_db


@kept
def world() -> World:
    return small_world(issues=3, members=3)


@pytest.fixture
def lead(world):
    return client(world.lead)


def at(world, path):
    return f"/api/v1/studies/{world.study.slug}/{path}"


def test_a_draft_is_started_changed_and_frozen(world, lead):
    draft = at(world, "protocol-draft/")
    json = {"content_type": "application/json"}
    assert lead.get(draft).status_code == 409
    assert lead.post(draft, **json).json()["number"] == 1
    sent = {"plan": {"question": "Why?", "raters": 3, "sources": None}, "revision": 1}
    made = lead.put(draft, sent, **json).json()
    assert (made["plan"], made["revision"]) == ({"question": "Why?", "raters": 3}, 2)
    assert lead.put(draft, sent | {"plan": {"raters": 4}}, **json).status_code == 409
    assert lead.put(draft, {"plan": {"raters": "x"}}, **json).status_code == 422
    assert lead.put(draft, {"plan": {"nonsense": 1}}, **json).status_code == 422
    done = lead.post(at(world, "protocol-draft/freeze/"), **json).json()
    assert hashlib.sha256(done["document"].encode()).hexdigest() == done["sha256"]
    assert lead.get(at(world, "protocols/")).json() == [done]
    assert lead.get(at(world, "protocols/1/")).json() == done
    assert lead.get(at(world, "protocols/2/")).status_code == 404


def test_a_volunteer_reads_frozen_versions_alone(world):
    frozen(world)
    reader = client(world.members[0])
    assert [one["number"] for one in reader.get(at(world, "protocols/")).json()] == [1]
    assert reader.get(at(world, "protocol-draft/")).status_code == 403


def test_deviations_are_read_and_explained(world, lead):
    frozen(world, raters=5)
    round_ = world.round()
    [one] = lead.get(at(world, "deviations/")).json()
    assert one == {
        "deviation": f"raters:round:{round_.pk}", "kind": "raters", "about": "Round 1", "protocol": 1,
        "planned": "5", "happened": "3", "hidden": False, "evidence": round_.get_absolute_url(), "reasons": [],
    }  # fmt: skip
    sent = {"deviation": one["deviation"], "text": "Two were ill."}
    [told] = lead.post(at(world, "deviations/"), sent, content_type="application/json").json()
    assert (told["reasons"][0]["text"], told["reasons"][0]["by"]) == ("Two were ill.", "Lead")
    assert deviations_of(None, world.study)[0].is_explained
    gone = lead.post(at(world, "deviations/"), sent | {"deviation": "x"}, content_type="application/json")
    assert gone.status_code == 409
