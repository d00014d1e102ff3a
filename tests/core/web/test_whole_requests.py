"""Requests that never end, arrive slowly or are too large, sent through sockets to a real web server."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from gunicorn.config import Config

from core.embedded.processes import end
from core.supervisor import GENTLE_END
from core.web import arriving
from core.web.arriving import Chunks
from core.web.size import MARGIN
from tests.core.places import eventually, free_port, get

MOST = (1 << 20) + MARGIN
APPLICATION = """
import hashlib, time
def application(environ, start):
    if environ["PATH_INFO"] == "/slow":
        time.sleep(1)
    length = environ.get("CONTENT_LENGTH") or "-"
    body = environ["wsgi.input"].read() if environ["PATH_INFO"] != "/unread" else b""
    text = f"{environ['REQUEST_METHOD']} {length} {len(body)} {hashlib.sha256(body).hexdigest()[:12]}".encode()
    start("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text]
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A server of two processes with two threads each, as `make run` starts it, for a small program."""
    folder = tmp_path_factory.mktemp("web")
    (folder / "small.py").write_text(APPLICATION)
    with serving(folder, "small:application") as port:
        yield port


@contextmanager
def serving(folder: Path, application: str) -> Iterator[int]:
    port = free_port()
    environment = {
        **os.environ,
        "BIND": f"127.0.0.1:{port}",
        "WEB_CONCURRENCY": "2",
        "WEB_THREADS": "2",
        "UPLOAD_MAX_BYTES": str(1 << 20),
        "PYTHONPATH": str(folder),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "deploy/gunicorn.conf.py", application]
    log = folder / "log"
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=settings.BASE_DIR, env=environment, stderr=output)
    try:
        assert eventually(lambda: get(port, "/").status == 200), log.read_text()
        yield port
        assert "Traceback" not in log.read_text()
    finally:
        end([psutil.Process(server.pid)], GENTLE_END)
        server.wait()


class Sender:
    """A connection to the server that sends what it is told, byte for byte."""

    def __init__(self, port: int, *pieces: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.send(*pieces)

    def send(self, *pieces: bytes) -> "Sender":
        for piece in pieces:
            self.socket.sendall(piece)
        return self

    def answer(self) -> tuple[int, bytes]:
        """The status and the body of the next answer."""
        head, body = b"", b""
        while b"\r\n\r\n" not in head:
            came = self.socket.recv(1)
            if not came:
                return 0, head
            head += came
        length = int((re.search(rb"\r\nContent-Length: (\d+)", head, re.IGNORECASE) or [b"", b"0"])[1])
        while len(body) < length:
            body += self.socket.recv(length - len(body))
        return int(head.split(b" ", 2)[1]), body

    def ended(self) -> bool:
        """The server has closed the connection."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self) -> None:
        self.socket.close()


@pytest.fixture
def send(port: int) -> Iterator[Callable[..., Sender]]:
    with ExitStack() as stack:
        yield lambda *pieces: stack.enter_context(closing(Sender(port, *pieces)))


def quick(port: int) -> float:
    """The seconds of the slowest of some requests, each over a connection of its own."""
    slowest = 0.0
    for _ in range(8):
        began = time.monotonic()
        assert get(port, "/").status == 200
        slowest = max(slowest, time.monotonic() - began)
    return slowest


@pytest.mark.parametrize("count", [40, 200])
@pytest.mark.parametrize(
    "half",
    [
        b"",
        b"GET / HTT",
        b"GET / HTTP/1.1\r\nHost: x\r\nX-More: ",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf of it",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nhalf of it",
        b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
    ],
    ids=["nothing", "line", "head", "body", "chunk", "expected"],
)
def test_half_sent_requests_stop_nobody(send, port, half, count) -> None:
    senders = [send(half) for _ in range(count)]
    assert quick(port) < 1
    # They are not refused either: one that goes on is answered.
    if half.endswith(b"half of it"):
        rest = b"-" * 990 if b"Length" in half else b"-" * 22 + b"\r\n0\r\n\r\n"
        assert senders[-1].send(rest).answer()[0] == 200


@pytest.mark.slow
def test_whoever_takes_too_long_is_told_so_and_the_others_are_not(send, port, monkeypatch) -> None:
    begun = send(b"GET / HTTP/1.1\r\nHost: x\r\n")
    unused = send()
    began = time.monotonic()
    assert begun.answer()[0] == 408
    assert arriving.HEAD_SECONDS - 1 < time.monotonic() - began < arriving.HEAD_SECONDS + 3
    assert begun.ended()
    assert unused.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").answer()[0] == 200


def test_a_body_gets_more_time_the_more_of_it_comes() -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        conn = arriving.Arriving(Config(), ours, ("127.0.0.1", 1), ("127.0.0.1", 2), most=MOST)
        now = time.monotonic()
        assert conn.idle
        assert conn.deadline - now == pytest.approx(conn.cfg.keepalive, abs=1)
        assert not conn.take(b"POST / HTTP/1.1\r\nHost: x\r\n")
        assert conn.deadline - now == pytest.approx(arriving.HEAD_SECONDS, abs=1)
        assert not conn.take(b"Content-Length: 1000000\r\n\r\n")
        assert conn.deadline - now == pytest.approx(arriving.BODY_SECONDS, abs=1)
        assert not conn.take(b"-" * 409_600)
        assert conn.deadline - now == pytest.approx(arriving.BODY_SECONDS + 100, abs=1)
        assert conn.take(b"-" * 590_400)
        conn.close()


@pytest.mark.parametrize("announced", [MOST + 1, 900_000_000])
def test_a_body_that_is_announced_too_large_is_not_waited_for(send, announced) -> None:
    sender = send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % announced)
    status, body = sender.answer()
    # The application is asked at once, without the body: Crosscheck answers 413 (test_error_pages).
    assert (status, body.split()[:3]) == (200, [b"POST", b"%d" % announced, b"0"])
    assert sender.ended()


