"""A mail server that answers what a test says."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def mail_server(answers: dict[str, str]) -> Iterator[tuple[int, list[str]]]:
    """The port of a server, and what it was told. `answers`: by the first word of a command, else 250."""
    told: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, answers, told), daemon=True)
        thread.start()
        yield server.getsockname()[1], told
        thread.join(timeout=10)


def _serve(server: socket.socket, answers: dict[str, str], told: list[str]) -> None:
    connection, _address = server.accept()
    with connection, connection.makefile("rwb", buffering=0) as stream:
        stream.write(b"220 mail.test ready\r\n")
        in_data = False
        for raw in stream:
            line = raw.decode().rstrip("\r\n")
            told.append(line)
            if in_data and line != ".":
                continue
            word = "." if in_data else line.split(" ")[0].upper()
            in_data = word == "DATA"
            usual = {"DATA": "354 go on", "QUIT": "221 bye"}.get(word, "250 fine")
            stream.write(f"{answers.get(word, usual)}\r\n".encode())
            if word == "QUIT":
                return
