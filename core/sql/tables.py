"""Makes the tables of a room in one step of its migration."""

from collections.abc import Sequence

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class CreateTables(Operation):
    """Create all of these models: `CreateTables([migrations.CreateModel(…), …])`.

    After each CreateModel of its own, Django builds every model that is related to the new one again. Here
    all relate to studies and people, so that this took most of the time. This operation adds all models to
    the state first, and they are built once. A model can refer to one that comes later in the list.
    """

    atomic = True
    reversible = True

    def __init__(self, tables: Sequence[migrations.CreateModel]) -> None:
        self.tables = tables

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        if "apps" in state.__dict__:
            del state.apps  # a cached property: what next asks for models builds them
        for table in self.tables:
            table.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for table in self.tables:
            table.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        for table in reversed(self.tables):
            table.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return "Create tables " + ", ".join(table.name for table in self.tables)
