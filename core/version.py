"""The version of the platform."""

import tomllib
from functools import cache

from django.conf import settings


@cache
def version() -> str:
    """The version in pyproject.toml and in the changelog, for example "0.1.0"."""
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as stream:
        found: str = tomllib.load(stream)["project"]["version"]
    return found
