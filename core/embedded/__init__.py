"""Real PostgreSQL and real Redis from wheels, for an installation that names no servers of its own.

Nothing starts at import: a server starts with the first `ensure_…`, is shared by every process of the
installation, and outlives the one that started it. Each process that uses a server holds a lease, which the
kernel takes back however the process ends; the last one to exit ends the servers. Whoever is killed leaves
them running for the next.

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
    """Process numbers of the servers of a folder; None for one that does not run."""

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
    """See that PostgreSQL runs and takes connections; its parameters. A few milliseconds when it does.

    `durable=False` trades safety against a crash of the computer for speed (tests); None means the setting
    EMBEDDED_DURABLE, true unless set. Raises EmbeddedServerError.
    """
    if durable is None:
        durable = getattr(settings, "EMBEDDED_DURABLE", True)
    at = use(folder)
    with at.locked():
        postgres.start(at, durable=durable)
    return postgres.connection_parameters(at)


def ensure_redis(folder: Path | None = None) -> str:
    """See that Redis runs and answers; its address for redis-py. Well under a millisecond when it does.

    Raises EmbeddedServerError.
    """
    at = use(folder)
    if not redis.answers(at):
        with at.locked():
            redis.start(at)
    return redis.url(at)


def use(folder: Path | None = None) -> Folder:
    """Count this process among the users of the servers until it exits or calls `release`; starts nothing."""
    at = _folder(folder)
    lease = _leases.get(at.path)
    if lease is None or lease.pid != os.getpid():  # a forked child's copy is its parent's lease
        if not _leases:
            atexit.register(_release_all)
        _leases[at.path] = Lease(at)
    return at


def release(folder: Path | None = None) -> bool:
    """Give up this process's use of the servers, and end them if it was the last. True if none runs now."""
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
    """End both servers, whoever uses them, and this process's use of them.

    Raises EmbeddedServerError if another process holds the lock for minutes.
    """
    at = _folder(folder)
    _stop(at)
    if lease := _leases.pop(at.path, None):
        lease.end()


def status(folder: Path | None = None) -> Status:
    """Which servers of the folder run; starts nothing."""
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
