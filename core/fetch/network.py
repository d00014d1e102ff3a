"""Connections to checked addresses, under a deadline."""

import socket
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import httpcore

from core.fetch.addresses import Target, checked

Resolve = Callable[[str, int], Sequence[str]]
"""Host and port to addresses; raises OSError if the name is unknown."""


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host as the system knows them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Unknown(Exception):
    """The name of the host has no address."""


class Deadline:
    """The end of the request that is under way; connections outlive requests and ask it at every read."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end = 0.0

    def begin(self, seconds: float) -> None:
        self._end = self._monotonic() + seconds

    def left(self, most: float | None, error: type[Exception]) -> float:
        """The seconds that one step may take, at most `most`. Raises `error` when the time is over."""
        left = self._end - self._monotonic()
        if left <= 0:
            raise error("the request took too long")
        return left if most is None else min(left, most)


class Network(httpcore.NetworkBackend):
    """Resolves a name, checks all its addresses, and connects to one of those: not to the name again, whose
    address may be another by then. `targets` are the targets that the pool may ask to connect to.
    """

    def __init__(self, deadline: Deadline, resolve: Resolve) -> None:
        self._deadline = deadline
        self._resolve = resolve
        self._inner = httpcore.SyncBackend()
        self.targets: dict[tuple[str, int], Target] = {}

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        target = self.targets[host, port]
        try:
            addresses = self._resolve(target.host, port)
        except (OSError, UnicodeError):
            addresses = []
        addresses = checked(addresses, target)
        if not addresses:
            raise Unknown
        failure: Exception = Unknown()
        for address in addresses:
            try:
                stream = self._inner.connect_tcp(
                    address,
                    port,
                    self._deadline.left(timeout, httpcore.ConnectTimeout),
                    local_address,
                    socket_options,
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                return _Stream(stream, self._deadline)
        raise failure

    def sleep(self, seconds: float) -> None:
        raise NotImplementedError("nothing is retried here")


class _Stream(httpcore.NetworkStream):
    """A connection on which a slow drip ends as the deadline does: each read has only the time left."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
