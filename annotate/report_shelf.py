"""Reports that were made as files, on disk: named by what is in them, and kept for a day."""

import os
import time
from pathlib import Path
from uuid import uuid4

from django.conf import settings

FOLDER = "reports"
KEPT = 24 * 60 * 60
"""Seconds; then whoever makes the next file removes it."""


def located(name: str) -> Path:
    return Path(settings.DATA_DIR) / FOLDER / name


def has(name: str) -> bool:
    """Is there such a file? It is then kept as long as a new one."""
    try:
        os.utime(located(name))
    except FileNotFoundError:
        return False
    return True


def put(name: str, content: bytes) -> None:
    """Keep a file, whole or not at all, and remove those that were kept long enough."""
    path = located(name)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for other in path.parent.iterdir():
        if other.stat().st_mtime < time.time() - KEPT:
            other.unlink(missing_ok=True)
    unfinished = path.with_name(uuid4().hex)
    unfinished.write_bytes(content)
    unfinished.replace(path)
