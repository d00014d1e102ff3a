import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from accounts import actions
from accounts.models import User
from core.models import HandledForm
from tests.accounts.whoami import answer_for, status_for
from tests.factories import make_user

pytestmark = pytest.mark.django_db

FORM = {"name": "Harvest", "scope": "read", "lifetime": "30"}
HTMX = {"HX-Request": "true", "HX-Target": "tokens"}


@pytest.fixture
def user(client) -> User:
    user = make_user("Ada")
    client.force_login(user)
    return user


def new_token(answer) -> str:
    (token,) = re.findall(rb'id="new-token">(\w+)<', answer.content)
    return token.decode()


def test_page(client, user):
    actions.make_token(user=make_user())
    page = client.get(reverse("me"))
    assert page.status_code == 200
    assert user.email.encode() in page.content
    assert list(page.context["tokens"]) == []


def test_rename(client, user):
    assert client.post(reverse("me"), {"name": "Ada Lovelace"}).headers["Location"] == reverse("me")
    assert User.objects.get().name == "Ada Lovelace"


@pytest.mark.parametrize("name", ["", " ", "x" * 151, "a\x00b"])
def test_rename_refuses(client, user, name):
    answer = client.post(reverse("me"), {"name": name, "may_create_studies": "on"})
    assert answer.status_code == 422
    assert User.objects.get().name == "Ada"


def test_rename_changes_the_name_only(client, user):
    client.post(reverse("me"), {"name": "Eve", "may_create_studies": "on", "email": "x@example.org"})
    changed = User.objects.get()
    assert (changed.may_create_studies, changed.email) == (False, user.email)


def test_make_token_shows_it_once(client, user):
    answer = client.post(reverse("make_token"), FORM)
    token = new_token(answer)
    assert answer.status_code == 200
    assert answer_for(token).data == {"name": "Ada"}
    again = client.get(reverse("me"))
    assert token.encode() not in again.content
    assert token[:8].encode() in again.content
    lives = AuthToken.objects.get().expiry - timezone.now()
    assert timedelta(days=29) < lives <= timedelta(days=30)


def test_make_token_as_fragment(client, user):
    answer = client.post(reverse("make_token"), FORM, headers=HTMX)
    assert answer.content.lstrip().startswith(b'<section class="card"')
    assert b"<html" not in answer.content
    assert status_for(new_token(answer)) == 200


def test_make_token_sent_twice_makes_one(client, user):
    form = FORM | {"form_key": str(uuid4())}
    assert client.post(reverse("make_token"), form).status_code == 200
    assert client.post(reverse("make_token"), form).status_code == 302
    assert AuthToken.objects.count() == 1
    assert HandledForm.objects.count() == 1


def test_make_token_for_another_time_is_refused(client, user):
    form = FORM | {"lifetime": "36500", "form_key": str(uuid4())}
    assert client.post(reverse("make_token"), form).status_code == 422
    assert AuthToken.objects.count() == 0
    assert HandledForm.objects.count() == 0


def test_revoke_token(client, user):
    token = actions.make_token(user=user)
    assert status_for(token) == 200
    assert client.post(reverse("revoke_token", args=[token[:15]])).headers["Location"] == reverse("me")
    assert status_for(token) == 401


def test_revoke_token_of_somebody_else_is_not_found(client, user):
    token = actions.make_token(user=make_user())
    assert client.post(reverse("revoke_token", args=[token[:15]])).status_code == 404
    assert status_for(token) == 200


def test_token_is_refused_at_once_when_its_account_is_closed(user):
    token = actions.make_token(user=user)
    # Closed without the action: what the authentication itself sees.
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert status_for(token) == 401
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert status_for(token) == 200
    actions.close_account(user=user)
    User.objects.filter(pk=user.pk).update(is_active=True)
    assert status_for(token) == 401


def test_token_is_refused_when_it_has_expired(user):
    assert status_for(actions.make_token(user=user, lifetime=timedelta(seconds=-1))) == 401


def test_seen_costs_one_update_a_minute(client, user, django_assert_num_queries):
    ahead = timezone.now().replace(second=0, microsecond=0) + timedelta(minutes=1)
    User.objects.update(seen_at=ahead)
    # The session, the user, the tokens.
    with django_assert_num_queries(3):
        client.get(reverse("me"))
    User.objects.update(seen_at=None)
    with django_assert_num_queries(4):
        client.get(reverse("me"))


def test_page_does_not_reach_the_database_for_more_tokens(client, user, django_assert_num_queries):
    User.objects.update(seen_at=timezone.now() + timedelta(hours=1))
    for _token in range(3):
        actions.make_token(user=user)
    with django_assert_num_queries(3):
        client.get(reverse("me"))
