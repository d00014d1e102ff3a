"""The page behind an invitation's link: for visitors, for people with an account, for members."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from studies import actions
from studies.models import Invitation, Membership, Role
from tests.factories import make_member, make_study, make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db

FORM = {"name": "Ada", "email": "ada@example.org", "password": "correct horse battery"}


@pytest.fixture
def owner() -> Membership:
    return make_member(make_study("Main study", slug="main"), Role.OWNER)


@pytest.fixture
def link(owner) -> str:
    return invite(owner)


def invite(owner, role=Role.VOLUNTEER, **fields) -> str:
    _invitation, token = actions.invite(study=owner.study, role=role, by=owner.user, **fields)
    return reverse("accept_invitation", args=[token])


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def seats() -> list[tuple[str, str]]:
    return list(Membership.objects.order_by("id").values_list("pseudonym", "role"))


def test_visitor_sees_who_invites_to_what_and_changes_nothing(client, link, owner):
    for _visit in range(2):
        page = client.get(link)
        assert page.status_code == 200
        text = " ".join(page.text.split())
        assert "Main study" in text
        assert f"{owner.user.name} invites you to take part as volunteer." in text
        assert f"/accounts/login/?next={link}" in text
    assert Invitation.objects.get().accepted_at is None
    assert User.objects.count() == 1


def test_visitor_makes_an_account_and_joins(client, link):
    answer = client.post(link, FORM)
    assert answer.headers["Location"] == reverse("study", args=["main"])
    assert seats() == [("R1", "owner"), ("R2", "volunteer")]
    ada = User.objects.get(email="ada@example.org")
    assert (ada.name, ada.may_create_studies) == ("Ada", False)
    assert ada.check_password(FORM["password"])
    assert client.session["_auth_user_id"] == str(ada.pk)


@pytest.mark.parametrize(
    "change", [{"name": ""}, {"email": "ada"}, {"password": "short"}, {"password": "correcthorse1"[:5] * 2}]
)
def test_bad_input_is_refused_and_kept(client, link, change):
    answer = client.post(link, FORM | change)
    assert answer.status_code == 422
    assert seats() == [("R1", "owner")]
    assert Invitation.objects.get().accepted_at is None
    assert b"correct horse battery" not in answer.content


def test_address_that_has_an_account_is_asked_to_sign_in(client, link):
    known = make_user("Ada", email="ADA@example.org", password="her own password")
    answer = client.post(link, FORM)
    assert answer.status_code == 409
    assert b"If you already have an account here, sign in." in answer.content
    assert b"ada@example.org" in answer.content
    assert b"correct horse battery" not in answer.content
    assert seats() == [("R1", "owner")]
    assert Invitation.objects.get().accepted_at is None
    assert "_auth_user_id" not in client.session
    known.refresh_from_db()
    assert known.check_password("her own password")


def test_trying_addresses_is_throttled(client, link):
    make_user(email="ada@example.org")
    cache.clear()
    with override_settings(ACCOUNT_RATE_LIMITS={"accept_invitation": "3/h/key"}):
        statuses = [client.post(link, FORM).status_code for _ in range(5)]
    cache.clear()
    assert statuses == [409, 409, 409, 429, 429]


def test_account_holder_joins_by_post(link):
    user = make_user("Ada")
    client = signed_in(user)
    page = client.get(link)
    assert b"Join as Ada" in page.content
    assert b'name="password"' not in page.content
    assert seats() == [("R1", "owner")]
    assert client.post(link).headers["Location"] == reverse("study", args=["main"])
    assert Membership.objects.get(user=user).role == "volunteer"


def test_account_holder_who_posts_a_form_makes_no_second_account(link):
    user = make_user("Ada")
    signed_in(user).post(link, FORM)
    assert not User.objects.filter(email="ada@example.org").exists()
    assert Membership.objects.get(user=user).pseudonym == "R2"


def test_member_is_told_so_and_the_link_stays_open(owner, link):
    client = signed_in(owner.user)
    page = client.get(link)
    assert page.status_code == 200
    assert b"You are already a member" in page.content
    assert client.post(link).status_code == 409
    assert Invitation.objects.get().accepted_at is None
    assert seats() == [("R1", "owner")]


def test_former_member_joins_again_in_the_same_seat(owner, link):
    former = make_member(owner.study, Role.VIEWER, pseudonym="V1", left_at=timezone.now())
    signed_in(former.user).post(link)
    former.refresh_from_db()
    assert (former.left_at, former.role, former.pseudonym) == (None, "volunteer", "R2")


def test_accepting_twice(link):
    ada, bob = signed_in(make_user("Ada")), signed_in(make_user("Bob"))
    ada.post(link)
    assert ada.get(link).status_code == 200
    assert b"You are already a member" in ada.get(link).content
    for client in (bob, Client()):
        assert client.get(link).status_code == 410
        assert b"This invitation was already used" in client.get(link).content
        assert client.post(link, FORM).status_code == 410
    assert seats() == [("R1", "owner"), ("R2", "volunteer")]


def test_revoked(client, owner, link):
    actions.revoke_invitation(invitation=Invitation.objects.get(), by=owner.user)
    assert b"was revoked" in client.get(link).content
    assert client.get(link).status_code == client.post(link, FORM).status_code == 410
    assert User.objects.count() == 1


def test_expired(client, owner):
    link = invite(owner, lifetime=timedelta(seconds=-1))
    assert b"has expired" in client.get(link).content
    assert client.get(link).status_code == client.post(link, FORM).status_code == 410


def test_unknown(client, owner):
    link = reverse("accept_invitation", args=["unknown"])
    assert client.get(link).status_code == client.post(link, FORM).status_code == 404
    assert b"Main study" not in client.get(link).content


def test_needs_a_csrf_token(link):
    assert Client(enforce_csrf_checks=True).post(link, FORM).status_code == 403
    assert User.objects.count() == 1


def test_invitation_of_an_owner_who_left_opens_nothing(client, owner, link):
    second = make_member(owner.study, Role.OWNER)
    actions.end_membership(member=owner, by=second.user)
    assert client.get(link).status_code == 410


@pytest.mark.django_db(transaction=True)
def test_two_visitors_with_one_link_at_a_time():
    owner = make_member(make_study(), Role.OWNER)
    link = invite(owner)
    forms = [FORM | {"email": f"visitor{number}@example.org"} for number in range(3)]
    statuses = at_once(*[lambda f=f: Client().post(link, f).status_code for f in forms])
    assert sorted(statuses) == [302, 410, 410]
    assert User.objects.count() == 2
