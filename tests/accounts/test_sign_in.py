"""Signing in and out, passwords, and the pages of django-allauth that are open here."""

import re

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import NoReverseMatch, reverse

from accounts import actions
from accounts.models import User
from tests.accounts.whoami import status_for
from tests.factories import make_user

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"
NEW = "staple battery horse"


@pytest.fixture
def user() -> User:
    return make_user("Ada", email="ada@example.org")


def sign_in(client, email="ada@example.org", password=PASSWORD, **fields):
    return client.post(reverse("account_login"), {"login": email, "password": password, **fields})


def is_signed_in(client) -> bool:
    return client.get(reverse("me")).status_code == 200


def test_page_asks_for_address_and_password(client, user):
    page = client.get(reverse("account_login"))
    assert page.status_code == 200
    assert b'name="login"' in page.content
    assert b'name="password"' in page.content
    assert b"signup" not in page.content


@pytest.mark.parametrize("email", ["ada@example.org", "ADA@Example.ORG", " ada@example.org "])
def test_sign_in(client, user, email):
    answer = sign_in(client, email)
    assert (answer.status_code, answer.headers["Location"]) == (302, reverse("home"))
    assert is_signed_in(client)


@pytest.mark.parametrize(
    ("email", "password"),
    [("ada@example.org", "wrong"), ("nobody@example.org", PASSWORD), ("ada@example.org", ""), ("", "")],
)
def test_sign_in_with_anything_else_is_refused(client, user, email, password):
    sign_in(client, email, password)
    assert not is_signed_in(client)


def test_refusal_does_not_tell_known_from_unknown_addresses(client, user):
    known, unknown = sign_in(client, "ada@example.org", "wrong"), sign_in(client, "eve@example.org", "wrong")

    def words(answer):
        text = re.sub(rb'name="csrfmiddlewaretoken" value="\w+"|"X-CSRFToken": "\w+"', b"", answer.content)
        return text.replace(b"ada@", b"eve@")

    assert known.status_code == unknown.status_code == 200
    assert words(known) == words(unknown)


def test_an_account_that_is_closed_has_no_session_and_gets_none(client, user):
    client.force_login(user)
    assert is_signed_in(client)
    actions.close_account(user=user)
    assert not is_signed_in(client)
    sign_in(client)
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    ("wanted", "location"),
    [
        ("/accounts/me/", "/accounts/me/"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
    ],
)
def test_next_leads_to_this_server_only(client, user, wanted, location):
    assert sign_in(client, next=wanted).headers["Location"] == location


def test_page_passes_next_on(client, user):
    page = " ".join(client.get("/accounts/login/?next=/accounts/me/").text.split())
    assert 'name="next" value="/accounts/me/"' in page


def test_stranger_is_sent_to_sign_in(client, user):
    answer = client.get(reverse("me"))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/login/?next=/accounts/me/")


def test_sign_out_needs_a_post(client, user):
    client.force_login(user)
    assert client.get(reverse("account_logout")).status_code == 200
    assert is_signed_in(client)
    client.post(reverse("account_logout"))
    assert not is_signed_in(client)


def test_forms_need_a_csrf_token(user):
    client = Client(enforce_csrf_checks=True)
    assert sign_in(client).status_code == 403
    client.force_login(user)
    assert client.post(reverse("account_logout")).status_code == 403
    assert is_signed_in(client)


