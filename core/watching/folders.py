"""Whether all programs that run jobs use one data folder: uploads, report files and packages are in it."""

import secrets
import socket
from contextlib import suppress
from pathlib import Path

import redis
from django.conf import settings

from core import clock
from core.watching.store import store
from core.watching.workers import AGE, workers_seen

KEY = "workers-folders"
NAME = "folder_id"


def folder_id() -> str:
    """Names the data folder, whatever its path is on this host; made at the first call."""
    path = Path(settings.DATA_DIR) / NAME
    with suppress(FileExistsError), path.open("x", encoding="ascii") as file:
        file.write(secrets.token_hex(8))
    return path.read_text(encoding="ascii")


def note_folder(worker: str) -> None:
    """This worker uses this data folder. Without Redis, or room on the disk, nothing is noted."""
    with suppress(redis.RedisError, OSError):
        store().hset(KEY, worker or socket.gethostname(), folder_id())


def elsewhere() -> list[str]:
    """The workers that were seen lately and use another data folder. Raises redis.RedisError."""
    here, found = folder_id(), store().hgetall(KEY)
    lately = [name for name, at in workers_seen().items() if clock.now() - at <= AGE]
    return sorted(name for name in lately if found.get(name, here) != here)
