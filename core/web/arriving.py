"""A connection whose request is still arriving: its head, then its body, until it is whole."""

import re
import time
from socket import socket
from tempfile import SpooledTemporaryFile
from typing import Any

from gunicorn.http import RequestParser
from gunicorn.http.body import Body, ChunkedReader, LengthReader
from gunicorn.http.errors import InvalidChunkSize, LimitRequestHeaders
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import TConn

HEAD_SECONDS = 10.0
HEAD_BYTES = 64 << 10
BODY_SECONDS = 20.0
SLOWEST = 4 << 10
"""Bytes a second: a body gets BODY_SECONDS, and a second more for each of these that came."""
IN_MEMORY = 1 << 20
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

_SIZE = re.compile(rb"([0-9a-fA-F]{1,12})[ \t]*(?:;.*)?")
_LINE_BYTES = 16 << 10


class Kept(Unreader):
    """What arrived of one connection, for gunicorn's parser: it never waits."""

    def __init__(self) -> None:
        super().__init__()
        self.body: SpooledTemporaryFile[bytes] | None = None

    def keep(self, data: bytes) -> None:
        """Add a piece of the body: in memory, a large body on the disk. Raises OSError if that is full."""
        if self.body is None:
            self.body = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - lives as long as the request
        self.body.write(data)

    def rewind(self) -> None:
        """All is here: read it from its beginning."""
        if self.body:
            self.body.seek(0)

    def chunk(self, size_hint: int | None = None) -> bytes:
        return self.body.read(min(max(size_hint or 0, 8 << 10), IN_MEMORY)) if self.body else b""

    def forget(self) -> None:
        """Drop the body; what came behind it stays."""
        if self.body:
            self.body.close()
        self.body = None


class Arrived(RequestParser):
    """Gives the request that has arrived whole, once."""

    def __init__(self, cfg: Any, client: Any) -> None:
        super().__init__(cfg, (), client)
        self.unreader = Kept()

    def begin(self, head: bytes) -> Any:
        """Parse the head; whatever stands behind it belongs to the body. Raises gunicorn's errors."""
        self.unreader.unread(head)
        self.req_count += 1
        self.mesg = self.mesg_class(self.cfg, self.unreader, self.source_addr, self.req_count)
        return self.mesg

    def __next__(self) -> Any:
        return self.mesg


class Chunks:
    """Finds the end of a chunked body. What is in it, gunicorn reads afterwards, and more strictly."""

    def __init__(self) -> None:
        self._left, self._line, self._at_end = 0, b"", False

    def end_in(self, data: bytes) -> bool:
        """Look through the next piece; True if the body ends in it. Raises InvalidChunkSize."""
        while data:
            if self._left:
                taken = min(self._left, len(data))
                self._left -= taken
                data = data[taken:]
                continue
            line, found, data = (self._line + data).partition(b"\n")
            self._line = b"" if found else line
            if len(line) > _LINE_BYTES:
                raise InvalidChunkSize(line[:20])
            if found and self._ends(line.rstrip(b"\r")):
                return True
        return False

    def _ends(self, line: bytes) -> bool:
        if self._at_end:
            return not line  # else one of the trailers
        size = _SIZE.fullmatch(line)
        if not size:
            raise InvalidChunkSize(line[:20])
        self._left = int(size[1], 16)
        self._at_end = not self._left
        self._left += 2 if self._left else 0  # the line's end behind the chunk
        return False


class Arriving(TConn):
    """One connection. `take` what it sends until that is True: then its request is whole in `parser`."""

    parser: Arrived

    def __init__(self, cfg: Any, sock: socket, client: Any, server: Any, *, most: int) -> None:
        super().__init__(cfg, sock, client, server)
        self.parser = Arrived(cfg, client)
        self.initialized = self.data_ready = True  # there is nothing left to wait for in a thread
        self.most = most
        self.leaving = False
        self.discarded = 0
        self._ahead = b""
        self._begin()

    def _begin(self) -> None:
        self._head = bytearray()
        self._request: Any = None
        self._chunks: Chunks | None = None
        self._length = 0
        self.received = 0
        self._since = time.monotonic()
        self.deadline = self._since + self.cfg.keepalive

    @property
    def idle(self) -> bool:
        """Nothing of a request has come."""
        return not self._head and self._request is None and not self.leaving

    def take(self, data: bytes) -> bool:
        """Add the next bytes; True once the request is whole, or is known to be too large.

        Raises gunicorn's errors of parsing, and OSError if the body cannot be kept.
        """
        if self._request is None:
            return self._take_head(data)
        self.received += len(data)
        self.deadline = self._since + BODY_SECONDS + self.received / SLOWEST
        if self._chunks:
            whole = self._chunks.end_in(data)
            if self.received > self.most:
                return self._is_too_large()
        else:
            missing = self._length - (self.received - len(data))
            data, self._ahead = data[:missing], data[missing:]
            whole = self.received >= self._length
        self.parser.unreader.keep(data)
        if whole:
            self.parser.unreader.rewind()
        return whole

    def again(self) -> bytes:
        """Wait for the next request; returns what came of it already."""
        came = self.parser.unreader.take_buffered() + self._ahead
        self._ahead = b""
        self.parser.unreader.forget()
        self._begin()
        return bytes(came)

    def close(self, graceful: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - as gunicorn calls it
        self.parser.unreader.forget()
        super().close()

    def _take_head(self, data: bytes) -> bool:
        if not self._head:
            self.deadline = time.monotonic() + HEAD_SECONDS
        searched = max(len(self._head) - 3, 0)
        self._head += data
        if self._head.find(b"\r\n\r\n", searched) < 0:
            if len(self._head) > HEAD_BYTES:
                raise LimitRequestHeaders("limit request headers fields size")
            return False
        self._request = self.parser.begin(bytes(self._head))
        came = self.parser.unreader.buf.getvalue()
        self._since = time.monotonic()
        self.deadline = self._since + BODY_SECONDS
        self.received = len(came)
        whole = self._is_whole(self._request.body.reader, came)
        if self._request._expected_100_continue:  # noqa: SLF001
            self._request._expected_100_continue = False  # noqa: SLF001 - gunicorn would say so at the end
            if not whole:
                self.sock.send(CONTINUE)
        return whole

    def _is_whole(self, reader: Any, came: bytes) -> bool:
        if isinstance(reader, ChunkedReader):
            # Where the next request begins is gunicorn's and our reading of the chunks: trust neither.
            self._request.force_close()
            self._chunks = Chunks()
            return self._chunks.end_in(came)
        self._length = reader.length
        return self._is_too_large() if self._length > self.most else len(came) >= self._length

    def _is_too_large(self) -> bool:
        """Hand the request over without its body: it announces more than is read, and so is refused."""
        request = self._request
        length = max(self._length, self.received)
        request.headers = [
            (name, value)
            for name, value in request.headers
            if name not in {"CONTENT-LENGTH", "TRANSFER-ENCODING"}
        ]
        request.headers.append(("CONTENT-LENGTH", str(length)))
        request.body = Body(LengthReader(self.parser.unreader, 0))
        request.force_close()
        self.parser.unreader.forget()
        return True
