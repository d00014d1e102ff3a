from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.utils import timezone

from accounts.models import User
from studies import actions, queries
from studies.errors import InvitationClosed, InvitationUnknown
from studies.models import Event, Invitation, Role
from tests.factories import make_member, make_study, make_user
from tests.races import at_once

pytestmark = pytest.mark.django_db

NEWCOMER = {"name": "Ada", "email": "ada@example.org", "password": "correct horse battery"}


def invited(role=Role.VOLUNTEER, **fields):
    """An owner, an invitation of theirs, and its token."""
    owner = make_member(make_study(), Role.OWNER)
    invitation, token = actions.invite(study=owner.study, role=role, by=owner.user, **fields)
    return owner, invitation, token


def test_invite():
    before = timezone.now()
    owner, invitation, token = invited(Role.LEAD, note="Hana")
    assert (invitation.study, invitation.role, invitation.note) == (owner.study, "lead", "Hana")
    assert invitation.created_by == owner
    assert timedelta(days=14) <= invitation.expires_at - before < timedelta(days=14, seconds=10)
    assert queries.invitation(token) == invitation
    assert queries.is_open(invitation)
    assert Event.objects.get().detail == {"role": "lead", "note": "Hana"}


def test_invitation_is_stored_as_a_hash():
    _owner, _invitation, token = invited()
    with connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(row_to_json(i)::text, '') FROM studies_invitation i")
        (stored,) = cursor.fetchone()
        cursor.execute("SELECT string_agg(row_to_json(e)::text, '') FROM studies_event e")
        (told,) = cursor.fetchone()
    assert token not in stored + told
    assert len(token) >= 43


def test_accept():
    owner, invitation, token = invited(Role.VIEWER)
    user = make_user()
    member = actions.accept_invitation(token=token, user=user)
    assert (member.study, member.user, member.role, member.pseudonym) == (owner.study, user, "viewer", "V1")
    invitation.refresh_from_db()
    assert invitation.accepted_by == member
    assert invitation.accepted_at is not None
    last = Event.objects.latest("id")
    assert (last.verb, last.by, last.detail) == ("people.joined", user, {"member": "V1", "role": "viewer"})


def test_accepted_it_is_used_up_and_not_to_be_revoked():
    owner, invitation, token = invited()
    actions.accept_invitation(token=token, user=make_user())
    with pytest.raises(InvitationClosed):
        actions.accept_invitation(token=token, user=make_user())
    with pytest.raises(InvitationClosed):
        actions.revoke_invitation(invitation=invitation, by=owner.user)
    assert owner.study.memberships.count() == 2


def test_accept_revoked():
    owner, invitation, token = invited()
    actions.revoke_invitation(invitation=invitation, by=owner.user)
    actions.revoke_invitation(invitation=invitation, by=owner.user)
    with pytest.raises(InvitationClosed):
        actions.accept_invitation(token=token, user=make_user())
    verbs = list(Event.objects.order_by("id").values_list("verb", flat=True))
    assert verbs == ["people.invited", "people.invitation_revoked"]


def test_accept_expired():
    _owner, _invitation, token = invited(lifetime=timedelta(seconds=-1))
    with pytest.raises(InvitationClosed):
        actions.accept_invitation(token=token, user=make_user())


@pytest.mark.parametrize("token", ["", "unknown", "\x00", "\ud800"])
def test_accept_unknown(token):
    invited()
    with pytest.raises(InvitationUnknown):
        actions.accept_invitation(token=token, user=make_user())


def test_accept_with_a_closed_account_is_refused():
    _owner, _invitation, token = invited()
    with pytest.raises(PermissionDenied):
        actions.accept_invitation(token=token, user=make_user(is_active=False))


def test_former_member_who_accepts_gets_the_seat_back_in_the_invited_role():
    owner, _invitation, token = invited(Role.LEAD)
    former = make_member(owner.study, pseudonym="R7", left_at=timezone.now())
    member = actions.accept_invitation(token=token, user=former.user)
    assert member == former
    assert (member.left_at, member.role, member.pseudonym) == (None, "lead", "R7")


@pytest.mark.parametrize("state", ["unknown", "closed"])
def test_whoever_has_no_open_invitation_does_not_learn_which_addresses_have_accounts(state):
    owner, invitation, token = invited()
    actions.revoke_invitation(invitation=invitation, by=owner.user)
    make_user(email="ada@example.org")
    tried = {
        "token": "unknown" if state == "unknown" else token,
        "name": "Eve",
        "password": "a long password",
    }
    for email in ("ada@example.org", "nobody@example.org"):
        with pytest.raises(InvitationUnknown if state == "unknown" else InvitationClosed):
            actions.join_with_new_account(email=email, **tried)
    assert User.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_two_who_accept_one_link_at_a_time():
    for _repetition in range(5):
        owner, _invitation, token = invited()
        people = [make_user() for _ in range(3)]
        results = at_once(*[lambda t=token, p=p: actions.accept_invitation(token=t, user=p) for p in people])
        assert sorted(type(result).__name__ for result in results) == ["InvitationClosed"] * 2 + [
            "Membership"
        ]
        assert owner.study.memberships.count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_who_accepts_two_links_at_a_time_gets_one_seat():
    owner, _invitation, first = invited()
    _second_invitation, second = actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    user = make_user()
    results = at_once(*[lambda t=t: actions.accept_invitation(token=t, user=user) for t in (first, second)])
    assert sorted(type(result).__name__ for result in results) == ["AlreadyMember", "Membership"]
    assert Invitation.objects.filter(accepted_at=None).count() == 1


def test_open_and_closed_invitations():
    owner, first, _token = invited()
    revoked, _token = actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    actions.revoke_invitation(invitation=revoked, by=owner.user)
    expired, _token = actions.invite(
        study=owner.study, role=Role.LEAD, by=owner.user, lifetime=timedelta(seconds=-1)
    )
    used, token = actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    actions.accept_invitation(token=token, user=make_user())
    last, _token = actions.invite(study=owner.study, role=Role.LEAD, by=owner.user)
    invited()
    assert list(queries.open_invitations(owner.study)) == [last, first]
    assert list(queries.closed_invitations(owner.study)) == [used, expired, revoked]
