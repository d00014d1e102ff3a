"""The first visit to a server: it makes the first account, once."""

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse

from accounts.models import User
from tests.factories import make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db

FORM = {"name": "Ada", "email": "ada@example.org", "password": "correct horse battery"}


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/accounts/me/", "/studies/new/", "/no/such/page"])
def test_every_page_leads_to_welcome(client, path):
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/welcome/")


def test_health_and_api_do_not(client):
    assert client.get(reverse("healthz")).status_code == 200
    assert client.get("/api/v1/no/such/address").status_code != 302


def test_welcome_asks_for_name_address_password(client):
    page = client.get(reverse("welcome"))
    assert page.status_code == 200
    asked = [name for name in ("name", "email", "password", "code") if f'name="{name}"' in page.text]
    assert asked == ["name", "email", "password"]
    assert not User.objects.exists()


def test_welcome_makes_the_first_account_and_signs_in(client):
    answer = client.post(reverse("welcome"), FORM)
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("home"))
    user = User.objects.get()
    found = (user.name, user.email, user.may_create_studies, user.is_superuser)
    assert found == ("Ada", "ada@example.org", True, True)
    assert client.get(reverse("me")).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"email": "ada"},
        {"password": "short"},
        {"password": "ada@example.org"},
        {"name": "a\x00b"},
    ],
)
def test_welcome_refuses_bad_input(client, change):
    answer = client.post(reverse("welcome"), {**FORM, **change})
    assert answer.status_code == 422
    assert not User.objects.exists()


def test_welcome_is_gone_when_there_is_an_account(client):
    make_user()
    assert client.get(reverse("welcome")).status_code == 404
    assert client.post(reverse("welcome"), FORM).status_code == 404
    assert client.get("/").headers["Location"] == "/accounts/login/?next=/"
    assert User.objects.count() == 1


def test_welcome_needs_a_csrf_token():
    assert Client(enforce_csrf_checks=True).post(reverse("welcome"), FORM).status_code == 403
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_first_visitors_and_one_account():
    forms = [{**FORM, "email": f"visitor{number}@example.org"} for number in range(3)]
    answers = at_once(*[lambda f=f: Client().post("/welcome/", f).status_code for f in forms])
    assert User.objects.count() == 1
    # Who comes late is told so: before (404) or after (409) filling in the form.
    assert min(answers) == 302
    assert set(sorted(answers)[1:]) <= {404, 409}


# --- a public server


@override_settings(FIRST_ACCOUNT_NEEDS_CODE=True, FIRST_ACCOUNT_CODE="")
def test_public_server_without_code_makes_no_account(client):
    page = client.get(reverse("welcome"))
    assert b"CROSSCHECK_SETUP_CODE" in page.content
    assert b'name="password"' not in page.content
    assert client.post(reverse("welcome"), {**FORM, "code": ""}).status_code == 422
    assert client.post(reverse("welcome"), {**FORM, "code": "guess"}).status_code == 422
    assert not User.objects.exists()


@override_settings(FIRST_ACCOUNT_NEEDS_CODE=True, FIRST_ACCOUNT_CODE="open sesame")
def test_public_server_asks_for_its_code(client):
    assert b'name="code"' in client.get(reverse("welcome")).content
    wrong = client.post(reverse("welcome"), {**FORM, "code": "guess"})
    assert wrong.status_code == 422
    assert b"open sesame" not in wrong.content
    assert not User.objects.exists()
    assert client.post(reverse("welcome"), {**FORM, "code": "open sesame"}).status_code == 302
    assert User.objects.count() == 1


def test_guessing_the_code_is_throttled(client):
    cache.clear()
    with override_settings(
        FIRST_ACCOUNT_NEEDS_CODE=True,
        FIRST_ACCOUNT_CODE="open",
        ACCOUNT_RATE_LIMITS={"first_account": "2/m/ip"},
    ):
        statuses = [client.post(reverse("welcome"), {**FORM, "code": "x"}).status_code for _ in range(3)]
        late = client.post(reverse("welcome"), {**FORM, "code": "open"}).status_code
    cache.clear()
    assert [*statuses, late] == [422, 422, 429, 429]
    assert not User.objects.exists()
