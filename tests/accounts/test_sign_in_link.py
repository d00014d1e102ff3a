from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import actions
from accounts.models import SignInLink, User
from tests.factories import make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return make_user("Ada")


def address(token):
    return reverse("sign_in_link", args=[token])


def who(client) -> str | None:
    """Whose session this is."""
    return client.session.get("_auth_user_id")


def test_page_says_whom_it_signs_in_and_changes_nothing(client, user):
    token = actions.make_sign_in_link(user)
    for _visit in range(2):
        page = client.get(address(token))
        assert page.status_code == 200
        assert b"Sign in as Ada" in page.content
    client.head(address(token))
    assert SignInLink.objects.get().used_at is None
    assert who(client) is None


def test_post_signs_in_and_uses_the_link_up(client, user):
    token = actions.make_sign_in_link(user)
    answer = client.post(address(token))
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("home"))
    assert who(client) == str(user.pk)
    assert SignInLink.objects.get().used_at is not None
    other = Client()
    assert other.get(address(token)).status_code == 410
    assert other.post(address(token)).status_code == 410
    assert who(other) is None


@pytest.mark.parametrize(
    ("wanted", "location"), [("/accounts/me/", "/accounts/me/"), ("//evil.example", "/"), ("people", "/")]
)
def test_next_leads_to_this_server_only(client, user, wanted, location):
    token = actions.make_sign_in_link(user)
    assert client.post(f"{address(token)}?next={wanted}").headers["Location"] == location


def test_link_takes_over_a_session_of_somebody_else(client, user):
    client.force_login(make_user("Bob"))
    former = client.session.session_key
    token = actions.make_sign_in_link(user)
    assert b"You are signed in as Bob now" in client.get(address(token)).content
    client.post(address(token))
    assert who(client) == str(user.pk)
    assert client.session.session_key != former


@pytest.mark.parametrize(("state", "status"), [("unknown", 404), ("expired", 410), ("closed", 410)])
def test_a_link_that_is_not_open(client, user, state, status):
    token = actions.make_sign_in_link(user, timedelta(seconds=-1 if state == "expired" else 60))
    User.objects.update(is_active=state != "closed")
    page = address("unknown" if state == "unknown" else token)
    assert client.get(page).status_code == client.post(page).status_code == status
    assert who(client) is None
    assert SignInLink.objects.get().used_at is None


def test_needs_a_csrf_token(user):
    client = Client(enforce_csrf_checks=True)
    assert client.post(address(actions.make_sign_in_link(user))).status_code == 403
    assert SignInLink.objects.get().used_at is None


@pytest.mark.django_db(transaction=True)
def test_two_posts_at_a_time_sign_in_once():
    token = actions.make_sign_in_link(make_user("Ada"))
    statuses = at_once(*[lambda: Client().post(address(token)).status_code] * 3)
    assert sorted(statuses) == [302, 410, 410]


def test_command_prints_a_link_that_works(client, user, capsys):
    call_command("sign_in_link", user.email.upper(), "--address", "https://study.example/", "--hours", "2")
    printed = capsys.readouterr().out.strip()
    assert printed.startswith("https://study.example/accounts/link/")
    client.post(printed.removeprefix("https://study.example"))
    assert who(client) == str(user.pk)


def test_command_prints_the_address_of_the_site(user, settings, capsys):
    settings.SITE_URL = "https://labels.example.org"
    call_command("sign_in_link", user.email)
    assert capsys.readouterr().out.startswith("https://labels.example.org/accounts/link/")


@pytest.mark.parametrize("arguments", [["nobody@example.org"], ["ada@example.org", "--hours", "0"]])
def test_command_refuses(arguments):
    make_user("Ada", email="ada@example.org")
    with pytest.raises(CommandError):
        call_command("sign_in_link", *arguments)
    assert not SignInLink.objects.exists()


def test_close_account_command(client, user, capsys):
    client.force_login(user)
    call_command("close_account", user.email)
    assert capsys.readouterr().out == "The account of Ada is closed.\n"
    assert client.get(reverse("me")).status_code == 302
    with pytest.raises(CommandError):
        call_command("close_account", user.email)
