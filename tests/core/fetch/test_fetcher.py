"""The one way out, against real sockets on loopback."""

import gzip
import socket
import time
import tracemalloc
import zlib

import pytest

from core.fetch.answers import FetchFailed, Secret, Secrets
from core.fetch.errors import AddressRefused
from core.fetch.fetcher import Fetcher, Limits
from tests.core.fetch.sockets import certificate_of, listening, said
from tests.long import only_long

QUICK = Limits(connect=2, read=0.15, total=0.4, max_bytes=100_000)
TOKEN = "ghp_0123456789abcdefABCDEF"


def _fetcher(here, **more):
    return Fetcher([here.host], **{"limits": QUICK} | more)


def _failure(here, **more):
    with _fetcher(here, **more) as fetcher, pytest.raises(FetchFailed) as failed:
        fetcher.get(f"{here.url}/x")
    return failed.value.cause


class TestAnswers:
    def test_an_answer_has_status_headers_and_body(self):
        with (
            listening(said("200 OK", "X-One: 1", "x-one: 2", body=b"hello")) as here,
            _fetcher(here) as fetcher,
        ):
            answer = fetcher.get(f"{here.url}/a?b=c", headers={"Accept": "application/json"})
            again = fetcher.post(f"{here.url}/p", b"{}")
        assert (answer.status, answer.body, answer.url) == (200, b"hello", f"{here.url}/a?b=c")
        assert answer.header("x-one") == "1, 2"
        assert again.body == b"hello"
        assert here.connections == 1, "the connection is kept"
        get, post = here.requests
        assert get.startswith(b"GET /a?b=c HTTP/1.1\r\n")
        assert f"Host: {here.host}\r\n".encode() in get
        assert b"User-Agent: Crosscheck\r\n" in get
        assert b"Accept: application/json\r\n" in get
        assert post.endswith(b"\r\n\r\n{}")

    def test_a_compressed_answer_is_decoded(self):
        body = gzip.compress(b"hello" * 100)
        with (
            listening(said("200 OK", "Content-Encoding: gzip", body=body)) as here,
            _fetcher(here) as fetcher,
        ):
            assert fetcher.get(here.url).body == b"hello" * 100

    def test_an_error_of_the_server_is_an_answer(self):
        with listening(said("503 Busy", body=b"<html>")) as here, _fetcher(here) as fetcher:
            assert fetcher.get(here.url).status == 503

    def test_a_304_has_no_body(self):
        answer = lambda connection, _: connection.sendall(b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")  # noqa: E731
        with listening(answer) as here, _fetcher(here) as fetcher:
            assert [fetcher.get(here.url).status for _ in range(2)] == [304, 304]
        assert here.connections == 1

    def test_no_cookie_comes_back(self):
        with listening(said("200 OK", "Set-Cookie: a=b")) as here, _fetcher(here) as fetcher:
            fetcher.get(here.url)
            fetcher.get(here.url)
        assert not any(b"ookie" in request for request in here.requests)

    def test_a_proxy_of_the_environment_is_not_asked(self, monkeypatch):
        with listening(said("200 OK")) as here, listening(said("200 OK")) as proxy:
            for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.url)
            with _fetcher(here) as fetcher:
                fetcher.get(here.url)
        assert (here.connections, proxy.connections) == (1, 0)


