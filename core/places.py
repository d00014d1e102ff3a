"""So many of something at once on this host, and no more."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings

PAUSE = 0.05


@contextmanager
def place(name: str, *, of: int, wait: float) -> Iterator[bool]:
    """Hold one of the `of` places of this name for the block; False where none falls free for `wait` seconds.

    Places are locks on files in the data folder, which all processes of a host share: a process that dies
    leaves its place.
    """
    until = time.monotonic() + wait
    held = _free(name, of)
    while held is None and time.monotonic() < until:
        time.sleep(PAUSE)
        held = _free(name, of)
    try:
        yield held is not None
    finally:
        if held is not None:
            held.close()


def _free(name: str, of: int) -> IO[str] | None:
    """The file of a place that nobody held, locked now; None where all are held."""
    folder = Path(settings.DATA_DIR) / "places"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, of + 1):
        file = (folder / f"{name}-{number}").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
        else:
            return file
    return None
