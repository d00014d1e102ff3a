"""Migrations are safe while the old code still runs, and while people work: `python -m scripts.migrations`.

Squawk reads the SQL of each new migration, as PostgreSQL would get it. What SQL does not show, functions in
Python, is read here. Migrations of before, and those that have to break a rule, are in
accepted_migrations.txt with the reason. Needs Django set up.
"""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import django
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = Path(__file__).with_name("accepted_migrations.txt")
SQUAWK = Path(sys.executable).with_name("squawk")
ADVICE = {
    "adding-field-with-default": "computed for each row: add the column empty, fill it by a job",
    "adding-foreign-key-constraint": "NOT VALID first, VALIDATE CONSTRAINT in the next migration",
    "adding-not-nullable-field": "a NOT VALID check first, validated in the next migration",
    "adding-required-field": "old code does not fill it: db_default, or null",
    "adding-serial-primary-key-field": "make another table",
    "ban-alter-domain-with-add-constraint": "a check of the column",
    "ban-char-field": "text",
    "ban-concurrent-index-creation-in-transaction": "atomic = False",
    "ban-create-domain-with-constraint": "a check of the column",
    "ban-drop-column": "old code reads it: null or db_default now, dropped by a later version",
    "ban-drop-database": "never",
    "ban-drop-default": "old code does not fill the column: db_default instead of default",
    "ban-drop-not-null": "old code does not expect a null",
    "ban-drop-table": "old code reads it: dropped by a later version",
    "ban-truncate-cascade": "never",
    "changing-column-type": "a new column, filled by a job, read by a later version",
    "constraint-missing-not-valid": "AddConstraintNotValid first, ValidateConstraint in the next one",
    "disallowed-unique-constraint": "a unique index, built concurrently",
    "renaming-column": "old code reads it: a new column, or db_column",
    "renaming-table": "old code reads it: db_table",
    "require-concurrent-index-creation": "AddIndexConcurrently, with atomic = False",
    "require-concurrent-index-deletion": "RemoveIndexConcurrently, with atomic = False",
    "syntax-error": "squawk cannot read it",
}
"""The rules of squawk that count here, and what to do instead. Its others are about style."""


def faults_of_sql(text: str, *, atomic: bool = True) -> Iterator[str]:
    """What squawk finds in the statements of one migration, which are a transaction if `atomic`."""
    command = [str(SQUAWK), "--reporter", "json", "--pg-version", "15.0", "--stdin-filepath", "migration.sql"]
    if atomic:
        command.append("--assume-in-transaction")
    answer = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    lines = text.splitlines()
    for found in json.loads(answer.stdout):
        rule, line = found["rule_name"], lines[found["line"]].strip()
        # PostgreSQL knows that the new column is empty, and looks at no row.
        is_empty = rule == "adding-foreign-key-constraint" and re.search(r"ADD COLUMN \S+ \S+ NULL ", line)
        if rule in ADVICE and not is_empty:
            yield f"{rule}: {ADVICE[rule]}: {line[:100]}"
    if re.search(r"lock_timeout", text, re.IGNORECASE):
        yield "lock-timeout: `migrate` sets it, and tries again"


def faults_of_python(source: str, rooms: set[str]) -> Iterator[str]:
    """What cannot be run backwards, or changes its meaning with later code."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="RunPython") | ast.Name(id="RunPython")):
                if len(node.args) < 2 and not any(one.arg == "reverse_code" for one in node.keywords):
                    yield f"line {node.lineno}: no-way-back: RunPython has no reverse_code (or noop)"
            case ast.ImportFrom(module=str(module)) if _is_room(module, rooms):
                names = {one.name for one in node.names}
                if ".models" in module or "models" in names:
                    yield f"line {node.lineno}: models-of-today: {module}: use apps.get_model"
            case ast.Import():
                for one in node.names:
                    if ".models" in one.name and _is_room(one.name, rooms):
                        yield f"line {node.lineno}: models-of-today: {one.name}: use apps.get_model"


def _is_room(module: str, rooms: set[str]) -> bool:
    return module.partition(".")[0] in rooms


def accepted() -> dict[str, str]:
    """The reason for each migration that is let through."""
    lines = ACCEPTED.read_text(encoding="utf-8").splitlines()
    rows = (line.partition("#") for line in lines if line and not line.startswith("#"))
    return {name.strip(): reason.strip() for name, _sign, reason in rows}


def findings(let_through: dict[str, str]) -> Iterator[str]:
    """The faults of all migrations of this project but these. Connects to the database, and only that."""
    rooms = {app.label: Path(app.path) for app in apps.get_app_configs() if Path(app.path).parent == ROOT}
    loader = MigrationLoader(None)
    names = {f"{app}.{name}" for app, name in loader.disk_migrations}
    for gone in sorted(let_through.keys() - names):
        yield f"{gone}: is accepted, and is not there"
    for (app, name), migration in sorted(loader.disk_migrations.items()):
        if app not in rooms or f"{app}.{name}" in let_through:
            continue
        source = (rooms[app] / "migrations" / f"{name}.py").read_text(encoding="utf-8")
        faults = list(faults_of_python(source, set(rooms)))
        loader.connection = connection
        try:
            statements = "\n".join(loader.collect_sql([(migration, False)]))
            faults += faults_of_sql(statements, atomic=migration.atomic)
        finally:
            loader.connection = None
        for fault in faults:
            yield f"{app}.{name}: {fault}"


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    django.setup()
    found = list(findings(accepted()))
    print("\n".join(found) or "All migrations are safe while the old code runs.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
