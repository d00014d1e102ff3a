"""Which version of the platform this is."""

import tomllib
from functools import cache

from django.conf import settings


@cache
def version() -> str:
    """The version in pyproject.toml, such as "0.1.0": the one that the changelog speaks of."""
    with (settings.BASE_DIR / "pyproject.toml").open("rb") as stream:
        found: str = tomllib.load(stream)["project"]["version"]
    return found
