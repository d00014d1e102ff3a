"""`manage.py check` names the files of the server's own folder that are no set of items."""

from typing import Any

from django.core import checks

from standards.checks import CHECKS
from standards.sets import SetRefusedError, paths, read_standard


def unreadable_sets(**_about: Any) -> list[checks.CheckMessage]:
    """A warning for each file that is left out."""
    found: list[checks.CheckMessage] = []
    keys: set[str] = set()
    for path in paths():
        try:
            one = read_standard(path.read_bytes(), CHECKS)
        except (OSError, SetRefusedError) as error:
            found.append(checks.Warning(f"{path.name} is left out: {error}", id="standards.W001"))
            continue
        if one.key in keys:
            found.append(
                checks.Warning(f"{path.name} is left out: key {one.key} is used twice", id="standards.W002")
            )
        keys.add(one.key)
    return found


def register() -> None:
    checks.register(unreadable_sets)
