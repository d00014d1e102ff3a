"""Standards over REST: read, answer, and the texts."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.actions import make_token
from accounts.models import Scope
from standards.models import ItemAnswer
from tests.findings.world import FindingWorld, finding_world
from tests.kept import kept

pytestmark = pytest.mark.django_db


@kept
def world() -> FindingWorld:
    return finding_world()


def api(member, scope=Scope.MANAGE) -> APIClient:
    token = make_token(user=member.user, scope=scope)
    return APIClient(HTTP_AUTHORIZATION=f"Token {token}")


def test_a_lead_reads_and_answers_items(world):
    address = reverse("api_standard_answer", args=[world.study.slug, "reviewers", "R11"])
    given = api(world.lead).put(address, {"text": "Two frameworks.", "number": 0}, format="json")
    assert (given.status_code, given.json()["state"], given.json()["answers"]) == (200, "answered", 1)
    stale = api(world.lead).put(address, {"text": "Other.", "number": 0}, format="json")
    assert (stale.status_code, ItemAnswer.objects.count()) == (409, 1)

    [checklist] = api(world.viewer).get(reverse("api_standards", args=[world.study.slug])).json()
    assert sum(checklist["states"].values()) == len(checklist["items"]) == 57
    one = api(world.viewer).get(reverse("api_standard", args=[world.study.slug, "reviewers"])).json()
    assert one == checklist


def test_what_is_not_there_is_404(world):
    for name, more in (
        ("api_standard", ("nothing",)),
        ("api_standard_text", ("secrets.md",)),
    ):
        assert api(world.lead).get(reverse(name, args=[world.study.slug, *more])).status_code == 404
    address = reverse("api_standard_answer", args=[world.study.slug, "reviewers", "R99"])
    assert api(world.lead).put(address, {"text": "x"}, format="json").status_code == 404


def test_a_token_that_reads_gets_the_texts_and_answers_nothing(world):
    reader = api(world.lead, Scope.READ)
    found = reader.get(reverse("api_standard_text", args=[world.study.slug, "CITATION.cff"])).json()
    assert found["text"].startswith("cff-version: 1.2.0\n")
    address = reverse("api_standard_answer", args=[world.study.slug, "reviewers", "R11"])
    assert reader.put(address, {"text": "x"}, format="json").status_code == 403
