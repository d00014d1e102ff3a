"""A disk that really is full, under a running platform: pages stay, it comes back by itself, and nothing is lost."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import psycopg2
import pytest

from core import embedded
from core.disk.reserve import RESERVE
from core.management.commands.up import SERVERS_SECONDS
from tests.core.places import eventually, free_port, get, place
from tests.core.test_up import Up
from tests.long import only_long

SIZE = 420 << 20


@pytest.fixture
def small() -> Iterator[Path]:
    """A data folder on a file system of its own, of 420 MB."""
    folder = place()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=755", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("no small file system can be mounted here")
    yield folder
    embedded.stop_all(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def posted(port: int) -> int:
    """The status of a form that would save something."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        fields = urlencode({"email": "ada@example.org"})
        connection.request("POST", "/welcome/", fields, {"Content-Type": "application/x-www-form-urlencoded"})
        return connection.getresponse().status


def reserved(folder: Path) -> int:
    """The bytes that are kept back; 0 without the file."""
    try:
        return (folder / "reserve").stat().st_size
    except FileNotFoundError:
        return 0


class Filler:
    """A file that leaves as little room on the disk as is asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "filler"

    def leave(self, free: int) -> None:
        with self.file.open("ab") as file:
            while (room := shutil.disk_usage(self.folder).free - free) > 0:
                try:
                    os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), max(room, 4096))
                except OSError:
                    return


@only_long
@pytest.mark.slow
def test_a_full_disk_ends_nothing_for_good(small: Path) -> None:
    up = Up(small, port := free_port())
    try:
        up.ready()
        assert eventually(up.healthy)
        assert eventually(lambda: reserved(small) == RESERVE)
        assert posted(port) == 403  # read, and refused for its missing token alone
        server = {**embedded.postgres_parameters(small), "dbname": "crosscheck"}
        with closing(psycopg2.connect(**server)) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE acknowledged (id bigint PRIMARY KEY, text text)")
            connection.commit()

        # Nearly full: nothing is saved, and everything can be read.
        filler = Filler(small)
        filler.leave(100 << 20)
        assert eventually(lambda: posted(port) == 507, 10)
        assert get(port, "/welcome/").status == 200
        assert "disk wrong" in get(port, "/readyz").body.decode()

        # Full, while something goes on writing: the database stops, and cannot come back.
        stored = fill(server, filler)
        assert stored
        assert eventually(lambda: reserved(small) == 0)
        assert eventually(lambda: ends(small, filler))
        assert eventually(lambda: get(port, "/healthz").status != 200)
        time.sleep(SERVERS_SECONDS * 2)
        assert up.process.poll() is None

        # With room it comes back by itself, with all that was acknowledged.
        filler.file.unlink()
        assert eventually(up.healthy, 120)
        with closing(psycopg2.connect(**server)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT id FROM acknowledged ORDER BY id")
            assert [number for (number,) in cursor] == stored
        assert eventually(lambda: posted(port) == 403, 30)
        assert eventually(lambda: reserved(small) == RESERVE, 30)
    finally:
        code, out, errors = up.result(signal.SIGINT)
    assert (code, errors) == (0, "")
    assert out.endswith("Ended: web, worker, Redis, PostgreSQL.\n")


def ends(folder: Path, filler: Filler) -> bool:
    """Kill the database, and leave it no byte to start with; True once it does not start."""
    if database := embedded.status(folder).postgres:
        with suppress(ProcessLookupError):
            os.kill(database, signal.SIGKILL)
    filler.leave(0)
    time.sleep(SERVERS_SECONDS + 1)
    return embedded.status(folder).postgres is None


def fill(server: dict[str, str], filler: Filler) -> list[int]:
    """Write rows until the database refuses them; which ones it acknowledged."""
    stored: list[int] = []
    filler.leave(2 << 20)
    try:
        with closing(psycopg2.connect(**server)) as connection, connection.cursor() as cursor:
            for number in range(2_000):
                text = os.urandom(100_000).hex()
                cursor.execute("INSERT INTO acknowledged VALUES (%s, %s)", [number, text])
                connection.commit()
                stored.append(number)
                filler.leave(1 << 20)
    except psycopg2.Error:
        pass
    return stored
