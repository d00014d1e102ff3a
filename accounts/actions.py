"""Every change of an account, its sign-in links and its tokens."""

from datetime import timedelta
from hmac import compare_digest

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from knox.models import AuthToken

from accounts.errors import (
    AddressLinkSpent,
    AddressLinkUnknown,
    AddressOfAnother,
    AddressTaken,
    LinkSpent,
    LinkUnknown,
    NotTheFirst,
    WrongSetupCode,
)
from accounts.models import ERASED, AddressChange, Scope, SignInLink, TokenTerms, User
from accounts.queries import terms_of
from accounts.secrets import hash_of, new_secret
from core import clock
from core.sql.constraints import violated

LINK_LIFETIME = timedelta(days=1)
TOKEN_LIFETIME = timedelta(days=180)
SEEN_EVERY = timedelta(minutes=5)
NOBODY = "—"
"""The name of an account whose person was erased, the same in every language."""

# Key of the advisory lock for making the first account.
_FIRST_ACCOUNT = 0x66697273


@transaction.atomic
def make_account(*, name: str, email: str, password: str | None, may_create_studies: bool = False) -> User:
    """Make an account; without a password it opens only by a sign-in link or a token. Raises AddressTaken if
    an account has this address in any letter case.
    """
    try:
        with transaction.atomic():
            return User.objects.create_user(email, name, password, may_create_studies=may_create_studies)
    except IntegrityError as error:
        if violated(error) == "one_account_per_email_address":
            raise AddressTaken from error
        raise


@transaction.atomic
def make_first_account(*, name: str, email: str, password: str, code: str = "") -> User:
    """Make the account of a server's first visitor, who may create studies and administers the server.

    Raises WrongSetupCode if the server requires a set-up code and `code` is another, NotTheFirst if an
    account exists; of two simultaneous visitors exactly one succeeds.
    """
    if needs_setup_code() and not is_setup_code(code):
        raise WrongSetupCode
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_FIRST_ACCOUNT])
    if User.objects.exists():
        raise NotTheFirst
    user = make_account(name=name, email=email, password=password, may_create_studies=True)
    make_administrator(user=user)
    return user


def make_administrator(*, user: User, is_one: bool = True) -> None:
    """Let a person administer the server, or no longer: see its page, which has no content of any study."""
    user.is_superuser = is_one
    user.save(update_fields=["is_superuser"])


def needs_setup_code() -> bool:
    """Must the first visitor of this server enter a set-up code?"""
    return settings.FIRST_ACCOUNT_NEEDS_CODE or bool(settings.FIRST_ACCOUNT_CODE)


def is_setup_code(code: str) -> bool:
    """Is this the server's set-up code? False if the server has none."""
    expected = settings.FIRST_ACCOUNT_CODE
    return bool(expected) and compare_digest(code.strip().encode(), expected.encode())


def make_sign_in_link(user: User, lifetime: timedelta = LINK_LIFETIME) -> str:
    """Make a link that signs `user` in once within `lifetime`; return its token, which cannot be read again.
    The address is `/accounts/link/<token>/` (`sign_in_link`).
    """
    token = new_secret()
    SignInLink.objects.create(user=user, token_hash=hash_of(token), expires_at=clock.now() + lifetime)
    return token


def use_sign_in_link(*, token: str) -> User:
    """Use up a link and return its user; of two simultaneous uses one succeeds. Raises LinkUnknown, and
    LinkSpent if the link was used or has expired or the account is closed.
    """
    now = clock.now()
    found = SignInLink.objects.filter(token_hash=hash_of(token))
    # No join: it would move the conditions into a subquery, which PostgreSQL does not repeat after a wait.
    usable = found.filter(used_at=None, expires_at__gt=now, user__in=User.objects.filter(is_active=True))
    if usable.update(used_at=now):
        return found.select_related("user").get().user
    raise LinkSpent if found.exists() else LinkUnknown


@transaction.atomic
def ask_for_address(*, user: User, email: str, lifetime: timedelta = LINK_LIFETIME) -> str:
    """Make a link that changes the address of `user` to `email`, once within `lifetime`; return its token,
    which cannot be read again. Earlier links end. That another account has the address only its use tells.
    """
    AddressChange.objects.filter(user=user, used_at=None).delete()
    token = new_secret()
    AddressChange.objects.create(
        user=user,
        email=User.objects.normalize_email(email),
        token_hash=hash_of(token),
        expires_at=clock.now() + lifetime,
    )
    return token


