"""Frozen reports over REST."""

import pytest

from reports.models import FrozenReport
from tests.api.conftest import client_of, label, label_all
from tests.factories import make_round


@pytest.fixture
def labelled(world):
    label_all(world, ("C.1", "C.1"), ("C.1", "C.2"))
    return f"/api/v1/rounds/{world.round.pk}/agreement/frozen/"


def test_a_lead_freezes_and_everybody_reads_and_compares(world, labelled):
    answer = client_of(world.lead).post(labelled, {"name": "Submission"}, format="json")
    frozen = FrozenReport.objects.get()
    row = {
        "id": frozen.pk, "name": "Submission", "frozen_at": answer.json()["frozen_at"],
        "by": world.lead.pseudonym, "version": 1, "crosscheck": "0.1.0", "held_back": False, "issues": 2,
        "without_coached": False, "inputs_sha256": frozen.inputs_hash,
    }  # fmt: skip
    assert (answer.status_code, answer.json()) == (201, row)
    again = client_of(world.lead).post(labelled, {"name": "submission"}, format="json")
    assert (again.status_code, again.json()["code"], again.json()["field"]) == (409, "FreezeRefused", "name")

    viewer = client_of(world.viewer)
    assert viewer.get(labelled).json() == [row]
    whole = viewer.get(f"{labelled}{frozen.pk}/").json()
    assert whole["levels"]["theme"]["groups"][0]["coefficients"]["percent_agreement"]["value"] == 0.5
    same = viewer.get(f"{labelled}{frozen.pk}/difference/").json()
    assert same["levels"] == {"type": [], "theme": [], "sub-theme": []}
    assert (same["issues_added"], same["final_labels"]) == (0, {"changed": 0, "reopened": 0, "new": 0})
    assert same["altered"] is False

    for member in (world.first, world.second):
        label(member, world, world.issues[2], "C.1")
    found = viewer.get(f"{labelled}{frozen.pk}/difference/").json()
    assert (found["issues_added"], found["final_labels"]["new"]) == (1, 1)
    [one] = [
        one
        for one in found["levels"]["theme"]
        if (one["part"], one["of"], one["name"]) == ("groups", "all", "percent_agreement")
    ]
    assert (one["then"], one["now"], one["change"]) == (0.5, 2 / 3, pytest.approx(1 / 6))
    # Two and three issues are too few for an interval.
    assert (one["then_interval"], one["now_interval"]) == (None, None)
    refused = client_of(world.first).post(labelled, {"name": "Mine"}, format="json")
    assert refused.status_code == 403


def test_what_you_still_have_to_label_keeps_frozen_reports_from_you(world, labelled):
    client_of(world.owner).post(labelled, {"name": "Submission"}, format="json")
    frozen = FrozenReport.objects.get()
    make_round(world.version, world.issues[:1], [world.first, world.lead], name="Again")
    reader = client_of(world.first)
    (row,) = reader.get(labelled).json()
    found = (row["name"], row["held_back"], row["issues"], row["inputs_sha256"])
    assert found == ("Submission", True, None, None)
    for address in (f"{labelled}{frozen.pk}/", f"{labelled}{frozen.pk}/difference/"):
        refused = reader.get(address)
        assert (refused.status_code, refused.json()["code"]) == (409, "ReportHeldBack")
    refused = client_of(world.lead).post(labelled, {"name": "Mine"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "ReportHeldBack")
    assert "1 issue of this round is hidden" in refused.json()["detail"]
    assert client_of(world.second).get(f"{labelled}{frozen.pk}/").status_code == 200
