"""Keeps secrets encrypted: with a key that is derived from SECRET_KEY, so that a copy of the database alone
gives none away. A secret sealed under a former key is read as long as that is in SECRET_KEY_FALLBACKS.
What is sealed for one purpose cannot be read for another.
"""

import base64
from enum import Enum

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from core.fetch.answers import Secret


class Purpose(Enum):
    """What is sealed; each purpose has a key of its own."""

    SERVERS = b"crosscheck: secrets for other servers"
    PEOPLE = b"crosscheck: who participants are"


class Unreadable(Exception):
    """What was sealed cannot be read: its key is gone, or its bytes were changed."""


def seal(secret: Secret) -> bytes:
    """The secret, encrypted under the current key."""
    return seal_text(secret.reveal(), Purpose.SERVERS)


@sensitive_variables()
def unseal(sealed: bytes | memoryview) -> Secret:
    """The secret again. Raises Unreadable."""
    try:
        return Secret(unseal_text(sealed, Purpose.SERVERS))
    except ValueError:
        raise Unreadable from None


@sensitive_variables()
def seal_text(text: str, purpose: Purpose) -> bytes:
    """The text, encrypted under the current key for this purpose."""
    return _box(purpose).encrypt(text.encode())


@sensitive_variables()
def unseal_text(sealed: bytes | memoryview, purpose: Purpose) -> str:
    """The text again. Raises Unreadable."""
    try:
        return _box(purpose).decrypt(bytes(sealed)).decode()
    except (InvalidToken, ValueError):
        raise Unreadable from None


def _box(purpose: Purpose) -> MultiFernet:
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_key(text, purpose)) for text in keys])


def _key(text: str, purpose: Purpose) -> bytes:
    derived = HKDF(SHA256(), length=32, salt=None, info=purpose.value).derive(text.encode())
    return base64.urlsafe_b64encode(derived)
