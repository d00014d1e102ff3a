"""Somebody tries passwords from many addresses: strangers are slowed down, known browsers are not."""

import re

import pytest
from django.core import mail, signing
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse

from accounts import actions
from accounts.signing_in import known_browsers
from tests.factories import make_user

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
NEW = "staple battery horse"


@pytest.fixture
def user():
    return make_user("Ada", email="ada@example.org")


@pytest.fixture(autouse=True)
def _limited():
    cache.clear()
    with override_settings(ACCOUNT_RATE_LIMITS={}, SIGN_IN_LIMIT="6/h"):
        yield
    cache.clear()


def sign_in(client, password=PASSWORD, email="ada@example.org"):
    return client.post(reverse("account_login"), {"login": email, "password": password})


def attack(number: int, email="ada@example.org") -> list[int]:
    """Wrong passwords, each from another address."""
    return [
        sign_in(Client(REMOTE_ADDR=f"198.51.100.{n}"), "wrong", email).status_code
        for n in range(1, number + 1)
    ]


def test_many_addresses_are_one_stranger(user):
    assert attack(9) == [200] * 6 + [429] * 3
    answer = sign_in(Client(REMOTE_ADDR="192.0.2.9"))
    assert answer.status_code == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 4200
    assert "browser in which you have signed in before" in answer.content.decode()


def test_addresses_without_an_account_are_refused_alike(user):
    assert attack(8, "nobody@example.org") == attack(8) == [200] * 6 + [429] * 2


def test_a_known_browser_signs_in_while_strangers_are_refused(user):
    client = Client(REMOTE_ADDR="192.0.2.1")
    assert sign_in(client).status_code == 302
    client.post(reverse("account_logout"))
    assert attack(9)[-1] == 429

    elsewhere = Client(REMOTE_ADDR="192.0.2.77")
    elsewhere.cookies = client.cookies
    assert sign_in(elsewhere, email=" ADA@example.org").status_code == 302


def test_a_known_browser_has_a_limit_of_its_own(user):
    client = Client()
    sign_in(client)
    client.post(reverse("account_logout"))
    assert [sign_in(client, "wrong").status_code for _ in range(7)] == [200] * 5 + [429] * 2
    assert sign_in(Client(REMOTE_ADDR="192.0.2.1")).status_code == 302


def test_a_browser_is_known_for_the_accounts_that_signed_in_there(user):
    make_user("Eve", email="eve@example.org")
    client = Client()
    sign_in(client, email="eve@example.org")
    client.post(reverse("account_logout"))
    attack(9)
    assert sign_in(client).status_code == 429
    assert sign_in(client, email="eve@example.org").status_code == 302


@pytest.mark.parametrize(
    "value",
    ["", "x", signing.dumps({"name": "a", "of": []}, salt="other")],
    ids=["empty", "letter", "signed elsewhere"],
)
def test_a_forged_cookie_is_none(user, value):
    attack(9)
    client = Client()
    client.cookies[known_browsers.COOKIE] = value
    assert sign_in(client).status_code == 429


def test_right_passwords_are_not_counted(user):
    for n in range(9):
        assert sign_in(Client(REMOTE_ADDR=f"198.51.100.{n + 1}")).status_code == 302


def test_a_link_makes_a_browser_known(user):
    attack(9)
    client = Client()
    client.post(reverse("sign_in_link", args=[actions.make_sign_in_link(user)]))
    client.post(reverse("account_logout"))
    assert sign_in(client).status_code == 302


def test_a_new_password_by_mail_makes_a_browser_known(user):
    attack(9)
    client = Client()
    client.post(reverse("account_reset_password"), {"email": "ada@example.org"})
    (link,) = re.findall(r"http://testserver(/\S+)", mail.outbox[0].body)
    form = client.get(link, follow=True)
    client.post(form.redirect_chain[-1][0], {"password1": NEW, "password2": NEW})
    assert sign_in(client, NEW).status_code == 302


def test_the_cookie_names_nobody_and_is_out_of_reach_of_scripts(user):
    client = Client()
    sign_in(client)
    cookie = client.cookies[known_browsers.COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 365 * 24 * 3600)
    assert "ada" not in str(signing.loads(cookie.value, salt="accounts.known_browsers"))
    assert known_browsers.COOKIE not in client.get(reverse("me")).cookies


def test_a_token_makes_no_browser_known(user):
    answer = Client().get("/api/v1/studies/", HTTP_AUTHORIZATION=f"Token {actions.make_token(user=user)}")
    assert answer.status_code == 200
    assert known_browsers.COOKIE not in answer.cookies
