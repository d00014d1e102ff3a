"""How many requests REST takes: by token and by address."""

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from accounts import actions
from config.settings import base
from tests.api.conftest import client_of
from tests.factories import make_user

pytestmark = pytest.mark.django_db

STUDIES = "/api/v1/studies/"


@pytest.fixture(autouse=True)
def _empty():
    cache.clear()
    yield
    cache.clear()


def client(user, address="192.0.2.1") -> APIClient:
    return APIClient(HTTP_AUTHORIZATION=f"Token {actions.make_token(user=user)}", REMOTE_ADDR=address)


def statuses(client, number: int) -> list[int]:
    return [client.get(STUDIES).status_code for _ in range(number)]


def test_a_token_is_refused_by_number_and_told_when_to_come_back(settings):
    settings.API_LIMIT_TOKEN = "3/h"
    user = make_user()
    one, other = client(user), client(user)
    assert statuses(one, 5) == [200, 200, 200, 429, 429]
    answer = one.get(STUDIES)
    assert 0 < int(answer.headers["Retry-After"]) <= 3600 + 1200
    assert list(answer.json()) == ["detail"]
    assert statuses(other, 1) == [200]


def test_a_person_without_a_token_is_counted_too(settings, world):
    settings.API_LIMIT_TOKEN = "2/h"
    assert statuses(client_of(world.first), 3) == [200, 200, 429]
    assert statuses(client_of(world.second), 1) == [200]


def test_an_address_is_refused_before_anybody_is_known(settings):
    settings.API_LIMIT_ADDRESS = "3/h"
    wrong = APIClient(HTTP_AUTHORIZATION="Token " + "0" * 64, REMOTE_ADDR="192.0.2.1")
    assert statuses(wrong, 4) == [401, 401, 401, 429]
    user = make_user()
    assert statuses(client(user), 1) == [429]
    assert statuses(client(user, "192.0.2.2"), 1) == [200]


def test_addresses_of_one_ipv6_network_count_together(settings):
    settings.API_LIMIT_ADDRESS = "2/h"
    user = make_user()
    asked = [client(user, f"2001:db8::{n}") for n in range(1, 4)]
    assert [one.get(STUDIES).status_code for one in asked] == [200, 200, 429]
    assert statuses(client(user, "2001:db8:1::1"), 1) == [200]


def test_who_gives_no_token_is_counted_by_address_only(settings):
    settings.API_LIMIT_TOKEN = "1/h"
    assert [APIClient().get("/api/v1/schema/").status_code for _ in range(2)] == [200, 200]


def test_a_model_with_one_request_for_each_label_meets_no_limit():
    """38,742 labels one by one, as fast as the limit allows, take half an hour; in hundreds, a minute."""
    assert (base.API_LIMIT_TOKEN, base.API_LIMIT_ADDRESS) == ("1200/m", "6000/m")
