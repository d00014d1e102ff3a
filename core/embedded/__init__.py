"""Real PostgreSQL and real Redis from wheels, for an installation that names no servers of its own.

Importing starts nothing. The first `ensure_…` starts a server, which all processes of the installation share
and which outlives its starter. Each process that uses a server has a lease, which the kernel ends with the
process. The last user to exit ends the servers; after a kill they keep running for the next user.

`folder` is the data folder everywhere; None means the setting DATA_DIR.
"""

import atexit
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from . import postgres, redis
from .folder import Folder, Lease

_leases: dict[Path, Lease] = {}


@dataclass(frozen=True)
class Status:
    """Process numbers of the servers of a folder; None for a server that does not run."""

    postgres: int | None
    redis: int | None


def postgres_parameters(folder: Path | None = None) -> dict[str, str]:
    """`host`, `port` and `user` for libpq; starts nothing."""
    return postgres.connection_parameters(_folder(folder))


def redis_url(folder: Path | None = None) -> str:
    """The address for redis-py; starts nothing."""
    return redis.url(_folder(folder))


def broker_url(folder: Path | None = None) -> str:
    """The address for Celery's CELERY_BROKER_URL; starts nothing."""
    return redis.broker_url(_folder(folder))


def ensure_postgres(folder: Path | None = None, *, durable: bool | None = None) -> dict[str, str]:
    """Start PostgreSQL unless it accepts connections; return its parameters.

    Takes milliseconds if it runs. `durable=False` trades safety against a crash of the computer for speed
    (tests); None means the setting EMBEDDED_DURABLE, true by default. Raises EmbeddedServerError.
    """
    if durable is None:
        durable = getattr(settings, "EMBEDDED_DURABLE", True)
    at = use(folder)
    with at.locked():
        postgres.start(at, durable=durable)
    return postgres.connection_parameters(at)


def ensure_redis(folder: Path | None = None) -> str:
    """Start Redis unless it answers; return its address for redis-py. Takes well under a millisecond if it
    runs. Raises EmbeddedServerError.
    """
    at = use(folder)
    if not redis.answers(at):
        with at.locked():
            redis.start(at)
    return redis.url(at)


def use(folder: Path | None = None) -> Folder:
    """Register this process as a user of the servers until it exits or calls `release`; starts nothing."""
    at = _folder(folder)
    lease = _leases.get(at.path)
    if lease is None or lease.pid != os.getpid():  # a forked child's copy is its parent's lease
        if not _leases:
            atexit.register(_release_all)
        _leases[at.path] = Lease(at)
    return at


def release(folder: Path | None = None) -> bool:
    """End this process's use of the servers; the last user ends the servers too. True if none runs now."""
    at = _folder(folder)
    lease = _leases.pop(at.path, None)
    if lease is None or lease.pid != os.getpid():
        return status(at.path) == Status(None, None)
    try:
        if lease.only_one():
            _stop(at)
            return True
        return False
    finally:
        lease.end()


def stop_all(folder: Path | None = None) -> None:
    """End both servers, even if other processes use them, and this process's use of them. Raises
    EmbeddedServerError if another process keeps the lock for minutes.
    """
    at = _folder(folder)
    _stop(at)
    if lease := _leases.pop(at.path, None):
        lease.end()


def status(folder: Path | None = None) -> Status:
    """The servers of the folder that run; starts nothing."""
    at = _folder(folder)
    database, bell = postgres.running(at), redis.running(at)
    return Status(database and database.pid, bell and bell.pid)


def _stop(at: Folder) -> None:
    with at.locked():
        redis.stop(at)
        postgres.stop(at)
        if at.run.parent != at.path:
            shutil.rmtree(at.run, ignore_errors=True)


def _release_all() -> None:
    for path, lease in list(_leases.items()):
        if lease.pid == os.getpid():
            release(path)


def _folder(path: Path | None) -> Folder:
    return Folder(Path(settings.DATA_DIR if path is None else path).resolve())
