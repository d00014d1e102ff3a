"""Sends one request and takes one answer, within the limits. Retries nothing: what an answer means, its asker
knows.
"""

import logging
import ssl
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Self
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

import certifi
import httpcore

from core.fetch.addresses import Refused, Target, target_of
from core.fetch.answers import Answer, Cause, FetchFailed, Secrets
from core.fetch.errors import AddressRefused
from core.fetch.network import Deadline, Network, Resolve, Unknown, resolve

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
_CHUNK = 64 * 1024
_NOTHING = Secrets()


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds to connect, to read, and for the whole request; bytes of a body, as sent and as decoded."""

    connect: float = 10.0
    read: float = 30.0
    total: float = 90.0
    max_bytes: int = 64 * 1024 * 1024


DEFAULT_LIMITS = Limits()


class _Failed(Exception):
    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause: Cause = cause
        self.detail = detail


class Fetcher:
    """Asks other servers; keeps connections open between requests, so close it. For one thread at a time.

    `allowed_hosts` are the hosts, each with or without its port, that the administrator allowed although they
    are inside or speak http (setting FORGE_HOSTS). Neither proxies nor cookies of the environment are used.
    """

    def __init__(
        self,
        allowed_hosts: Collection[str] = (),
        *,
        limits: Limits = DEFAULT_LIMITS,
        agent: str = "Crosscheck",
        resolve: Resolve = resolve,
        ssl_context: ssl.SSLContext | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allowed = frozenset(allowed_hosts)
        self._limits = limits
        self._agent = agent
        self._deadline = Deadline(monotonic)
        self._network = Network(self._deadline, resolve)
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context or _trust(),
            max_connections=4,
            keepalive_expiry=30.0,
            network_backend=self._network,
        )

    def close(self) -> None:
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        follow: frozenset[int] = REDIRECTS,
    ) -> Answer:
        """The answer to GET. Redirects whose status is in `follow` are followed, at most five, and only to
        the same scheme, host and port; another redirect is the answer. Raises FetchFailed or AddressRefused.
        """
        secrets = secrets or _NOTHING
        url = _bare(url, secrets)
        for _ in range(_MOST_REDIRECTS + 1):
            target = self._target(url)
            answer = self._asked("GET", target, headers or {}, secrets, b"")
            if answer.status not in follow:
                return answer
            url = self._next(target, answer, secrets)
        raise FetchFailed(_bare(url, secrets), "redirect", "too many redirects")

    def post(
        self,
        url: str,
        content: bytes,
        *,
        headers: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
    ) -> Answer:
        """The answer to POST; no redirect is followed. Raises FetchFailed or AddressRefused."""
        secrets = secrets or _NOTHING
        url = _bare(url, secrets)
        return self._asked("POST", self._target(url), headers or {}, secrets, content)

    def _target(self, url: str) -> Target:
        try:
            return target_of(url, self._allowed)
        except Refused as refused:
            raise AddressRefused(refused) from None

    def _next(self, target: Target, answer: Answer, secrets: Secrets) -> str:
        """The address to which an answer redirects. Raises FetchFailed if that is another server's."""
        to = _bare(urljoin(answer.url, answer.header("location")), secrets)
        try:
            there = target_of(to, self._allowed)
        except Refused:
            there = None
        if not answer.header("location") or there is None or there.origin != target.origin:
            raise FetchFailed(answer.url, "redirect", "redirected to another host")
        return to

    def _asked(
        self, method: str, target: Target, headers: Mapping[str, str], secrets: Secrets, content: bytes
    ) -> Answer:
        _silence()
        self._deadline.begin(self._limits.total)
        self._network.targets[target.host, target.port] = target
        outcome = self._send(method, target, headers, secrets, content)
        # Raised here, where no variable holds a secret in the clear: error pages show variables of frames.
        if isinstance(outcome, Refused):
            raise AddressRefused(outcome)
        if isinstance(outcome, _Failed):
            raise FetchFailed(_bare(target.url, secrets), outcome.cause, secrets.hidden_in(outcome.detail))
        return outcome

    def _send(
        self, method: str, target: Target, headers: Mapping[str, str], secrets: Secrets, content: bytes
    ) -> Answer | _Failed | Refused:
        sent = [(b"Host", target.netloc.encode()), (b"User-Agent", self._agent.encode())]
        sent.append((b"Accept-Encoding", b"gzip"))
        sent += [(name.encode(), value.encode()) for name, value in headers.items()]
        if content:
            sent.append((b"Content-Length", str(len(content)).encode()))
        if secrets.bearer:
            sent.append((b"Authorization", f"Bearer {secrets.bearer.reveal()}".encode()))
        address = httpcore.URL(
            scheme=target.scheme.encode(),
            host=target.host.encode(),
            port=target.port,
            target=_with(target.path, secrets).encode(),
        )
        timeouts = {
            "connect": self._limits.connect,
            "read": self._limits.read,
            "write": self._limits.read,
            "pool": self._limits.connect,
        }
        try:
            with self._pool.stream(
                method, address, headers=sent, content=content or None, extensions={"timeout": timeouts}
            ) as response:
                given = _headers(response.headers, secrets)
                body = _body(
                    response.iter_stream(), given.get("content-encoding", ""), self._limits.max_bytes
                )
                return Answer(
                    response.status, given, secrets.hidden_in_bytes(body), _bare(target.url, secrets)
                )
        except (Refused, _Failed) as error:
            return error.with_traceback(None)
        except Exception as error:  # noqa: BLE001 - whatever it is, its frames hold the secret
            return _failure(error)


