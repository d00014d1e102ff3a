"""A file that only takes room. It is given up when the disk is full, so that the log of the database can be
written to its end: a PostgreSQL that cannot write its log stops, and cannot start again either.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

RESERVE = 64 << 20
ROOM_TO_KEEP = 3 * RESERVE
"""The reserve is taken only where as much as this is free."""
LAST_ROOM = 24 << 20
"""Below this it is given up: a segment of the log has 16 MB."""


def look_after(folder: Path) -> None:
    """Keep the reserve of a data folder while there is room, and give it up where there is none. Call it
    every few seconds.
    """
    file = folder / "reserve"
    with suppress(OSError):
        free = shutil.disk_usage(folder).free
        if free < LAST_ROOM:
            file.unlink(missing_ok=True)
        elif free > ROOM_TO_KEEP and not (file.exists() and file.stat().st_size == RESERVE):
            _take(file)


def _take(file: Path) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, RESERVE)
    except OSError:
        file.unlink(missing_ok=True)
    finally:
        os.close(descriptor)
