"""Limits how many processes of this host do something at the same time."""

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
    """Take one of the `of` places of this name for the block; False if none becomes free within `wait`
    seconds. Places are locks on files in the data folder, shared by all processes of a host; a process that
    dies frees its place.
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
    """The file of a free place, now locked; None if all places are taken."""
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
