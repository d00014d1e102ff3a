"""Labelling over REST: the actions of the page through another door."""

from uuid import uuid4

from consensus.models import Decision
from reports.formats.json_report import report_as_dict
from rounds.models import Label, Round
from tests.api.conftest import client_of, label, label_all
from tests.factories import make_list, make_round


def test_an_evening_over_rest(world):
    client = client_of(world.first)
    labelled = []
    while (turn := client.post(f"/api/v1/rounds/{world.round.pk}/claim/")).status_code == 200:
        issue = turn.json()["issue"]
        answer = client.post(
            f"/api/v1/rounds/{world.round.pk}/labels/",
            {"issue": issue["id"], "category": "C.1.i", "summary": f"of {issue['number']}", "unsure": True},
            format="json",
        )
        assert answer.status_code == 201
        labelled.append(issue["number"])

    assert turn.status_code == 204
    assert sorted(labelled) == ["12", "7", "9"]
    own = client.get(f"/api/v1/rounds/{world.round.pk}/labels/").json()
    assert [(row["category"], row["summary"], row["unsure"], row["surplus"]) for row in own["results"]] == [
        ("C.1.i", f"of {number}", True, False) for number in reversed(labelled)
    ]
    assert own["next"] is None
    assert client_of(world.second).get(f"/api/v1/rounds/{world.round.pk}/labels/").json()["results"] == []


def test_own_labels_tell_what_was_decided_once_it_is_revealed(world):
    label_all(world, ("C.1", "C.2"), ("C.1", "C.1"))
    label(world.first, world, world.issues[2], "C.1")
    decisions = f"/api/v1/rounds/{world.round.pk}/issues/{world.issues[0].pk}/decisions/"
    sent = {"category": "C.2", "rationale": "precision", "seen": 0}
    assert client_of(world.lead).post(decisions, sent, format="json").status_code == 201
    client, address = client_of(world.first), f"/api/v1/rounds/{world.round.pk}/labels/"
    unanimous = {"category": "C.1", "method": "unanimous", "rationale": "", "stands": True}
    otherwise = {"category": "C.2", "method": "lead", "rationale": "precision", "stands": False}
    assert [row["outcome"] for row in client.get(address).json()["results"]] == [None, unanimous, otherwise]
    narrowed = client.get(f"{address}?outcome=otherwise").json()["results"]
    assert [(row["issue"], row["outcome"]) for row in narrowed] == [(world.issues[0].pk, otherwise)]
    refused = client.get(f"{address}?outcome=wrong")
    assert (refused.status_code, list(refused.json())) == (400, ["outcome"])


def test_a_turn_shows_the_issue_and_nothing_of_others(world):
    label(world.second, world, world.issues[0], "A.1", summary="canary")
    turn = client_of(world.first).post(f"/api/v1/rounds/{world.round.pk}/claim/")

    assert turn.json()["issue"]["text"]["title"].startswith("Title of")
    assert turn.json()["draft"] is None
    assert "canary" not in turn.text


def test_the_same_key_stores_once(world):
    key = str(uuid4())

    first = label(world.first, world, world.issues[0], "C.1", key=key)
    again = label(world.first, world, world.issues[0], "C.1", key=key)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert Label.objects.count() == 1


def test_another_label_of_the_same_issue_is_refused_and_the_first_kept(world):
    label(world.first, world, world.issues[0], "C.1")

    answer = label(world.first, world, world.issues[0], "C.2")

    assert (answer.status_code, answer.json()["code"]) == (409, "AlreadyLabelled")
    assert Label.objects.get().category.states.get().code == "C.1"


def test_a_label_is_changed_until_reveal(world):
    client = client_of(world.first)
    given = label(world.first, world, world.issues[0], "C.1").json()
    address = f"/api/v1/rounds/{world.round.pk}/labels/{world.issues[0].pk}/"

    changed = client.put(
        address, {"category": "C.2", "summary": "no", "seen": given["submitted_at"]}, format="json"
    )
    assert (changed.status_code, changed.json()["category"]) == (200, "C.2")

    stale = client.put(address, {"category": "A.1", "seen": given["submitted_at"]}, format="json")
    assert (stale.status_code, stale.json()["code"]) == (409, "StaleLabel")

    label(world.second, world, world.issues[0], "C.2")
    late = client.put(address, {"category": "A.1", "seen": changed.json()["changed_at"]}, format="json")
    assert (late.status_code, late.json()["code"]) == (409, "LabelRevealed")
    assert Label.objects.get(volunteer=world.first).category.states.get().code == "C.2"


