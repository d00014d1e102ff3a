"""Secrets that travel in links: the person gets the secret, the database keeps its hash."""

import secrets
from hashlib import sha256


def new_secret() -> str:
    """256 random bits, in characters that stand in an address as they are."""
    return secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """What is stored and looked up; the secret cannot be had from it. Any text has one."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
