"""The embedded servers are real, and these tests kill them: in folders of their own beside the run's."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import kombu
import psutil
import psycopg2
import pytest
import redis
from django.conf import settings

from core import embedded
from core.embedded import postgres
from core.embedded import redis as redis_program
from core.embedded.errors import EmbeddedServerError
from core.embedded.owner import Owner
from core.embedded.processes import alive, end, process_of, processes_in, wait_until
from tests.core.places import place
from tests.long import only_long

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
NOBODY, SOMEBODY_ELSE = 65534, 65533
STARTED_AT = "SELECT pg_postmaster_start_time()::text"
ASK = """
import json, sys
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute(sys.argv[1])
    print(json.dumps(cursor.fetchall() if cursor.description else None))
"""
LOOK = """
import django
django.setup()
from django.db import connection
from core import embedded
connection.settings_dict, embedded.redis_url(), embedded.broker_url()
print(embedded.status())
"""
# PR_CAPBSET_DROP takes CAP_SYS_PTRACE from whatever is executed next, as containers do.
IN_A_CONTAINER = """
import ctypes, os, sys
assert ctypes.CDLL(None).prctl(24, 19, 0, 0, 0) == 0
os.execv(sys.argv[1], [sys.argv[1], "-c", '''
import json, pathlib, sys
from core.embedded.processes import process_of, processes_in
postgres, redis = map(pathlib.Path, sys.argv[1:])
servers = [
    process_of("postgres", postgres / "postmaster.pid"),
    process_of("redis-server", redis / "redis.pid"),
]
processes = [*processes_in("postgres", postgres), *processes_in("redis-server", redis)]
print(json.dumps({"servers": [one.pid for one in servers], "processes": sorted(one.pid for one in processes)}))
''', *sys.argv[2:]])
"""


@pytest.fixture(scope="module")
def shared_folder() -> Iterator[Path]:
    # Every character here has a meaning to a shell, a URL or a setting somewhere on the way.
    folder = place() / "d ü$HOME%20#;&="
    yield folder
    embedded.stop_all(folder)


@pytest.fixture
def folder(shared_folder: Path) -> Path:
    embedded.ensure_postgres(shared_folder)
    embedded.ensure_redis(shared_folder)
    return shared_folder


@pytest.fixture
def fresh() -> Iterator[Path]:
    folder = place() / "var"
    yield folder
    embedded.stop_all(folder)


def python(folder: Path, code: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "CROSSCHECK_TEST_DATA": str(folder),
    }
    return subprocess.Popen(
        [sys.executable, "-W", "ignore::RuntimeWarning", "-c", code, *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ask(folder: Path, sql: str) -> Any:
    """The rows of a query made by another process, through Django."""
    process = python(folder, ASK, sql)
    answer, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return json.loads(answer)


def connect(folder: Path, **more: str) -> psycopg2.extensions.connection:
    connection = psycopg2.connect(dbname="crosscheck", **{**embedded.postgres_parameters(folder), **more})
    connection.autocommit = True
    return connection


@contextmanager
def busy(folder: Path, sql: str) -> Iterator[psutil.Process]:
    """The server process that answers a long query of another process."""
    client = python(folder, ASK, sql)
    try:
        with closing(connect(folder)) as connection, connection.cursor() as cursor:
            found: list[tuple[int]] = []

            def working() -> bool:
                cursor.execute("SELECT pid FROM pg_stat_activity WHERE query = %s", [sql])
                found[:] = cursor.fetchall()
                return bool(found)

            assert wait_until(working, 20)
        yield psutil.Process(found[0][0])
    finally:
        client.kill()
        client.communicate()


def family(folder: Path) -> list[psutil.Process]:
    """The two servers, which must run, and what they have begun."""
    status = embedded.status(folder)
    assert status.postgres
    assert status.redis
    servers = [psutil.Process(status.postgres), psutil.Process(status.redis)]
    return [*servers, *(child for one in servers for child in one.children(recursive=True))]


def kill(pid: int | None) -> None:
    assert pid is not None
    assert end([psutil.Process(pid)], [(signal.SIGKILL, 10)])


@contextmanager
def acting_as(uid: int) -> Iterator[None]:
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


@only_long
@pytest.mark.slow
def test_import_and_settings_start_nothing(fresh: Path) -> None:
    answer, errors = python(fresh, LOOK).communicate(timeout=60)
    assert (answer, errors) == ("Status(postgres=None, redis=None)\n", "")
    assert not fresh.exists()


@pytest.mark.slow
def test_first_query_starts_the_server_and_the_last_process_ends_it(fresh: Path) -> None:
    [[before]] = ask(fresh, STARTED_AT)
    assert embedded.status(fresh) == embedded.Status(None, None)
    embedded.use(fresh)
    [[after]] = ask(fresh, STARTED_AT)
    [[same]] = ask(fresh, STARTED_AT)
    assert before < after == same
    assert embedded.status(fresh).postgres is not None
    assert embedded.release(fresh) is True
    assert embedded.status(fresh) == embedded.Status(None, None)


@pytest.mark.slow
@only_long
def test_releasing_leaves_the_servers_to_another_process(folder: Path) -> None:
    with busy(folder, "SELECT pg_sleep(60)"):
        assert embedded.release(folder) is False
        assert embedded.status(folder).postgres is not None


@pytest.mark.slow
@only_long
def test_eight_processes_that_start_at_once_share_one_server(fresh: Path) -> None:
    embedded.use(fresh)
    racing = [python(fresh, ASK, STARTED_AT) for _ in range(8)]
    answers = {process.communicate(timeout=120) for process in racing}
    assert len(answers) == 1
    assert {errors for _, errors in answers} == {""}
    assert (fresh / "postgres.log").read_text().count("ready to accept connections") == 1


@pytest.mark.slow
@only_long
def test_committed_rows_survive_a_kill_of_the_postmaster(folder: Path) -> None:
    ask(folder, "CREATE TABLE kept AS SELECT 41 AS answer")
    ask(folder, "UPDATE kept SET answer = 42")
    server = embedded.status(folder).postgres
    kill(server)
    assert ask(folder, "SELECT answer FROM kept") == [[42]]
    assert embedded.status(folder).postgres not in {None, server}


@pytest.mark.slow
@only_long
def test_a_busy_orphan_of_a_killed_postmaster_is_ended(folder: Path) -> None:
    # It computes without ever waiting, so it does not notice that its parent is gone.
    with busy(folder, "SELECT count(*) FROM generate_series(1, 100000000000)") as orphan:
        kill(embedded.status(folder).postgres)
        assert alive(orphan)
        assert ask(folder, "SELECT 1") == [[1]]
        assert not alive(orphan)


@pytest.mark.slow
@only_long
def test_servers_that_lost_their_pid_files_are_ended(folder: Path) -> None:
    servers = family(folder)
    (folder / "postgres" / "postmaster.pid").unlink()
    (folder / "redis" / "redis.pid").unlink()
    embedded.stop_all(folder)
    assert not any(map(alive, servers))


def test_a_process_is_known_by_its_program_and_its_folder_not_by_its_title(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "my papers" / "postgres", tmp_path / "elsewhere"
    folder.mkdir(parents=True)
    elsewhere.mkdir()
    sleep = shutil.which("sleep")
    assert sleep
    program = tmp_path / "postgres"
    program.symlink_to(sleep)
    begun = [
        subprocess.Popen([title, "60"], executable=executable, cwd=cwd)
        for title, executable, cwd in [
            ("sleep", program, folder),
            ("postgres: io worker 0", sleep, folder),
            (f"{folder}/bin/postgres", program, elsewhere),
        ]
    ]
    (folder / "postmaster.pid").write_text(f"{begun[0].pid}\n{folder}\n")
    (elsewhere / "postmaster.pid").write_text(f"{begun[1].pid}\n{folder}\n")
    try:
        known = psutil.Process(begun[0].pid)
        assert processes_in("postgres", folder) == [known]
        assert process_of("postgres", folder / "postmaster.pid") == known
        assert process_of("postgres", elsewhere / "postmaster.pid") is None
    finally:
        for process in begun:
            process.kill()
            process.wait()
    assert processes_in("postgres", folder) == []
    assert process_of("postgres", folder / "postmaster.pid") is None


@only_long
@as_root
@pytest.mark.slow
def test_root_knows_the_servers_where_it_may_not_look_at_others(folder: Path) -> None:
    servers = family(folder)
    asked = [sys.executable, str(folder / "postgres"), str(folder / "redis")]
    answer, errors = python(folder, IN_A_CONTAINER, *asked).communicate(timeout=60)
    assert errors == ""
    assert json.loads(answer) == {
        "servers": [one.pid for one in servers[:2]],
        "processes": sorted(one.pid for one in servers),
    }


@pytest.mark.slow
def test_servers_of_a_checkout_are_known_whatever_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs lie in the checkout too: the server's title, its options and what asks a shell hold the path."""
    at = place() / "checkout"
    for program in [postgres.installed(), redis_program.installed()]:
        package = program.parent
        for part in [package, *package.parent.glob(f"{package.name}.libs")]:
            shutil.copytree(part, at / "packages" / part.name, symlinks=True)
    (at / "a link").symlink_to("var")
    awkward = ['it\'s my "own" Étude of $HOME\\`x`, ' + "long-" * 20, "my papers/Study 1"]
    for name in awkward:
        moved = at.parent / name / "crosscheck"
        moved.parent.mkdir(parents=True)
        at = at.rename(moved)
        folder, link = at / "var", at / "a link"
        with monkeypatch.context() as patch:
            patch.syspath_prepend(at / "packages")
            embedded.ensure_postgres(folder, durable=False)
            embedded.ensure_redis(folder)
            servers = family(folder)
            assert servers[0].cmdline()[0].startswith(str(at))
            for path in [folder, link]:
                embedded.ensure_postgres(path)
                embedded.ensure_redis(path)
                assert family(path)[:2] == servers[:2]
            with closing(connect(link)) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            assert redis.Redis.from_url(embedded.redis_url(link)).ping() is True
            embedded.stop_all(link)
            assert not any(map(alive, servers))
            assert embedded.status(folder) == embedded.Status(None, None)