class TestFaults:
    def test_nobody_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        with Fetcher(["127.0.0.1"], limits=QUICK) as fetcher, pytest.raises(FetchFailed) as failed:
            fetcher.get(f"http://127.0.0.1:{port}/")
        assert failed.value.cause == "connect"

    def test_an_unknown_name(self):
        def unknown(host, port):
            raise socket.gaierror(-2, "Name or service not known")

        with Fetcher(resolve=unknown, limits=QUICK) as fetcher, pytest.raises(FetchFailed) as failed:
            fetcher.get("https://no-such-host.example.org/")
        assert failed.value.cause == "resolve"

    @only_long
    def test_a_hang_ends(self):
        with listening(lambda connection, _: time.sleep(0.8)) as here:
            begin = time.monotonic()
            assert _failure(here) == "timeout"
            assert time.monotonic() - begin < 0.7

    @pytest.mark.parametrize("drip", [b"HTTP/1.1 200 OK\r\nX: " + b"y" * 400, b"HTTP/1.1 200 OK\r\nContent-Length: 400\r\n\r\n" + b"z" * 360])  # fmt: skip
    def test_a_slow_drip_of_headers_or_body_ends(self, drip):
        def answer(connection, _request):
            for at in range(0, len(drip), 10):
                connection.sendall(drip[at : at + 10])
                time.sleep(0.05)

        with listening(answer) as here:
            begin = time.monotonic()
            assert _failure(here) == "timeout"
            assert time.monotonic() - begin < 0.8

    def test_a_reset(self):
        def answer(connection, _request):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            connection.close()

        with listening(answer) as here:
            assert _failure(here) in {"reset", "cut"}

    @pytest.mark.parametrize(
        "answer",
        [
            b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n[1, 2",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[1, 2\r\n",
            b"no HTTP at all\r\n\r\n",
            b"",
        ],
    )
    def test_an_answer_that_breaks_off(self, answer):
        def cut(connection, _request):
            connection.sendall(answer)
            connection.shutdown(socket.SHUT_RDWR)

        with listening(cut) as here:
            assert _failure(here) == "cut"

    def test_a_compressed_answer_that_breaks_off(self):
        body = gzip.compress(b"hello" * 1000)
        for broken in (body[:-10], b"x" + body):
            with listening(said("200 OK", "Content-Encoding: gzip", body=broken)) as here:
                assert _failure(here) == "cut"

    def test_an_encoding_that_was_not_asked_for(self):
        with listening(said("200 OK", "Content-Encoding: br", body=b"x")) as here:
            assert _failure(here) == "encoding"


class TestLimits:
    def test_a_body_of_the_limit_is_taken_and_not_one_byte_more(self):
        with listening(said("200 OK", body=b"x" * 100_000)) as here, _fetcher(here) as fetcher:
            assert len(fetcher.get(here.url).body) == 100_000
        with listening(said("200 OK", body=b"x" * 100_001)) as here:
            assert _failure(here) == "too_large"

    def test_an_endless_body_does_not_fill_memory(self):
        def endless(connection, _request):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while True:
                connection.sendall(b"x" * 65536)

        with listening(endless) as here:
            assert self._most_memory(here) < 3_000_000

    def test_a_bomb_does_not_fill_memory(self):
        squeezer = zlib.compressobj(9, wbits=31)
        bomb = b"".join(squeezer.compress(bytes(1 << 20)) for _ in range(64)) + squeezer.flush()
        assert len(bomb) < 300_000
        with listening(said("200 OK", "Content-Encoding: gzip", body=bomb)) as here:
            assert self._most_memory(here, max_bytes=1_000_000) < 5_000_000

    def _most_memory(self, here, max_bytes=1_000_000):
        limits = Limits(read=2, total=5, max_bytes=max_bytes)
        with Fetcher([here.host], limits=limits) as fetcher:
            tracemalloc.start()
            try:
                with pytest.raises(FetchFailed) as failed:
                    fetcher.get(here.url)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()
                assert failed.value.cause == "too_large"


class TestWhereItGoes:
    def test_loopback_is_refused_and_nothing_is_sent(self):
        with listening(said("200 OK")) as here, Fetcher() as fetcher:
            for url in (here.url, here.url.replace("http:", "https:"), f"https://localhost:{here.port}/"):
                with pytest.raises(AddressRefused) as refused:
                    fetcher.get(url)
                assert refused.value.status == 422
        assert here.connections == 0

    def test_a_name_that_leads_inside_is_refused(self):
        with listening(said("200 OK")) as here:
            for addresses in (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]):
                url = f"https://forge.example.org:{here.port}/"
                with Fetcher(resolve=lambda host, port, found=addresses: found) as fetcher, pytest.raises(AddressRefused, match=r"forge\.example\.org"):  # fmt: skip
                    fetcher.get(url)
        assert here.connections == 0

    def test_a_name_that_is_public_first_and_private_next(self, monkeypatch):
        """Rebinding: between a check and the connection nothing is resolved, and each connection is checked."""
        answers = [["8.8.8.8"], ["127.0.0.1"]]
        reached = []

        def unreachable(address, *_, **__):
            reached.append(address)
            raise OSError("no route")

        with listening(said("200 OK")) as here, Fetcher(resolve=lambda host, port: answers.pop(0)) as fetcher:
            url = f"https://forge.example.org:{here.port}/"
            with monkeypatch.context() as patch:
                patch.setattr(socket, "create_connection", unreachable)
                with pytest.raises(FetchFailed):
                    fetcher.get(url)
            assert reached == [("8.8.8.8", here.port)]
            with pytest.raises(AddressRefused):
                fetcher.get(url)
        assert here.connections == 0
        assert answers == []

    def test_the_connection_goes_to_the_checked_address(self):
        asked = []

        def resolve(host, port):
            asked.append(host)
            return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

        with listening(said("200 OK")) as here:
            allowed = [f"forge.corp:{here.port}"]
            with Fetcher(allowed, resolve=resolve, limits=QUICK) as fetcher:
                for _ in range(3):
                    assert fetcher.get(f"http://forge.corp:{here.port}/").status == 200
            assert asked == ["forge.corp"]
            assert f"Host: forge.corp:{here.port}".encode() in here.requests[0]
            with Fetcher(allowed, resolve=resolve) as fetcher, pytest.raises(AddressRefused):
                fetcher.get(f"http://forge.corp:{here.port}/")

    def test_the_second_address_is_tried_when_the_first_is_silent(self):
        found = ["127.0.0.2", "127.0.0.1"]
        with listening(said("200 OK")) as here, Fetcher(["forge.corp"], resolve=lambda *_: found) as fetcher:
            assert fetcher.get(f"http://forge.corp:{here.port}/").status == 200


