"""The drill: demonstration, backup, an empty server, restore; then all that the database has is equal."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from pghistory.models import Events
from psycopg2.extensions import quote_ident

from core import embedded
from core.upkeep.database import parameters, session, sums_of
from core.upkeep.making import make_backup
from core.upkeep.restoring import unpacked
from tests.core.places import place
from tests.long import only_long
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

# What stands in the catalogue for each kind of thing: its name, and all that it says. Numbers of things (oids) differ
# between two servers; texts do not.
THINGS = {
    "columns": """
        SELECT table_name || '.' || column_name, (data_type, is_nullable, column_default, collation_name,
            is_identity, is_generated, generation_expression)::text
        FROM information_schema.columns WHERE table_schema = 'public'
    """,
    "constraints": """
        SELECT conrelid::regclass || '.' || conname, (pg_get_constraintdef(oid), convalidated)::text
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "functions": """
        SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid)
        FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
    """,
    "grants": """
        SELECT c.relname || ' to ' || coalesce(r.rolname, 'all'),
            array_agg(DISTINCT a.privilege_type::text ORDER BY a.privilege_type::text)::text
        FROM pg_class c, aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.relnamespace = 'public'::regnamespace AND c.relowner <> a.grantee
        GROUP BY c.relname, r.rolname
    """,
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "owners": """
        SELECT c.relkind::text || ' ' || c.relname, r.rolname
        FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner WHERE c.relnamespace = 'public'::regnamespace
    """,
    "triggers": """
        SELECT tgrelid::regclass || '.' || tgname, (tgenabled, pg_get_triggerdef(oid))::text
        FROM pg_trigger WHERE NOT tgisinternal
    """,
    "views": "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'",
}


@pytest.fixture
def empty() -> Iterator[Path]:
    """A data folder without anything: the first command makes its server, with roles of its own."""
    folder = place()
    yield folder
    embedded.stop_all(folder)
    shutil.rmtree(folder)


def manage(folder: Path, *words: str) -> str:
    """What a command printed that works in another data folder, as a person types it."""
    environment = {name: text for name, text in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"CROSSCHECK_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings.dev"}
    command = [sys.executable, "manage.py", *words]
    answer = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, text=True, capture_output=True, check=False
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def described(opened: Any) -> dict[str, dict[str, Any]]:
    """All that a database has: by kind of thing and by name, what it says."""
    with opened.cursor() as cursor:
        found: dict[str, dict[str, Any]] = {"rows": dict(sums_of(opened))}
        for kind, question in THINGS.items():
            cursor.execute(question)
            found[kind] = dict(cursor.fetchall())
        cursor.execute("SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
        found["sequences"] = {}
        for (name,) in cursor.fetchall():
            cursor.execute(f"SELECT last_value, is_called FROM {quote_ident(name, cursor)}")
            found["sequences"][name] = cursor.fetchone()
        return found


def without_casts(text: Any) -> Any:
    """PostgreSQL writes `IN ('a', 'b')` with other casts and parentheses after it has read its own text once."""
    return re.sub(r"::character varying|::text|\[\]|[()]", "", text) if isinstance(text, str) else text


def different(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """The names under which two servers do not say the same."""
    return sorted(
        name
        for name in one.keys() | other.keys()
        if without_casts(one.get(name)) != without_casts(other.get(name))
    )


def a_small_study() -> None:
    """A round with labels, drafts, a decision and their history."""
    world = small_world(issues=3, members=2)
    round_ = world.round()
    for member, code in zip(world.members, ("C.1", "C.2"), strict=True):
        for issue in world.issues:
            world.submit(round_, issue, member, code, summary="why \N{SNOWMAN}")
    world.settle(round_, world.issues[0], "C.1")
    other = world.round(name="Not begun")
    world.draft(other, world.issues[1], world.members[0], "C.2", "half a sent")


def the_demonstration() -> None:
    call_command("demo", address="http://127.0.0.1:8000/", stdout=StringIO())


@pytest.mark.parametrize(
    ("fill", "labels", "tables"),
    [(a_small_study, 6, 20), pytest.param(the_demonstration, 1313, 90, marks=only_long)],
)
def test_what_is_restored_is_equal_in_all_that_the_database_has(tmp_path, empty, fill, labels, tables):
    fill()
    note = settings.DATA_DIR / "uploads" / "of the drill.txt"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_bytes(b"\x00of an upload\n")

    backup = make_backup(tmp_path)
    note.unlink()
    with session(parameters()) as opened:
        before = described(opened)
    said = manage(empty, "restore", str(backup))
    with session(embedded.ensure_postgres(empty) | {"dbname": "crosscheck"}) as opened:
        after = described(opened)

    # The drill looks at something: each model has its table in it, and there are rows.
    rows = before["rows"]
    models = [model for model in apps.get_models(include_auto_created=True) if not issubclass(model, Events)]
    assert {model._meta.db_table for model in models if model._meta.managed} <= rows.keys()
    assert rows["rounds_label"][0] == labels
    assert len([table for table, (count, _sum) in rows.items() if count]) >= tables
    assert all(len(things) > 0 for things in before.values())

    assert {kind: different(before[kind], after[kind]) for kind in before} == {kind: [] for kind in before}
    assert f"{sum(count for count, _sum in rows.values())} rows in {len(rows)} tables" in said
    with unpacked(backup, tmp_path) as (manifest, _dump, _files):
        kept = {name: digest for name, (_size, digest) in manifest.files.items()}
    assert kept["uploads/of the drill.txt"] == hashlib.sha256(b"\x00of an upload\n").hexdigest()
    assert {name: hashlib.sha256((empty / name).read_bytes()).hexdigest() for name in kept} == kept


def test_the_drill_sees_a_changed_row_a_lost_trigger_and_a_grant_too_many():
    with session(parameters()) as opened, opened.cursor() as cursor:
        before = described(opened)
        trigger = next(name for name in before["triggers"] if "revealed_labels_stay" in name)
        cursor.execute("UPDATE django_content_type SET model = 'other' WHERE id = 1")
        cursor.execute(f"ALTER TABLE rounds_label DISABLE TRIGGER {trigger.partition('.')[2]}")
        cursor.execute("GRANT TRUNCATE ON studies_event TO crosscheck_app")
        cursor.execute("SELECT setval('rounds_label_id_seq', 1000000)")
        cursor.execute("ALTER TABLE studies_study ADD CONSTRAINT odd CHECK (slug <> 'odd')")
        after = described(opened)
        opened.rollback()
        cursor.execute("SELECT setval('rounds_label_id_seq', 1, false)")
        opened.commit()
    assert {kind: found for kind in before if (found := different(before[kind], after[kind]))} == {
        "rows": ["django_content_type"],
        "triggers": [trigger],
        "grants": ["studies_event to crosscheck_app"],
        "sequences": ["rounds_label_id_seq"],
        "constraints": ["studies_study.odd"],
    }
