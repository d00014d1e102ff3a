"""How much room is left where the data are. Below a margin nothing is saved any more, and reading goes on."""

import shutil
import time
from pathlib import Path

from django.conf import settings

LOOK_SECONDS = 1.0

_looked: dict[Path, tuple[float, int]] = {}


def free_bytes() -> int:
    """The free bytes of the disk of the data folder, looked up once a second; 0 if nobody can tell."""
    folder = Path(settings.DATA_DIR)
    now = time.monotonic()
    at, free = _looked.get(folder, (0.0, -1))
    if free < 0 or now - at >= LOOK_SECONDS:
        try:
            free = shutil.disk_usage(folder).free
        except FileNotFoundError:
            free = shutil.disk_usage(folder.anchor).free  # nothing was stored yet
        except OSError:
            free = 0
        _looked[folder] = (now, free)
    return free


def is_full() -> bool:
    """Is less free than the margin, which the database needs to end what it began?"""
    return free_bytes() < int(settings.DISK_MARGIN)