@only_long
@pytest.mark.slow
def test_stale_files_of_a_reused_process_number_are_cleared(folder: Path) -> None:
    lines = (folder / "postgres" / "postmaster.pid").read_text().splitlines()
    embedded.stop_all(folder)
    # This very process is alive and is no PostgreSQL.
    stale = "\n".join([str(os.getpid()), *lines[1:]]) + "\n"
    (folder / "postgres" / "postmaster.pid").write_text(stale)
    run = Path(embedded.postgres_parameters(folder)["host"])
    (run / ".s.PGSQL.5432.lock").write_text(stale)
    (folder / "redis" / "redis.pid").write_text(f"{os.getpid()}\n")
    for name in [".s.PGSQL.5432", "redis.sock"]:
        with closing(socket.socket(socket.AF_UNIX)) as dead:
            dead.bind(str(run / name))
    assert embedded.status(folder) == embedded.Status(None, None)
    assert ask(folder, "SELECT 1") == [[1]]
    assert redis.Redis.from_url(embedded.ensure_redis(folder)).ping() is True


@pytest.mark.slow
def test_a_killed_redis_is_started_again(folder: Path) -> None:
    first = embedded.status(folder).redis
    kill(first)
    with closing(redis.Redis.from_url(embedded.ensure_redis(folder))) as client:
        assert client.ping() is True
    assert embedded.status(folder).redis not in {None, first}
    with kombu.Connection(embedded.broker_url(folder)) as bell, bell.SimpleQueue("bell") as queue:
        queue.put({"job": 7})
        assert queue.get(timeout=5).payload == {"job": 7}


