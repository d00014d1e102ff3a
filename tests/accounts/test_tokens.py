"""Tokens: their names and scopes, and when they were last used."""

import re
import time
from datetime import UTC, datetime, timedelta
from importlib import import_module
from threading import Event

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from knox.auth import TokenAuthentication
from knox.models import AuthToken
from rest_framework.test import APIClient

from accounts import actions
from accounts.models import Scope, TokenTerms
from accounts.queries import terms_of
from core import clock
from tests.factories import make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db

STUDIES = "/api/v1/studies/"
WRITES = '(INSERT INTO|UPDATE) "accounts_tokenterms"'
AT = datetime(2026, 3, 4, 10, 20, 30, tzinfo=UTC)


@pytest.fixture
def user():
    return make_user("Ada")


def client_with(token: str) -> APIClient:
    return APIClient(HTTP_AUTHORIZATION=f"Token {token}")


def test_a_token_without_a_name_is_named_for_its_date_and_manages(user):
    actions.make_token(user=user)
    terms, created = TokenTerms.objects.get(), AuthToken.objects.get().created
    assert (terms.name, terms.scope, terms.used_at) == (f"{created:%Y-%m-%d}", "manage", None)


def test_a_token_of_the_code_before_goes_on_and_manages(user):
    made, token = AuthToken.objects.create(user=user)
    AuthToken.objects.update(created=AT)
    terms = terms_of(AuthToken.objects.get())
    assert (terms.name, terms.scope) == ("2026-03-04", "manage")

    assert client_with(token).get(STUDIES).status_code == 200
    stored = TokenTerms.objects.get()
    assert (stored.token_id, stored.name, stored.scope) == (made.pk, "2026-03-04", "manage")
    assert stored.used_at is not None


def test_the_code_before_deletes_tokens_without_knowing_of_their_terms(user):
    actions.make_token(user=user)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM knox_authtoken")
    assert not TokenTerms.objects.exists()


def test_terms_of_no_token_are_refused():
    with pytest.raises(IntegrityError), transaction.atomic():
        TokenTerms.objects.create(token_id="none", name="x", scope="read")


@pytest.mark.parametrize("wrong", [{"name": ""}, {"scope": "own"}])
def test_the_database_refuses_terms_without_a_name_or_with_another_scope(user, wrong):
    actions.make_token(user=user)
    with pytest.raises(IntegrityError), transaction.atomic():
        TokenTerms.objects.update(**wrong)


def test_the_last_use_is_written_at_most_once_a_minute(user, monkeypatch):
    token = actions.make_token(user=user, scope=Scope.READ)
    now = AT
    monkeypatch.setattr(clock, "now", lambda: now)

    def writes() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert client_with(token).get(STUDIES).status_code == 200
        return sum(bool(re.search(WRITES, one["sql"])) for one in asked)

    assert writes() == 1
    assert TokenTerms.objects.get().used_at == AT.replace(second=0)
    now = AT + timedelta(seconds=29)
    assert writes() == 0
    now = AT + timedelta(seconds=30)
    assert writes() == 1
    assert TokenTerms.objects.get().used_at == datetime(2026, 3, 4, 10, 21, tzinfo=UTC)


def test_of_two_requests_in_a_minute_one_writes(user, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: AT)
    actions.make_token(user=user)
    one, other = AuthToken.objects.get(), AuthToken.objects.get()
    assert terms_of(one).used_at is None
    assert terms_of(other).used_at is None
    actions.note_token_used(token=one)
    actions.note_token_used(token=other)
    assert TokenTerms.objects.get().used_at == AT.replace(second=0)


def test_a_token_that_is_revoked_while_it_is_checked_is_refused(user, monkeypatch):
    token = actions.make_token(user=user)
    check = TokenAuthentication.authenticate_credentials

    def and_revoke(self, given):
        found = check(self, given)
        actions.revoke_access(user=user)
        return found

    monkeypatch.setattr(TokenAuthentication, "authenticate_credentials", and_revoke)
    assert client_with(token).get(STUDIES).status_code == 401
    assert not TokenTerms.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_use_during_the_revocation_waits_for_it_and_is_refused():
    user = make_user("Ada")
    actions.make_token(user=user)
    token = AuthToken.objects.get()
    revoked = Event()

    def revoke():
        with transaction.atomic():
            actions.revoke_access(user=user)
            revoked.set()
            time.sleep(0.2)

    def use():
        revoked.wait(10)
        return actions.note_token_used(token=token)

    assert at_once(revoke, use) == [None, False]
    assert not TokenTerms.objects.exists()


def test_a_token_that_is_no_text_is_refused(user):
    assert client_with("ÿþ").get(STUDIES).status_code == 401


def test_the_page_lists_tokens_and_what_they_may_do(client, user):
    client.force_login(user)
    form = {"name": "Harvest of Monday", "scope": "read", "lifetime": "30"}
    page = client.post(reverse("make_token"), form)
    assert page.status_code == 200
    terms = TokenTerms.objects.get()
    assert (terms.name, terms.scope) == ("Harvest of Monday", "read")
    row = page.content.decode().split("<tbody>")[1]
    assert "Harvest of Monday" in row
    assert "Read" in row
    assert row.count("never") == 1

    actions.note_token_used(token=AuthToken.objects.get())
    assert "never" not in client.get(reverse("me")).content.decode().split("<tbody>")[1]


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"name": "x" * 81}, {"scope": "own"}, {"scope": ""}, {"lifetime": "9999"}]
)
def test_the_page_refuses_a_token_without_name_or_scope(client, user, wrong):
    client.force_login(user)
    form = {"name": "Mine", "scope": "label", "lifetime": "30"} | wrong
    assert client.post(reverse("make_token"), form).status_code == 422
    assert not AuthToken.objects.exists()


def test_the_two_names_on_the_page_have_ids_of_their_own(client, user):
    client.force_login(user)
    ids = re.findall(r' id="([^"]+)"', client.get(reverse("me")).text)
    assert sorted(set(ids)) == sorted(ids)


def test_tokens_that_exist_at_the_upgrade_manage_and_those_with_terms_keep_them(user):
    made, _token = AuthToken.objects.create(user=user)
    AuthToken.objects.update(created=AT)
    actions.make_token(user=user, name="Harvest", scope=Scope.READ)
    (operation,) = import_module("accounts.migrations.0003_existing_tokens_manage").Migration.operations
    with connection.cursor() as cursor:
        cursor.execute(operation.sql)
    found = {terms.name: (terms.scope, terms.used_at) for terms in TokenTerms.objects.all()}
    assert found == {"2026-03-04": ("manage", None), "Harvest": ("read", None)}
    assert TokenTerms.objects.get(name="2026-03-04").token_id == made.pk
