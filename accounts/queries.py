"""Queries about accounts."""

from django.db.models import Q, QuerySet
from knox.models import AuthToken

from accounts.models import AddressChange, Scope, SignInLink, TokenTerms, User
from accounts.secrets import hash_of
from core import clock


def anybody() -> bool:
    """Does any account exist? If not, the next visitor makes the first one."""
    return User.objects.exists()


def sign_in_link(token: str) -> SignInLink | None:
    """The link with this token, used or not; None if there is no such link."""
    return SignInLink.objects.select_related("user").filter(token_hash=hash_of(token)).first()


def is_open(link: SignInLink | AddressChange) -> bool:
    """May this link still be used?"""
    return link.used_at is None and link.expires_at > clock.now() and link.user.is_active


def address_change(token: str) -> AddressChange | None:
    """The change of address with this token, used or not; None if there is no such link."""
    return AddressChange.objects.select_related("user").filter(token_hash=hash_of(token)).first()


def tokens_of(user: User) -> QuerySet[AuthToken]:
    """The API tokens of this user that have not expired, newest first, each with its terms."""
    tokens: QuerySet[AuthToken] = AuthToken.objects.filter(user=user).select_related("terms")
    return tokens.filter(Q(expiry=None) | Q(expiry__gt=clock.now())).order_by("-created")


def terms_of(token: AuthToken) -> TokenTerms:
    """The name, scope and last use of a token.

    A token without terms was made by the code before them while both ran: it may do everything, as it was
    promised, and is named for its date.
    """
    try:
        terms: TokenTerms = token.terms
    except TokenTerms.DoesNotExist:
        terms = TokenTerms(token=token, name=f"{token.created:%Y-%m-%d}", scope=Scope.MANAGE)
    return terms
