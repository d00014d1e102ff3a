"""Members join, change role, leave and return."""

from django.db import transaction

from accounts.actions import revoke_access
from accounts.models import User
from core import clock
from studies.actions.audit import record
from studies.actions.seats import check_owner_stays, lock, manage, rename_for, require_rule, take_seat
from studies.errors import AccountClosed, NotInTheStudy, RoleIsFixed
from studies.models import Invitation, Membership, Role, Study
from studies.rules import may_manage_people


@transaction.atomic
def add_member(*, study: Study, user: User, role: str, by: User | None = None) -> Membership:
    """Give a person a seat without an invitation. Raises AlreadyMember; RoleIsFixed for the role model."""
    manage(study, by)
    if role == Role.MODEL:
        raise RoleIsFixed
    member = take_seat(study, user, role)
    record(study, "people.joined", by or user, member=member.pseudonym, role=member.role)
    return member


@transaction.atomic
def change_role(*, member: Membership, role: str, by: User | None) -> Membership:
    """Change a member's role; an owner who becomes something else loses their open invitations. Raises
    LastOwner, RoleIsFixed (to or from model), NotInTheStudy, and PermissionDenied if `by` is no owner.
    """
    manage(member.study, by)
    member = Membership.objects.select_related("study").get(pk=member.pk)
    former = member.role
    if former == role:
        return member
    if Role.MODEL in (former, role):
        raise RoleIsFixed
    if member.left_at:
        raise NotInTheStudy
    member.role = role
    rename_for(member)
    member.save(update_fields=["role", "pseudonym"])
    check_owner_stays()
    if former == Role.OWNER:
        _revoke_invitations_of(member)
    record(
        member.study, "people.role_changed", by, **{"member": member.pseudonym, "from": former, "to": role}
    )
    return member


@transaction.atomic
def end_membership(*, member: Membership, by: User | None) -> Membership:
    """End a membership, by an owner or by the member; the labels stay. A second call changes nothing. Revokes
    the invitations that the member made, and a model's tokens. Raises LastOwner, PermissionDenied.
    """
    lock(member.study)
    if by is None or by.pk != member.user_id:
        require_rule(member.study, by, may_manage_people)
    member = Membership.objects.select_related("study", "user").get(pk=member.pk)
    if member.left_at:
        return member
    member.left_at = clock.now()
    member.save(update_fields=["left_at"])
    check_owner_stays()
    _revoke_invitations_of(member)
    if member.role == Role.MODEL and member.user:
        revoke_access(user=member.user)
    record(member.study, "people.left", by, member=member.pseudonym, role=member.role)
    return member


@transaction.atomic
def rejoin(*, member: Membership, by: User | None) -> Membership:
    """Give a former member their seat back with its role and pseudonym. A second call changes nothing. Raises
    AccountClosed, also for an erased person.
    """
    manage(member.study, by)
    member = Membership.objects.select_related("study", "user").get(pk=member.pk)
    if member.left_at is None:
        return member
    if member.user and not member.user.is_active:
        raise AccountClosed
    member.left_at = None
    member.save(update_fields=["left_at"])
    record(member.study, "people.rejoined", by, member=member.pseudonym, role=member.role)
    return member


def _revoke_invitations_of(member: Membership) -> None:
    """Close the open invitations of this member, who could otherwise return by one of them."""
    open_ones = Invitation.objects.filter(created_by=member, accepted_at=None, revoked_at=None)
    open_ones.update(revoked_at=clock.now())
