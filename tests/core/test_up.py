"""`manage.py up`, as a person runs it: a command in a terminal, with children that get killed."""

import math
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import StringIO
from pathlib import Path

import psutil
import pytest
from django.conf import settings

from core import embedded
from core.embedded.processes import alive, processes_in
from core.management.commands import up as command
from core.supervisor import MOST_FAILURES, AlreadyUpError, Child, ChildFailedError, Supervisor
from tests.core.places import eventually, free_port, get, place
from tests.long import only_long


class Up:
    """A running `manage.py up` and what it printed."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "CROSSCHECK_DATA": str(folder),
            "PORT": str(port),
        }
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=settings.BASE_DIR,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def ready(self) -> list[str]:
        """The lines it prints up to the one that says how to end it."""
        lines = []
        assert self.process.stdout
        while line := self.process.stdout.readline():
            lines.append(line.rstrip("\n"))
            if line.startswith("Ctrl-C"):
                return lines
        raise AssertionError(lines, self.process.communicate())

    def result(self, number: signal.Signals | None = None) -> tuple[int, str, str]:
        """Its exit code, the rest of what it printed and its errors, after a signal."""
        if number:
            self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=120)
        return self.process.returncode, out, errors

    def healthy(self) -> bool:
        return get(self.port, "/healthz").status == 200

    def children(self) -> dict[str, psutil.Process]:
        found: dict[str, psutil.Process] = {}
        for child in filter(alive, psutil.Process(self.process.pid).children()):
            with suppress(psutil.Error):
                words = child.cmdline()
                found |= {name: child for name in ("gunicorn", "worker") if name in words}
        return found


def without_code(lines: list[str]) -> list[str]:
    """The lines of a start without the code for the first account, which is another at each start."""
    return [line for line in lines if not line.startswith("The first account needs this code: ")]


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = place()
    yield folder
    embedded.stop_all(folder)


@pytest.fixture
def up(folder: Path) -> Iterator[Callable[[int], Up]]:
    """Starts `manage.py up` at a port, and ends it with the test however that ends."""
    begun: list[Up] = []

    def begin(port: int) -> Up:
        begun.append(Up(folder, port))
        return begun[-1]

    yield begin
    for one in begun:
        if one.process.returncode is None:
            one.result(signal.SIGTERM)


@pytest.mark.slow
@only_long
def test_up_is_ready_says_where_it_runs_and_ends_everything(folder: Path, up: Callable[[int], Up]) -> None:
    one = up(port := free_port())
    lines = one.ready()
    assert lines[1] == f"Crosscheck is ready at http://127.0.0.1:{port}/"
    assert eventually(one.healthy)
    # The first account is for who reads this terminal.
    assert re.fullmatch(r"The first account needs this code: [0-9a-f]{8}", lines[2])
    assert b'name="code"' in get(port, "/welcome/").body
    code, out, errors = up(free_port()).result()
    assert (code, out) == (1, "")
    assert f"at http://127.0.0.1:{port} (process {one.process.pid})" in errors

    family = psutil.Process(one.process.pid).children(recursive=True)
    assert one.result(signal.SIGINT) == (0, "\nEnded: web, worker, Redis, PostgreSQL.\n", "")
    assert not any(map(alive, family))
    assert embedded.status(folder) == embedded.Status(None, None)
    assert get(port, "/healthz").status == 0


@only_long
def test_up_from_start_to_end(folder: Path, up: Callable[[int], Up]) -> None:
    port = free_port()
    killed = up(port)
    ready = [
        f"Starting Crosscheck in {folder} …",
        f"Crosscheck is ready at http://127.0.0.1:{port}/",
        f"Ctrl-C ends it. Data and logs: {folder}",
    ]
    assert without_code(killed.ready()) == ready
    # Twice as many others at work may keep a first answer waiting for longer than `get` does.
    assert eventually(killed.healthy)

    # A second one in the same folder is told where the first one is.
    assert up(free_port()).result() == (
        1,
        "",
        (
            f"CommandError: Crosscheck already runs from this folder, at http://127.0.0.1:{port} "
            f"(process {killed.process.pid}). Open that address, or end that process with Ctrl-C first.\n"
        ),
    )

    # Children and servers that die come back.
    before = killed.children()
    assert before.keys() == {"gunicorn", "worker"}
    servers = embedded.status(folder)
    assert servers.postgres
    assert servers.redis
    for pid in [before["gunicorn"].pid, before["worker"].pid, servers.postgres, servers.redis]:
        psutil.Process(pid).kill()
    assert eventually(lambda: killed.children().keys() == before.keys() and killed.healthy(), 180)
    assert not any(map(alive, [before["gunicorn"], before["worker"]]))
    assert eventually(lambda: None not in {embedded.status(folder).postgres, embedded.status(folder).redis})

    # Killed itself, it leaves its children; the next one ends them and takes over.
    left = list(killed.children().values())
    killed.result(signal.SIGKILL)
    assert any(map(alive, left))
    heir = up(port)
    assert without_code(heir.ready()) == ["Ended the programs that an earlier run had left running.", *ready]
    assert not any(map(alive, left))
    assert eventually(heir.healthy)

    family = psutil.Process(heir.process.pid).children(recursive=True)
    family += [
        *processes_in("postgres", folder / "postgres"),
        *processes_in("redis-server", folder / "redis"),
    ]
    assert heir.result(signal.SIGINT) == (0, "\nEnded: web, worker, Redis, PostgreSQL.\n", "")
    assert not any(map(alive, family))
    assert embedded.status(folder) == embedded.Status(None, None)
    assert get(port, "/healthz").status == 0


@only_long
@pytest.mark.slow
def test_a_port_that_is_taken_is_named_with_one_that_is_free(folder: Path, up: Callable[[int], Up]) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, out, errors = up(port).result()
    assert (code, out) == (1, "")
    said, _, advised = errors.strip().rpartition("PORT=")
    assert (
        said
        == f"CommandError: Port {port} cannot be used: Address already in use. Try another one, for example "
    )
    assert port < int(advised.rstrip(".")) < 65536
    assert embedded.status(folder) == embedded.Status(None, None)


def test_a_child_that_dies_at_once_is_given_up_after_some_tries(tmp_path: Path) -> None:
    child = Child("web", ["/bin/sh", "-c", "echo no such module; exit 3"], tmp_path / "web.log")
    pauses = []
    for attempt in range(MOST_FAILURES):
        child.due = 0
        assert child.look() is True
        child.start(os.environ)
        assert child.process
        child.process.wait()
        if attempt < MOST_FAILURES - 1:
            assert child.look() is False
            pauses.append(round(child.due - child.started))
    with pytest.raises(ChildFailedError) as refused:
        child.look()
    assert pauses == [1, 2, 4, 8, 16]
    assert str(refused.value).startswith("web ended 6 times in a row, last with code 3. Its log, ")
    assert str(refused.value).endswith("\nno such module\nno such module")


def test_on_a_full_disk_it_waits_instead_of_ending(tmp_path: Path, settings) -> None:
    out = StringIO()
    up = command.Command(stdout=out)
    up.folder, up.servers_due = tmp_path, math.inf
    supervisor = Supervisor(tmp_path, os.environ, "http://127.0.0.1:1")
    child = Child("web", ["/bin/sh", "-c", "exit 3"], tmp_path / "web.log")
    supervisor.children.append(child)

    def die_once_too_often() -> None:
        child.failures, child.due = MOST_FAILURES - 1, 0
        supervisor.look()
        assert child.process
        child.process.wait()

    try:
        settings.DISK_MARGIN = 1 << 62
        for _ in range(2):
            die_once_too_often()
            up.look(supervisor)
            assert child.failures == 0
        assert out.getvalue() == (
            f"The disk of {tmp_path} is full. Crosscheck waits, and goes on when there is room.\n"
        )
        # What died of the full disk may be found a moment after there is room.
        settings.DISK_MARGIN = 0
        die_once_too_often()
        up.look(supervisor)
        child.command = ["/bin/sh", "-c", "exec sleep 100"]
        up.look(supervisor)
        assert child.process
        assert out.getvalue().endswith("There is room again. Crosscheck goes on.\n")
        # With room for a while it is no reason any more.
        up.full_at = -math.inf
        child.process.kill()
        child.process.wait()
        child.failures = MOST_FAILURES - 1
        with pytest.raises(ChildFailedError):
            up.look(supervisor)
    finally:
        supervisor.end(quick=True)
        supervisor.close()


def test_a_start_on_a_full_disk_waits_and_comes_back(tmp_path: Path, settings, monkeypatch) -> None:
    out = StringIO()
    up = command.Command(stdout=out)
    up.folder = tmp_path
    tried = []

    def start() -> str:
        tried.append(settings.DISK_MARGIN)
        if settings.DISK_MARGIN:
            raise command.CommandError("could not write: no space left on device")
        return "started"

    def make_room(_seconds: float) -> None:
        settings.DISK_MARGIN = 0

    monkeypatch.setattr(command.time, "sleep", make_room)
    settings.DISK_MARGIN = 1 << 62
    assert up.when_there_is_room(start) == "started"
    assert tried == [1 << 62, 0]
    assert out.getvalue() == (
        f"The disk of {tmp_path} is full. Crosscheck waits, and goes on when there is room.\n"
        "There is room again. Crosscheck goes on.\n"
    )

    def fail() -> None:
        raise command.CommandError("another reason")

    with pytest.raises(command.CommandError, match="another reason"):
        up.when_there_is_room(fail)


LATE = """
import http.server, sys, time
class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
time.sleep(1.5)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Healthy).serve_forever()
"""


def test_a_web_server_that_answers_late_is_waited_for(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(command, "PATIENT_SECONDS", 0.5)
    out, port = StringIO(), free_port()
    waiting = command.Command(stdout=out)
    waiting.folder = tmp_path
    supervisor = Supervisor(tmp_path, os.environ, f"http://127.0.0.1:{port}")
    supervisor.children.append(
        Child("web", [sys.executable, "-c", LATE, str(port)], tmp_path / "logs" / "web.log")
    )
    command.log(tmp_path, "web")
    try:
        supervisor.look()
        waiting.wait_for_web(supervisor, "127.0.0.1", port)
    finally:
        supervisor.end(quick=True)
        supervisor.close()
    lines = out.getvalue().splitlines()
    assert lines[0] == (
        f"The web server runs, but has not answered for 0 s. Its log: {tmp_path / 'logs' / 'web.log'}"
    )
    assert len(lines) >= 2


def test_ending_kills_what_a_child_has_begun(tmp_path: Path) -> None:
    stubborn = "trap '' TERM QUIT; sleep 1000 & echo $! >started; wait; wait"
    supervisor = Supervisor(tmp_path, os.environ, "http://127.0.0.1:1")
    supervisor.children.append(
        Child("web", ["/bin/sh", "-c", f"cd '{tmp_path}'; {stubborn}"], tmp_path / "web.log")
    )
    supervisor.look()
    assert eventually(lambda: (tmp_path / "started").exists() and (tmp_path / "started").read_text() != "")
    grandchild = psutil.Process(int((tmp_path / "started").read_text()))
    with pytest.raises(AlreadyUpError, match=r"already runs from this folder, at http://127\.0\.0\.1:1 "):
        Supervisor(tmp_path, os.environ, "http://127.0.0.1:2")
    supervisor.end(quick=True)
    supervisor.close()
    assert eventually(lambda: not alive(grandchild), 5)
    Supervisor(tmp_path, os.environ, "http://127.0.0.1:2").close()
