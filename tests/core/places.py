"""Folders, ports and waiting for tests that start servers of their own."""

import socket
import tempfile
import time
from collections.abc import Callable
from email.message import Message
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

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


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes


def get(port: int, path: str, **headers: str) -> Answer:
    """The answer of a server on this computer; its status is 0 while nobody answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(
            "GET", path, headers={name.replace("_", "-"): text for name, text in headers.items()}
        )
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    except (OSError, HTTPException):
        return Answer(0, Message(), b"")
    finally:
        connection.close()


def eventually(condition: Callable[[], object], seconds: float = 60) -> bool:
    """Look until it is true, at most so long; the last answer."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