@pytest.mark.slow
@only_long
def test_a_folder_deeper_than_a_socket_may_be() -> None:
    folder = place() / ("deep-" * 20) / ("deeper-" * 20)
    run = Path(embedded.postgres_parameters(folder)["host"])
    assert len(os.fsencode(folder)) > 250
    assert run.parent == Path("/tmp")  # noqa: S108 - not TMPDIR, which may differ
    try:
        assert ask(folder, "SELECT current_user::text, current_database()::text") == [
            ["crosscheck", "crosscheck"]
        ]
        embedded.ensure_redis(folder)
        assert run.stat().st_mode & 0o777 == 0o700
        assert redis.Redis.from_url(embedded.redis_url(folder)).ping() is True
    finally:
        embedded.stop_all(folder)
    assert not run.exists()


@as_root
@pytest.mark.slow
def test_another_user_reaches_neither_server(folder: Path) -> None:
    with acting_as(NOBODY):
        with pytest.raises(psycopg2.OperationalError, match="Permission denied"):
            connect(folder)
        with pytest.raises(redis.ConnectionError, match="Permission denied"):
            redis.Redis.from_url(embedded.redis_url(folder)).ping()
    run = Path(embedded.postgres_parameters(folder)["host"])
    for opened, mode in [(folder, 0o755), (run, 0o755), (run / ".s.PGSQL.5432", 0o777)]:
        opened.chmod(mode)
    for above in run.parents:
        Owner("nobody", NOBODY, NOBODY, differs=True).may_enter(above)
    with acting_as(NOBODY), pytest.raises(psycopg2.OperationalError, match="Peer authentication failed"):
        connect(folder)
    run.chmod(0o700)


