"""What is wrong with the files of a package, in words. No fault ends the script."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """A file, and what is wrong with it. Where it says otherwise than another file, either can be wrong."""

    file: str
    what: str
    other: str = ""


faults: list[Fault] = []
"""In the order in which they were found."""


def fault(file: str, what: str, other: str = "") -> None:
    faults.append(Fault(file, what, other))


@contextmanager
def tried(file: str, doing: str) -> Iterator[None]:
    """Do what files that somebody changed may stop: then that cannot be `doing`, and the script goes on."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - a changed file can stop what reads it in any way
        fault(file, f"cannot be {doing}: {_said(error)}")


def _said(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"{Path(error.filename).name} is missing"
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return f"{type(error).__name__}: {error}"
