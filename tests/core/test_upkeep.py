"""A backup is made while people label, checks itself, and comes back equal by count and hash on an empty server."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from threading import Thread
from urllib.parse import quote
from zlib import crc32

import psycopg2
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg2.extensions import quote_ident

from core import clock, embedded, jobs
from core.models import Job
from core.tasks import run_job, sweep
from core.upkeep.database import parameters, run, session, sums_of
from core.upkeep.errors import BackupError
from core.upkeep.leftovers import work_folder
from core.upkeep.making import LAST, keep_newest, make_backup, note
from core.upkeep.restoring import checked, unpacked
from core.watching import workers
from core.watching.folders import note_folder
from core.watching.store import store
from tests.core.places import eventually, place
from tests.database import as_owner
from tests.factories import (
    add_label,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_version,
)
from tests.long import only_long

pytestmark = pytest.mark.django_db(transaction=True)

FILE = "uploads/notes/a b.txt"


@pytest.fixture
def backup(tmp_path) -> Path:
    """A backup of a study with a label and a file."""
    member = make_member(make_study())
    issue = make_issue(make_repository(member.study), title="日本語 \N{RIGHT-TO-LEFT OVERRIDE}x")
    add_label(make_round(make_version(member.study), [issue], [member]), issue, member, "C.1", summary="why")
    file = settings.DATA_DIR / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"of an upload")
    return make_backup(tmp_path)


@pytest.fixture
def empty() -> Iterator[dict[str, str]]:
    """The environment of another server: a database without tables, and an empty data folder."""
    given = parameters()
    name = f"{given['dbname']}_restored"
    with closing(psycopg2.connect(**{**given, "dbname": "postgres"})) as server:
        server.autocommit = True
        cursor = server.cursor()
        cursor.execute(f"CREATE DATABASE {quote_ident(name, cursor)} TEMPLATE template0")
        folder = place()
        yield {
            **os.environ,
            "DATABASE_URL": f"postgres://{given['user']}@/{name}?host={quote(given['host'], safe='')}",
            "CROSSCHECK_DATA": str(folder),
            "DJANGO_SETTINGS_MODULE": "config.settings.dev",
            "restored": name,
        }
        cursor.execute(f"DROP DATABASE {quote_ident(name, cursor)} WITH (FORCE)")
        shutil.rmtree(folder)


def restore(environment, backup) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "restore", str(backup)]
    return subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, text=True, capture_output=True, check=False
    )


def rows(database: str | None = None):
    with session(parameters(database)) as opened:
        return sums_of(opened)


def guards(database: str | None = None):
    """The triggers and constraints of a database."""
    with session(parameters(database)) as opened, opened.cursor() as cursor:
        cursor.execute(
            "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal UNION ALL SELECT conname FROM pg_constraint"
        )
        found = sorted(name for (name,) in cursor.fetchall())
        assert len(found) > 500
        return found


def test_an_empty_server_gets_every_table_and_file_back(backup, empty):
    before = rows()
    assert before["rounds_label"][0] == 1
    answer = restore(empty, backup)
    assert answer.returncode == 0, answer.stderr
    assert rows(empty["restored"]) == before
    assert (Path(empty["CROSSCHECK_DATA"]) / FILE).read_bytes() == b"of an upload"
    assert f"{sum(count for count, _sum in before.values())} rows in {len(before)} tables" in answer.stdout
    assert guards(empty["restored"]) == guards()

    # It is not empty any more.
    refused = restore(empty, backup)
    assert (refused.returncode, "This server has accounts" in refused.stderr) == (1, True)
    assert rows(empty["restored"]) == before


def test_a_backup_checks_itself(backup):
    assert checked(backup) is True
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'crosscheck_check_%%'")
        assert cursor.fetchone() == (0,)


def test_a_check_takes_no_room_in_the_data_folder(backup, tmp_path, settings):
    settings.DATA_DIR = tmp_path / "nowhere"
    assert checked(backup) is True
    assert [path.name for path in tmp_path.iterdir()] == [backup.name]


def test_a_check_ends_what_a_killed_one_left(backup):
    given = parameters()
    left = f"crosscheck_check_{crc32(given['dbname'].encode()):08x}"
    with session({**given, "dbname": "postgres"}) as server:
        server.autocommit = True
        server.cursor().execute(f"CREATE DATABASE {left}")
    assert checked(backup) is True
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_database WHERE datname = %s", [left])
        assert cursor.fetchone() == (0,)


def test_a_file_that_grows_while_it_is_saved_can_be_restored(tmp_path):
    growing = settings.DATA_DIR / "uploads" / "growing"
    growing.parent.mkdir(parents=True, exist_ok=True)
    growing.write_bytes(b"line\n" * 2_000_000)
    writer = subprocess.Popen(["sh", "-c", f"while :; do echo line; done >>'{growing}'"])
    try:
        backup = make_backup(tmp_path)
    finally:
        writer.kill()
        writer.wait()
        growing.unlink()
    with unpacked(backup, tmp_path) as (_manifest, _dump, files):
        assert set((files / "uploads" / "growing").read_text().split()) == {"line"}


def test_backups_in_the_data_folder_and_what_the_old_beat_left_are_not_saved():
    folder = settings.DATA_DIR / "backups"
    folder.mkdir()
    (folder / "crosscheck-20260101-120000.tar").touch()
    (folder / ".crosscheck-backup-killed").mkdir()
    (folder / ".crosscheck-backup-killed" / "database.dump").touch()
    (folder / "notes.txt").touch()
    left = [settings.DATA_DIR / f"beat-schedule{end}" for end in ("", ".bak", ".dat", ".dir")]
    for path in left:
        path.touch()
    try:
        with unpacked(make_backup(folder), folder) as (manifest, _dump, _files):
            assert [name for name in manifest.files if name.startswith("backups")] == ["backups/notes.txt"]
            assert [name for name in manifest.files if name.startswith("beat")] == []
    finally:
        for path in left:
            path.unlink()
        shutil.rmtree(folder)


def leftover(folder: Path) -> Path:
    """What a run that was killed leaves."""
    left = folder / ".crosscheck-backup-killed"
    left.mkdir()
    (left / "database.dump").write_bytes(b"x")
    return left


def test_a_backup_removes_what_a_killed_one_left(tmp_path):
    left = leftover(tmp_path)
    make_backup(tmp_path)
    assert not left.exists()


def test_a_backup_leaves_the_folder_of_one_that_runs(tmp_path):
    with work_folder("backup", tmp_path) as busy, work_folder("backup", tmp_path):
        assert busy.is_dir()


def test_a_backup_whose_check_fails_is_set_aside_and_older_ones_go(tmp_path, capsys, last):
    given = parameters()
    for day in (1, 2, 3):
        (tmp_path / f"crosscheck-2026010{day}-120000.tar").touch()
    (tmp_path / "crosscheck-20260104-120000.tar.failed").touch()
    scratch = f"crosscheck_check_{crc32(given['dbname'].encode()):08x}"
    # Nobody can drop a template: the check cannot make its database.
    with session({**given, "dbname": "postgres"}) as server:
        server.autocommit = True
        server.cursor().execute(f"CREATE DATABASE {scratch} IS_TEMPLATE true")
        try:
            with pytest.raises(CommandError, match=r"The check of the backup failed.+\.tar\.failed"):
                call_command("backup", to=tmp_path, keep=2)
        finally:
            server.cursor().execute(f"ALTER DATABASE {scratch} IS_TEMPLATE false")
            server.cursor().execute(f"DROP DATABASE {scratch}")
    good = sorted(path.name for path in tmp_path.glob("*.tar"))
    failed = [path.name for path in tmp_path.glob("*.failed")]
    assert good == ["crosscheck-20260102-120000.tar", "crosscheck-20260103-120000.tar"]
    assert len(failed) == 1
    assert failed != ["crosscheck-20260104-120000.tar.failed"]
    assert not (settings.DATA_DIR / LAST).exists()


def test_what_postgresql_refuses_is_said_without_a_traceback(backup, empty):
    with session(parameters(empty["restored"])) as other:
        cursor = other.cursor()
        cursor.execute("CREATE TABLE held (id int)")
        cursor.execute(f"ALTER DATABASE {quote_ident(empty['restored'], cursor)} SET lock_timeout = '100ms'")
        other.commit()
        cursor.execute("LOCK held")
        answer = restore(empty, backup)
    assert answer.returncode == 1
    assert answer.stderr.startswith(
        "CommandError: PostgreSQL refused: canceling statement due to lock timeout"
    )
    assert "Traceback" not in answer.stderr


@only_long
def test_a_server_that_is_not_there_is_said_without_a_traceback(backup, empty):
    answer = restore({**empty, "DATABASE_URL": "postgres://x@127.0.0.1:1/none"}, backup)
    assert (answer.returncode, "Traceback" in answer.stderr) == (1, False)
    assert "Connection refused" in answer.stderr


def test_the_programs_of_postgresql_encrypt_as_the_connection_does():
    options = connection.settings_dict["OPTIONS"]
    connection.close()
    connection.settings_dict["OPTIONS"] = {**options, "sslmode": "allow"}
    try:
        assert parameters()["sslmode"] == "allow"
    finally:
        connection.close()
        connection.settings_dict["OPTIONS"] = options

    # A server without encryption, as far as its first byte.
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=lambda: server.accept()[0].sendall(b"N"), daemon=True).start()
        host, port = server.getsockname()
        given = {"host": host, "port": str(port), "user": "x", "dbname": "x", "sslmode": "require"}
        with pytest.raises(BackupError, match=r'server does not support SSL|sslmode value "require" invalid'):
            run("pg_dump", given)


def changed(backup: Path, change) -> Path:
    """The backup with another manifest."""
    folder = backup.parent / "open"
    with tarfile.open(backup) as archive:
        archive.extractall(folder, filter="data")
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest, folder)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    other = backup.with_name("other.tar")
    with tarfile.open(other, "w") as archive:
        for path in folder.iterdir():
            archive.add(path, path.name)
    return other


def of_newer_version(manifest, _folder):
    manifest["migrations"].append(["rounds", "0099_later"])


def without_a_row(manifest, _folder):
    manifest["tables"]["rounds_label"][0] += 1


def with_another_file(_manifest, folder):
    (folder / "files" / FILE).write_bytes(b"of an Upload")


def with_a_cut_dump(_manifest, folder):
    os.truncate(folder / "database.dump", 1000)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(
            of_newer_version, "does not know rounds.0099_later. Nothing was changed.", marks=only_long
        ),
        (without_a_row, "The restored tables differ from the backup: rounds_label."),
        pytest.param(with_another_file, f"files/{FILE} in the backup is damaged", marks=only_long),
        pytest.param(with_a_cut_dump, "database.dump in the backup is damaged", marks=only_long),
    ],
)
def test_a_backup_that_is_not_what_it_says_leaves_the_server_empty(backup, empty, change, words):
    answer = restore(empty, changed(backup, change))
    assert answer.returncode == 1
    assert words in answer.stderr
    assert rows(empty["restored"]) == {}
    assert not (Path(empty["CROSSCHECK_DATA"]) / FILE).exists()


def test_what_is_no_backup_is_refused(tmp_path, empty):
    (tmp_path / "notes.tar").write_bytes(b"notes")
    answer = restore(empty, tmp_path / "notes.tar")
    assert (answer.returncode, "is no backup, or is damaged" in answer.stderr) == (1, True)


def test_only_the_newest_backups_are_kept(tmp_path):
    names = [f"crosscheck-2026010{day}-120000.tar" for day in range(1, 5)]
    for name in [*names, "notes.tar"]:
        (tmp_path / name).touch()
    assert [path.name for path in keep_newest(tmp_path, 2)] == names[:2]
    assert sorted(path.name for path in tmp_path.iterdir()) == [*names[2:], "notes.tar"]
    assert keep_newest(tmp_path, 0) == []


# --- doctor


def said(capsys) -> dict[str, str]:
    with suppress(CommandError):
        call_command("doctor", no_color=True)
    lines = capsys.readouterr().out.splitlines()
    return {line[3:14].strip(): f"{line[:2]} {line[15:]}" for line in lines}


@pytest.fixture
def last():
    path = settings.DATA_DIR / LAST
    yield path
    path.unlink(missing_ok=True)


def test_doctor_knows_the_last_good_backup(tmp_path, last, capsys):
    assert said(capsys)["backup"].startswith("!! none was made")
    note(tmp_path / "a.tar", checked=False)
    assert "was not checked" in said(capsys)["backup"]
    note(tmp_path / "a.tar", checked=True)
    assert said(capsys)["backup"].startswith("ok the last good one is of ")
    with clock.at(clock.now() + timedelta(hours=37)):
        assert said(capsys)["backup"].startswith("!! the last good one is of ")


@pytest.fixture
def seen():
    embedded.ensure_redis()
    store().delete(workers.KEY)
    yield
    store().delete(workers.KEY)


def test_a_server_is_ready_once_a_worker_was_seen(client, seen):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.text) == (
        503,
        "database ok\nmigrations ok\nrole warning\nredis ok\nworker wrong\ndisk ok\n",
    )
    sweep()
    ready = client.get("/readyz")
    assert (ready.status_code, ready.text) == (200, answer.text.replace("wrong", "ok"))
    with clock.at(clock.now() + timedelta(seconds=61)):
        assert client.get("/readyz").status_code == 503


def test_a_worker_whose_places_all_have_long_jobs_is_seen(client, seen, monkeypatch):
    monkeypatch.setattr(jobs, "HEARTBEAT", timedelta(milliseconds=20))
    assert client.get("/readyz").status_code == 503

    def work(_job, _progress):
        assert eventually(lambda: client.get("/readyz").status_code == 200, seconds=5)

    monkeypatch.setitem(jobs._registry, "tests.long", work)
    job = Job.objects.create(kind="tests.long")
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.error) == (Job.State.DONE, "")


def test_doctor_sees_what_is_switched_off_or_waits(last, seen, capsys):
    found = said(capsys)
    assert found["database"].startswith("ok PostgreSQL ")
    assert found["migrations"] == "ok the tables are those of this version"
    assert found["jobs"].startswith("ok none waits")
    assert found["worker"].startswith("!! ")
    Job.objects.create(kind="core.ping", created_at=clock.now() - timedelta(minutes=11))
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rounds_label DISABLE TRIGGER USER")
        try:
            found = said(capsys)
        finally:
            cursor.execute("ALTER TABLE rounds_label ENABLE TRIGGER USER")
    assert found["jobs"] == "!! 1 wait for longer than ten minutes"
    assert found["triggers"].startswith("!! ")
    with pytest.raises(CommandError, match="parts need you"):
        call_command("doctor")


def test_doctor_sees_a_worker_with_another_data_folder(seen, capsys, settings, tmp_path):
    sweep()
    assert said(capsys)["files"] == "ok all programs that run jobs use this data folder"
    usual, settings.DATA_DIR = settings.DATA_DIR, tmp_path
    note_folder("celery@other")
    workers.note_worker("celery@other")
    settings.DATA_DIR = usual
    assert said(capsys)["files"].startswith("!! celery@other runs jobs in another data folder")
    # Whoever was not seen for a minute is no matter.
    with clock.at(clock.now() + timedelta(seconds=61)):
        assert said(capsys)["files"].startswith("ok ")
