"""Proposals over REST: put to the vote, voted on, read; what others say is hidden until it is over."""

from datetime import timedelta

import pytest
from django.utils import timezone

from studies.models import Role
from taxonomy.queries.drafts import drafted
from tests import factories
from tests.api.conftest import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(study):
    return [factories.make_member(study, role) for role in (Role.LEAD, Role.VOLUNTEER)]


def at(version, path=""):
    return f"/api/v1/taxonomies/{version.taxonomy_id}/proposals/{path}"


def propose(member, version, **fields):
    given = {"reasons": "Why.", "deadline": (timezone.now() + timedelta(days=1)).isoformat()} | fields
    return client_of(member).post(at(version), given, format="json")


def test_a_proposal_from_its_opening_to_the_draft(people, version):
    keys = {entry.code: entry.key for entry in drafted(version.taxonomy).entries}
    lead, volunteer = people

    made = propose(volunteer, version, kind="merge", key=keys["B.2"], into=keys["B.1"])

    assert made.status_code == 201
    found = made.json()
    assert (found["number"], found["electorate"], found["quorum"]) == (1, 2, 2)
    assert (found["outcome"], found["in_favour"], found["ballots"]) == ("", None, [])

    ballot = {"choice": "for", "argument": "Yes."}
    client_of(lead).put(at(version, "1/ballot/"), ballot, format="json")
    [seen] = client_of(volunteer).get(at(version)).json()
    assert (seen["voted"], seen["ballots"], seen["mine"]["choice"]) == ([lead.pseudonym], [], "")

    done = client_of(volunteer).put(at(version, "1/ballot/"), {"choice": "for"}, format="json").json()
    assert (done["outcome"], done["in_favour"], done["change"]) == ("accepted", 2, 1)
    told = [(b["member"], b["choice"], b["argument"]) for b in done["ballots"]]
    assert told == [(lead.pseudonym, "for", "Yes."), (volunteer.pseudonym, "for", "")]
    assert [entry.code for entry in drafted(version.taxonomy).draft] == ["A", "B", "B.1"]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"kind": "add"}, 400),
        ({"kind": "add", "name": "a", "into": "00000000-0000-4000-8000-000000000000"}, 400),
        ({"kind": "add", "name": "name of a"}, 422),
        ({"kind": "add", "name": "New", "deadline": "2020-01-01T00:00:00Z"}, 422),
        ({"kind": "add", "name": "New", "quorum": 3}, 422),
    ],
)
def test_what_is_refused(people, version, fields, status):
    assert propose(people[0], version, **fields).status_code == status


def test_who_came_later_has_no_ballot_and_what_is_over_takes_none(people, study, version):
    propose(people[0], version, kind="add", name="New")
    late = factories.make_member(study)

    refused = client_of(late).put(at(version, "1/ballot/"), {"choice": "for"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "NoBallot")
    for member in people:
        client_of(member).put(at(version, "1/ballot/"), {"choice": "against"}, format="json")
    again = client_of(people[0]).put(at(version, "1/ballot/"), {"choice": "for"}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "MotionClosed")
