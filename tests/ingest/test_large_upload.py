"""A file of 200 MB goes through the server in pieces."""

import io
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from ingest.models import Import
from tests.factories import make_member, make_study
from tests.ingest.files import jsonl, record
from tests.long import only_long

MEGABYTE = 1 << 20
BOUNDARY = "boundary-of-the-test"


class Pieces(io.RawIOBase):
    """A request's body that is made while it is read."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        if not self._rest:
            self._rest = next(self._pieces, b"")
        taken, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def peak() -> int:
    """The most memory that this process has held since `start_over`, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def start_over() -> int:
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def send(client, path: str, size: int, line: bytes) -> tuple[int, dict[str, str], bytes]:
    """Post `size` bytes of `line` over and over as a file; status, headers and body of the answer."""
    head = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="uploads"; filename="big.jsonl"\r\n\r\n'
    ).encode()
    tail = f"\r\n--{BOUNDARY}--\r\n".encode()
    piece = line * (MEGABYTE // len(line))
    count = size // len(piece)
    body = iter([head, *[piece] * count, tail])
    cookies = SimpleCookie({name: morsel.value for name, morsel in client.cookies.items()})
    answered = {}

    def start_response(status, headers, *_):
        answered.update(status=int(status.split()[0]), headers=dict(headers))

    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": path,
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "CONTENT_TYPE": f"multipart/form-data; boundary={BOUNDARY}",
        "CONTENT_LENGTH": str(len(head) + len(piece) * count + len(tail)),
        "HTTP_COOKIE": cookies.output(header="", sep=";").strip(),
        "HTTP_X_CSRFTOKEN": client.cookies[settings.CSRF_COOKIE_NAME].value,
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BufferedReader(Pieces(body), MEGABYTE),
        "wsgi.errors": io.StringIO(),
        "wsgi.version": (1, 0),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    response = get_wsgi_application()(environ, start_response)
    content = b"".join(response)
    response.close()
    return answered["status"], answered["headers"], content


@pytest.fixture
def path(client) -> str:
    study = make_study()
    client.force_login(make_member(study, "lead").user)
    address = reverse("new_import", args=[study.slug])
    client.get(address)
    return address


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is measured by Linux's /proc")
class TestLargeUpload:
    LINE = jsonl(record(1, body="x" * 4000))

    @only_long
    def test_is_kept_in_a_bounded_memory(self, client, path) -> None:
        before = start_over()

        status, headers, _body = send(client, path, 200 * MEGABYTE, self.LINE)

        run = Import.objects.get()
        assert (status, headers["Location"]) == (302, run.get_absolute_url())
        assert run.size > 199 * MEGABYTE
        assert peak() - before < 60 * MEGABYTE

    def test_past_the_limit_is_refused_and_fills_no_disk(self, client, path, settings, uploads) -> None:
        settings.UPLOAD_MAX_BYTES = 20 * MEGABYTE
        before = start_over()

        status, _headers, body = send(client, path, 200 * MEGABYTE, self.LINE)

        assert status == 413
        assert b"The request is larger than 20 MB. Nothing was saved." in body
        assert not Import.objects.exists()
        assert not uploads.exists()
        assert peak() - before < 60 * MEGABYTE
