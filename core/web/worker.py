"""The web server's process: a thread is taken by a request that is there whole, and by no other.

A thread of gunicorn's own worker reads the request it serves, and waits as long as its sender likes: as many
half-sent requests as there are threads stop every page. Here the loop that waits for all connections reads
them, within a time, and hands over what is whole.
"""

import errno
import socket
import struct
import time
from concurrent.futures import Future
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn import util
from gunicorn.workers.gthread import ThreadWorker

from core.web.arriving import Arriving
from core.web.size import most_bytes

PIECE = 256 << 10
LEAVE_SECONDS = 2.0
LEAVE_BYTES = 16 << 20
SEND_SECONDS = 30
BODIES = 2
"""As many of the largest bodies may be on their way in one process."""
LOOK_SECONDS = 0.5

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_LATER = {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED, errno.EINTR}
_NO_FILES = {errno.EMFILE, errno.ENFILE}


class WholeRequests(ThreadWorker):
    """gunicorn's worker with threads, which serves whole requests."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting: dict[Arriving, None] = {}  # in the order in which they began to wait
        self.held = 0
        self._looked = 0.0

    def init_process(self) -> None:
        self.most = most_bytes()
        super().init_process()

    def accept(self, listener: Any) -> None:
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in _NO_FILES:
                self._make_room()
            elif error.errno not in _LATER:
                raise
            return
        self.nr_conns += 1
        # A reader that takes nothing for so long loses the answer, and its thread is free.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_SECONDS, 0))
        conn = Arriving(self.cfg, sock, client, listener.getsockname(), most=self.most)
        if self.nr_conns >= self.worker_connections:
            self._make_room()
        self._wait(conn)
        self._readable(conn, sock)  # mostly it is there already

    def finish_request(self, conn: Arriving, fs: "Future[Any]") -> None:
        """A thread has answered: wait for the next request of the connection, or take leave of it."""
        try:
            keep = not fs.cancelled() and fs.result()
            conn.sock.setblocking(False)
        except Exception:  # noqa: BLE001 - whatever happened there, the connection ends
            self._end(conn)
            return
        if not keep:
            self._leave(conn)
            return
        came = conn.again()
        self._wait(conn)
        if not self.alive:
            conn.deadline = time.monotonic() + LEAVE_SECONDS
        if came:
            self._take(conn, came)

    def murder_keepalived(self, force: bool = False) -> None:  # noqa: FBT001, FBT002 - as gunicorn calls it
        """End the connections whose time is over; gunicorn calls this after each round of events."""
        now = time.monotonic()
        if now < self._looked + LOOK_SECONDS and not force:
            return
        self._looked = now
        for conn in [conn for conn in self.waiting if force or conn.deadline <= now]:
            self._stop_waiting(conn)
            if not (conn.idle or conn.leaving):
                self._say(conn, 408, "Request Timeout")
            self._end(conn)

    def _cap_keepalive(self, deadline: float) -> None:
        for conn in self.waiting:
            if conn.idle:
                conn.deadline = min(conn.deadline, deadline)

    def _wait(self, conn: Arriving) -> None:
        self.waiting[conn] = None
        self.poller.register(conn.sock, EVENT_READ, partial(self._readable, conn))

    def _stop_waiting(self, conn: Arriving) -> None:
        del self.waiting[conn]
        self.held -= conn.received
        self.poller.unregister(conn.sock)

    def _readable(self, conn: Arriving, sock: socket.socket) -> None:
        try:
            data = sock.recv(PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            data = b""
        if conn.leaving:
            conn.discarded += len(data)
        if not data or conn.discarded > LEAVE_BYTES:
            self._stop_waiting(conn)
            self._end(conn)
        elif not conn.leaving:
            self._take(conn, data)

    def _take(self, conn: Arriving, data: bytes) -> None:
        before = conn.received
        try:
            whole = conn.take(data)
        except OSError as error:
            self.held += conn.received - before
            self._stop_waiting(conn)
            if error.errno in _FULL:
                self._say(conn, 507, "Insufficient Storage")
            self._leave(conn)
        except Exception as error:  # noqa: BLE001 - gunicorn's errors have no common class
            self.held += conn.received - before
            self._stop_waiting(conn)
            self.handle_error(None, conn.sock, conn.client, error)
            self._leave(conn)
        else:
            self.held += conn.received - before
            if whole:
                self._stop_waiting(conn)
                self.enqueue_req(conn)
            elif self.held > BODIES * self.most:
                self._stop_waiting(conn)
                self._say(conn, 503, "Service Unavailable")
                self._leave(conn)

    def _make_room(self) -> None:
        """End the connection that has waited longest, for a new one."""
        for conn in self.waiting:
            self._stop_waiting(conn)
            self._end(conn)
            return

    def _leave(self, conn: Arriving) -> None:
        """Send no more, and read away what is still coming: a reset would take the answer with it."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._end(conn)
            return
        conn.again()
        conn.leaving = True
        conn.deadline = time.monotonic() + LEAVE_SECONDS
        self._wait(conn)

    def _end(self, conn: Arriving) -> None:
        self.nr_conns -= 1
        conn.close()

    def _say(self, conn: Arriving, status: int, reason: str) -> None:
        self.log.warning("%s for a request of %s", reason, conn.client[0] if conn.client else "a socket")
        try:
            util.write_error(conn.sock, status, reason, "")
        except OSError:
            self.log.debug("the connection was gone")
