import fcntl
import math
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.utils.translation import gettext as _

from core import embedded
from core.disk import reserve
from core.disk.room import is_full
from core.embedded.errors import EmbeddedServerError
from core.supervisor import AlreadyUpError, Child, ChildFailedError, Supervisor
from core.upkeep import stamp

PATIENT_SECONDS = 90.0
LOOK_SECONDS = 0.2
SERVERS_SECONDS = 2.0
FULL_SECONDS = 60.0
"""A program that dies so long after the disk was full may have died of it."""


class Command(BaseCommand):
    """Runs the platform: PostgreSQL, Redis, web and worker, until Ctrl-C.

    `manage.py` calls it without loading the applications: this process lives as long as the platform, and
    needs none of them.
    """

    help = "Runs the platform, with PostgreSQL and Redis of its own unless told otherwise, until Ctrl-C."
    is_asked_to_end = False
    is_waiting = False
    full_at = -math.inf
    servers_due = 0.0
    requires_system_checks: list[str] = []  # they would open the database before our checks

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load the demonstration study first")
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen at (default: this computer only)"
        )

    def handle(self, *args: Any, demo: bool, host: str, **options: Any) -> None:
        if not apps.ready:
            settings.USE_I18N = False  # the texts of the applications are not there
        port = settings.PORT
        address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104
        if demo and not find_spec("demo"):
            raise CommandError(_("There is no demonstration study in this installation."))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)
        try:
            self.folder = Path(settings.DATA_DIR)
            supervisor = Supervisor(self.folder, child_environment(), address)
        except AlreadyUpError as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                _("The data folder %(folder)s cannot be used: %(reason)s. Set CROSSCHECK_DATA to another.")
                % {"folder": self.folder, "reason": error.strerror}
            ) from error
        try:
            self.run(supervisor, host, port, demo=demo)
        except KeyboardInterrupt:
            self.say("")
        except (EmbeddedServerError, ChildFailedError) as error:
            raise CommandError(str(error)) from error
        finally:
            self.end(supervisor)

    def run(self, supervisor: Supervisor, host: str, port: int, *, demo: bool) -> None:
        """Start everything in order and keep it running; ends only by KeyboardInterrupt or another error."""
        if uses_embedded_postgres() or uses_embedded_redis():
            embedded.use()  # so that the last leftover process does not end the servers
        if supervisor.end_leftovers():
            self.say(_("Ended the programs that an earlier run had left running."))
        refuse_taken_port(host, port)
        self.say(_("Starting Crosscheck in %(folder)s …") % {"folder": self.folder})
        code = "" if settings.FIRST_ACCOUNT_CODE else secrets.token_hex(4)
        supervisor.environment = {
            **supervisor.environment,
            "CROSSCHECK_GATE": str(self.folder / "up.gate"),
            **({"CROSSCHECK_SETUP_CODE": code} if code else {}),
        }
        supervisor.children.append(Child("web", web(host, port), log(self.folder, "web")))
        with closed(self.folder / "up.gate"):
            supervisor.look()  # loads while the database comes up to date, and then listens
            is_new = self.when_there_is_room(self.prepare)
        self.wait_for_web(supervisor, host, port)
        if demo:  # before the worker, which would compete for the processors
            self.manage("demo", "--address", supervisor.address, show=True)
        supervisor.children.append(Child("worker", worker(), log(self.folder, "worker")))
        supervisor.look()
        self.say(
            _("Crosscheck is ready at %(address)s/") % {"address": supervisor.address}, self.style.SUCCESS
        )
        if code and is_new and not demo:
            self.say(_("The first account needs this code: %(code)s") % {"code": code}, self.style.SUCCESS)
        self.say(_("Ctrl-C ends it. Data and logs: %(folder)s") % {"folder": self.folder})
        while not self.is_asked_to_end:
            self.look(supervisor)
            time.sleep(LOOK_SECONDS)
        raise KeyboardInterrupt

    def prepare(self) -> bool:
        """Start the servers, and bring the database up to date; True while nobody has an account."""
        ensure_servers()
        return self.bring_up_to_date()

    def bring_up_to_date(self) -> bool:
        """Bring the database up to date, unless this very code did so before; True while nobody has an
        account.
        """
        found = stamp.is_new() if uses_embedded_postgres() else None
        return self.manage("prepare").split()[-1:] == ["new"] if found is None else found

    def when_there_is_room(self, act: Callable[[], Any]) -> Any:
        """Do `act`. If it fails on a full disk, wait for room and do it again."""
        while True:
            was_full = is_full()
            try:
                return act()
            except (EmbeddedServerError, CommandError, OSError):
                if not (was_full or is_full()):
                    raise
            self.say_full()
            while is_full():
                reserve.look_after(self.folder)
                time.sleep(LOOK_SECONDS)
            self.say_room()

    def say_full(self) -> None:
        if not self.is_waiting:
            words = _("The disk of %(folder)s is full. Crosscheck waits, and goes on when there is room.")
            self.say(words % {"folder": self.folder})
        self.is_waiting = True

    def say_room(self) -> None:
        if self.is_waiting:
            self.is_waiting = False
            self.say(_("There is room again. Crosscheck goes on."))

    def look(self, supervisor: Supervisor) -> None:
        """Bring back what died. On a full disk nothing may live: then wait for room instead of ending."""
        now = time.monotonic()
        if is_full():
            self.full_at = now
        try:
            if now > self.servers_due:
                self.servers_due = now + SERVERS_SECONDS
                reserve.look_after(self.folder)
                ensure_servers()
            supervisor.look()
        except (EmbeddedServerError, ChildFailedError, OSError):
            if now - self.full_at > FULL_SECONDS:
                raise
            supervisor.forgive()
            self.say_full()
        else:
            if not is_full():
                self.say_room()

    def manage(self, *arguments: str, show: bool = False) -> str:
        """Run another command to its end, in a process of its own; what it printed, unless that is shown."""
        answer = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=child_environment(),
            text=True,
            stdout=None if show else subprocess.PIPE,
            stderr=None if show else subprocess.PIPE,
            check=False,
        )
        if answer.returncode:
            said = (answer.stderr or "").strip().removeprefix("CommandError: ")
            raise CommandError(said or _("%(name)s failed.") % {"name": f"manage.py {arguments[0]}"})
        return answer.stdout or ""

    def interrupt(self, *_signal: object) -> None:
        """Raise KeyboardInterrupt, and again later: it is lost if raised inside a finaliser."""
        self.is_asked_to_end = True
        raise KeyboardInterrupt

    def wait_for_web(self, supervisor: Supervisor, host: str, port: int) -> None:
        """Wait as long as the server runs: a busy machine can take minutes. One that ends raises
        ChildFailedError.
        """
        begun = time.monotonic()
        due = begun + PATIENT_SECONDS
        while not answers(host, port):
            self.look(supervisor)
            if time.monotonic() > due:
                self.say(
                    _("The web server runs, but has not answered for %(n)d s. Its log: %(log)s")
                    % {"n": time.monotonic() - begun, "log": log(self.folder, "web")}
                )
                due += PATIENT_SECONDS
            time.sleep(0.1)

    def end(self, supervisor: Supervisor) -> None:
        """End children and servers; a second Ctrl-C kills the children at once."""
        names = [child.name for child in supervisor.children if child.process]
        try:
            supervisor.end()
        except KeyboardInterrupt:
            supervisor.end(quick=True)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # the rest takes a second
        try:
            if uses_embedded_postgres() or uses_embedded_redis():
                status = embedded.status()
                servers = {"Redis": status.redis, "PostgreSQL": status.postgres}
                if embedded.release():
                    names += [name for name, pid in servers.items() if pid]
                else:
                    self.say(
                        _(
                            "PostgreSQL and Redis keep running for another process of this folder."
                            " They end with that process."
                        )
                    )
        except EmbeddedServerError as error:
            raise CommandError(str(error)) from error
        finally:
            supervisor.close()
        if names:
            self.say(_("Ended: %(names)s.") % {"names": ", ".join(names)})

    def say(self, text: str, style: Any = str) -> None:
        self.stdout.write(style(text))
        self.stdout.flush()


