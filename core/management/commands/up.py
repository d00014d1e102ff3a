import os
import secrets
import signal
import socket
import sys
import time
from argparse import ArgumentParser
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import BaseCommand, CommandError, call_command, get_commands
from django.db import connections
from django.utils.translation import gettext as _

from core import embedded
from core.embedded.errors import EmbeddedServerError
from core.supervisor import AlreadyUpError, Child, ChildFailedError, Supervisor

PATIENT_SECONDS = 90.0
LOOK_SECONDS = 0.2
SERVERS_SECONDS = 2.0


class Command(BaseCommand):
    """Runs the platform: PostgreSQL, Redis, web, worker and beat, until Ctrl-C."""

    help = "Runs the platform, with PostgreSQL and Redis of its own unless told otherwise, until Ctrl-C."
    is_asked_to_end = False
    requires_system_checks: list[str] = []  # they would open the database before our checks

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load the demonstration study first")
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen at (default: this computer only)"
        )

    def handle(self, *args: Any, demo: bool, host: str, **options: Any) -> None:
        port = settings.PORT
        address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104
        if demo and "demo" not in get_commands():
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
        ensure_servers()
        call_command("migrate", verbosity=0, interactive=False)
        code = setup_code()
        if code:
            supervisor.environment = {**supervisor.environment, "CROSSCHECK_SETUP_CODE": code}
        supervisor.children.append(Child("web", web(host, port), log(self.folder, "web")))
        supervisor.look()
        self.wait_for_web(supervisor, host, port)
        if demo:  # before worker and beat, which would compete for the processors
            call_command("demo", address=supervisor.address)
        supervisor.children.append(Child("worker", worker(), log(self.folder, "worker")))
        supervisor.children.append(Child("beat", beat(self.folder), log(self.folder, "beat")))
        supervisor.look()
        connections.close_all()
        self.say(
            _("Crosscheck is ready at %(address)s/") % {"address": supervisor.address}, self.style.SUCCESS
        )
        if code and not demo:
            self.say(_("The first account needs this code: %(code)s") % {"code": code}, self.style.SUCCESS)
        self.say(_("Ctrl-C ends it. Data and logs: %(folder)s") % {"folder": self.folder})
        servers_due = 0.0
        while not self.is_asked_to_end:
            supervisor.look()
            if time.monotonic() > servers_due:
                ensure_servers()
                servers_due = time.monotonic() + SERVERS_SECONDS
            time.sleep(LOOK_SECONDS)
        raise KeyboardInterrupt

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
            supervisor.look()
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
        connections.close_all()
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
    return {**os.environ, "PYTHONUNBUFFERED": "1", "CROSSCHECK_DATA": str(settings.DATA_DIR)}


def setup_code() -> str:
    """The code for the first account, so that only who reads this terminal becomes the owner of the server;
    another one at each start until there is an account. "" then, and where the environment names a code.
    """
    if settings.FIRST_ACCOUNT_CODE or get_user_model().objects.exists():
        return ""
    return secrets.token_hex(4)


def log(folder: Path, name: str) -> Path:
    (folder / "logs").mkdir(exist_ok=True)
    return folder / "logs" / f"{name}.log"


def web(host: str, port: int) -> list[str]:
    configuration = str(settings.BASE_DIR / "deploy" / "gunicorn.conf.py")
    reload = ["--reload"] if settings.DEBUG else ["--preload"]
    command = ["gunicorn", "config.wsgi:application", "--config", configuration, "--bind", f"{host}:{port}"]
    return [sys.executable, "-m", *command, "--graceful-timeout", "5", "--log-level", "warning", *reload]


def worker() -> list[str]:
    quiet = ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    return [sys.executable, "-m", "celery", "--app", "config", "worker", "--concurrency", "2", *quiet]


def beat(folder: Path) -> list[str]:
    files = ["--schedule", str(folder / "beat-schedule"), "--pidfile", ""]
    return [sys.executable, "-m", "celery", "--app", "config", "beat", "--loglevel", "WARNING", *files]
