"""Sign-in by django-allauth; accounts come from invitations only."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest

from accounts import actions
from accounts.models import User


class InvitationOnly(DefaultAccountAdapter):
    """Nobody can sign up: accounts are made when invitations are accepted."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def set_password(self, user: User, password: str) -> None:
        actions.change_password(user=user, password=password)