def test_a_chunked_body_is_cut_off_where_it_is_too_large(send, port) -> None:
    sender = send(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = b"10000\r\n" + b"-" * 65536 + b"\r\n"
    sender.send(*[piece] * (MOST // 65536 + 1))
    status, body = sender.answer()
    method, announced, read, _hash = body.split()
    assert (status, method, read) == (200, b"POST", b"0")
    assert MOST < int(announced) < MOST + 400_000
    assert sender.ended()


@pytest.mark.parametrize("size", [0, 1, 65_536, 1_000_000, 3_000_000, MOST])
def test_bodies_arrive_as_they_were_sent(send, size) -> None:
    body = os.urandom(size)
    expected = b"POST %d %d " % (size, size)
    sender = send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % size, body)
    status, told = sender.answer()
    assert (status, told[: len(expected)]) == (200, expected)
    again = send(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    for begin in range(0, min(size, 2_000_000), 7_919):
        piece = body[begin : min(begin + 7_919, 2_000_000)]
        again.send(b"%x\r\n" % len(piece), piece, b"\r\n")
    status, chunked = again.send(b"0\r\nX-Trailer: 1\r\n\r\n").answer()
    assert status == 200
    assert chunked.split()[2] == b"%d" % min(size, 2_000_000)
    if size <= 2_000_000:
        assert chunked.split()[3] == told.split()[3]


def test_requests_that_follow_each_other_are_answered_in_turn(send) -> None:
    get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    post = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    unread = b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    sender = send(get + post + unread + get[:20])
    assert [sender.answer()[1].split()[:3] for _ in range(3)] == [
        [b"GET", b"-", b"0"],
        [b"POST", b"3", b"3"],
        [b"POST", b"3", b"0"],
    ]
    assert sender.send(get[20:]).answer()[1].startswith(b"GET")
    # One at a time over the same connection, byte by byte.
    for byte in post:
        sender.send(bytes([byte]))
    assert sender.answer()[1].split()[:3] == [b"POST", b"3", b"3"]


def test_whoever_waits_for_leave_to_send_gets_it_once(send) -> None:
    sender = send(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
    assert sender.answer() == (100, b"")
    assert sender.send(b"abc").answer()[1].split()[:3] == [b"POST", b"3", b"3"]


@pytest.mark.parametrize(
    ("broken", "status"),
    [
        (b"GET\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 20_000, 431),
        (b"GET /" + b"y" * 10_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
    ],
)
def test_what_is_no_request_is_refused(send, port, broken, status) -> None:
    sender = send(broken)
    assert sender.answer()[0] == status
    assert sender.ended()
    assert get(port, "/").status == 200


def test_whoever_keeps_a_finished_connection_open_stops_nobody(send, port) -> None:
    asked = [send(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") for _ in range(40)]
    assert quick(port) < 1
    assert [one.answer()[0] for one in asked] == [200] * 40


@pytest.mark.parametrize(
    "body",
    [
        b"0\r\n\r\n",
        b"3\r\nabc\r\n0\r\n\r\n",
        b"3;a=b\r\nabc\r\n0\r\nA: b\r\n\r\n",
        b"A\r\n" + b"\n" * 10 + b"\r\n0\r\n\r\n",
    ],
)
def test_the_end_of_a_chunked_body_is_found_wherever_it_is_cut(body) -> None:
    for cut in range(len(body)):
        chunks = Chunks()
        assert not chunks.end_in(body[:cut])
        assert chunks.end_in(body[cut:])
