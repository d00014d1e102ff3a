"""Programs of a deployment, each in a process group of its own, from any copy of the code."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from tests.core.places import eventually


class Program:
    """A process of one copy of the code. `inside` is put before its command: a network namespace, say."""

    def __init__(
        self,
        code: Path,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        inside: Sequence[str] = (),
    ) -> None:
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*inside, sys.executable, *command],
                cwd=code,
                env={**os.environ, **environment, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.log = log

    def end(self) -> None:
        """End it as an upgrade does: it ends the requests that it has begun."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)

    def kill(self) -> None:
        """Kill all its processes at once, as a power cut does."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)


def web(
    code: Path, at: tuple[str, int], environment: Mapping[str, str], log: Path, inside: Sequence[str] = ()
) -> Program:
    """A web server of this code, once it answers."""
    command = ["-m", "gunicorn", "config.wsgi:application", "--config", "deploy/gunicorn.conf.py"]
    environment = {"WEB_CONCURRENCY": "1", "WEB_THREADS": "8", **environment}
    began = Program(code, [*command, "--bind", f"{at[0]}:{at[1]}"], environment, log, inside)
    if not eventually(lambda: began.process.poll() is not None or answers(at, "/healthz"), 120):
        began.kill()
    assert began.process.poll() is None, log.read_text()[-2000:]
    return began


def worker(code: Path, environment: Mapping[str, str], log: Path, inside: Sequence[str] = ()) -> Program:
    """A worker of this code."""
    command = ["-m", "celery", "--app", "config", "worker", "--pool", "threads", "--concurrency", "2"]
    return Program(code, [*command, "--loglevel", "WARNING"], environment, log, inside)


def manage(code: Path, environment: Mapping[str, str], *words: str) -> str:
    """What a command of this code printed."""
    answer = subprocess.run(
        [sys.executable, *words],
        cwd=code,
        env={**os.environ, **environment},
        text=True,
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    return answer.stdout


def answers(at: tuple[str, int], path: str) -> bool:
    """Does a web server answer there with 200?"""
    opened = HTTPConnection(*at, timeout=5)
    try:
        opened.request("GET", path, headers={"Host": "localhost"})
        return opened.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        opened.close()
