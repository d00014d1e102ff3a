"""Keeps secrets encrypted: with a key that is derived from SECRET_KEY, so that a copy of the database alone
gives none away. A secret sealed under a former key is read as long as that is in SECRET_KEY_FALLBACKS.
"""

import base64

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.views.decorators.debug import sensitive_variables

from core.fetch.answers import Secret

_PURPOSE = b"crosscheck: secrets for other servers"


class Unreadable(Exception):
    """What was sealed cannot be read: its key is gone, or its bytes were changed."""


def seal(secret: Secret) -> bytes:
    """The secret, encrypted under the current key."""
    return _box().encrypt(secret.reveal().encode())


@sensitive_variables()
def unseal(sealed: bytes | memoryview) -> Secret:
    """The secret again. Raises Unreadable."""
    try:
        return Secret(_box().decrypt(bytes(sealed)).decode())
    except (InvalidToken, ValueError):
        raise Unreadable from None


def _box() -> MultiFernet:
    return MultiFernet([Fernet(_key(text)) for text in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)])


def _key(text: str) -> bytes:
    derived = HKDF(SHA256(), length=32, salt=None, info=_PURPOSE).derive(text.encode())
    return base64.urlsafe_b64encode(derived)
