"""Folders, ports and waiting for tests that start servers of their own."""

import socket
import tempfile
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path

from django.conf import settings


def place() -> Path:
    """A new folder for a server's data.

    Not pytest's tmp_path: root's is closed again by each new run of pytest, under the server's feet.
    """
    settings.DATA_DIR.mkdir(exist_ok=True)
    return Path(tempfile.mkdtemp(dir=settings.DATA_DIR))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def get(port: int, path: str, **headers: str) -> HTTPResponse | None:
    """The answer of a server on this computer, its body in `body`; None while nobody answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(
            "GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )
        answer = connection.getresponse()
        answer.body = answer.read()
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()
    return answer


def eventually(condition: Callable[[], bool], seconds: float = 60) -> bool:
    """Look until it is true, at most so long; the last answer."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
