"""Starting, finding and ending the processes of a server that outlives whoever started it."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from .owner import Owner

_KEPT_LOG_BYTES = 4 << 20


def start_detached(
    command: Sequence[str | Path], *, owner: Owner, log: Path, folder: Path
) -> psutil.Process | None:
    """Start a server in a session of its own, as `owner`, in `folder`; its output is appended to `log`.

    The shell puts it into the background and ends, so that it is nobody's child and leaves no zombie with the
    process that happened to need it first. None if it has ended already.
    """
    if log.exists() and log.stat().st_size > _KEPT_LOG_BYTES:
        log.replace(log.with_name(log.name + ".1"))
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))
    }
    log.touch(mode=0o600)
    with log.open("ab") as output:
        answer = subprocess.run(
            ["/bin/sh", "-c", '"$@" >&2 </dev/null & echo $!', "sh", *map(str, command)],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=output,
            cwd=folder,
            env={**environment, "LC_ALL": "C", "HOME": str(folder)},
            umask=0o077,
            start_new_session=True,
            **owner.popen(),
        )
    try:
        return psutil.Process(int(answer.stdout))
    except psutil.NoSuchProcess:
        return None


def alive(process: psutil.Process | None) -> bool:
    """False for None, for a process that ended, even if its number was reused, and for a zombie."""
    try:
        return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def process_called(pid: int, program: str, token: str) -> psutil.Process | None:
    """The living process `pid` if its title shows `program` and `token`: its number may have been reused."""
    try:
        process = psutil.Process(pid)
        title = " ".join(process.cmdline())
    except psutil.Error:
        return None
    return process if token in title and program in title.split(" ")[0] and alive(process) else None


def processes_called(program: str, token: str) -> list[psutil.Process]:
    """Every living process whose title shows it to be `program` with `token`."""
    found = (process_called(pid, program, token) for pid in psutil.pids())
    return [process for process in found if process]


def end(processes: Iterable[psutil.Process], steps: Sequence[tuple[signal.Signals, float]]) -> bool:
    """Send each signal to those still alive and wait up to its seconds, in turn. True if all ended."""
    ending = list(processes)
    for number, seconds in steps:
        for process in filter(alive, ending):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if wait_until(lambda: not any(map(alive, ending)), seconds):
            return True
    return not ending


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Look again and again, up to `seconds`; the last answer."""
    deadline = time.monotonic() + seconds
    pause = 0.005
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
    return True


def tail(log: Path, *, lines: int = 12, since: int = 0) -> str:
    """The last lines of a log, from byte `since` on."""
    try:
        with log.open("rb") as file:
            file.seek(since)
            text = file.read()[-8192:].decode("utf-8", "replace")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
