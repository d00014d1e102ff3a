"""Accounts for programs that label over the REST API."""

import secrets
from datetime import timedelta

from django.db import transaction

from accounts.actions import TOKEN_LIFETIME, make_account, make_token, revoke_access
from accounts.models import Scope, User
from studies.actions.audit import record
from studies.actions.seats import manage, take_seat
from studies.errors import NotInTheStudy
from studies.models import Membership, Role, Study


@transaction.atomic
def add_model(
    *, study: Study, name: str, by: User | None, lifetime: timedelta = TOKEN_LIFETIME
) -> tuple[Membership, str]:
    """Make an account for a program as a member with the role model; return its seat and an API token. The
    account has no password, and an address that takes no mail. The token cannot be read again.
    """
    manage(study, by)
    user = make_account(name=name, email=f"model-{secrets.token_hex(8)}@models.invalid", password=None)
    member = take_seat(study, user, Role.MODEL)
    record(study, "people.model_added", by, member=member.pseudonym, name=name)
    return member, make_token(user=user, name=name[:80], scope=Scope.LABEL, lifetime=lifetime)


@transaction.atomic
def make_model_token(*, member: Membership, by: User | None, lifetime: timedelta = TOKEN_LIFETIME) -> str:
    """Replace all API tokens of a model by a new one, which cannot be read again. Raises NotInTheStudy if the
    member has left or is no model.
    """
    manage(member.study, by)
    member = Membership.objects.select_related("study", "user").get(pk=member.pk)
    if member.left_at or member.role != Role.MODEL or member.user is None:
        raise NotInTheStudy
    revoke_access(user=member.user)
    record(member.study, "people.model_token_made", by, member=member.pseudonym)
    return make_token(user=member.user, name=member.user.name[:80], scope=Scope.LABEL, lifetime=lifetime)
