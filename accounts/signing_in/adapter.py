"""Sign-in by django-allauth; accounts come from invitations only."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core import context
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts import actions
from accounts.models import User
from accounts.secrets import hash_of
from accounts.signing_in import known_browsers
from core.limits import Rate, give_back, spend


class InvitationOnly(DefaultAccountAdapter):
    """Nobody can sign up: accounts are made when invitations are accepted."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - as allauth calls it
        return False

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: Any) -> str:
        """Count wrong passwords by account and known browser, or else by account and address: a stranger
        shuts nobody else out.
        """
        counted = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{_known(request, credentials) or self.get_client_ip(request)} {counted}"

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count wrong passwords of an account from all unknown browsers together, too: a stranger can have
        many addresses.
        """
        super().pre_authenticate(request, **credentials)
        rate = Rate.of(settings.SIGN_IN_LIMIT)
        self._strangers = None
        if rate is None or _known(request, credentials):
            return
        key = f"strangers:{hash_of(_login(credentials))}"
        if wait := spend(key, rate):
            self._rollback_login_failed_rl_usage()
            raise TooManyStrangers(wait)
        self._strangers = (key, rate)

    def _rollback_login_failed_rl_usage(self) -> None:
        """The password was right."""
        super()._rollback_login_failed_rl_usage()
        if strangers := getattr(self, "_strangers", None):
            give_back(*strangers)

    def set_password(self, user: User, password: str) -> None:
        actions.change_password(user=user, password=password)
        # By the old password, or by a link to the address of the account.
        context.request.address_proved = user.email


class TooManyStrangers(ValidationError):
    """Too many wrong passwords of one account from browsers that have never signed in."""

    def __init__(self, wait: int) -> None:
        super().__init__(
            _(
                "Too many wrong passwords were typed for this account, in browsers that have never signed in."
                " Use a browser in which you have signed in before, reset your password, or wait an hour."
            ),
            code="too_many_login_attempts",
        )
        self.wait = wait


def _login(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email") or credentials.get("username") or "").strip().casefold()


def _known(request: HttpRequest, credentials: dict[str, Any]) -> str:
    return known_browsers.known_as(request, _login(credentials))
