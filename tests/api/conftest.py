from types import SimpleNamespace

import pytest
from rest_framework.test import APIClient

from studies.models import Role
from tests.factories import make_issue, make_member, make_repository, make_round, make_study, make_version


def client_of(member) -> APIClient:
    client = APIClient()
    client.force_authenticate(member.user)
    return client


@pytest.fixture
def world(db):
    """A study of an owner, a lead, two volunteers, a viewer and a model; an open crossed round of the volunteers."""
    study = make_study(slug="engines", name="Engines")
    members = {
        "owner": make_member(study, Role.OWNER),
        "lead": make_member(study, Role.LEAD),
        "first": make_member(study),
        "second": make_member(study),
        "viewer": make_member(study, Role.VIEWER, pseudonym="V1"),
        "model": make_member(study, Role.MODEL, pseudonym="M1"),
    }
    version = make_version(study)
    repository = make_repository(study, "ember/engine")
    issues = [make_issue(repository, number, year=2024) for number in ("12", "7", "9")]
    round_ = make_round(version, issues, [members["first"], members["second"]], name="Main round")
    return SimpleNamespace(
        study=study, version=version, repository=repository, issues=issues, round=round_, **members
    )


@pytest.fixture
def version(study):
    """A published version with four categories."""
    return make_version(study, ["A", "B", "B.1", "B.2"])


def label(member, world, issue, code, **more):
    """The answer to a label of this member."""
    body = {"issue": issue.pk, "category": code, **more}
    return client_of(member).post(f"/api/v1/rounds/{world.round.pk}/labels/", body, format="json")


def label_all(world, *pairs):
    """Give the first issues of the round these labels: of the first volunteer, and of the second."""
    for issue, pair in zip(world.issues, pairs, strict=False):
        for member, code in zip((world.first, world.second), pair, strict=True):
            answer = label(member, world, issue, code)
            assert answer.status_code == 201, answer.json()
