"""A token reaches its own host and nothing else: no log, no message, no variable of an error page."""

import logging
import pickle
import time
import traceback

import pytest

from core.fetch.answers import FetchFailed, Secret, Secrets
from core.fetch.errors import AddressRefused
from core.fetch.fetcher import Fetcher, Limits
from tests.core.fetch.sockets import listening, said

TOKEN = "ghp_0123456789abcdefABCDEF"
QUERY = "gitee+token/0123456789"
SECRETS = Secrets(Secret(TOKEN), {"access_token": Secret(QUERY)})
QUICK = Limits(connect=1, read=0.2, total=0.4, max_bytes=10_000)


@pytest.fixture
def written(caplog):
    """All that any logger writes, also those of httpx and httpcore at the level at which they write headers."""
    caplog.set_level(logging.DEBUG)
    for name in ("httpcore", "httpcore.http11", "httpcore.connection", "httpx", "h11"):
        logger = logging.getLogger(name)
        logger.disabled = False
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def _is_secret(text):
    return any(part in text for part in (TOKEN, QUERY, "0123456789"))


def test_a_token_is_sent(written):
    with listening(said("200 OK", body=b"[]")) as here, Fetcher([here.host]) as fetcher:
        answer = fetcher.get(f"{here.url}/x?page=2", secrets=SECRETS)
        fetcher.post(f"{here.url}/x", b"{}", secrets=SECRETS)
    get, post = here.requests
    assert get.startswith(b"GET /x?page=2&access_token=gitee%2Btoken%2F0123456789 HTTP")
    assert post.startswith(b"POST /x?access_token=gitee%2Btoken%2F0123456789 HTTP")
    assert f"Authorization: Bearer {TOKEN}\r\n".encode() in get
    assert answer.url == f"{here.url}/x?page=2"
    assert not _is_secret(written.text)
    assert not _is_secret(repr(answer))


def test_what_a_server_repeats_is_hidden(written):
    """Gitee's links name the page that follows with the token of the request."""
    link = f'<https://gitee.com/api?page=2&access_token=gitee%2Btoken%2F0123456789&a={QUERY}>; rel="next"'
    body = f"you are {TOKEN}".encode()
    with listening(said("200 OK", f"Link: {link}", body=body)) as here, Fetcher([here.host]) as fetcher:
        answer = fetcher.get(here.url, secrets=SECRETS)
    assert answer.header("link") == '<https://gitee.com/api?page=2&access_token=***&a=***>; rel="next"'
    assert answer.body == b"you are ***"
    assert not _is_secret(written.text)


def test_a_redirect_with_the_token_in_it(written):
    def answer(connection, request):
        moved = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /new?page=2&access_token=gitee%2Btoken%2F0123456789\r\n\r\n"
        connection.sendall(moved if b"/old" in request else b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with listening(answer) as here, Fetcher([here.host]) as fetcher:
        assert fetcher.get(f"{here.url}/old", secrets=SECRETS).url == f"{here.url}/new?page=2"
    assert here.requests[1].startswith(b"GET /new?page=2&access_token=gitee%2Btoken%2F0123456789 HTTP")
    assert not _is_secret(written.text)


def _frames(error):
    """What an error page shows of our own frames: lines and variables."""
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    ours = [frame for frame in shown.stack if "/tests/" not in frame.filename]
    assert ours
    return "".join(f"{frame.line} {frame.locals}" for frame in ours)


def _hang(connection, _request):
    time.sleep(0.3)


@pytest.mark.parametrize(
    "answer",
    [
        said("302 Found", "Location: https://evil.example.org/?t=" + TOKEN),
        said("200 OK", body=b"x" * 20_000),
        said("200 OK", "Content-Encoding: gzip", body=b"x"),
        said("200 OK", "Content-Encoding: " + TOKEN, body=b"x"),
        lambda connection, request: connection.sendall(request),
        lambda connection, request: connection.close(),
        _hang,
    ],
    ids=["redirect", "too_large", "not_gzip", "encoding", "echo", "reset", "hang"],
)
def test_no_failure_shows_a_token(answer, written):
    with (
        listening(answer) as here,
        Fetcher([here.host], limits=QUICK) as fetcher,
        pytest.raises(FetchFailed) as failed,
    ):
        fetcher.get(f"{here.url}/x?access_token={QUERY}", secrets=SECRETS)
    assert "Secret(…)" in _frames(failed.value)
    assert not _is_secret(_frames(failed.value))
    assert failed.value.__context__ is None
    assert failed.value.__cause__ is None
    assert not _is_secret(f"{failed.value} {failed.value!r} {failed.value.url} {failed.value.detail}")
    assert not _is_secret(written.text)


def test_no_refusal_shows_a_token(written):
    with Fetcher(resolve=lambda *_: ["127.0.0.1"]) as fetcher, pytest.raises(AddressRefused) as refused:
        fetcher.get("https://forge.example.org/", secrets=SECRETS)
    assert not _is_secret(_frames(refused.value))
    assert not _is_secret(str(refused.value))
    assert not _is_secret(written.text)


def test_a_secret_hides_itself():
    secret = Secret(TOKEN)
    assert _is_secret(secret.reveal())
    for text in (repr(secret), str(secret), f"{secret}", repr(SECRETS), repr({"a": [secret]})):
        assert not _is_secret(text)
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    assert secret == Secret(TOKEN) != Secret(QUERY)


@pytest.mark.parametrize("text", ["", "short", "with space in it", "two\nlines-of-it", "tab\there-it-is", "schlüssel-schlüssel"])  # fmt: skip
def test_what_cannot_be_a_token_is_refused_without_showing_it(text):
    """A line end would end the header; a short text could not be hidden where it occurs by chance."""
    with pytest.raises(ValueError) as wrong:
        Secret(text)
    assert not text or text not in str(wrong.value)