@transaction.atomic
def change_address(*, token: str) -> tuple[User, str]:
    """Use up a link and change the address of its user; return the user and the address of before. Links
    that went to the old address end, sessions and tokens go on.

    Raises AddressLinkUnknown, AddressLinkSpent if the link was used or has expired or the account is closed,
    and AddressOfAnother if another account has the new address; of two simultaneous uses one succeeds.
    """
    now = clock.now()
    found = AddressChange.objects.filter(token_hash=hash_of(token))
    usable = found.filter(used_at=None, expires_at__gt=now, user__in=User.objects.filter(is_active=True))
    if not usable.update(used_at=now):
        raise AddressLinkSpent if found.exists() else AddressLinkUnknown
    change = found.select_related("user").get()
    user, former = change.user, change.user.email
    try:
        with transaction.atomic():
            User.objects.filter(pk=user.pk).update(email=change.email)
    except IntegrityError as error:
        if violated(error) == "one_account_per_email_address":
            raise AddressOfAnother from error
        raise
    EmailAddress.objects.filter(user=user).delete()
    SignInLink.objects.filter(user=user, used_at=None).delete()
    AddressChange.objects.filter(user=user).exclude(pk=change.pk).delete()
    user.email = change.email
    return user, former


@transaction.atomic
def make_token(
    *, user: User, name: str = "", scope: Scope = Scope.MANAGE, lifetime: timedelta = TOKEN_LIFETIME
) -> str:
    """Make an API token for `user` and return it; only its hash is stored, so it cannot be read again.
    Without a name it is named for its date.
    """
    row, token = AuthToken.objects.create(user=user, expiry=lifetime)
    TokenTerms.objects.create(token=row, name=name or f"{row.created:%Y-%m-%d}", scope=scope)
    return str(token)


def note_token_used(*, token: AuthToken) -> bool:
    """Note the last use of a token, to the minute, at most once a minute, whatever the number of requests.
    False if the token was found to be revoked since it was read.
    """
    minute = clock.now().replace(second=0, microsecond=0)
    terms = terms_of(token)
    if terms.used_at is not None and terms.used_at >= minute:
        return True
    terms.used_at = minute
    stored = TokenTerms.objects.filter(token=token)
    if stored.filter(Q(used_at=None) | Q(used_at__lt=minute)).update(used_at=minute):
        return True
    # Another request was first, or the token has no terms yet, or is revoked: the lock waits for who revokes.
    with transaction.atomic():
        if not AuthToken.objects.select_for_update(no_key=True).filter(pk=token.pk).values_list("pk"):
            return False
        TokenTerms.objects.bulk_create([terms], ignore_conflicts=True)
    return True


def revoke_token(*, user: User, token_key: str) -> int:
    """Revoke the tokens of `user` that begin with `token_key` (15 characters); return how many there were."""
    _all, by_model = AuthToken.objects.filter(user=user, token_key=token_key).delete()
    return int(by_model.get("knox.AuthToken", 0))


@transaction.atomic
def revoke_access(*, user: User) -> None:
    """Revoke all API tokens and unused sign-in links of `user`."""
    AuthToken.objects.filter(user=user).delete()
    SignInLink.objects.filter(user=user, used_at=None).delete()
    AddressChange.objects.filter(user=user, used_at=None).delete()


@transaction.atomic
def change_password(*, user: User, password: str) -> None:
    """Set a password. Ends every session of `user` and revokes their tokens and links."""
    user.set_password(password)
    user.save(update_fields=["password"])
    revoke_access(user=user)


@transaction.atomic
def close_account(*, user: User) -> None:
    """Close an account: sessions, tokens and links end at once. Memberships and labels stay."""
    User.objects.filter(pk=user.pk).update(is_active=False)
    revoke_access(user=user)


@transaction.atomic
def erase_account(*, user: User) -> None:
    """Close an account and forget its person: name, address, password, language, sessions, tokens, links.
    The row stays, so that what was done keeps its pseudonyms. Cannot be undone.
    """
    close_account(user=user)
    SignInLink.objects.filter(user=user).delete()
    AddressChange.objects.filter(user=user).delete()
    # django-allauth keeps the address once more as soon as somebody asks for a new password.
    EmailAddress.objects.filter(user=user).delete()
    for session in Session.objects.all().iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()
    User.objects.filter(pk=user.pk).update(
        name=NOBODY,
        email=f"erased-{user.pk}{ERASED}",
        password=make_password(None),
        language="",
        time_zone="",
        may_create_studies=False,
        is_superuser=False,
        last_login=None,
        seen_at=None,
    )


def rename(*, user: User, name: str) -> None:
    """Change the name that other members read."""
    User.objects.filter(pk=user.pk).update(name=name)


def choose_language(*, user: User, language: str) -> None:
    """Remember in which language `user` reads pages and mails: a code of settings.LANGUAGES."""
    User.objects.filter(pk=user.pk).update(language=language)


def choose_time_zone(*, user: User, time_zone: str) -> None:
    """Remember in which time zone `user` reads dates: a name, or "" for that of the server."""
    User.objects.filter(pk=user.pk).update(time_zone=time_zone)


def note_seen(*, user: User) -> None:
    """Update `seen_at`, to the minute, at most once in five minutes, whatever the number of requests."""
    minute = clock.now().replace(second=0, microsecond=0)
    stale = minute - SEEN_EVERY
    if user.seen_at is not None and user.seen_at > stale:
        return
    User.objects.filter(Q(seen_at=None) | Q(seen_at__lte=stale), pk=user.pk).update(seen_at=minute)
    user.seen_at = minute
