"""The draft of a taxonomy over REST: the same changes and refusals as in the editor."""

import pytest

from studies.models import Role
from taxonomy.models import Change, Gone
from tests import factories
from tests.api.conftest import client_of

pytestmark = pytest.mark.django_db


def at(version, path=""):
    return f"/api/v1/taxonomies/{version.taxonomy_id}/draft/{path}"


def change(member, version, **fields):
    return client_of(member).post(at(version, "changes/"), fields, format="json")


def test_the_draft_with_what_becomes_of_each_category(lead, version):
    keys = {c["code"]: c["key"] for c in client_of(lead).get(at(version)).json()["categories"]}

    made = change(lead, version, kind="merge", key=keys["B.2"], into=keys["B.1"])

    assert made.status_code == 201
    found = made.json()
    assert (found["number"], [c["code"] for c in found["categories"]]) == (2, ["A", "B", "B.1"])
    assert [(f["code"], f["kind"], f["targets"]) for f in found["fates"]] == [
        ("A", "same", [keys["A"]]),
        ("B", "same", [keys["B"]]),
        ("B.1", "same", [keys["B.1"]]),
        ("B.2", "merged", [keys["B.1"]]),
    ]
    assert [(c["number"], c["kind"], c["values"]) for c in found["changes"]] == [
        (1, "merge", {"into": keys["B.1"]})
    ]
    assert client_of(lead).get(at(version)).json() == found


def test_a_tree_is_built_split_taken_back_and_published(lead, version):
    new = change(lead, version, kind="add", name="Question").json()["categories"][-1]
    assert (new["code"], new["level"], new["parent"]) == ("C", 1, None)
    change(lead, version, kind="add", name="Setup", parent=new["key"], after=None)
    found = change(
        lead, version, kind="split", key=new["key"], parts=[{"name": "Ask", "code": "Q"}], stays=True
    ).json()
    assert [c["code"] for c in found["categories"]] == ["A", "B", "B.1", "B.2", "C", "C.1", "Q"]
    assert len(client_of(lead).post(at(version, "undo/")).json()["categories"]) == 6
    assert len(client_of(lead).post(at(version, "redo/")).json()["categories"]) == 7
    assert change(lead, version, kind="describe", key=new["key"], name="Question").status_code == 200

    stale = client_of(lead).post(at(version, "publish/"), {"edition": "2-0-0"}, format="json")
    done = client_of(lead).post(at(version, "publish/"), {"edition": found["edition"]}, format="json")

    assert (stale.status_code, stale.json()["code"]) == (409, "DraftMoved")
    assert (done.status_code, done.json()) == (201, {"number": 2})


def test_what_cannot_be_made_says_why(lead, version):
    keys = {c["code"]: c["key"] for c in client_of(lead).get(at(version)).json()["categories"]}
    other = factories.make_version(version.taxonomy.study, ["A"]).states.get().category

    for fields, code, told in (
        ({"kind": "rename"}, 400, "kind"),
        ({"kind": "retire"}, 400, "Say which category."),
        ({"kind": "merge", "key": keys["B"]}, 400, "into"),
        ({"kind": "merge", "key": keys["B"], "into": keys["A"], "name": "X"}, 400, "It has no place in"),
        ({"kind": "split", "key": keys["B"], "parts": [{"code": "X"}]}, 400, "Each has a name"),
        ({"kind": "describe", "key": keys["B"], "hue": 9}, 400, "hue"),
        ({"kind": "move", "key": keys["B"], "parent": keys["B.1"]}, 422, "B cannot be below itself"),
        ({"kind": "add", "name": "  "}, 422, "the name is empty"),
        ({"kind": "add", "name": "X", "key": str(other.key)}, 422, "another taxonomy"),
    ):
        answer = change(lead, version, **fields)
        assert (answer.status_code, told in answer.text) == (code, True), answer.content
    assert not Change.objects.exists()


def test_what_somebody_else_changed_is_not_written_over(lead, version, study):
    key = client_of(lead).get(at(version)).json()["categories"][0]["key"]
    other = factories.make_member(study, Role.LEAD)
    change(other, version, kind="describe", key=key, name="Theirs")

    clash = change(lead, version, kind="describe", key=key, name="Mine", seen={"name": "Name of A"})

    assert (clash.status_code, clash.json()["code"]) == (409, "ChangeClash")


def test_labels_beside_a_new_category_are_asked_for_again(lead, version):
    keys = {c["code"]: c["key"] for c in client_of(lead).get(at(version)).json()["categories"]}
    change(lead, version, kind="add", parent=keys["B"], name="Docs")
    edition = client_of(lead).get(at(version)).json()["edition"]
    asked = {"edition": edition, "note": "As they say.", "again": [keys["B.1"], keys["A"]]}
    done = client_of(lead).post(at(version, "publish/"), asked, format="json")
    assert done.status_code == 201, done.json()
    gone = Gone.objects.filter(version__number=2, version__taxonomy=version.taxonomy)
    assert [(one.last.code, one.became) for one in gone.select_related("last")] == [("B.1", None)]
