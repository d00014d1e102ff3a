"""A pooler between a client and PostgreSQL: it gives each session a process number of its own, and passes all else on."""

import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = ".s.PGSQL.5432"
KEY = b"K\x00\x00\x00\x0c"
"""The message with the process number of a session and its key."""


@contextmanager
def pooler(server: str) -> Iterator[str]:
    """The folder of a socket that leads to the server whose socket is in the folder `server`."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as door:
        door.bind(f"{folder}/{NAME}")
        door.listen()
        threading.Thread(target=_serve, args=(door, f"{server}/{NAME}"), daemon=True).start()
        yield folder
        Path(folder, NAME).unlink()
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)


def _serve(door: socket.socket, server: str) -> None:
    with suppress(OSError):
        while True:
            client, _address = door.accept()
            behind = socket.socket(socket.AF_UNIX)
            behind.connect(server)
            threading.Thread(target=_pass, args=(client, behind), daemon=True).start()
            threading.Thread(target=_pass, args=(behind, client), daemon=True).start()


def _pass(source: socket.socket, target: socket.socket) -> None:
    with source, suppress(OSError):
        while piece := source.recv(1 << 16):
            at = piece.find(KEY)
            if at >= 0:
                number = at + len(KEY)
                piece = piece[:number] + b"\x00\x00\x00\x07" + piece[number + 4 :]
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
