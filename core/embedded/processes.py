"""Starting, finding and ending the processes of a server that outlives the process that started it."""

import os
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from django.utils.translation import gettext as _

from .errors import EmbeddedServerError
from .folder import Folder, unwritable

_KEPT_LOG_BYTES = 4 << 20


def start_detached(
    command: Sequence[str | Path], *, folder: Folder, data: Path, log: Path
) -> psutil.Process | None:
    """Start a server of `folder` in a session of its own, in its `data`; its output is appended to `log`.

    A shell starts it in the background and ends, so that it is no child of this process and leaves it no
    zombie. None if the server has ended already. Raises EmbeddedServerError.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))
    }
    try:
        if log.exists() and log.stat().st_size > _KEPT_LOG_BYTES:
            log.replace(log.with_name(log.name + ".1"))
        log.touch(mode=0o600)
        with log.open("ab") as output:
            answer = subprocess.run(
                ["/bin/sh", "-c", '"$@" >&2 </dev/null & echo $!', "sh", *map(str, command)],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=output,
                cwd=data,
                env={**environment, "LC_ALL": "C", "HOME": str(data)},
                umask=0o077,
                start_new_session=True,
                **folder.owner.popen(),
            )
    except OSError as error:
        raise EmbeddedServerError(unwritable(folder.path, error)) from error
    try:
        return psutil.Process(int(answer.stdout))
    except psutil.NoSuchProcess:
        return None


def alive(process: psutil.Process | None) -> bool:
    """False for None, for a zombie, and for a process that ended, even if its number was reused."""
    try:
        return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def process_of(program: str, pid_file: Path) -> psutil.Process | None:
    """The living process that wrote the pid file, or None: another process may have its number by now. A
    server works in the folder of its data, which also contains its pid file.
    """
    try:
        pid = int(pid_file.read_text().split("\n", 1)[0])
    except (OSError, ValueError):
        return None
    return _process(pid, program, pid_file.parent)


def processes_in(program: str, folder: Path) -> list[psutil.Process]:
    """Every living process of `program` that works in `folder`: a server, its children, or its orphans."""
    found = (_process(pid, program, folder) for pid in psutil.pids())
    return [process for process in found if process]


def end_all_in(program: str, folder: Path, steps: Sequence[tuple[int, float]]) -> None:
    """End every process of `program` that works in `folder`. Raises EmbeddedServerError if one survives."""
    end(processes_in(program, folder), steps)
    if processes_in(program, folder):
        raise EmbeddedServerError(
            _(
                "%(program)s in %(folder)s does not work and cannot be ended. Restart the computer, then try"
                " again."
            )
            % {"program": program, "folder": folder}
        )


def _process(pid: int, program: str, folder: Path) -> psutil.Process | None:
    """The process `pid` if it lives, runs `program` and works in `folder`. All three come from the kernel:
    the title of a process may be any text, and its start time moves when the clock is set.
    """
    try:
        process = psutil.Process(pid)
        known = process.name() == program and _works_in(process, folder) and alive(process)
    except (psutil.Error, OSError, ValueError):
        return None
    return process if known else None


def _works_in(process: psutil.Process, folder: Path) -> bool:
    # On Linux the folder itself, not its path: the same path is another folder in a container.
    works_in = f"/proc/{process.pid}/cwd" if psutil.LINUX else process.cwd()
    try:
        return Path(works_in).samefile(folder)
    except PermissionError:
        if os.geteuid() != 0:
            return False
    # In a container even root may not look at processes of another user, but that user may.
    command = ["/bin/sh", "-c", '[ "$1" -ef "$2" ]', "sh", works_in, folder]
    user, group = process.uids().real, process.gids().real
    return subprocess.run(command, check=False, user=user, group=group, extra_groups=[]).returncode == 0


def end(processes: Iterable[psutil.Process], steps: Sequence[tuple[int, float]]) -> bool:
    """Send each signal in turn to the processes still alive, and wait up to its seconds. True if all ended.
    Signal 0 only waits: processes get time to end by themselves.
    """
    ending = list(processes)
    for number, seconds in steps:
        for process in filter(alive, ending):
            with suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        if wait_until(lambda: not any(map(alive, ending)), seconds):
            return True
    return not ending


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Check the condition repeatedly, for up to `seconds`; return the last result."""
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
