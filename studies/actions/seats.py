"""Seats and their pseudonyms. Shared by the actions of this room; other rooms do not import it."""

import re
from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from core.sql.constraints import violated
from studies.errors import AlreadyMember, LastOwner
from studies.models import Membership, Role, Study
from studies.rules import may_manage_people

ATTEMPTS = 20
VIEWERS = re.compile(r"V[0-9]+", re.IGNORECASE)
LETTERS = {Role.VIEWER: "V", Role.MODEL: "M"}


def lock(study: Study) -> None:
    """Lock the study's row until the transaction ends, so that its people change one at a time."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def manage(study: Study, by: User | None) -> None:
    """Lock the study for a change of its people. Raises PermissionDenied unless `by` may manage them now."""
    lock(study)
    require_rule(study, by, may_manage_people)


def require_rule(study: Study, by: User | None, may: Callable[[Membership | None], bool]) -> None:
    """Raise PermissionDenied unless the rule allows `by`; a command (None) may do everything."""
    if by is not None and not may(Membership.objects.filter(study=study, user=by).first()):
        raise PermissionDenied


def take_seat(study: Study, user: User, role: str) -> Membership:
    """Give `user` a new seat, or their former one with its pseudonym. Raises AlreadyMember if they have not
    left.
    """
    former = Membership.objects.filter(study=study, user=user).first()
    if former is None:
        return _new_seat(study, user, role)
    if former.left_at is None:
        raise AlreadyMember
    former.left_at = None
    former.role = role
    rename_for(former)
    former.save(update_fields=["left_at", "role", "pseudonym"])
    return former


def rename_for(member: Membership) -> None:
    """Give a viewer who may now label a new pseudonym; others keep theirs, because exports show it."""
    if member.role != Role.VIEWER and VIEWERS.fullmatch(member.pseudonym):
        member.pseudonym = next_pseudonym(member.study, member.role)


def next_pseudonym(study: Study, role: str) -> str:
    """R, V (viewer) or M (model), and the highest number of that letter in the study plus one."""
    letter = LETTERS.get(Role(role), "R")
    taken = Membership.objects.filter(study=study, pseudonym__iregex=rf"^{letter}[0-9]{{1,9}}$")
    numbers = (int(pseudonym[1:]) for pseudonym in taken.values_list("pseudonym", flat=True))
    return f"{letter}{max(numbers, default=0) + 1}"


def check_owner_stays() -> None:
    """Check the constraint that the study keeps an owner now, not at commit. Raises LastOwner."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS last_owner_stays IMMEDIATE")
            cursor.execute("SET CONSTRAINTS last_owner_stays DEFERRED")
    except IntegrityError as error:
        if violated(error) == "last_owner_stays":
            raise LastOwner from error
        raise


def _new_seat(study: Study, user: User, role: str) -> Membership:
    # An import of a published study adds many seats: another transaction may have taken the number.
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic():
                pseudonym = next_pseudonym(study, role)
                return Membership.objects.create(study=study, user=user, role=role, pseudonym=pseudonym)
        except IntegrityError as error:
            if violated(error) == "one_membership_per_person_and_study":
                raise AlreadyMember from error
            if violated(error) != "pseudonym_is_unique_in_a_study" or attempt == ATTEMPTS:
                raise
    raise AssertionError