@pytest.mark.slow
def test_sql_reads_no_file_and_runs_no_program(folder: Path) -> None:
    with closing(connect(folder)) as connection, connection.cursor() as cursor:
        for forbidden in ["COPY (SELECT 1) TO PROGRAM 'true'", "SELECT pg_read_file('/etc/passwd')"]:
            with pytest.raises(psycopg2.errors.InsufficientPrivilege):
                cursor.execute(forbidden)
        cursor.execute("CREATE DATABASE another")
        cursor.execute("DROP DATABASE another")


@pytest.mark.slow
@only_long
def test_data_are_durable_unless_told_otherwise(fresh: Path) -> None:
    embedded.ensure_postgres(fresh, durable=True)
    with closing(connect(fresh)) as connection, connection.cursor() as cursor:
        shown = []
        for name in ["fsync", "synchronous_commit", "full_page_writes", "data_checksums"]:
            cursor.execute(f"SHOW {name}")
            shown += cursor.fetchone()
    assert shown == ["on", "on", "on", "on"]


@pytest.mark.slow
@only_long
def test_an_interrupted_initialisation_is_begun_anew(fresh: Path) -> None:
    (fresh / "postgres.new" / "base").mkdir(parents=True)
    (fresh / "postgres.new" / "PG_VERSION").write_text("18\n")
    assert ask(fresh, "SELECT 1") == [[1]]
    assert not (fresh / "postgres.new").exists()


@pytest.mark.slow
def test_a_server_that_does_not_start_shows_its_log(folder: Path) -> None:
    embedded.stop_all(folder)
    configuration = folder / "postgres" / "postgresql.conf"
    kept = configuration.read_text()
    configuration.write_text(kept + "\nnonsense = here\n")
    with pytest.raises(EmbeddedServerError) as refused:
        embedded.ensure_postgres(folder)
    configuration.write_text(kept)
    assert str(refused.value).startswith(f"PostgreSQL does not start in {folder}.\nThe end of its log, ")
    assert 'unrecognized configuration parameter "nonsense"' in str(refused.value)


def test_a_data_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "var"
    with pytest.raises(EmbeddedServerError) as refused:
        embedded.ensure_postgres(folder)
    assert str(refused.value) == (
        f"The data folder {folder} cannot be used by user {os.geteuid()}: Not a directory. "
        "Make the folder writable, free some space, or set CROSSCHECK_DATA to another folder."
    )


