"""`manage.py migrate` on a database of an earlier 0.1.0."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

pytestmark = pytest.mark.django_db

EVERYTHING = """
    SELECT c.oid, c.relname, c.relkind::text, c.relfilenode, a.attname, a.atttypid::regtype::text
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname IN ('earlier', 'public') ORDER BY 1, 2, a.attnum
"""


@pytest.fixture
def earlier() -> Iterator[Any]:
    """An empty schema, in which this connection finds and makes its tables; it goes with the test."""
    with connection.cursor() as cursor:
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


def record(cursor: Any, *names: str) -> None:
    for name in names:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('annotate', %s, now())", [name]
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


def test_a_database_of_this_version_is_taken(capsys) -> None:
    call_command("migrate", interactive=False)

    assert "No migrations to apply." in capsys.readouterr().out
