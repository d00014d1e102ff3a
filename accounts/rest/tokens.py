"""Who a token is: the authentication of REST."""

from django.utils.translation import gettext as _
from knox.auth import TokenAuthentication
from knox.models import AuthToken
from rest_framework.exceptions import AuthenticationFailed

from accounts import actions
from accounts.models import User


class Tokens(TokenAuthentication):
    """Tokens as django-rest-knox checks them; their last use is noted to the minute."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, AuthToken]:
        try:
            user, found = super().authenticate_credentials(token)
        except UnicodeDecodeError:
            raise AuthenticationFailed(_("Invalid token.")) from None
        if not actions.note_token_used(token=found):
            raise AuthenticationFailed(_("Invalid token."))
        return user, found