@as_root
def test_a_data_folder_that_is_not_writable(tmp_path: Path) -> None:
    with acting_as(NOBODY), pytest.raises(EmbeddedServerError) as refused:
        embedded.ensure_redis(tmp_path / "var")
    assert f"cannot be used by user {NOBODY}: Permission denied" in str(refused.value)


@as_root
def test_a_folder_of_somebody_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    os.chown(tmp_path / "run", SOMEBODY_ELSE, SOMEBODY_ELSE)
    with pytest.raises(EmbeddedServerError, match="belongs to another user"):
        embedded.ensure_redis(tmp_path)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    disk = place()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=260m", "none", disk], check=False).returncode:
        pytest.skip("a small disk can only be mounted by root, outside of a container")
    yield disk
    embedded.stop_all(disk / "var")
    subprocess.run(["umount", "--lazy", disk], check=True)


@as_root
@pytest.mark.slow
@only_long
def test_a_full_disk_is_named(small_disk: Path) -> None:
    folder = small_disk / "var"
    filler = small_disk / "filler"
    filler.write_bytes(bytes(100 << 20))
    with pytest.raises(
        EmbeddedServerError, match=r"The disk is full: .* at least \d+ MB, and .* has 1\d\d MB left"
    ):
        embedded.ensure_postgres(folder)
    filler.unlink()
    embedded.ensure_postgres(folder)
    embedded.stop_all(folder)
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(small_disk).free)
    with pytest.raises(EmbeddedServerError, match=r"The disk of .* is full|No space left"):
        embedded.ensure_postgres(folder)
    filler.unlink()
    embedded.ensure_postgres(folder)


@as_root
def test_passage_through_a_closed_folder_is_granted_to_one_user_alone(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "inside").mkdir(mode=0o755)
    for above in tmp_path.parents:
        if not above.stat().st_mode & 0o001:
            for uid in [NOBODY, SOMEBODY_ELSE]:
                Owner("", uid, uid, differs=True).may_enter(above)
    for _ in range(2):
        Owner("nobody", NOBODY, NOBODY, differs=True).may_enter(closed / "inside")
    with acting_as(NOBODY):
        assert list((closed / "inside").iterdir()) == []
        with pytest.raises(PermissionError):
            list(closed.iterdir())
    with acting_as(SOMEBODY_ELSE), pytest.raises(PermissionError):
        list((closed / "inside").iterdir())


def test_two_paths_to_one_folder_are_one_installation(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "var")
    (tmp_path / "var").mkdir()
    found = embedded.postgres_parameters(tmp_path / "link")
    assert found == {"host": str(tmp_path / "var" / "run"), "port": "5432", "user": "crosscheck"}
    assert embedded.redis_url(tmp_path / "link") == f"unix://{tmp_path}/var/run/redis.sock"


@pytest.mark.slow
@pytest.mark.parametrize("runs", [True, False])
def test_a_server_of_an_earlier_version_gets_the_role_of_the_application(folder: Path, runs: bool) -> None:
    """It had one role for all; it may still run, after a kill of the platform that started it."""
    with closing(connect(folder, user="postgres")) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP ROLE {postgres.APPLICATION}")
    mapping = folder / "postgres" / "pg_ident.conf"
    kept = [line for line in mapping.read_text().splitlines() if postgres.APPLICATION not in line]
    mapping.write_text("\n".join(kept) + "\n")
    if not runs:
        embedded.stop_all(folder)
    embedded.ensure_postgres(folder)
    with closing(connect(folder, user=postgres.APPLICATION)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_user, rolsuper OR rolcreatedb OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
        )
        assert cursor.fetchone() == (postgres.APPLICATION, False)
        with pytest.raises(psycopg2.errors.InsufficientPrivilege):
            cursor.execute("CREATE TABLE another ()")
