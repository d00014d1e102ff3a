"""Runs a file of SQL beside the migration, for parts of tables that Django cannot declare."""

from pathlib import Path
from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class SqlBeside(migrations.RunSQL):
    """Run the SQL file with the migration's own name: `SqlBeside(__file__)`, as its last operation.

    Django makes constraints and indexes at the end of a migration. Here they are made before the file runs,
    so that its foreign keys can refer to them.
    """

    def __init__(self, migration: str) -> None:
        super().__init__(Path(migration).with_suffix(".sql").read_text(encoding="utf-8"))

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        deferred: list[Any] = schema_editor.deferred_sql
        while deferred:
            schema_editor.execute(deferred.pop(0))
        super().database_forwards(app_label, schema_editor, from_state, to_state)
