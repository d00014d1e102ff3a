from datetime import timedelta

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone
from knox.models import AuthToken

from accounts import actions, queries
from accounts.errors import AddressTaken, LinkUnknown, NotTheFirst, WrongSetupCode
from accounts.models import SignInLink, User
from tests.factories import make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db

FIRST = {"name": "Ada", "email": "ada@example.org", "password": "correct horse battery"}


def test_make_account_takes_an_address_once_whatever_its_case():
    made = actions.make_account(**FIRST)
    with pytest.raises(AddressTaken):
        actions.make_account(name="Eve", email="ADA@example.org", password="another long word")
    assert list(User.objects.values_list("pk", "name", "may_create_studies")) == [(made.pk, "Ada", False)]
    assert made.check_password("correct horse battery")


def test_make_account_without_password_has_none_that_fits():
    made = actions.make_account(name="Model", email="m@models.invalid", password=None)
    assert not made.has_usable_password()
    assert not made.check_password("")


def test_first_account_is_made_once():
    make_user()
    with pytest.raises(NotTheFirst):
        actions.make_first_account(**FIRST)
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("setup_code", "needs_code", "given", "made"),
    [
        ("", False, "", True),
        ("", True, "", False),
        ("", True, "anything", False),
        ("open sesame", True, "open sesame", True),
        ("open sesame", True, " open sesame ", True),
        ("open sesame", True, "open", False),
        ("open sesame", True, "", False),
        ("open sesame", False, "", False),
        ("öffne dich", True, "öffne dich", True),
    ],
)
def test_first_account_and_the_setup_code(setup_code, needs_code, given, made):
    with override_settings(FIRST_ACCOUNT_CODE=setup_code, FIRST_ACCOUNT_NEEDS_CODE=needs_code):
        if made:
            actions.make_first_account(**FIRST, code=given)
        else:
            with pytest.raises(WrongSetupCode):
                actions.make_first_account(**FIRST, code=given)
    assert User.objects.exists() is made


@pytest.mark.django_db(transaction=True)
def test_two_first_visitors_make_one_account():
    visitors = [{**FIRST, "email": f"visitor{number}@example.org"} for number in range(4)]
    results = at_once(*[lambda v=v: actions.make_first_account(**v) for v in visitors])
    assert sorted(type(result).__name__ for result in results) == ["NotTheFirst"] * 3 + ["User"]
    assert User.objects.count() == 1


def test_sign_in_link_is_stored_as_a_hash():
    token = actions.make_sign_in_link(make_user())
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(l)::text FROM accounts_signinlink l")
        (stored,) = cursor.fetchone()
    assert token not in stored
    assert len(token) >= 43


def test_sign_in_link_lives_as_long_as_said():
    before = timezone.now()
    actions.make_sign_in_link(make_user(), timedelta(hours=3))
    lives = SignInLink.objects.get().expires_at - before
    assert timedelta(hours=3) <= lives < timedelta(hours=3, seconds=10)


@pytest.mark.parametrize("token", ["", "no-such-token", "\x00", "\ud800"])
def test_sign_in_link_unknown(token):
    make_user()
    with pytest.raises(LinkUnknown):
        actions.use_sign_in_link(token=token)


def test_token_is_stored_as_a_hash_and_expires():
    user = make_user()
    token = actions.make_token(user=user, lifetime=timedelta(days=30))
    row = AuthToken.objects.get()
    assert token != row.digest
    assert token.startswith(row.token_key)
    assert timedelta(days=29) < row.expiry - timezone.now() <= timedelta(days=30)
    assert list(queries.tokens_of(user)) == [row]


def test_no_token_lives_for_ever():
    made, _token = AuthToken.objects.create(user=make_user())
    assert made.expiry - timezone.now() <= timedelta(days=180)


def test_tokens_of_leaves_out_others_and_expired_ones():
    user = make_user()
    actions.make_token(user=user, lifetime=timedelta(seconds=-1))
    actions.make_token(user=make_user())
    assert list(queries.tokens_of(user)) == []


def test_revoke_token_revokes_ones_own_only():
    user, other = make_user(), make_user()
    kept, revoked = actions.make_token(user=user), actions.make_token(user=user)
    foreign = actions.make_token(user=other)
    assert actions.revoke_token(user=user, token_key=revoked[:15]) == 1
    assert actions.revoke_token(user=user, token_key=foreign[:15]) == 0
    assert actions.revoke_token(user=user, token_key="") == 0
    assert set(AuthToken.objects.values_list("token_key", flat=True)) == {kept[:15], foreign[:15]}


def test_change_password_revokes_tokens_and_links():
    user, other = make_user(), make_user()
    actions.make_token(user=user)
    token = actions.make_sign_in_link(user)
    actions.make_token(user=other)
    actions.change_password(user=user, password="a new long password")
    assert user.check_password("a new long password")
    assert list(AuthToken.objects.values_list("user", flat=True)) == [other.pk]
    with pytest.raises(LinkUnknown):
        actions.use_sign_in_link(token=token)


def test_close_account_revokes_tokens_and_links():
    user = make_user()
    actions.make_token(user=user)
    actions.make_sign_in_link(user)
    actions.close_account(user=user)
    user.refresh_from_db()
    assert user.is_active is False
    assert not AuthToken.objects.exists()
    assert not SignInLink.objects.exists()


def test_note_seen_writes_once_in_five_minutes(django_assert_num_queries):
    user = make_user()
    with django_assert_num_queries(1):
        actions.note_seen(user=user)
    seen = User.objects.get().seen_at
    assert (seen.second, seen.microsecond) == (0, 0)
    assert timedelta(0) <= timezone.now() - seen < timedelta(minutes=2)
    with django_assert_num_queries(0):
        actions.note_seen(user=user)
    user.seen_at = seen - timedelta(minutes=4)
    with django_assert_num_queries(0):
        actions.note_seen(user=user)
    user.seen_at = seen - timedelta(minutes=6)
    with django_assert_num_queries(1):
        actions.note_seen(user=user)


def test_note_seen_moves_on_but_never_back():
    early, late = timezone.now() - timedelta(hours=1), timezone.now() + timedelta(hours=1)
    user, ahead = make_user(seen_at=early), make_user(seen_at=late)
    actions.note_seen(user=user)
    actions.note_seen(user=ahead)
    assert User.objects.get(pk=user.pk).seen_at > early
    assert User.objects.get(pk=ahead.pk).seen_at == late
