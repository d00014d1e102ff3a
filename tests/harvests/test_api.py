"""Harvests over REST."""

import pytest
from rest_framework.test import APIClient

from core import jobs
from core.models import Job
from harvests.models import Harvest
from tests.factories import make_study
from tests.harvests.harvesting import plan, run
from tests.harvests.views.test_harvests import make_list

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(lead) -> APIClient:
    client = APIClient()
    client.force_authenticate(lead.user)
    return client


def there(study, tail: str = "") -> str:
    return f"/api/v1/studies/{study.slug}/harvests/{tail}"


def test_a_plan_is_stored_and_not_started(api, study):
    words = make_list(study, "llama")
    answer = api.post(
        there(study),
        {
            "repositories": ["a/b", "https://gitee.com/mind/spore"],
            "opened_from": "2023-01-01T00:00:00+08:00",
            "zone": "Asia/Shanghai",
            "lists": [words.pk],
            "budget": 600,
        },
        format="json",
    )

    harvest = Harvest.objects.get()
    assert answer.status_code == 201
    found = answer.json()
    assert [(one["host"], one["path"], one["phase"]) for one in found.pop("repositories")] == [
        ("github.com", "a/b", "counting"),
        ("gitee.com", "mind/spore", "counting"),
    ]
    assert set(found.pop("flow").values()) == {0}
    assert found.pop("text").startswith(
        "The issues of a/b on GitHub and mind/spore on Gitee, opened from 1 January 2023"
    )
    found.pop("created_at")
    assert found == {
        "id": harvest.pk, "name": "a/b + 1", "state": "planned", "refreshes": None,
        "opened_from": "2022-12-31T16:00:00Z", "opened_before": None, "zone": "Asia/Shanghai",
        "with_pull_requests": False, "with_comments": True, "lists": [words.pk], "budget": 600, "resume_at": None,
    }  # fmt: skip
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "repositories"),
        ({"repositories": []}, "repositories"),
        ({"repositories": ["nothing"]}, "repositories"),
        ({"repositories": ["a/b\nc/d"]}, "repositories"),
        ({"repositories": ["a/b"], "lists": [1]}, "lists"),
        ({"repositories": ["a/b"], "opened_from": "0001-01-01T00:00:00Z"}, "opened_from"),
        ({"repositories": ["a/b"], "opened_before": "9999-12-31T23:59:59-23:00"}, "opened_before"),
        ({"repositories": ["a/b"], "budget": 0}, "budget"),
    ],
)
def test_what_is_no_plan(api, study, body, field):
    answer = api.post(there(study), body, format="json")

    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not Harvest.objects.exists()


def test_a_rule_that_is_broken_names_its_field(api, study):
    answer = api.post(there(study), {"repositories": ["a/b"], "zone": "Mars/Olympus"}, format="json")

    assert (answer.status_code, answer.json()["field"]) == (422, "zone")


def test_started_paused_finished_refreshed_and_read(api, study, server):
    repository = server.github("team/tool", issues=8, pulls_every=4)
    harvest = plan(server, study, repository)
    assert api.post(there(study, f"{harvest.pk}/start/")).json()["state"] == "queued"
    assert api.post(there(study, f"{harvest.pk}/start/")).status_code == 409
    assert api.post(there(study, f"{harvest.pk}/pause/")).json()["state"] == "paused"
    run(harvest)

    found = api.get(there(study, f"{harvest.pk}/")).json()

    assert (found["state"], found["flow"]["listed"], found["flow"]["issues"], found["flow"]["kept"]) == (
        "done", 10, 8, 8,
    )  # fmt: skip
    (one,) = found["repositories"]
    assert (one["forges_count"], one["outcome"], one["flow"]) == (8, "complete", found["flow"])
    assert [row["id"] for row in api.get(there(study)).json()] == [harvest.pk]
    pages = api.get(there(study, f"{harvest.pk}/pages/?page_size=2")).json()
    assert [page["position"] for page in pages["results"]] == [1, 2]
    assert pages["next"]
    made = api.post(there(study, f"{harvest.pk}/refresh/")).json()
    assert (made["refreshes"], made["state"]) == (harvest.pk, "queued")
    jobs.run(Job.objects.latest("pk").pk)
    assert api.get(there(study, f"{made['id']}/")).json()["state"] == "done"


def test_another_studys_harvest_is_not_here(api, study, server):
    other = plan(server, make_study(), server.github("team/tool", issues=4))

    for tail in ("", "pages/"):
        assert api.get(there(study, f"{other.pk}/{tail}")).status_code == 404
    for tail in ("start/", "pause/", "refresh/"):
        assert api.post(there(study, f"{other.pk}/{tail}")).status_code == 404


@pytest.mark.parametrize("how_many", [1, 3])
def test_lists_take_a_fixed_number_of_queries(api, study, server, django_assert_num_queries, how_many):
    for nth in range(how_many):
        plan(server, study, server.github(f"team/tool{nth}", issues=1))
    # Study, membership, harvests, repositories, lists, the token's owner.
    with django_assert_num_queries(6):
        assert len(api.get(there(study)).json()) == how_many
