"""Models over REST: what they read, what they say, and what nobody else gets."""

import pytest

from annotate.models import ModelLabel
from rounds.queries.categories import codebook
from tests.api.conftest import client_of
from tests.factories import make_issue


@pytest.fixture
def address(world) -> str:
    return f"/api/v1/rounds/{world.round.pk}/model-labels/"


def post(world, address, rows):
    return client_of(world.model).post(address, rows, format="json")


def test_a_model_reads_the_issues_labels_them_and_reads_its_labels(world, address):
    make_issue(world.repository, "99")  # in no round
    found = client_of(world.model).get(f"/api/v1/rounds/{world.round.pk}/issues/", {"page_size": 2}).json()
    assert [issue["number"] for issue in found["results"]] == ["12", "7"]
    told = set(found["results"][0])
    assert told == {"id", "repository", "number", "url", "is_pull_request", "year", "title", "text"}
    assert [issue["number"] for issue in client_of(world.model).get(found["next"]).json()["results"]] == ["9"]

    rows = [{"issue": issue.pk, "category": "C.1", "summary": "s"} for issue in world.issues]
    answer = post(world, address, rows)
    assert (answer.status_code, answer.json()) == (201, {"stored": 3, "repeated": 0})
    again = post(world, address, [{"issue": world.issues[0].pk, "category": "C.1"}])
    assert (again.status_code, again.json()) == (200, {"stored": 0, "repeated": 1})

    own = client_of(world.model).get(address, {"page_size": 2}).json()
    told = [(label["issue"], label["category"], label["summary"]) for label in own["results"]]
    assert told == [(world.issues[0].pk, "C.1", "s"), (world.issues[1].pk, "C.1", "s")]
    rest = client_of(world.model).get(own["next"]).json()
    assert ([label["issue"] for label in rest["results"]], rest["next"]) == ([world.issues[2].pk], None)


def test_refusals_name_the_row(world, address):
    issue = world.issues[0].pk
    wrong = post(world, address, [{"issue": issue, "category": "C.1"}, {"issue": issue, "category": "Z.9"}])
    assert (wrong.status_code, wrong.json()) == (
        422,
        {
            "detail": "Nothing was saved.\nrow 2: the round’s version has no category “Z.9”.",
            "code": "ModelLabelsRefused",
        },
    )
    assert post(world, address, [{"issue": issue, "category": "C.1"}]).status_code == 201
    other = post(world, address, [{"issue": issue, "category": "C.2"}])
    assert (other.status_code, other.json()["code"]) == (409, "ModelLabelsStay")
    assert other.json()["detail"].endswith(
        f"row 1: issue {issue} already has the label C.1, and a stored label cannot change."
    )


@pytest.mark.parametrize("count", [0, 1001])
def test_one_to_a_thousand_rows_at_once(world, address, count):
    answer = post(world, address, [{"issue": world.issues[0].pk, "category": "C.1"}] * count)
    assert answer.status_code == 400
    assert not ModelLabel.objects.exists()


@pytest.mark.parametrize("rows", [{}, "C.1", [1], [{"issue": 1}], [{"issue": "\0", "category": "C.1"}]])
def test_what_is_no_list_of_labels_is_400(world, address, rows):
    assert post(world, address, rows).status_code == 400


def test_a_model_still_takes_no_turns_and_sees_nothing_revealed(world):
    client = client_of(world.model)
    for member in (world.first, world.second):
        body = {"issue": world.issues[0].pk, "category": "C.1"}
        client_of(member).post(f"/api/v1/rounds/{world.round.pk}/labels/", body, format="json")
    for name in ("disagreements", "agreement", "labels", "agreement/frozen"):
        assert client.get(f"/api/v1/rounds/{world.round.pk}/{name}/").status_code == 403
    assert client.post(f"/api/v1/rounds/{world.round.pk}/claim/").status_code == 403


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_queries_for_one_row_as_for_three(world, address, count, django_assert_num_queries):
    rows = [{"issue": issue.pk, "category": "C.1"} for issue in world.issues[:count]]
    client = client_of(world.model)
    post(world, address, [{"issue": world.issues[0].pk, "category": "C"}])  # reads the categories
    codebook(world.round.version_id)  # as the first page does, once for each process
    with django_assert_num_queries(11):
        assert client.post(address, rows, format="json").status_code == 201
    with django_assert_num_queries(2):
        assert len(client.get(address).json()["results"]) == count
    with django_assert_num_queries(3):
        client.get(f"/api/v1/rounds/{world.round.pk}/issues/")
