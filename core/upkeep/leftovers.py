"""Folders to work in, and the sweep of what a killed process left on disk.

A folder is in use as long as its lock is held. The system releases the lock of a process that ends in any
way, so the sweep needs no guess by age: a folder without a lock belongs to nobody.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

WORK = ".crosscheck-"
"""How the names of these folders begin; no backup has them."""

_others: list[Callable[[], object]] = []


def also_sweep(sweeper: Callable[[], object]) -> None:
    """Register a function that deletes files of another room that nobody needs any more."""
    _others.append(sweeper)


@contextmanager
def work_folder(purpose: str, place: Path | None = None) -> Iterator[Path]:
    """A new folder for the block, in the data folder or at `place`, deleted at its end. What killed processes
    left there goes first.
    """
    top = Path(settings.DATA_DIR) if place is None else place
    sweep(top)
    folder, lock = _made(purpose, top)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _made(purpose: str, place: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=f"{WORK}{purpose}-", dir=place))
        with suppress(FileNotFoundError):
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            # Before it is locked, a sweep can take the folder for a leftover: then make another one.
            if _locked(opened) is not False and folder.is_dir():
                return folder, opened
            os.close(opened)


def _locked(opened: int) -> bool | None:
    """Take the lock of an open folder; False if another process has it, None on a disk without locks."""
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def sweep(place: Path | None = None) -> list[Path]:
    """Delete the folders that no process works in, and what other rooms no longer need; return the folders.
    With `place` the folders there alone. On a disk without locks no folder is taken for a leftover.
    """
    gone = []
    for folder in sorted((Path(settings.DATA_DIR) if place is None else place).glob(f"{WORK}*-*")):
        with suppress(OSError):  # another sweep was faster, or it is no folder
            opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            if _locked(opened):
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder)
            os.close(opened)
    if place is None:
        for sweeper in _others:
            sweeper()
    return gone
