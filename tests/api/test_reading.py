"""What REST answers to those who may read."""

from datetime import timedelta

import pytest
from django.utils import timezone

from rounds.models import Round
from tests.api.conftest import client_of, label_all
from tests.factories import (
    add_label,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_user,
    make_version,
)


def test_studies_are_the_callers_own(world):
    make_member(make_study(slug="other"), user=make_user())

    answer = client_of(world.viewer).get("/api/v1/studies/")

    assert [study["slug"] for study in answer.json()] == ["engines"]
    assert client_of(world.viewer).get("/api/v1/studies/engines/").json()["name"] == "Engines"
    assert client_of(world.viewer).get("/api/v1/studies/other/").status_code == 404


def test_members_are_shown_by_pseudonym_only(world):
    answer = client_of(world.first).get("/api/v1/studies/engines/members/")

    assert [(row["pseudonym"], row["role"]) for row in answer.json()] == [
        ("R1", "owner"), ("R2", "lead"), ("R3", "volunteer"), ("R4", "volunteer"), ("V1", "viewer"), ("M1", "model"),
    ]  # fmt: skip
    assert world.second.user.name not in answer.text
    assert world.second.user.email not in answer.text
    assert client_of(world.model).get("/api/v1/studies/engines/members/").status_code == 403


def test_taxonomies_with_their_categories(world):
    client = client_of(world.model)
    (taxonomy,) = client.get("/api/v1/studies/engines/taxonomies/").json()
    assert [version["number"] for version in taxonomy["versions"]] == [1]

    tree = client.get(f"/api/v1/taxonomies/{taxonomy['id']}/versions/1/").json()

    found = [(row["code"], row["level"], row["parent"]) for row in tree[:4]]
    assert found == [("A", 1, None), ("A.1", 2, "A"), ("A.1.i", 3, "A.1"), ("A.1.ii", 3, "A.1")]
    assert client.get(f"/api/v1/taxonomies/{taxonomy['id']}/versions/2/").status_code == 404


def test_a_draft_of_a_taxonomy_is_not_listed(world):
    make_version(world.study, taxonomy=world.version.taxonomy, published=False)

    (taxonomy,) = client_of(world.viewer).get("/api/v1/studies/engines/taxonomies/").json()

    assert [version["number"] for version in taxonomy["versions"]] == [1]


def test_issues_come_in_pages_by_key(world):
    client = client_of(world.viewer)
    first = client.get("/api/v1/studies/engines/issues/?page_size=2").json()
    second = client.get(first["next"]).json()

    assert [row["number"] for row in first["results"]] == ["12", "7"]
    assert [row["number"] for row in second["results"]] == ["9"]
    assert second["next"] is None
    assert first["results"][0] == {
        "id": world.issues[0].pk,
        "repository": "ember/engine",
        "number": "12",
        "url": "https://github.com/ember/engine/issues/12",
        "is_pull_request": None,
        "year": 2024,
        "title": "Title of 12",
    }


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ("repository=Ember/Engine", ["12", "7", "9"]),
        ("repository=x/y", []),
        ("year=2024", ["12", "7", "9"]),
        ("year=1", []),
    ],
)
def test_issues_are_filtered(world, query, numbers):
    answer = client_of(world.viewer).get(f"/api/v1/studies/engines/issues/?{query}")

    assert [row["number"] for row in answer.json()["results"]] == numbers


@pytest.mark.parametrize(
    "path", ["issues/?repository=", "exports/labels.csv?repository=", "exports/labels.csv?round="]
)
def test_a_nul_in_a_query_is_not_understood(world, path):
    answer = client_of(world.viewer).get(f"/api/v1/studies/engines/{path}ember%00")

    assert answer.status_code == 400
    assert list(answer.json()) == [path.rpartition("?")[2].removesuffix("=")]


def test_the_labels_of_a_path_that_two_forges_have_come_in_one_file(world):
    mirror = make_repository(world.study, "Ember/engine", host="gitee.com", forge="gitee")
    address = "/api/v1/studies/engines/exports/labels.csv?layout=long&repository=ember/engine"
    round_ = make_round(
        world.version,
        [world.issues[0], make_issue(mirror, "5")],
        [world.first],
        name="Pilot",
        reveal="round_closed",
    )
    Round.objects.filter(pk=round_.pk).update(closed_at=timezone.now())
    for issue in (world.issues[0], mirror.issues.get()):
        add_label(round_, issue, world.first, "A.1")

    answer = client_of(world.viewer).get(f"{address}&round=Pilot")

    assert answer.status_code == 200
    lines = answer.getvalue().decode().splitlines()[1:]
    found = [line.partition(",")[0] for line in lines]
    assert found == ["https://github.com/ember/engine/issues/12", "https://gitee.com/Ember/engine/issues/5"]
    assert client_of(world.viewer).get(f"{address.replace('ember', 'x')}&round=Pilot").status_code == 404


def test_queries_of_the_issue_list_do_not_grow(world, django_assert_num_queries):
    world.viewer.user.seen_at = timezone.now() + timedelta(hours=1)  # so that no request has to keep it
    client = client_of(world.viewer)
    for _more in range(2):
        with django_assert_num_queries(3):
            client.get("/api/v1/studies/engines/issues/")
        make_issue(world.repository)


def test_one_issue_has_its_text_or_says_that_there_is_none(world):
    client = client_of(world.first)
    bare = make_issue(world.repository, "77", text=False)

    text = client.get(f"/api/v1/studies/engines/issues/{world.issues[0].pk}/").json()["text"]
    assert (text["title"], text["body"]) == ("Title of 12", "Body of **12**")
    assert client.get(f"/api/v1/studies/engines/issues/{bare.pk}/").json()["text"] is None


def test_the_schema_is_complete_and_sound(world, capsys):
    from django.core.management import call_command

    call_command("spectacular", validate=True, fail_on_warn=True)
    assert "openapi: 3" in capsys.readouterr().out
    assert client_of(world.viewer).get("/api/v1/schema/").status_code == 200


def test_a_large_report_searches_for_signs_on_request_only(world, monkeypatch):
    label_all(world, ("C.1", "C.1"), ("C.1", "C.2"))
    address, reader = f"/api/v1/rounds/{world.round.pk}/agreement/", client_of(world.first)
    small = reader.get(address).json()
    monkeypatch.setattr("reports.api.reports.QUICK", 1)

    large, asked = reader.get(address).json(), reader.get(f"{address}?independence=yes").json()

    assert small.keys() - large.keys() == {"independence"}
    assert asked["independence"] == small["independence"]