@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_signs_up(client, user, method):
    body = {"email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD, "name": "Eve"}
    answer = getattr(client, method)(reverse("account_signup"), body)
    assert answer.status_code == 403
    assert b"You need an invitation" in answer.content
    assert list(User.objects.all()) == [user]


@pytest.mark.parametrize("name", ["account_email", "account_reauthenticate", "account_request_login_code"])
def test_other_pages_of_allauth_are_not_there(name):
    with pytest.raises(NoReverseMatch):
        reverse(name)


# --- throttles


@pytest.fixture
def _throttled():
    cache.clear()
    with override_settings(ACCOUNT_RATE_LIMITS={}):
        yield
    cache.clear()


@pytest.mark.usefixtures("_throttled")
def test_sign_in_is_throttled(client, user):
    for _attempt in range(5):
        assert sign_in(client, password="wrong").status_code == 200
    assert sign_in(client).status_code == 429
    assert not is_signed_in(client)


@pytest.mark.usefixtures("_throttled")
def test_wrong_passwords_of_a_stranger_shut_nobody_else_out(user):
    stranger, owner = Client(REMOTE_ADDR="192.0.2.1"), Client(REMOTE_ADDR="192.0.2.2")
    statuses = [sign_in(stranger, password="wrong").status_code for _attempt in range(14)]
    assert statuses == [200] * 5 + [429] * 9
    assert sign_in(owner).status_code == 302
    assert is_signed_in(owner)


@pytest.mark.usefixtures("_throttled")
def test_password_reset_is_throttled_with_a_page(client, user):
    statuses = [
        client.post(reverse("account_reset_password"), {"email": "ada@example.org"}).status_code
        for _attempt in range(6)
    ]
    assert statuses == [302] * 5 + [429]
    assert len(mail.outbox) == 5


# --- passwords


def change_password(client, old=PASSWORD, new=NEW):
    form = {"oldpassword": old, "password1": new, "password2": new}
    return client.post(reverse("account_change_password"), form)


def test_change_password_ends_every_session_and_token(client, user):
    elsewhere = Client()
    client.force_login(user)
    elsewhere.force_login(user)
    token = actions.make_token(user=user)
    assert status_for(token) == 200
    change_password(client)
    assert not is_signed_in(client)
    assert not is_signed_in(elsewhere)
    assert status_for(token) == 401
    sign_in(client, password=NEW)
    assert is_signed_in(client)


@pytest.mark.parametrize(
    "given",
    [
        {"old": "wrong"},
        {"new": "short"},
        {"new": "password1234"},
        {"new": "ada@example.org"},
        {"new": "385617492065"},
        {"new": "abcdeabcdeabcde"},
    ],
)
def test_change_password_needs_the_old_one_and_refuses_weak_ones(client, user, given):
    client.force_login(user)
    change_password(client, **given)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert is_signed_in(client)


def test_account_without_password_sets_one(client):
    user = make_user(password=None)
    client.force_login(user)
    answer = client.get(reverse("account_change_password"))
    assert answer.headers["Location"] == reverse("account_set_password")
    assert client.get(reverse("account_set_password")).status_code == 200
    client.post(reverse("account_set_password"), {"password1": NEW, "password2": NEW})
    user.refresh_from_db()
    assert user.check_password(NEW)


def test_reset_password_by_mail(client, user):
    elsewhere = Client()
    elsewhere.force_login(user)
    client.post(reverse("account_reset_password"), {"email": "ADA@example.org"})
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    (link,) = re.findall(r"http://testserver(/\S+)", message.body)
    form = client.get(link, follow=True)
    assert b"Set a new password" in form.content
    done = client.post(form.redirect_chain[-1][0], {"password1": NEW, "password2": NEW}, follow=True)
    assert b"Your password is set" in done.content
    assert not is_signed_in(elsewhere)
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert b"This link no longer works" in Client().get(link, follow=True).content


def test_reset_password_answers_alike_for_unknown_addresses(client, user):
    answers = [
        client.post(reverse("account_reset_password"), {"email": email}, follow=True)
        for email in ("ada@example.org", "nobody@example.org")
    ]
    assert [answer.redirect_chain for answer in answers] == [
        [(reverse("account_reset_password_done"), 302)]
    ] * 2
    assert [message.to for message in mail.outbox] == [["ada@example.org"], ["nobody@example.org"]]
    assert "http" not in mail.outbox[1].body


@pytest.mark.parametrize("sends", [True, False])
def test_reset_page_says_when_the_server_sends_no_mail(client, user, settings, sends):
    settings.SENDS_MAIL = sends
    page = client.get(reverse("account_reset_password"))
    assert (b"sign_in_link" in page.content) is not sends
    assert (b'name="email"' in page.content) is sends


def test_a_server_that_sends_no_mail_makes_no_reset_link(client, user, settings, capsys):
    settings.SENDS_MAIL = False
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    answer = client.post(reverse("account_reset_password"), {"email": "ada@example.org"})
    assert (answer.status_code, b"sign_in_link" in answer.content) == (409, True)
    assert capsys.readouterr().out == ""
