"""Keeps the processes of one installation running together, and ends them together."""

import fcntl
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from django.utils.translation import gettext as _

from core.embedded.processes import alive, end, tail

KEPT_LOG_BYTES = 10 << 20
STEADY_SECONDS = 30.0
MOST_FAILURES = 6
GENTLE_END = [(signal.SIGTERM, 6.0), (signal.SIGQUIT, 3.0), (signal.SIGKILL, 3.0)]
QUICK_END = [(signal.SIGKILL, 3.0)]


class AlreadyUpError(Exception):
    """Another supervisor runs in this folder; the text gives its address."""


class ChildFailedError(Exception):
    """A child dies repeatedly, soon after each start; the text has the end of its log."""


@dataclass
class Child:
    """One program that must keep running; its output goes to `log`."""

    name: str
    command: Sequence[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    failures: int = 0
    started: float = 0.0
    due: float = 0.0

    def start(self, environment: Mapping[str, str]) -> None:
        """Start the program in a session of its own, so that Ctrl-C reaches only the supervisor."""
        if self.log.exists() and self.log.stat().st_size > KEPT_LOG_BYTES:
            self.log.replace(self.log.with_name(self.log.name + ".1"))
        self.log.touch(mode=0o600)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                start_new_session=True,
            )
        self.started = time.monotonic()

    def look(self) -> bool:
        """True if the program is due to start: it died, and its pause (1 s, doubled by each early death) is
        over. Raises ChildFailedError after MOST_FAILURES early deaths in a row.
        """
        now = time.monotonic()
        if self.process is None:
            return now >= self.due
        code = self.process.poll()
        if code is None:
            return False
        kill_group(self.process.pid)
        self.process = None
        self.failures = self.failures + 1 if now - self.started < STEADY_SECONDS else 1
        if self.failures >= MOST_FAILURES:
            raise ChildFailedError(
                _("%(name)s ended %(count)d times in a row, last with code %(code)d. Its log, %(log)s:")
                % {"name": self.name, "count": self.failures, "code": code, "log": self.log}
                + "\n"
                + tail(self.log)
            )
        self.due = now + 2.0 ** (self.failures - 1)
        return False


@dataclass
class Supervisor:
    """The children of one data folder, at most one supervisor per folder."""

    folder: Path
    environment: Mapping[str, str]
    address: str
    children: list[Child] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file = os.open(self.folder / "up.json", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            other = self._read()
            os.close(self._file)
            raise AlreadyUpError(
                _(
                    "Crosscheck already runs from this folder, at %(address)s (process %(pid)s). "
                    "Open that address, or end that process with Ctrl-C first."
                )
                % {"address": other.get("address", "?"), "pid": other.get("pid", "?")}
            ) from error

    def end_leftovers(self) -> int:
        """End the children of a killed supervisor of this folder; return how many there were."""
        left = []
        for pid, created in self._read().get("children", []):
            with suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                if process.create_time() == created and alive(process):
                    left.append(process)
        end(left, GENTLE_END)
        for process in left:
            kill_group(process.pid)
        self._write()
        return len(left)

    def look(self) -> None:
        """Start the children that are not running. Call it a few times a second. Raises ChildFailedError."""
        started = False
        for child in self.children:
            if child.look():
                child.start(self.environment)
                started = True
        if started:
            self._write()

    def forgive(self) -> None:
        """Forget early deaths: the children had no chance."""
        for child in self.children:
            child.failures = 0

    def end(self, *, quick: bool = False) -> None:
        """End every child: by request, after some seconds by force, with all processes of its session."""
        processes = [child.process for child in self.children if child.process]
        living = []
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                living.append(psutil.Process(process.pid))
        end(living, QUICK_END if quick else GENTLE_END)
        for process in processes:
            kill_group(process.pid)
            process.wait()
        for child in self.children:
            child.process = None
        self._write()

    def close(self) -> None:
        """Let another supervisor run in this folder."""
        os.close(self._file)

    def _read(self) -> dict[str, Any]:
        try:
            answer = json.loads(os.pread(self._file, 1 << 16, 0))
        except ValueError:
            return {}
        return answer if isinstance(answer, dict) else {}

    def _write(self) -> None:
        children = []
        for child in self.children:
            with suppress(psutil.NoSuchProcess):
                if child.process:
                    children.append((child.process.pid, psutil.Process(child.process.pid).create_time()))
        text = json.dumps({"pid": os.getpid(), "address": self.address, "children": children}).encode()
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))


def kill_group(leader: int) -> None:
    """Kill the remaining processes of the group that `leader` started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
