"""Puts something else in the place of a part of the application, for one test."""

import sys
from collections.abc import Callable
from typing import Any

import pytest

Patch = pytest.MonkeyPatch


def everywhere(patch: Patch, function: Callable[..., Any], instead: Callable[..., Any]) -> None:
    """Put something else in the place of a function, in each module that imported it."""
    found = [
        (module, name)
        for module in list(sys.modules.values())
        for name, value in list(getattr(module, "__dict__", {}).items())
        if value is function
    ]
    for module, name in found:
        patch.setattr(module, name, instead)
