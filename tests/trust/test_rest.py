"""Every endpoint × every scope of a token, and every endpoint with parameters and fields that it does not know."""

import re

import pytest
from django.db import transaction
from django.urls import get_resolver, resolve
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from accounts.actions import make_token
from accounts.models import Scope
from accounts.rest.endpoints import Endpoint
from tests.trust.test_routes import ROLES, ROWS, address, names
from tests.trust.test_routes import world as world  # noqa: PLC0414 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ENDPOINTS = [row for row in ROWS if row[0].startswith("api_") and row[0] != "api_schema"]
LABELS = {("api_claim", "post"), ("api_labels", "post"), ("api_label", "put"), ("api_model_labels", "post")}
READS = {("api_report_files", "post"), ("api_packages", "post")}
UNKNOWN = re.compile("There is no (parameter|field) “|The field “.+” cannot be set.")


def needed(row: tuple[str, str]) -> str:
    if row in LABELS:
        return "label"
    return "read" if row in READS or row[1] == "get" else "manage"


def ask(client, at: str, method: str, *given, **more):
    """The answer; what the request changed is rolled back."""
    with transaction.atomic():
        answer = getattr(client, method)(at, *given, **more)
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return answer


def path_of(world, name: str) -> str:
    return address(world, name).partition("?")[0]


def keys_of(answer) -> set[str]:
    """The names that an answer refuses as unknown."""
    if answer.status_code != 400 or answer.streaming:
        return set()
    found = answer.json()
    return {name for name, said in found.items() if isinstance(said, list) and UNKNOWN.match(str(said[0]))}


@pytest.fixture
def operations(world) -> dict[tuple[str, str], dict]:
    """What the schema says of each endpoint and method."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    found = {}
    for name, method in ENDPOINTS:
        route = "/" + resolve(path_of(world, name)).route
        found[name, method] = schema["paths"][re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)][method]
    return found | {"components": schema["components"]}


@pytest.mark.parametrize("scope", Scope.values)
@pytest.mark.parametrize("role", ["volunteer", "owner", "model"])
def test_a_token_does_no_more_than_its_scope_and_than_its_owner(world, role, scope):
    token = make_token(user=world.members[role].user, scope=Scope(scope))
    client = APIClient(HTTP_AUTHORIZATION=f"Token {token}")
    place = ROLES.index(role)
    may = {"read": {"read"}, "label": {"read", "label"}, "manage": {"read", "label", "manage"}}[scope]

    for row in ENDPOINTS:
        answer = ask(client, address(world, row[0]), row[1])
        if needed(row) in may:
            assert answer.status_code == ROWS[row][place], row
        else:
            words = f"This token has the scope “{scope}”, and this request needs “{needed(row)}”."
            assert (answer.status_code, answer.json()) == (403, {"detail": words}), row


def test_the_schema_says_the_scope_of_each_endpoint(operations):
    said = {row: operations[row]["x-scope"] for row in ENDPOINTS}

    assert said == {row: needed(row) for row in ENDPOINTS}
    assert all(f"Scope: `{said[row]}`." in operations[row]["description"] for row in ENDPOINTS)


def test_every_endpoint_refuses_what_no_endpoint_should_ignore():
    views = [
        resolve_view(get_resolver(), name)
        for name in names(get_resolver())
        if (name or "").startswith("api_")
    ]
    assert all(issubclass(view, Endpoint) for view in views)
    assert len(views) >= 100


def resolve_view(resolver, name: str) -> type:
    for pattern in resolver.url_patterns:
        if hasattr(pattern, "url_patterns"):
            if found := resolve_view(pattern, name):
                return found
        elif pattern.name == name:
            return pattern.callback.view_class
    return None


def test_the_parameters_of_the_schema_are_those_that_are_taken(world, operations):
    named = {
        row: {one["name"] for one in operations[row].get("parameters", []) if one["in"] == "query"}
        for row in ENDPOINTS
    }
    every = set.union(*named.values(), {"repositry", "no such"})
    client = world.api("owner")

    for row in ENDPOINTS:
        # One at a time, for a parameter that is taken: its value may be refused, but not its name.
        for name in named[row]:
            assert keys_of(ask(client, f"{path_of(world, row[0])}?{name}=1", row[1])) == set(), (row, name)
        query = "&".join(f"{name}=1" for name in sorted(every)).replace(" ", "%20")
        assert keys_of(ask(client, f"{path_of(world, row[0])}?{query}", row[1])) == every - named[row], row


def test_the_fields_of_the_schema_are_those_that_are_taken(world, operations):
    schemas = operations["components"]["schemas"]

    def fields(row) -> set[str]:
        content = operations[row].get("requestBody", {}).get("content", {})
        if not content:
            return set()
        one = content["application/json"]["schema"]
        one = one.get("items", one)
        properties = schemas[one["$ref"].rpartition("/")[2]]["properties"]
        return {name for name, about in properties.items() if not about.get("readOnly")}

    writes = [row for row in ENDPOINTS if row[1] != "get"]
    taken = {row: fields(row) for row in writes}
    every = set.union(*taken.values(), {"quotaa"})
    client = world.api("owner")

    for row in writes:
        body = dict.fromkeys(every)
        assert keys_of(ask(client, address(world, row[0]), row[1], body, format="json")) == every - taken[row]


def test_the_nearest_name_is_said(world):
    client = world.api("owner")

    answer = client.get("/api/v1/studies/engines/issues/?repositry=x&zzzzzzz=1")
    assert (answer.status_code, answer.json()) == (
        400,
        {
            "repositry": ["There is no parameter “repositry”. Did you mean “repository”?"],
            "zzzzzzz": ["There is no parameter “zzzzzzz”."],
        },
    )
    answer = client.post("/api/v1/studies/engines/rounds/", {"quotaa": 3, "name": "x"}, format="json")
    assert (answer.status_code, answer.json()) == (
        400,
        {"quotaa": ["There is no field “quotaa”. Did you mean “quota”?"]},
    )


def test_fields_inside_of_objects_and_of_rows_are_known_too(world):
    client = world.api("volunteer")
    at = f"/api/v1/rounds/{world.round.pk}/labels/"
    body = {"issue": 1, "proposal": {"nmae": "x", "reason": "y"}}
    assert client.post(at, body, format="json").json() == {
        "proposal.nmae": ["There is no field “nmae”. Did you mean “name”?"]
    }

    at = f"/api/v1/rounds/{world.round.pk}/model-labels/"
    rows = [{"issue": 1, "category": "C.1"}, {"issue": 2, "categry": "C.1"}]
    assert world.api("model").post(at, rows, format="json").json() == {
        "categry": ["There is no field “categry”. Did you mean “category”?"]
    }
