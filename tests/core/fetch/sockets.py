"""A server of raw bytes on loopback: what it answers is written by each test."""

import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

Answering = Callable[[socket.socket, bytes], None]


@dataclass
class Listening:
    port: int
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"


def said(status: str, *headers: str, body: bytes = b"") -> Answering:
    """Answers every request the same."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return lambda connection, _request: connection.sendall("\r\n".join(lines).encode() + body)


@contextmanager
def listening(answer: Answering, tls: ssl.SSLContext | None = None) -> Iterator[Listening]:
    """Serves one connection after another until the block ends."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.01)
    here = Listening(server.getsockname()[1])
    over = threading.Event()

    def serve() -> None:
        while not over.is_set():
            try:
                connection, _address = server.accept()
            except TimeoutError:
                continue
            here.connections += 1
            connection.settimeout(5)
            try:
                if tls:
                    connection = tls.wrap_socket(connection, server_side=True)
                while request := _read(connection, over):
                    here.requests.append(request)
                    answer(connection, request)
            except OSError:
                pass
            finally:
                connection.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        over.set()
        thread.join(10)
        server.close()


def certificate_of(name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """The context of a server that is `name`, and that of a client that trusts it alone."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    public = certificate.public_bytes(Encoding.PEM)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(public + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        file.flush()
        server.load_cert_chain(file.name)
    return server, ssl.create_default_context(cadata=public.decode())


def _read(connection: socket.socket, over: threading.Event) -> bytes:
    """One request with its body; b"" when the other side is gone."""
    data = b""
    connection.settimeout(0.01)
    while b"\r\n\r\n" not in data or len(data.partition(b"\r\n\r\n")[2]) < _length(data):
        try:
            piece = connection.recv(65536)
        except TimeoutError:
            if over.is_set():
                return b""
            continue
        if not piece:
            return b""
        data += piece
    connection.settimeout(5)
    return data


def _length(data: bytes) -> int:
    for line in data.partition(b"\r\n\r\n")[0].split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
