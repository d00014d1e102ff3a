"""`manage.py migrate` on a database of an earlier 0.1.0."""

from collections.abc import Iterator
from typing import Any

import pgtrigger
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from core.management.commands.migrate import is_between, patiently
from tests.database import as_owner

pytestmark = pytest.mark.django_db

EVERYTHING = """
    SELECT c.oid, c.relname, c.relkind::text, c.relfilenode, a.attname, a.atttypid::regtype::text
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname IN ('earlier', 'public') ORDER BY 1, 2, a.attnum
"""


@pytest.fixture
def earlier() -> Iterator[Any]:
    """An empty schema, in which this connection finds and makes its tables; it goes with the test."""
    with as_owner(), connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA earlier")
        cursor.execute("SET LOCAL search_path TO earlier")
        cursor.execute(
            "CREATE TABLE django_migrations (id bigserial PRIMARY KEY, app text, name text, applied timestamptz)"
        )
        yield cursor
        cursor.execute("SET LOCAL search_path TO public")


def everything(cursor: Any) -> tuple[Any, Any]:
    """All tables, indexes and sequences with their columns, and what is recorded of migrations."""
    cursor.execute(EVERYTHING)
    tables = cursor.fetchall()
    cursor.execute("SELECT * FROM django_migrations ORDER BY id")
    return tables, cursor.fetchall()


def record(cursor: Any, *names: str, room: str = "annotate") -> None:
    for name in names:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, now())", [room, name]
        )


@pytest.mark.parametrize(
    ("names", "has_table"),
    [
        (("0001_initial",), True),
        (("0001_initial", "0002_composite_keys"), False),
        (("0001_initial", "0002_composite_keys", "0021_cards_are_brought"), True),
    ],
)
def test_a_database_of_an_earlier_version_is_refused_and_left_alone(earlier, names, has_table) -> None:
    record(earlier, *names)
    if has_table:
        earlier.execute("CREATE TABLE annotate_label (id bigint PRIMARY KEY)")
        earlier.execute("INSERT INTO annotate_label VALUES (41)")
    before = everything(earlier)

    with pytest.raises(CommandError) as refused:
        call_command("migrate", verbosity=0, interactive=False)

    assert str(refused.value) == (
        "An earlier 0.1.0 made the database of this data folder. Nothing in the database was changed. Export"
        " each study with the commit that made it (ad5a204: manage.py export_study). Then import each study"
        " with this version into an empty data folder (manage.py import_study)."
    )
    assert everything(earlier) == before
    if has_table:
        earlier.execute("SELECT id FROM annotate_label")
        assert earlier.fetchall() == [(41,)]


ROUNDS = (
    "0001_initial",
    "0002_versions_that_nobody_voted_on",
    "0003_forge_labels_can_be_hidden",
    "0004_first_labels",
)


@pytest.mark.parametrize("names", [ROUNDS[:1], ROUNDS[:3], ROUNDS[1:3]])
def test_a_database_that_lacks_folded_migrations_is_refused_and_left_alone(earlier, names) -> None:
    record(earlier, *names, room="rounds")
    before = everything(earlier)

    with pytest.raises(CommandError) as refused:
        call_command("migrate", verbosity=0, interactive=False)

    assert str(refused.value) == (
        "An earlier 0.1.0 made the database of this data folder. Nothing in the database was changed. Update"
        " the database with commit 80ae07b1 first (manage.py migrate). Then start this version again."
    )
    assert everything(earlier) == before


@pytest.mark.parametrize("names", [(), ROUNDS, ROUNDS[1:], ("0005_of_a_later_version", *ROUNDS)])
def test_a_database_that_has_all_or_nothing_of_a_room_is_whole(earlier, names) -> None:
    record(earlier, *names, room="rounds")

    assert not is_between(connection)


def test_a_database_of_the_last_commit_before_goes_on_as_it_is(capsys) -> None:
    """Recorded are the names that were folded; the tables of both are the same (docs/decisions/0042)."""
    recorded = set(MigrationRecorder(connection).applied_migrations())
    loader = MigrationLoader(connection)
    folded = {one for migration in loader.disk_migrations.values() for one in migration.replaces}
    assert len(folded) == 28
    assert folded <= recorded

    with as_owner():
        call_command("migrate", interactive=False)
    assert "No migrations to apply." in capsys.readouterr().out
    assert set(MigrationRecorder(connection).applied_migrations()) == recorded

    call_command("showmigrations")
    assert "[ ]" not in (listed := capsys.readouterr().out)
    assert " [X] 0001_initial (3 squashed migrations)" in listed


def test_an_interrupted_room_is_taken_as_whole(capsys) -> None:
    """Django records what was folded when it has made the tables, and the room's own migration at the end."""
    recorder = MigrationRecorder(connection)
    with as_owner():
        recorder.record_unapplied("rounds", "0001_initial")
        call_command("migrate", interactive=False)

    assert "No migrations to apply." in capsys.readouterr().out
    assert ("rounds", "0001_initial") in recorder.applied_migrations()


@pytest.mark.django_db(transaction=True)
def test_a_migration_waits_for_a_table_a_moment_and_tries_again() -> None:
    """Whoever wants the table later would wait behind it."""
    said: list[str] = []
    tried: list[int] = []
    other = connection.copy()

    def act() -> None:
        tried.append(1)
        if len(tried) == 3:
            other.rollback()
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM studies_study")

    with other.cursor() as cursor:
        other.set_autocommit(False)
        cursor.execute("LOCK TABLE studies_study IN SHARE MODE")
    try:
        patiently(connection, act, said.append, wait=0.05, tries=3)
        assert (len(tried), said) == (3, ["Other work holds a table. Trying again …"] * 2)
        with connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            assert cursor.fetchone() == ("0",)

        with other.cursor() as cursor:
            cursor.execute("LOCK TABLE studies_study IN SHARE MODE")
        tried.append(1)  # nobody lets go
        with pytest.raises(CommandError, match="Run this command again later"):
            patiently(connection, act, said.append, wait=0.05, tries=2)
    finally:
        other.close()
        connection.close()


def checked() -> int:
    """With what `migrate --check` ends: 0 lets the programs start that wait for it."""
    try:
        call_command("migrate", check_unapplied=True, verbosity=0)
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_check_waits_for_triggers_and_for_rights_as_well() -> None:
    assert checked() == 0
    role = settings.DATABASE_APPLICATION
    with as_owner(), connection.cursor() as cursor:
        for broken, mended in (
            (f"REVOKE INSERT ON rounds_label FROM {role}", f"GRANT INSERT ON rounds_label TO {role}"),
            (f"GRANT DELETE ON studies_event TO {role}", f"REVOKE DELETE ON studies_event FROM {role}"),
        ):
            cursor.execute(broken)
            assert checked() == 1, broken
            cursor.execute(mended)
            assert checked() == 0, mended
        model, trigger = next(iter(pgtrigger.registered()))
        trigger.uninstall(model)
        assert checked() == 1
        trigger.install(model)
        assert checked() == 0
