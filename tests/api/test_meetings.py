"""Meetings, bulk majorities and consensus over REST: the same gates as the pages, roles, and costs."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.actions.rounds import create_round, open_round
from consensus.actions.bulk import take_back
from consensus.models import BulkDecision, Decision, Meeting
from ingest.models import Issue
from rounds.models import Round
from studies.models import Role
from taxonomy.models import Level
from tests import factories
from tests.api.conftest import client_of
from tests.kept import kept
from tests.worlds.meeting import meeting_world, stay

pytestmark = pytest.mark.django_db

API = "/api/v1"
ROWS = ("C.9 C.9 C.1", "C.9 C.1 C.1", "B.1 B.2 A.1")


@kept
def world():
    return meeting_world(issues=3, members=3, rows=ROWS)


@kept
def planned(world):
    made = world.plan(quorum=2)
    world.arrive()
    return made


@pytest.fixture
def meeting(world, planned):
    return stay(world).meeting


def _get(member, path, **query):
    return client_of(member).get(f"{API}/{path}", query)


def _post(member, path, **body):
    return client_of(member).post(f"{API}/{path}", body, format="json")


def _put(member, path, **body):
    return client_of(member).put(f"{API}/{path}", body, format="json")


def _withhold(world, member, *numbers):
    ids = [world.issues[number].pk for number in numbers]
    made = create_round(
        study=world.study, by=world.lead, name="Again", version=world.version, depth=Level.THEME,
        issues=Issue.objects.filter(pk__in=ids).order_by("pk"), members=[member],
    )  # fmt: skip
    return open_round(round_=made, by=world.lead)


# --- planning and reading


def test_a_meeting_is_planned_with_what_is_usual(world):
    made = _post(world.lead, f"rounds/{world.round_.pk}/meetings/", name="On C")
    assert made.status_code == 201
    meeting = Meeting.objects.get()
    found = (meeting.chair, meeting.quorum, meeting.kind, meeting.by_majority)
    assert found == (world.lead, 2, "together", False)
    found = sorted(meeting.participants.values_list("member__pseudonym", flat=True))
    assert found == ["Lead", "R1", "R2", "R3"]
    listed = _get(world.members[0], f"rounds/{world.round_.pk}/meetings/").json()
    assert [(one["id"], one["name"], one["chair"], one["opened_at"]) for one in listed] == [
        (meeting.pk, "On C", "Lead", None)
    ]


def test_a_meeting_is_planned_as_it_is_said(world):
    made = _post(
        world.lead, f"rounds/{world.round_.pk}/meetings/", name="Days", kind="apart", chair="r1", quorum=3,
        by_majority=True, participants=["R1", "r2", "R2"], starts_at="2026-12-01T10:00:00Z",
    )  # fmt: skip
    assert made.status_code == 201, made.json()
    found = made.json()
    told = (found["kind"], found["chair"], found["quorum"], found["by_majority"], found["starts_at"])
    assert told == ("apart", "R1", 3, True, "2026-12-01T10:00:00Z")
    assert Meeting.objects.get().participants.count() == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "M", "chair": "R9"}, "chair"),
        ({"name": "M", "participants": ["R1", "Nobody"]}, "participants"),
        ({"name": "M", "kind": "other"}, "kind"),
        ({"name": "M", "quorum": 0}, "quorum"),
    ],
)
def test_a_plan_that_cannot_be_names_its_field(world, body, field):
    refused = _post(world.lead, f"rounds/{world.round_.pk}/meetings/", **body)
    assert (refused.status_code, list(refused.json())) == (400, [field])


def test_a_rule_of_planning_is_said_with_its_field(world):
    refused = _post(world.lead, f"rounds/{world.round_.pk}/meetings/", name="M", quorum=99)
    found = (refused.status_code, refused.json()["code"], refused.json()["field"])
    assert found == (409, "MeetingRefused", "quorum")


def test_the_agenda_says_what_waits_was_voted_and_decided(world, meeting):
    one, two, _three = world.items
    vote = world.vote(one, "C.9", "C.9", "-", of=world.members)
    world.ballot(one, world.lead, "C.9")
    world.decide(one, "C.9", Decision.How.UNANIMITY, rationale="")
    world.vote(two, "C.1")
    found = _get(world.members[0], f"meetings/{meeting.pk}/").json()
    assert (found["withheld"], found["participants"]) == (0, dict.fromkeys(("Lead", "R1", "R2", "R3"), True))
    first, second, third = found["agenda"]
    assert first == {
        "item": one.pk,
        "issue": world.issues[0].pk,
        "url": world.issues[0].url,
        "title": world.issues[0].current.title if world.issues[0].current else "",
        "state": "decided",
        "decision": "C.9",
        "decision_number": 1,
        "votes": [
            {
                "number": vote.number,
                "is_open": False,
                "voted": ["Lead", "R1", "R2", "R3"],
                "own": "C.9",
                "ballots": {"Lead": "C.9", "R1": "C.9", "R2": "C.9", "R3": ""},
            }
        ],
    }
    told = (second["state"], second["votes"])
    assert told == ("now", [{"number": 1, "is_open": True, "voted": ["R1"], "own": "C.1", "ballots": None}])
    assert (third["state"], third["votes"], third["decision"]) == ("waiting", [], None)


@pytest.mark.parametrize("who", ["chair", "volunteer", "viewer"])
def test_an_open_vote_tells_nobody_what_was_chosen(world, meeting, who):
    reader = {
        "chair": world.lead,
        "volunteer": world.members[1],
        "viewer": factories.make_member(world.study, Role.VIEWER, pseudonym="V1"),
    }[who]
    before = _get(reader, f"rounds/{world.round_.pk}/consensus/").json()
    world.vote(world.items[0], "A.2")
    text = _get(reader, f"meetings/{meeting.pk}/").text
    assert "A.2" not in text
    assert "A.2" not in _get(reader, f"meetings/{meeting.pk}/minutes/").text
    after = _get(reader, f"rounds/{world.round_.pk}/consensus/").json()
    for answer in (before, after):
        answer["agreement"].pop("as_of")
    # That the meeting looks at an issue is no secret; what somebody chose is.
    assert after | {"settled": None} == before | {"settled": None}


def test_what_is_withheld_is_only_a_number(world, meeting):
    member = world.members[0]
    world.vote(world.items[0], "C.10", "C.10", "C.10")
    world.ballot(world.items[0], world.lead, "C.10")
    _withhold(world, member, 0)
    found = _get(member, f"meetings/{meeting.pk}/").json()
    told = (found["withheld"], [line["issue"] for line in found["agenda"]])
    assert told == (1, [issue.pk for issue in world.issues[1:]])
    minutes = _get(member, f"meetings/{meeting.pk}/minutes/")
    consensus = _get(member, f"rounds/{world.round_.pk}/consensus/")
    assert (minutes.json()["withheld"], consensus.json()["withheld"]) == (1, 1)
    assert "C.10" not in minutes.text
    assert (consensus.json()["turns"], consensus.json()["agreement"]["voted_issues"]) == ([], 0)
    counted = {one["code"]: one["labels"] for one in consensus.json()["agreement"]["after"]["categories"]}
    assert counted["C.10"] == 0
    item = f"meetings/{meeting.pk}/items/{world.items[0].pk}"
    assert _put(member, f"{item}/ballot/", category="C.1").status_code == 404
    body = {"category": "C.1", "how": "chair", "rationale": "So.", "seen": 0}
    assert _post(member, f"{item}/decision/", **body).status_code == 404


@pytest.mark.parametrize("items", [1, 3])
def test_an_agenda_of_any_length_takes_as_many_queries(world, items):
    world.plan(quorum=2, on_agenda=items)
    world.arrive()
    for item in world.items:
        world.vote(item, "C.9", "C.1")
    client = client_of(world.members[0])
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"{API}/meetings/{world.meeting.pk}/")
    assert len(answer.json()["agenda"]) == items
    assert len(queries) == 9


# --- voting and deciding


def test_a_ballot_is_cast_changed_and_closes_the_vote(world, meeting):
    item = world.items[0]
    world.vote(item, "C.9", of=world.members)
    path = f"meetings/{meeting.pk}/items/{item.pk}/ballot/"
    found = _put(world.members[1], path, category="C.9").json()
    assert found == {"vote": 1, "category": "C.9", "none_fits": False, "is_open": True}
    none = {"category": None, "number": 1, "none_fits": True}
    assert _put(world.members[1], path, **none).json()["none_fits"] is True
    assert _put(world.members[1], path, **none | {"category": "C.9"}).status_code == 400
    assert _put(world.members[1], path, category=None, number=1).json()["category"] is None
    assert _put(world.lead, path, category="C.9").json()["is_open"] is True
    found = _put(world.members[2], path, category="C.1").json()
    assert found == {"vote": 1, "category": "C.1", "none_fits": False, "is_open": False}
    refused = _put(world.members[1], path, category="C.9", number=1)
    assert (refused.status_code, refused.json()["code"]) == (409, "VoteClosed")


def test_a_ballot_that_cannot_be(world, meeting):
    path = f"meetings/{meeting.pk}/items/{world.items[0].pk}/ballot/"
    assert _put(world.members[0], path, category="Z.9").status_code == 400
    assert _put(world.members[0], path).status_code == 400
    assert _put(world.members[0], path, category="C").json()["code"] == "TooShallow"
    assert _put(world.members[0], path, category="C.9").json()["code"] == "VoteNotOpen"
    unknown = _put(world.members[0], f"meetings/{meeting.pk}/items/999999/ballot/", category="C.9")
    assert unknown.status_code == 404


def test_the_chair_decides_and_a_second_decision_is_stale(world, meeting):
    path = f"meetings/{meeting.pk}/items/{world.items[0].pk}/decision/"
    body = {"category": "C.9", "how": "chair", "rationale": "The log says so.", "cause": "slip", "seen": 0}
    made = _post(world.lead, path, **body)
    assert made.status_code == 201, made.json()
    found = made.json()
    assert (found["category"], found["how"], found["number"]) == ("C.9", "chair", 1)
    assert Decision.objects.get().cause == "slip"
    stale = _post(world.lead, path, **body | {"category": "C.1"})
    assert (stale.status_code, stale.json()["code"]) == (409, "StaleDecision")


def test_a_decision_needs_its_rule(world, meeting):
    path = f"meetings/{meeting.pk}/items/{world.items[0].pk}/decision/"
    body = {"category": "C.9", "seen": 0}
    found = {
        how: _post(world.lead, path, **body, how=how).json()["code"]
        for how in ("unanimity", "majority", "chair")
    }
    assert found == {"unanimity": "VoteMissing", "majority": "VoteMissing", "chair": "RationaleMissing"}
    assert _post(world.members[0], path, **body, how="chair", rationale="So.").status_code == 403
    assert not Decision.objects.exists()


# --- minutes, bulk, consensus


def test_minutes_are_plain_data(world, meeting):
    world.vote(world.items[0], "C.9", "C.9", "C.9")
    world.ballot(world.items[0], world.lead, "C.9")
    world.decide(world.items[0], "C.9", Decision.How.UNANIMITY, rationale="")
    found = _get(world.members[0], f"meetings/{meeting.pk}/minutes/").json()
    assert (found["meeting"]["id"], found["is_final"], found["chairs"]) == (meeting.pk, False, ["Lead"])
    assert found["totals"]["unanimity"] == 1
    [group] = found["groups"]
    told = sorted(group["items"][0]["votes"][0]["ballots"])
    assert told == [["Lead", "C.9"], ["R1", "C.9"], ["R2", "C.9"], ["R3", "C.9"]]


@pytest.fixture
def by_majority(world):
    Round.objects.filter(pk=world.round_.pk).update(rule=Round.Rule.MAJORITY, majority=3)
    world.round_.refresh_from_db()
    return world


def test_a_majority_is_foreseen_decided_and_listed(by_majority):
    world, path = by_majority, f"rounds/{by_majority.round_.pk}/bulk/"
    foreseen = _post(world.lead, path, at_least=2)
    assert foreseen.status_code == 200, foreseen.json()
    assert foreseen.json() == {
        "at_least": 2, "total": 2, "categories": {"C.9": 1, "C.1": 1}, "decided": {"2:1": 2},
        "left": {"1:1:1": 1}, "agenda": 0,
    }  # fmt: skip
    assert not BulkDecision.objects.exists()
    made = _post(world.lead, path, at_least=2, dry_run=False, filters={"pair": "C.1 C.9"})
    assert made.status_code == 201, made.json()
    listed = _get(world.members[0], path).json()
    assert listed == [made.json()]
    found = (listed[0]["kind"], listed[0]["by"], listed[0]["issues"], listed[0]["standing"])
    assert found == ("majority", "Lead", 2, 2)
    take_back(bulk=BulkDecision.objects.get(), by=world.lead)
    after = _get(world.members[0], path).json()[0]
    assert (after["standing"], after["taken_back_by"]) == (0, "Lead")
    _withhold(world, world.members[0], 0)
    assert _get(world.members[0], path).json()[0]["issues"] == 1


def test_a_bulk_is_taken_back_once_by_who_leads(by_majority):
    world, path = by_majority, f"rounds/{by_majority.round_.pk}/bulk/"
    made = _post(world.lead, path, at_least=2, dry_run=False).json()
    take = f"{path}{made['id']}/take-back/"
    assert _post(world.members[0], take).status_code == 403
    elsewhere = meeting_world(1, members=3)
    assert _post(elsewhere.lead, take).status_code == 404
    assert _post(elsewhere.lead, take.replace(path, f"rounds/{elsewhere.round_.pk}/bulk/")).status_code == 404
    answers = [_post(world.lead, take) for _click in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json() == _get(world.members[0], path).json()[0]
    assert (answers[0].json()["standing"], answers[0].json()["taken_back_by"]) == (0, "Lead")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "at_least"),
        ({"at_least": 2, "filters": {"nosuch": "x"}}, "filters"),
        ({"at_least": 2, "filters": {"pair": "C.1"}}, "filters"),
    ],
)
def test_a_bulk_that_cannot_be(by_majority, body, field):
    refused = _post(by_majority.lead, f"rounds/{by_majority.round_.pk}/bulk/", **body)
    assert (refused.status_code, list(refused.json())) == (400, [field])


def test_a_bulk_by_who_leads_not(by_majority):
    path = f"rounds/{by_majority.round_.pk}/bulk/"
    assert _post(by_majority.members[0], path, at_least=2).status_code == 403


def test_consensus_says_who_changed_their_mind(world, meeting):
    world.vote(world.items[0], "C.9", "-", "C.9")
    world.ballot(world.items[0], world.lead, "C.1")
    found = _get(world.members[0], f"rounds/{world.round_.pk}/consensus/").json()
    assert found["minds"] == [
        {"volunteer": "R1", "voted": 1, "kept": 1, "joined": 0, "away": 0, "abstained": 0, "none_fits": 0},
        {"volunteer": "R2", "voted": 1, "kept": 0, "joined": 0, "away": 0, "abstained": 1, "none_fits": 0},
        {"volunteer": "R3", "voted": 1, "kept": 0, "joined": 1, "away": 0, "abstained": 0, "none_fits": 0},
    ]
    assert found["turns"] == [{"from": "C.1", "to": "C.9", "count": 1, "issues": [world.issues[0].pk]}]
    assert (found["other_ballots"], found["withheld"], found["total"]["voted"]) == (1, 0, 3)
    agreement = found["agreement"]
    assert (agreement["voted_issues"], agreement["replaced_labels"], agreement["changed_labels"]) == (1, 2, 1)
    assert agreement["after"]["coefficients"]["fleiss_kappa"]["low"] is None
    assert found["settled"]["discussed"] == 1


def test_consensus_at_a_level(world):
    path = f"rounds/{world.round_.pk}/consensus/"
    assert _get(world.lead, path, level="type").json()["agreement"]["level"] == "type"
    assert _get(world.lead, path, level="sub-theme").status_code == 422
    assert _get(world.lead, path, level="x").status_code == 400
