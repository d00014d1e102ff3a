"""Findings over REST: written, with evidence of each kind, frozen, refused as on the pages."""

import pytest

from findings.actions.findings import add_finding
from findings.models import Finding
from tests.api.conftest import client_of
from tests.findings.world import KAPPA, FindingWorld, finding_world
from tests.interviews.test_api import get, post, put
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def world() -> FindingWorld:
    return finding_world()


def test_a_finding_goes_its_whole_way(world):
    listed = f"studies/{world.study.slug}/findings/"
    assert post(world.lead, listed, {"text": " "}).status_code == 400
    made = post(world.lead, listed, {"text": "{1} {2} {3} {4}"})
    assert made.status_code == 201
    path = f"findings/{made.json()['id']}/"
    figures = get(world.lead, f"{listed}figures/?round={world.round.pk}&level=theme").json()
    kappa = next(one for one in figures if one["figure"] == KAPPA)
    assert kappa["name"] == "All issues: Fleiss’ kappa"
    assert f"{kappa['value']:.3f}" == "0.438"
    assert get(world.lead, f"{listed}figures/?round={world.round.pk}&level=x").status_code == 400

    evidence = f"{path}evidence/"
    number = {"kind": "number", "round": world.round.pk, "level": "theme", "figure": KAPPA, "note": "n"}
    assert post(world.lead, evidence, {"kind": "number"}).json().keys() == {"round", "level", "figure"}
    assert post(world.lead, evidence, number | {"figure": ["a", "b", "c"]}).status_code == 422
    assert post(world.lead, evidence, number).status_code == 201
    place = {"kind": "quote", "quote": "U1.1.2.9-15"}
    assert list(post(world.lead, evidence, place | {"quote": "U1.1.2.9-16"}).json()) == ["quote"]
    assert post(world.lead, evidence, place).status_code == 201
    issue = world.base.issues[2]
    assert post(world.lead, evidence, {"kind": "issue", "issue": 10**9}).status_code == 404
    post(world.lead, evidence, {"kind": "issue", "issue": issue.pk, "round": world.round.pk})
    ranking = {"kind": "ranking", "question": world.question.pk, "code": "A"}
    assert list(post(world.lead, evidence, ranking | {"code": "A.1"}).json()) == ["code"]
    shown = post(world.lead, evidence, ranking).json()
    assert shown["told"] == "0.438 “models” A.1 1.00"
    assert shown == get(world.lead, path).json() == get(world.lead, listed).json()[0]
    assert shown["evidence"][1] == {
        "number": 2, "kind": "quote", "source": "U1, 2025-05-06, turn 2", "reference": "U1.1.2.9-15", "content": "models", "codes": ["A.1"],
        "value": "“models”", "was": "", "state": "same", "note": "",
    }  # fmt: skip

    assert get(world.viewer, path).status_code == 403
    assert post(world.lead, f"{path}freeze/", {}).json()["frozen_at"]
    assert get(world.viewer, path).json()["told"] == shown["told"]
    world.base.settle(world.round, issue, "C.9", seen=1)
    told = get(world.viewer, path).json()
    assert (told["changed"], told["evidence"][2]["state"], told["evidence"][2]["was"]) == (
        True,
        "changed",
        "A.1",
    )
    assert put(world.lead, path, {"text": "x"}).json()["code"] == "FindingFrozen"
    assert post(world.lead, f"{path}freeze/", {"frozen": False}).json()["frozen_at"] is None
    assert post(world.lead, f"{path}confirm/", {"numbers": [1]}).json()["changed"] is True
    assert post(world.lead, f"{path}confirm/", {}).json()["changed"] is False
    gone = post(world.lead, f"{path}evidence/2/remove/", {}).json()
    assert ([one["number"] for one in gone["evidence"]], gone["told"]) == ([1, 3, 4], "0.438 {2} C.9 1.00")
    back = post(world.lead, f"{path}evidence/2/remove/", {"back": True}).json()
    assert len(back["evidence"]) == 4


def test_a_finding_is_changed_moved_deleted_and_brought_back(world):
    one, two = (add_finding(study=world.study, text=text, by=world.lead) for text in ("one", "two"))
    assert put(world.lead, f"findings/{one.pk}/", {"text": "first", "revision": 1}).json()["revision"] == 2
    stale = put(world.lead, f"findings/{one.pk}/", {"text": "late", "revision": 1})
    assert (stale.status_code, stale.json()["code"]) == (409, "FindingChanged")
    assert post(world.lead, f"findings/{two.pk}/move/", {"to": 1}).json()["number"] == 1
    for member in (world.volunteer, world.viewer, world.model):
        assert post(member, f"findings/{two.pk}/move/", {"to": 1}).status_code == 403
    assert put(world.stranger, f"findings/{two.pk}/", {"text": "x"}).status_code == 404
    assert client_of(world.lead).delete(f"/api/v1/findings/{two.pk}/").status_code == 204
    assert [one["told"] for one in get(world.lead, f"studies/{world.study.slug}/findings/").json()] == [
        "first"
    ]
    assert post(world.lead, f"findings/{two.pk}/restore/", {}).json()["number"] == 2
    assert Finding.objects.filter(deleted_at=None).count() == 2