def refuse_taken_port(host: str, port: int) -> None:
    """Raise CommandError, which names a free port, if the platform cannot listen at `port`."""
    reason = _bind(host, port)
    if reason is None:
        return
    other = next(
        (near for near in range(port + 1, min(port + 100, 65536)) if _bind(host, near) is None), 8000
    )
    raise CommandError(
        _("Port %(port)d cannot be used: %(reason)s. Try another one, for example PORT=%(other)d.")
        % {"port": port, "reason": reason, "other": other}
    )


def _bind(host: str, port: int) -> str | None:
    """None if a program can listen at the port, else the system's reason."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except (OSError, OverflowError) as error:
            return str(getattr(error, "strerror", None) or error)
    return None


def answers(host: str, port: int) -> bool:
    """True if the platform reports that it is healthy."""
    try:
        with closing(HTTPConnection(host, port, timeout=5)) as connection:
            connection.request("GET", "/healthz", headers={"Host": settings.ALLOWED_HOSTS[0]})
            return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False


def uses_embedded_postgres() -> bool:
    return bool(settings.DATABASES["default"]["ENGINE"] == "core.postgres")


def uses_embedded_redis() -> bool:
    return not settings.REDIS_URL


def ensure_servers() -> None:
    """Start the embedded servers that the settings require, unless they run."""
    if uses_embedded_postgres():
        embedded.ensure_postgres()
    if uses_embedded_redis():
        embedded.ensure_redis()


def child_environment() -> dict[str, str]:
    return {
        "MALLOC_ARENA_MAX": "2",  # memory of each thread of its own is hardly ever given back
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "CROSSCHECK_DATA": str(settings.DATA_DIR),
    }


@contextmanager
def closed(gate: Path) -> Iterator[None]:
    """Keep a web server from listening until the block ends, or this process does."""
    with gate.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def log(folder: Path, name: str) -> Path:
    (folder / "logs").mkdir(exist_ok=True)
    return folder / "logs" / f"{name}.log"


def web(host: str, port: int) -> list[str]:
    configuration = str(settings.BASE_DIR / "deploy" / "gunicorn.conf.py")
    reload = ["--reload"] if settings.DEBUG else []
    command = ["gunicorn", "config.wsgi:application", "--config", configuration, "--bind", f"{host}:{port}"]
    return [sys.executable, "-m", *command, "--graceful-timeout", "5", "--log-level", "warning", *reload]


def worker() -> list[str]:
    pool = ["--pool", "threads", "--concurrency", "2"]  # a third of the memory of processes
    quiet = ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "--app", "config", "worker", *pool, *quiet]
