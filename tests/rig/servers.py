"""A PostgreSQL with a streaming replica, and a Redis, that other computers reach over TCP; from the embedded programs."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg2

from core.embedded import postgres, redis
from core.embedded.folder import Folder
from tests.core.places import eventually
from tests.rig.network import Computer

PORT = 54329
REDIS_PORT = 63799
_FAST = {"fsync": "off", "full_page_writes": "off", "max_connections": "200", "shared_buffers": "128MB"}


class Server:
    """A process, ended or killed with all that it began."""

    def __init__(self, command: Sequence[str | Path], log: Path) -> None:
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
                umask=0o077,
                start_new_session=True,
            )

    def kill(self) -> None:
        for pid in [self.process.pid, *_children(self.process.pid)]:
            subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)
        self.process.wait(20)


def _children(pid: int) -> list[int]:
    answer = subprocess.run(["pgrep", "-P", str(pid)], check=False, capture_output=True, text=True)
    return [int(line) for line in answer.stdout.split()]


def primary(at: Folder, here: Computer) -> Server:
    """A new cluster with the embedded roles; whoever reaches it is believed."""
    at.prepare()
    postgres._initialise(at, durable=False)
    everybody = ["local all all trust", "host all all samenet trust", "host replication all samenet trust"]
    (at.postgres / "pg_hba.conf").write_text("\n".join(everybody) + "\n")
    began = _postgres(at, here)
    with closing(psycopg2.connect(**reached(here, "postgres"))) as opened, opened.cursor() as cursor:
        cursor.execute(postgres._APPLICATION)
        opened.commit()
    return began


def replica(at: Folder, of: Computer, there: Computer) -> Server:
    """A copy of a primary that follows it."""
    at.prepare()
    command = [
        *_as(at),
        str(postgres.program("pg_basebackup")),
        "-D",
        str(at.postgres),
        "--write-recovery-conf",
    ]
    told = ["--checkpoint=fast", "--no-sync", "-h", of.address, "-p", str(PORT), "-U", "postgres"]
    at.private(at.path)
    done = subprocess.run(
        [*there.inside, *command, *told], check=False, capture_output=True, text=True, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return _postgres(at, there)


def _as(at: Folder) -> list[str]:
    owner = at.owner
    return (
        ["setpriv", f"--reuid={owner.uid}", f"--regid={owner.gid}", "--clear-groups"] if owner.differs else []
    )


def _postgres(at: Folder, there: Computer) -> Server:
    given = _FAST | {"listen_addresses": there.address, "port": str(PORT), "unix_socket_directories": ""}
    options = [part for name, value in given.items() for part in ("-c", f"{name}={value}")]
    command = [*there.inside, *_as(at), postgres.program("postgres"), "-D", at.postgres, *options]
    at.owner.may_run(postgres.program("postgres"), postgres.installed())
    began = Server(command, at.path / "postgres.log")
    assert eventually(lambda: answers(there)), (at.path / "postgres.log").read_text()[-2000:]
    return began


def redis_server(at: Folder, here: Computer) -> Server:
    command = [redis.installed() / "redis-server", "--bind", here.address, "--port", str(REDIS_PORT)]
    return Server(
        [*command, "--protected-mode", "no", "--save", "", "--dir", str(at.path)], at.path / "redis.log"
    )


def reached(there: Computer, user: str = "crosscheck") -> dict[str, Any]:
    name = "postgres" if user == "postgres" else "crosscheck"
    return {"host": there.address, "port": PORT, "user": user, "dbname": name, "connect_timeout": 5}


def answers(there: Computer) -> bool:
    try:
        psycopg2.connect(**reached(there, "postgres")).close()
    except psycopg2.Error:
        return False
    return True
