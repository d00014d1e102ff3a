"""Secrets in links: the user receives the secret, the database stores its hash."""

import secrets
from hashlib import sha256


def new_secret() -> str:
    """256 random bits as text that needs no escaping in an address."""
    return secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """The hash of any text, by which a secret is stored and looked up without being recoverable."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
