"""The address of an account changes by a link to the new one, and the old one is told."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts import actions
from accounts.errors import AddressLinkSpent, AddressOfAnother
from accounts.models import AddressChange, SignInLink, User
from accounts.secrets import hash_of
from tests.accounts.whoami import status_for
from tests.factories import make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
NEW = "ada@lovelace.example"


@pytest.fixture
def user(client) -> User:
    user = make_user("Ada", email="ada@example.org")
    client.force_login(user)
    return user


def ask(client, email=NEW, password=PASSWORD):
    return client.post(reverse("change_address"), {"email": email, "password": password})


def link_in_mail() -> str:
    (link,) = re.findall(r"http://\S+?(/accounts/address/\S+/)", mail.outbox[0].body)
    return link


def addresses() -> list[str]:
    return sorted(User.objects.values_list("email", flat=True))


def test_the_new_address_gets_a_link_and_the_old_one_a_notice(client, user):
    answer = ask(client)
    assert (answer.status_code, NEW in answer.text) == (200, True)
    assert [message.to for message in mail.outbox] == [[NEW]]
    link = link_in_mail()
    assert AddressChange.objects.get().token_hash == hash_of(link.split("/")[-2])
    assert addresses() == ["ada@example.org"]

    elsewhere = Client()
    page = elsewhere.get(link)
    assert (page.status_code, NEW in page.text, addresses()) == (200, True, ["ada@example.org"])
    done = elsewhere.post(link)
    assert (done.status_code, addresses()) == (200, [NEW])
    assert [message.to for message in mail.outbox] == [[NEW], ["ada@example.org"]]
    assert NEW in mail.outbox[1].body
    assert client.get(reverse("me")).status_code == 200
    assert "_auth_user_id" not in elsewhere.session


def test_a_link_works_once(client, user):
    ask(client)
    link = link_in_mail()
    client.post(link)
    assert client.post(link).status_code == 410
    assert client.get(link).status_code == 410
    assert len(mail.outbox) == 2


def test_a_link_ends_after_a_day_and_with_the_next_one(user):
    old = actions.ask_for_address(user=user, email=NEW, lifetime=timedelta(seconds=-1))
    with pytest.raises(AddressLinkSpent):
        actions.change_address(token=old)
    first = actions.ask_for_address(user=user, email="one@example.org")
    second = actions.ask_for_address(user=user, email="two@example.org")
    assert Client().post(reverse("confirm_address", args=[first])).status_code == 404
    assert Client().post(reverse("confirm_address", args=[second])).status_code == 200
    assert addresses() == ["two@example.org"]


@pytest.mark.parametrize("taken", [NEW, NEW.upper()])
def test_an_address_that_has_an_account_is_told_by_the_link_only(client, user, taken):
    make_user("Eve", email=NEW)
    assert ask(client, taken).status_code == 200
    told = Client().post(link_in_mail())
    assert told.status_code == 409
    assert "Another account here has this address. The address of your account stays the same." in told.text
    assert "created" not in told.text
    assert addresses() == ["ada@example.org", NEW]
    assert AddressChange.objects.get().used_at is None


def test_a_closed_account_keeps_its_address(user):
    token = actions.ask_for_address(user=user, email=NEW)
    User.objects.update(is_active=False)
    with pytest.raises(AddressLinkSpent):
        actions.change_address(token=token)
    User.objects.update(is_active=True)
    actions.close_account(user=user)
    assert not AddressChange.objects.exists()


def test_links_to_the_old_address_end_and_tokens_go_on(client, user):
    client.post(reverse("account_reset_password"), {"email": user.email})
    (reset,) = re.findall(r"http://testserver(/\S+)", mail.outbox[0].body)
    actions.make_sign_in_link(user)
    token = actions.make_token(user=user)
    actions.change_address(token=actions.ask_for_address(user=user, email=NEW))
    assert not EmailAddress.objects.exists()
    assert not SignInLink.objects.exists()
    assert status_for(token) == 200
    assert "This link no longer works" in Client().get(reset, follow=True).text


@pytest.mark.parametrize(
    "wrong", [{"password": "wrong"}, {"password": ""}, {"email": "no address"}, {"email": "ADA@example.org"}]
)
def test_what_is_refused(client, user, wrong):
    assert ask(client, **wrong).status_code == 422
    assert mail.outbox == []
    assert not AddressChange.objects.exists()


def test_an_account_without_a_password_is_asked_for_none(client):
    client.force_login(make_user(password=None))
    assert client.post(reverse("change_address"), {"email": NEW}).status_code == 200
    assert len(mail.outbox) == 1


def test_a_server_without_mail_names_the_command(client, user, settings, capsys):
    settings.SENDS_MAIL = False
    page = client.get(reverse("change_address"))
    assert "manage.py address_link ada@example.org" in page.text
    assert ask(client).status_code == 409
    assert not AddressChange.objects.exists()

    call_command("address_link", "ADA@example.org", NEW, address="https://labels.example/")
    (link,) = re.findall(r"https://labels.example(/\S+)", capsys.readouterr().out)
    assert Client().post(link).status_code == 200
    assert (addresses(), mail.outbox) == ([NEW], [])


@pytest.mark.parametrize(("old", "new"), [("nobody@example.org", NEW), ("ada@example.org", "none")])
def test_the_command_refuses(user, old, new):
    with pytest.raises(CommandError):
        call_command("address_link", old, new)


@pytest.mark.django_db(transaction=True)
def test_of_two_uses_at_once_one_changes_the_address():
    user = make_user("Ada")
    token = actions.ask_for_address(user=user, email=NEW)
    done = at_once(*[lambda: actions.change_address(token=token)] * 2)
    assert sorted(type(one).__name__ for one in done) == ["AddressLinkSpent", "tuple"]


def test_taken_in_the_database_is_one_refusal(user):
    make_user("Eve", email=NEW)
    with pytest.raises(AddressOfAnother):
        actions.change_address(token=actions.ask_for_address(user=user, email=NEW))