def test_bad_input_names_the_field(world):
    client = client_of(world.first)

    assert label(world.first, world, world.issues[0], "Z.9").json() == {
        "category": ["The round's version has no category 'Z.9'."]
    }
    assert label(world.first, world, world.issues[0], "C", summary="x").json()["code"] == "TooShallow"
    assert set(client.post(f"/api/v1/rounds/{world.round.pk}/labels/", {}, format="json").json()) == {"issue"}
    neither = {"category": ["Give a category, or propose a missing category."]}
    proposal = {"name": "Overheating", "reason": "None is of heat."}
    assert label(world.first, world, world.issues[0], "").json() == neither
    assert label(world.first, world, world.issues[0], "C.1", proposal=proposal).json() == neither
    found = set(label(world.first, world, world.issues[0], "", proposal={"name": " "}).json()["proposal"])
    assert found == {"name", "reason"}
    assert label(world.first, world, world.issues[0], "C.1", summary="x" * 501).status_code == 400
    assert not Label.objects.exists()


def test_a_label_is_open_where_a_category_is_missing_and_gets_one_later(world):
    client = client_of(world.first)
    proposal = {"name": "Overheating", "reason": "None is of heat.", "nearest": "C"}

    stored = label(world.first, world, world.issues[0], "", proposal=proposal, summary="hot")

    assert stored.status_code == 201
    assert (stored.json()["category"], stored.json()["proposal"]) == ("", proposal)
    assert Label.objects.get().category is None
    own = client.get(f"/api/v1/rounds/{world.round.pk}/labels/").json()["results"]
    assert [row["proposal"] for row in own] == [proposal]
    assert client_of(world.second).get(f"/api/v1/rounds/{world.round.pk}/labels/").json()["results"] == []
    address = f"/api/v1/rounds/{world.round.pk}/labels/{world.issues[0].pk}/"
    changed = client.put(address, {"category": "C.1", "seen": stored.json()["submitted_at"]}, format="json")
    assert (changed.json()["category"], changed.json()["proposal"]) == ("C.1", None)


def test_who_is_not_in_the_round_takes_no_turn(world):
    for member in (world.owner, world.viewer, world.model):
        client = client_of(member)
        assert client.post(f"/api/v1/rounds/{world.round.pk}/claim/").status_code == 403
        assert label(member, world, world.issues[0], "C.1").status_code == 403
        assert client.get(f"/api/v1/rounds/{world.round.pk}/labels/").status_code == 403


def test_an_issue_of_another_round_is_not_found(world):
    other = make_round(world.version, world.issues[:1], [world.first], name="Pilot")
    client = client_of(world.first)

    answer = client.post(
        f"/api/v1/rounds/{other.pk}/labels/", {"issue": world.issues[1].pk, "category": "C.1"}, format="json"
    )

    assert answer.status_code == 404


def test_a_disagreement_is_listed_and_settled(world):
    label(world.first, world, world.issues[0], "C.1", summary="leak")
    label(world.second, world, world.issues[0], "C.2")
    label(world.first, world, world.issues[1], "A.1", summary="canary")
    lead = client_of(world.lead)
    address = f"/api/v1/rounds/{world.round.pk}/disagreements/"

    found = lead.get(address)
    assert found.json() == {
        "results": [
            {
                "issue": world.issues[0].pk,
                "url": "https://github.com/ember/engine/issues/12",
                "title": "Title of 12",
                "labels": {"R3": "C.1", "R4": "C.2"},
                "open": {},
                "split": {"C.1": 1, "C.2": 1},
                "decision": None,
                "method": None,
                "state": "open",
                "decision_number": 0,
            }
        ],
        "next": None,
        "withheld": 0,
    }
    decisions = f"/api/v1/rounds/{world.round.pk}/issues/{world.issues[0].pk}/decisions/"
    settled = lead.post(decisions, {"category": "C.2", "rationale": "precision", "seen": 0}, format="json")
    assert (settled.status_code, settled.json()["category"], settled.json()["method"]) == (201, "C.2", "lead")
    again = lead.post(decisions, {"category": "C.1", "rationale": "no", "seen": 0}, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "StaleDecision")
    assert Decision.objects.get().rationale == "precision"
    assert lead.get(f"{address}?state=open").json()["results"] == []
    assert [
        row["decision"] for row in lead.get(f"{address}?state=decided&pair=C.1,C.2").json()["results"]
    ] == ["C.2"]
    body = {"category": "C.1", "rationale": "no", "seen": 1}
    assert client_of(world.first).post(decisions, body, format="json").status_code == 403


def test_unrevealed_issues_cannot_be_settled(world):
    label(world.first, world, world.issues[0], "C.1")
    answer = client_of(world.lead).post(
        f"/api/v1/rounds/{world.round.pk}/issues/{world.issues[0].pk}/decisions/",
        {"category": "C.2", "rationale": "early", "seen": 0},
        format="json",
    )

    assert (answer.status_code, answer.json()["code"]) == (409, "NotRevealed")


def test_wrong_filters_are_refused_by_name(world):
    address = f"/api/v1/rounds/{world.round.pk}/disagreements/"
    lead = client_of(world.lead)

    for query, field in (
        ("state=x", "state"),
        ("pair=C.1", "pair"),
        ("pair=C.1,Z", "pair"),
        ("type=Z", "type"),
        ("after=x", "after"),
        ("split=4", "split"),
        ("parts_at=deep", "parts_at"),
        ("repository=x", "repository"),
        ("volunteer=R99", "volunteer"),
        ("cause=weather", "cause"),
    ):
        answer = lead.get(f"{address}?{query}")
        assert (answer.status_code, list(answer.json())) == (400, [field])


