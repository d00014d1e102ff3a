"""Planning, opening and closing rounds over REST, with the refusals of the page."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.actions import rounds as actions
from core.models import Job
from ingest.models import SavedFilter
from rounds.models import Assignment, Round, RoundVolunteer
from rounds.queries.rounds import OPENING
from studies.models import Event
from tests import factories
from tests.api.conftest import client_of


def plan_of(world, **changes) -> dict:
    plan = {
        "name": "Second round",
        "taxonomy": world.version.taxonomy_id,
        "version": 1,
        "depth": 2,
        "members": [world.second.pk, world.first.pk],
        "left_out": [],  # the issues of the first round are wanted again
    }
    return {name: value for name, value in (plan | changes).items() if value is not None}


def send(world, by="lead", **changes):
    path = f"/api/v1/studies/{world.study.slug}/rounds/"
    return client_of(getattr(world, by)).post(path, plan_of(world, **changes), format="json")


def test_a_plan_with_little_more_than_is_needed(world):
    answer = send(world)
    made = Round.objects.latest("pk")
    assert answer.status_code == 201
    created = answer.json().pop("created_at")
    assert {**answer.json(), "created_at": created} == {
        "id": made.pk, "name": "Second round", "kind": "main", "taxonomy": world.version.taxonomy_id, "version": 1,
        "depth": 2, "labels_per_issue": 2, "allocation": "crossed", "order": "shuffled", "reveal": "issue_complete",
        "forge_labels": "shown",
        "rule": "unanimous", "majority": None, "deadline": None, "excludes": None, "pass_mark": None,
        "training": None, "drift_percent": 0, "drift_hours": 24, "created_at": created, "opened_at": None,
        "closed_at": None, "left_out": [], "warnings": [],
        "selection": {
            "source": "issues", "name": "All issues of the study", "repositories": None, "year": None,
            "with_text": False, "without_pull_requests": False,
        },
    }  # fmt: skip
    assert list(made.round_issues.order_by("position").values_list("issue", flat=True)) == [
        issue.pk for issue in world.issues
    ]
    columns = RoundVolunteer.objects.filter(round=made).order_by("column")
    assert list(columns.values_list("member", flat=True)) == [world.second.pk, world.first.pk]


def test_a_screening_keeps_pull_requests_that_its_source_was_chosen_for(world):
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    factories.make_issue(world.issues[0].repository, "77", is_pull_request=True)
    saved = SavedFilter.objects.create(study=world.study, name="Pulls", query={"kind": "pull_request"})
    screening = {"kind": "screening", "taxonomy": relevance.taxonomy_id, "depth": 1, "excludes": "F"}
    answers = [
        send(world, name=source, source=source, **screening) for source in ("issues", f"filter:{saved.pk}")
    ]
    kept = [answer.json()["selection"]["without_pull_requests"] for answer in answers]
    assert kept == [True, False]
    numbers = Round.objects.get(pk=answers[1].json()["id"]).round_issues.values_list(
        "issue__number", flat=True
    )
    assert list(numbers) == ["77"]
    main = send(world, name="Main", source="issues").json()
    assert main["selection"]["without_pull_requests"] is False


def test_a_plan_with_everything(world):
    relevance = factories.make_version(world.study, ["R", "F", "F.1"])
    training = send(world, name="Training", kind="training", pass_mark=75).json()["id"]
    source = world.round.pk
    deadline = (timezone.now() + timedelta(days=2)).replace(microsecond=0)
    answer = send(
        world, kind="screening", taxonomy=relevance.taxonomy_id, depth=1, excludes="F", training=training,
        source=f"round:{source}", repositories=["ember/engine"], year=2024, with_text=True, allocation="k_of_n",
        labels_per_issue=1, quota=3, quotas={str(world.first.pk): 1}, order="by_repository", rule="majority",
        majority=1, deadline=deadline.isoformat(), reveal="round_closed", lease_minutes=5, seed=-7,
    )  # fmt: skip
    assert answer.status_code == 201, answer.json()
    shown = answer.json()
    found = (shown["excludes"], shown["training"], shown["selection"]["source"])
    assert found == ("F", training, f"round:{source}")
    made = Round.objects.get(pk=shown["id"])
    found = (made.seed, made.deadline, made.majority, made.order, made.lease_minutes)
    assert found == (-7, deadline, 1, "by_repository", 5)
    quotas = RoundVolunteer.objects.filter(round=made).order_by("column").values_list("member", "quota")
    assert list(quotas) == [(world.second.pk, 3), (world.first.pk, 1)]
    assert shown.pop("warnings") == []
    assert client_of(world.first).get(f"/api/v1/rounds/{made.pk}/").json() == shown


def test_a_plan_whose_reveal_takes_issues_from_the_drift_check_warns(world):
    [said] = send(world, drift_percent=10).json()["warnings"]
    assert said.startswith(
        "Issues that are revealed before they come again drop out of the drift check. Choose"
    )
    kept = send(world, name="Third round", drift_percent=10, reveal="round_closed")
    assert (kept.status_code, kept.json()["warnings"]) == (201, [])


@pytest.mark.parametrize(
    ("changes", "status", "field"),
    [
        ({"name": "Main round"}, 409, "name"),
        ({"depth": 4}, 400, "depth"),
        ({"version": 9}, 400, "version"),
        ({"members": []}, 409, "members"),
        ({"members": [10**9]}, 400, "members"),
        ({"members": "viewer"}, 409, "members"),
        ({"source": "sample:1"}, 400, "source"),
        ({"source": "kept:1"}, 400, "source"),
        ({"repositories": ["ember/other"]}, 400, "repositories"),
        ({"year": 1999}, 409, "issues"),
        ({"allocation": "k_of_n"}, 409, "labels_per_issue"),
        ({"allocation": "k_of_n", "labels_per_issue": 3}, 409, "labels_per_issue"),
        ({"allocation": "k_of_n", "labels_per_issue": 2, "quota": 2}, 409, "quota"),
        ({"quota": 3}, 409, "quota"),
        ({"quotas": {"1": 3}}, 400, "quotas"),
        ({"rule": "majority"}, 409, "majority"),
        ({"rule": "majority", "majority": 1}, 409, "majority"),
        ({"majority": 2}, 409, "majority"),
        ({"excludes": "A"}, 409, "excludes"),
        ({"excludes": "A.1"}, 400, "excludes"),
        ({"kind": "screening"}, 409, "excludes"),
        ({"pass_mark": 80}, 409, "pass_mark"),
        ({"kind": "training", "pass_mark": 101}, 409, "pass_mark"),
        ({"training": 10**9}, 400, "training"),
        ({"training": "itself no training"}, 409, "training"),
        ({"drift_percent": 51}, 409, "drift_percent"),
        ({"deadline": "2020-01-01T00:00:00Z"}, 409, "deadline"),
    ],
)
@pytest.mark.slow(cases=8)
def test_a_refusal_names_its_field_and_stores_nothing(world, changes, status, field):
    if changes.get("members") == "viewer":
        changes = {"members": [world.first.pk, world.viewer.pk]}
    if isinstance(changes.get("training"), str):
        changes = {"training": world.round.pk}
    answer = send(world, **changes)
    assert answer.status_code == status
    said = answer.json()
    assert (said["field"], said["code"]) == (field, "RoundRefused") if status == 409 else set(said) == {field}
    assert Round.objects.count() == 1


def test_a_draft_is_refused(world):
    draft = factories.make_version(world.study, published=False)
    answer = send(world, taxonomy=draft.taxonomy_id)
    assert (answer.status_code, answer.json()["field"]) == (409, "version")


def test_a_round_is_opened_and_closed_once(world):
    path = f"/api/v1/rounds/{send(world, by='owner').json()['id']}"
    client = client_of(world.lead)
    early = client.post(f"{path}/close/")
    assert (early.status_code, early.json()["code"]) == (409, "RoundNotOpen")
    opened = client.post(f"{path}/open/")
    assert opened.status_code == 200
    assert opened.json()["opened_at"] is not None
    assert Assignment.objects.filter(round=opened.json()["id"]).count() == 6
    again = client.post(f"{path}/open/")
    assert (again.status_code, again.json()["code"]) == (409, "RoundAlreadyOpen")
    closed = client.post(f"{path}/close/")
    assert (closed.status_code, closed.json()["closed_at"] is not None) == (200, True)
    twice = client.post(f"{path}/close/")
    assert (twice.status_code, twice.json()["code"]) == (409, "RoundAlreadyClosed")


def test_a_round_that_does_not_wait_for_earlier_stages_gives_its_reason(world):
    relevance = factories.make_version(world.study, ["R", "F"])
    screening = send(
        world, name="Screening", kind="screening", taxonomy=relevance.taxonomy_id, depth=1, excludes="F"
    )
    client = client_of(world.lead)
    assert client.post(f"/api/v1/rounds/{screening.json()['id']}/open/").status_code == 200
    path = f"/api/v1/rounds/{send(world, name='Early').json()['id']}/open/"
    refused = client.post(path)
    assert (refused.status_code, refused.json()["code"], refused.json()["field"]) == (
        409,
        "RoundRefused",
        "reason",
    )
    assert client.post(path, {"reason": " "}, format="json").status_code == 409
    assert client.post(path, {"reason": "x" * 401}, format="json").status_code == 400
    opened = client.post(path, {"reason": "Two issues are left."}, format="json")
    assert (opened.status_code, opened.json()["opened_at"] is not None) == (200, True)
    kept = Event.objects.get(verb="rounds.opened", detail__reason__isnull=False)
    assert kept.detail["reason"] == "Two issues are left."
    assert kept.detail["without_waiting_for"] == "Screening"


def test_a_large_round_is_opened_by_a_job(world, monkeypatch):
    monkeypatch.setattr(actions, "SLOTS_AT_ONCE", 5)
    path = f"/api/v1/rounds/{send(world).json()['id']}"
    for _again in range(2):
        answer = client_of(world.lead).post(f"{path}/open/")
        assert (answer.status_code, answer.json()["opened_at"]) == (202, None)
    assert Job.objects.filter(kind=OPENING).count() == 1


def test_other_studies_rounds_are_not_there(world):
    stranger = factories.make_member(factories.make_study())
    for path in (f"rounds/{world.round.pk}/open/", f"rounds/{world.round.pk}/close/"):
        assert client_of(stranger).post(f"/api/v1/{path}").status_code == 404
    answer = client_of(stranger).post(
        f"/api/v1/studies/{world.study.slug}/rounds/", plan_of(world), format="json"
    )
    assert answer.status_code == 404
