"""Invitations by link: makes, revokes and accepts them."""

from datetime import timedelta

from django.core.exceptions import PermissionDenied
from django.db import transaction

from accounts.actions import make_account
from accounts.models import User
from accounts.secrets import hash_of, new_secret
from core import clock
from studies.actions.audit import record
from studies.actions.seats import lock, manage, take_seat
from studies.errors import InvitationClosed, InvitationUnknown, RoleIsFixed
from studies.models import Invitation, Membership, Role, Study
from studies.queries import is_open

LIFETIME = timedelta(days=14)


@transaction.atomic
def invite(
    *, study: Study, role: str, by: User, note: str = "", lifetime: timedelta = LIFETIME
) -> tuple[Invitation, str]:
    """Make an invitation for one person; return it and its token, which cannot be read again.

    The address is `/invitations/<token>/` (`accept_invitation`). Raises RoleIsFixed for the role model, whose
    account an owner makes with `add_model`; PermissionDenied if `by` is no owner.
    """
    manage(study, by)
    if role == Role.MODEL:
        raise RoleIsFixed
    token = new_secret()
    invitation = Invitation.objects.create(
        study=study,
        role=role,
        note=note,
        token_hash=hash_of(token),
        created_by=Membership.objects.get(study=study, user=by),
        expires_at=clock.now() + lifetime,
    )
    record(study, "people.invited", by, role=role, note=note)
    return invitation, token


@transaction.atomic
def revoke_invitation(*, invitation: Invitation, by: User | None) -> Invitation:
    """Close an invitation; a second call changes nothing. Raises InvitationClosed if it was accepted."""
    manage(invitation.study, by)
    invitation = Invitation.objects.select_related("study").get(pk=invitation.pk)
    if invitation.accepted_at:
        raise InvitationClosed
    if invitation.revoked_at is None:
        invitation.revoked_at = clock.now()
        invitation.save(update_fields=["revoked_at"])
        record(invitation.study, "people.invitation_revoked", by, role=invitation.role, note=invitation.note)
    return invitation


@transaction.atomic
def accept_invitation(*, token: str, user: User) -> Membership:
    """Join by an invitation and use it up; a former member gets the old seat back, with the invited role.

    Raises InvitationUnknown, InvitationClosed (used, revoked, expired), and AlreadyMember, which leaves the
    invitation open. Of two people with the same link one succeeds.
    """
    if not user.is_active:
        raise PermissionDenied
    return _accept(_open_invitation(token), user)


@transaction.atomic
def join_with_new_account(*, token: str, name: str, email: str, password: str) -> Membership:
    """Make an account and join by an invitation with it: both, or neither. Raises AddressTaken, and the
    errors of `accept_invitation`.
    """
    # The invitation is checked first: without one nobody can learn here which addresses have accounts.
    invitation = _open_invitation(token)
    return _accept(invitation, make_account(name=name, email=email, password=password))


def _open_invitation(token: str) -> Invitation:
    """The invitation with this token; locks its study. Raises InvitationUnknown, InvitationClosed."""
    found = Invitation.objects.select_related("study").filter(token_hash=hash_of(token)).first()
    if found is None:
        raise InvitationUnknown
    lock(found.study)
    invitation = Invitation.objects.select_related("study").get(pk=found.pk)
    if not is_open(invitation):
        raise InvitationClosed
    return invitation


def _accept(invitation: Invitation, user: User) -> Membership:
    member = take_seat(invitation.study, user, invitation.role)
    invitation.accepted_by, invitation.accepted_at = member, clock.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    record(invitation.study, "people.joined", user, member=member.pseudonym, role=member.role)
    return member
