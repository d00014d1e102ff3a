"""The environment, for the other modules of this folder; no other code reads it."""

from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from core.limits import Rate

BASE_DIR = Path(__file__).resolve().parents[2]

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env", overwrite=False)


def limit(name: str, default: str) -> str:
    """A limit from the environment; a mistyped one ends the start."""
    text: str = env(name, default=default)
    try:
        Rate.of(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}.") from error
    return text