def _failure(error: Exception) -> _Failed:
    if isinstance(error, ssl.SSLError) or isinstance(error.__cause__ or error.__context__, ssl.SSLError):
        return _Failed("tls", "no trusted TLS connection")
    for kind, cause, detail in _FAILURES:
        if isinstance(error, kind):
            return _Failed(cause, detail)
    return _Failed("reset", type(error).__name__)


_FAILURES: tuple[tuple[type[Exception], Cause, str], ...] = (
    (Unknown, "resolve", "the host name is unknown"),
    (httpcore.TimeoutException, "timeout", "no answer in time"),
    (httpcore.ConnectError, "connect", "no connection"),
    (httpcore.RemoteProtocolError, "cut", "the answer broke off or is no HTTP"),
    (httpcore.NetworkError, "reset", "the connection broke"),
)


def _headers(given: Iterable[tuple[bytes, bytes]], secrets: Secrets) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in given:
        key, text = name.decode("latin-1").lower(), secrets.hidden_in(value.decode("latin-1"))
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _body(chunks: Iterable[bytes], encoding: str, most: int) -> bytes:
    """The decoded body, counted while it comes in: neither a huge nor a compressed one fills memory."""
    encoding = encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip"}:
        raise _Failed("encoding", "an encoding that was not asked for")
    decoder = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
    body = bytearray()
    raw = 0
    for chunk in chunks:
        raw += len(chunk)
        if raw > most:
            raise _Failed("too_large", f"more than {most} bytes")
        if decoder is None:
            body += chunk
        else:
            _inflate(decoder, chunk, body, most)
    if decoder is not None and raw and not decoder.eof:
        raise _Failed("cut", "the answer broke off")
    return bytes(body)


def _inflate(decoder: "zlib._Decompress", chunk: bytes, body: bytearray, most: int) -> None:
    try:
        while chunk:
            body += decoder.decompress(chunk, _CHUNK)
            if len(body) > most:
                raise _Failed("too_large", f"more than {most} bytes")
            chunk = decoder.unconsumed_tail
    except zlib.error:
        raise _Failed("cut", "the compressed answer cannot be read") from None


def _with(path: str, secrets: Secrets) -> str:
    if not secrets.query:
        return path
    given = urlencode({name: secret.reveal() for name, secret in secrets.query.items()})
    return f"{path}{'&' if '?' in path else '?'}{given}"


def _bare(url: str, secrets: Secrets) -> str:
    """The address without the parameters of the query that hold secrets, whoever wrote them there."""
    parts = urlsplit(url)
    if not secrets.query or not any(name in parts.query for name in secrets.query):
        return secrets.hidden_in(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    kept = urlencode([(name, value) for name, value in pairs if name not in secrets.query])
    return secrets.hidden_in(urlunsplit(parts._replace(query=kept)))


@cache
def _trust() -> ssl.SSLContext:
    """The authorities of the web, and those that the administrator added to the system."""
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


_LOGGERS = [
    logging.getLogger(f"httpcore.{name}") for name in ("connection", "http11", "http2", "proxy", "socks")
]


def _silence() -> None:
    """At level DEBUG httpcore writes headers down; a configuration of logging may have enabled it again."""
    for logger in _LOGGERS:
        logger.disabled = True
