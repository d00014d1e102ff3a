"""Sign-in by django-allauth; accounts come from invitations only."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from accounts import actions
from accounts.models import User


class InvitationOnly(DefaultAccountAdapter):
    """Nobody can sign up: accounts are made when invitations are accepted."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count wrong passwords by account and address together: a stranger shuts nobody else out."""
        counted = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{self.get_client_ip(request)} {counted}"

    def set_password(self, user: User, password: str) -> None:
        actions.change_password(user=user, password=password)