def test_disagreements_take_the_filters_and_the_order_of_the_page(world):
    label_all(world, ("C.1", "C.2"), ("A.1", "C.1"))
    make_list(world.study, "Title", search=True)
    lead = client_of(world.lead)
    address = f"/api/v1/rounds/{world.round.pk}/disagreements/"
    first, second = (issue.pk for issue in world.issues[:2])

    for query, expected in (
        ("", [first, second]),
        ("split=1:1", [first, second]),
        ("split=2:1", []),
        ("parts_at=type", [second]),
        ("parts_at=theme", [first]),
        ("type=A", [second]),
        ("pair=C.1,A.1", [second]),
        ("volunteer=R3", []),
        ("state=agenda", []),
        ("cause=slip", []),
        ("keyword=Title", [first, second]),
        ("after=2-0-1", [second]),
    ):
        answer = lead.get(f"{address}?{query}")
        assert [row["issue"] for row in answer.json()["results"]] == expected, query


def test_agreement_over_rest_is_that_of_the_report(world):
    from reports.agreement_report import agreement_report

    label_all(world, ("C.1", "C.1"), ("C.1", "C.2"), ("A.1", "A.1"))
    answer = (
        client_of(world.viewer)
        .get(f"/api/v1/rounds/{world.round.pk}/agreement/?by=type&by=type,repository&level=theme")
        .json()
    )

    expected = report_as_dict(agreement_report(Round.objects.get(), by=[["type"], ["type", "repository"]]))
    assert answer.pop("as_of")
    expected.pop("as_of")
    assert answer == expected
    assert answer["groups"][0]["coefficients"]["percent_agreement"]["value"] == 2 / 3


def test_labels_csv_streams_what_is_revealed(world):
    label(world.first, world, world.issues[0], "C.1")
    label(world.second, world, world.issues[0], "C.1")
    label(world.first, world, world.issues[1], "A.1")
    address = "/api/v1/studies/engines/exports/labels.csv"
    viewer = client_of(world.viewer)

    answer = viewer.get(f"{address}?repository=ember/engine&layout=wide", headers={"accept": "text/csv"})

    assert answer.streaming
    assert b"".join(answer).decode() == (
        "Issue_URL,Label1,Label2,Final_Label\nhttps://github.com/ember/engine/issues/12,C.1,C.1,C.1\n"
    )
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"].startswith("attachment; ")
    assert (answer["Cache-Control"], answer["X-Content-Type-Options"]) == ("no-store", "nosniff")
    assert viewer.get(f"{address}?repository=no/such").status_code == 404
    assert viewer.get(f"{address}?layout=tall").status_code == 400
    assert client_of(world.model).get(address).status_code == 403
    make_round(world.version, world.issues[:1], [world.first], name="Pilot")
    assert viewer.get(address).json() == {"round": ["The study has several rounds: name one."]}
    assert viewer.get(f"{address}?round=Pilot").status_code == 200


def test_what_you_still_have_to_label_is_in_no_answer(world):
    """Issue 12 is complete, and the first volunteer has it before them in another round too."""
    label_all(world, ("C.1", "C.1"), ("A.1", "A.1"))
    make_round(world.version, world.issues[:1], [world.first], name="Again")
    clients = [client_of(member) for member in (world.first, world.second)]

    found = [client.get(f"/api/v1/rounds/{world.round.pk}/agreement/").json() for client in clients]
    assert [(one["withheld"], one["groups"][0]["issues"]) for one in found] == [(1, 1), (0, 2)]
    used = [{row["code"] for row in one["groups"][0]["categories"] if row["labels"]} for one in found]
    assert used == [{"A.1"}, {"A.1", "C.1"}]
    address = "/api/v1/studies/engines/exports/labels.csv?round=Main%20round"
    for layout, lines in (("wide", 1), ("long", 2)):
        answers = [client.get(f"{address}&layout={layout}") for client in clients]
        assert [answer["Crosscheck-Withheld"] for answer in answers] == ["1", "0"]
        first, second = ([*b"".join(answer).decode().splitlines()][1:] for answer in answers)
        assert (len(first), len(second)) == (lines, 2 * lines)
        assert not any("/issues/12," in row for row in first)


def test_what_you_still_have_to_label_is_in_no_number_of_a_screening(world):
    Round.objects.filter(pk=world.round.pk).update(kind=Round.Kind.SCREENING)
    label_all(world, ("C.1", "C.1"))
    make_round(world.version, world.issues[:1], [world.first], name="Again")
    found = [
        client_of(member).get(f"/api/v1/rounds/{world.round.pk}/screening/").json()
        for member in (world.first, world.second)
    ]
    assert [
        (one["withheld"], one["all"]["issues"], one["all"]["incomplete"], one["agreement"]["issues"])
        for one in found
    ] == [(1, 2, 2, 0), (0, 3, 2, 1)]