class TestCertificates:
    def test_the_certificate_is_that_of_the_name_and_not_of_the_address(self):
        server, trust = certificate_of("forge.corp")
        with listening(said("200 OK", body=b"safe"), server) as here:
            for name, context, works in (("forge.corp", trust, True), ("other.corp", trust, False), ("forge.corp", None, False)):  # fmt: skip
                with Fetcher(["forge.corp", "other.corp"], resolve=lambda *_: ["127.0.0.1"], ssl_context=context, limits=QUICK) as fetcher:  # fmt: skip
                    url = f"https://{name}:{here.port}/"
                    if works:
                        assert fetcher.get(url).body == b"safe"
                        continue
                    with pytest.raises(FetchFailed) as failed:
                        fetcher.get(url, secrets=Secrets(Secret(TOKEN)))
                    assert failed.value.cause == "tls"
        assert len(here.requests) == 1, "no token goes to a server that is not the named one"


class TestRedirects:
    def test_a_redirect_to_the_same_server_is_followed(self):
        def answer(connection, request):
            path = request.split()[1]
            to = {b"/1": b"/2", b"/2": b"/3"}.get(path)
            head = b"HTTP/1.1 302 Found\r\nLocation: " + to if to else b"HTTP/1.1 200 OK"
            connection.sendall(head + b"\r\nContent-Length: 0\r\n\r\n")

        with listening(answer) as here, _fetcher(here) as fetcher:
            answer = fetcher.get(f"{here.url}/1", secrets=Secrets(Secret(TOKEN)))
            assert (answer.status, answer.url) == (200, f"{here.url}/3")
            assert fetcher.get(f"{here.url}/1", follow=frozenset({301})).status == 302
        assert [TOKEN.encode() in request for request in here.requests] == [True, True, True, False]

    def test_a_circle_ends(self):
        with listening(said("302 Found", "Location: /again")) as here:
            assert _failure(here) == "redirect"
        assert len(here.requests) == 6

    def test_a_redirect_elsewhere_is_not_followed(self):
        """Neither to another server, nor to another port or scheme of the same one, even if all are allowed."""
        with listening(said("200 OK")) as other:
            for to in (other.url, f"http://localhost:{other.port}/", "//127.0.0.1/", "https://api.github.com/", "file:///etc/passwd", "gopher://127.0.0.1/", ""):  # fmt: skip
                with listening(said("302 Found", f"Location: {to}")) as here:
                    with Fetcher(["127.0.0.1", "localhost"], limits=QUICK) as fetcher, pytest.raises(FetchFailed) as failed:  # fmt: skip
                        fetcher.get(here.url, secrets=Secrets(Secret(TOKEN), {"access_token": Secret(TOKEN)}))
                    assert failed.value.cause == "redirect", to
        assert other.connections == 0
