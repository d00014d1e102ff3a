"""Folders in which backups are made and unpacked. What a killed run left is removed by the next one."""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

WORK = ".crosscheck-"
"""How the names of these folders begin."""
_YOUNG = 60.0
"""Seconds in which a new folder may not have been locked by its maker yet."""


@contextmanager
def work_folder(kind: str, place: Path) -> Iterator[Path]:
    """A new folder below `place` until the block ends. Those of this kind whose makers are dead go first."""
    for left in place.glob(f"{WORK}{kind}-*"):
        _remove_if_left(left)
    made = Path(tempfile.mkdtemp(prefix=f"{WORK}{kind}-", dir=place))
    handle = os.open(made, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks: then nothing is ever taken for left
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        os.close(handle)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder unless a process holds its lock, which the kernel ends with the process."""
    with suppress(OSError):
        if time.time() - folder.stat().st_mtime < _YOUNG:
            return
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder)
        finally:
            os.close(handle)
