"""Each rule of migrations refuses what it should, and lets its safe twin through (scripts/migrations.py)."""

import pytest

from scripts.migrations import ACCEPTED, accepted, faults_of_python, faults_of_sql, findings

ROOMS = {"rounds", "studies"}
NEW = 'CREATE TABLE "new" ("id" bigint NOT NULL PRIMARY KEY, "name" text NOT NULL);\n'
TABLE = 'ALTER TABLE "rounds_label"'


def rules(text: str, *, atomic: bool = True) -> list[str]:
    return sorted({fault.split(":")[0] for fault in faults_of_sql(text, atomic=atomic)})


@pytest.mark.parametrize(
    ("rule", "unsafe", "safe"),
    [
        ("ban-drop-column", f'{TABLE} DROP COLUMN "x" CASCADE;', f'{TABLE} ALTER COLUMN "x" SET DEFAULT 1;'),
        ("ban-drop-table", 'DROP TABLE "rounds_label" CASCADE;', NEW),
        ("renaming-column", f'{TABLE} RENAME COLUMN "x" TO "y";', f'{TABLE} ADD COLUMN "y" bigint NULL;'),
        ("renaming-table", f'{TABLE} RENAME TO "y";', NEW),
        ("adding-required-field", f'{TABLE} ADD COLUMN "x" bigint NOT NULL;', f'{TABLE} ADD COLUMN "x" bigint DEFAULT 1 NOT NULL;'),
        ("adding-not-nullable-field", f'{TABLE} ALTER COLUMN "x" SET NOT NULL;', f'{TABLE} ADD CONSTRAINT "c" CHECK ("x" IS NOT NULL) NOT VALID;'),
        ("ban-drop-default", f'{TABLE} ADD COLUMN "x" bigint DEFAULT 1 NOT NULL; {TABLE} ALTER COLUMN "x" DROP DEFAULT;', f'{TABLE} ADD COLUMN "x" bigint DEFAULT 1 NOT NULL;'),
        ("ban-drop-not-null", f'{TABLE} ALTER COLUMN "x" DROP NOT NULL;', f'{TABLE} ADD COLUMN "x" bigint NULL;'),
        ("adding-field-with-default", f'{TABLE} ADD COLUMN "x" uuid DEFAULT gen_random_uuid() NOT NULL;', f'{TABLE} ADD COLUMN "x" text DEFAULT \'\' NOT NULL;'),
        ("changing-column-type", f'{TABLE} ALTER COLUMN "x" TYPE bigint USING "x"::bigint;', f'{TABLE} ADD COLUMN "y" bigint NULL;'),
        ("constraint-missing-not-valid", f'{TABLE} ADD CONSTRAINT "c" CHECK ("x" > 1);', f'{TABLE} ADD CONSTRAINT "c" CHECK ("x" > 1) NOT VALID;'),
        ("adding-foreign-key-constraint", f'{TABLE} ADD CONSTRAINT "f" FOREIGN KEY ("x") REFERENCES "new" ("id");', f'{TABLE} ADD COLUMN "x" bigint NULL CONSTRAINT "f" REFERENCES "new" ("id") DEFERRABLE INITIALLY DEFERRED;'),
        ("disallowed-unique-constraint", f'{TABLE} ADD CONSTRAINT "u" UNIQUE ("x");', NEW + 'ALTER TABLE "new" ADD CONSTRAINT "u" UNIQUE ("name");'),
        ("require-concurrent-index-creation", 'CREATE INDEX "i" ON "rounds_label" ("x");', NEW + 'CREATE INDEX "i" ON "new" ("name");'),
        ("require-concurrent-index-deletion", 'DROP INDEX "i";', NEW),
        ("lock-timeout", "SET lock_timeout = 0;", "SET work_mem = '64MB';"),
        ("syntax-error", "ALTER TABLE;", NEW),
    ],
)  # fmt: skip
def test_statements(rule, unsafe, safe):
    assert rule in rules(unsafe)
    assert rules(safe) == []


def test_an_index_of_a_table_in_use_is_built_concurrently_and_outside_of_a_transaction():
    built = 'CREATE INDEX CONCURRENTLY "i" ON "rounds_label" ("x");'
    assert rules(built, atomic=False) == []
    assert rules(NEW + built) == ["ban-concurrent-index-creation-in-transaction"]


@pytest.mark.parametrize(
    ("rule", "unsafe", "safe"),
    [
        ("no-way-back", "migrations.RunPython(fill)", "migrations.RunPython(fill, empty)"),
        ("no-way-back", "RunPython(code=fill)", "RunPython(fill, reverse_code=RunPython.noop)"),
        ("models-of-today", "from rounds.models import Label", "from core.sql.beside import SqlBeside"),
        ("models-of-today", "from rounds.models.labels import Label", "import rounds.allocation"),
        ("models-of-today", "import studies.models", "from django.db import migrations, models"),
        ("models-of-today", "from studies import models", "import django.db.models.deletion"),
        ("models-of-today", "def fill(apps, editor):\n    from studies.models import Study", "def fill(apps, editor):\n    apps.get_model('studies', 'Study')"),
    ],
)  # fmt: skip
def test_functions(rule, unsafe, safe):
    assert [fault.split(": ")[1] for fault in faults_of_python(unsafe, ROOMS)] == [rule]
    assert list(faults_of_python(safe, ROOMS)) == []


@pytest.mark.django_db
def test_every_migration_is_safe_or_accepted_with_a_reason():
    let_through = accepted()
    assert list(findings(let_through)) == []
    assert all(let_through.values()), ACCEPTED
    # What was accepted has a fault, and what is accepted is there.
    faults = {fault.split(": ")[0] for fault in findings({})}
    assert faults == let_through.keys()
    assert list(findings(let_through | {"rounds.0000_nothing": "gone"})) == [
        "rounds.0000_nothing: is accepted, and is not there"
    ]
