"""Tables that grow and never change: the audit and the history of labels (docs/decisions/0052)."""

from typing import Any

import pgtrigger
from django.apps import apps
from django.db.models import Model
from pghistory.models import Context, Event
from pgtrigger import compiler

NAME = "append_only"


class _Unignorable(compiler.UpsertTriggerSql):
    """The SQL of a trigger that `pgtrigger.ignore` does not switch off: any session can set that."""

    def get_template(self) -> str:
        return """
            CREATE OR REPLACE FUNCTION {pgid}() RETURNS TRIGGER AS $$
                BEGIN
                    {func}
                END;
            $$ LANGUAGE plpgsql;

            DROP TRIGGER IF EXISTS {pgid} ON {table};
            CREATE TRIGGER {pgid} {when} {operation} ON {table} FOR EACH {level} EXECUTE PROCEDURE {execute};
            COMMENT ON TRIGGER {pgid} ON {table} IS '{hash}';
        """


class AppendOnly(pgtrigger.Trigger):
    """Refuses UPDATE, DELETE and TRUNCATE, also of no row, whoever asks, by the error "… is append-only".

    The one door is a function of the owner (SECURITY DEFINER) that sets `crosscheck.door` while it works: the
    setting alone opens nothing for another role, and the owner has to set it on purpose.
    """

    name = NAME
    level = pgtrigger.Statement
    when = pgtrigger.Before
    operation = pgtrigger.Update | pgtrigger.Delete | pgtrigger.Truncate
    func = """
        IF coalesce(current_setting('crosscheck.door', true), '') <> '' AND current_user =
            (SELECT pg_catalog.pg_get_userbyid(c.relowner) FROM pg_catalog.pg_class c WHERE c.oid = TG_RELID)
        THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP
            USING ERRCODE = 'insufficient_privilege';
    """

    def compile(self, model: Any) -> compiler.Trigger:
        usual = super().compile(model).sql
        return compiler.Trigger(name=self.name, sql=_Unignorable(**usual.kwargs))


def guard_history() -> None:
    """Make each table of history append-only, also one that comes later. Call when all models are there."""
    for model in apps.get_models():
        if model is Context or (issubclass(model, Event) and model._meta.managed):  # noqa: SLF001 - documented
            pgtrigger.register(AppendOnly())(model)


def append_only() -> list[type[Model]]:
    """The models whose tables are append-only."""
    found: list[tuple[Any, pgtrigger.Trigger]] = pgtrigger.registered()
    return [model for model, trigger in found if isinstance(trigger, AppendOnly)]
