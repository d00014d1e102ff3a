"""Which tables hold rows of a study, read from the registry of models, and how each row leads to its study.

Two promises rest on it: a study that is read-only takes no writes, and of a deleted study no row stays. A new
table is found by itself.
"""
# ruff: noqa: SLF001 - `_meta` is public by documentation

import heapq
from functools import cache
from itertools import count

import pgtrigger
from django.apps import apps
from django.db.models import Field, Model

from core.sql.constraints import READ_ONLY
from studies.models import Event, Invitation, Membership, Study

Path = tuple["Field[object, object]", ...]
MAY_BE_EMPTY = 100
"""An empty key leads nowhere, so that a way over one is taken only where there is no other."""

# People may leave a read-only study and be erased, its audit goes on, and what is computed from its texts may
# be computed later. People also delete what they told about themselves.
STILL_WRITTEN = frozenset({Study, Membership, Invitation, Event})
COMPUTED = frozenset({
    "ingest_comparedtext",
    "ingest_searchedtext",
    "ingest_similaritysearch",
    "ingest_similarpair",
    "ingest_termfind",
})  # fmt: skip
DELETED_BY_PEOPLE = frozenset({"standards_raterbackground"})


@cache
def paths() -> dict[type[Model], Path]:
    """Every model with rows of a study, and the keys that lead from a row to its study."""
    tables = [one for one in apps.get_models() if one._meta.managed and not one._meta.proxy]
    pointing: dict[type[Model], list[tuple[type[Model], Field[object, object]]]] = {}
    for model in tables:
        for field in model._meta.local_concrete_fields:
            if field.is_relation and field.related_model is not None:
                to: type[Model] = field.related_model._meta.concrete_model or field.related_model
                pointing.setdefault(to, []).append((model, field))
    found: dict[type[Model], Path] = {}
    tie = count()
    ahead: list[tuple[int, int, type[Model], Path]] = [(0, next(tie), Study, ())]
    while ahead:
        cost, _, model, way = heapq.heappop(ahead)
        if model in found:
            continue
        found[model] = way
        for other, field in pointing.get(model, []):
            step = cost + 1 + MAY_BE_EMPTY * field.null
            heapq.heappush(ahead, (step, next(tie), other, (field, *way)))
    return found


def joins(model: type[Model], rows: str) -> tuple[str, str]:
    """For SQL: `rows` (a table, or rows that a trigger gives) as t0 with the tables on the way to the study,
    and the expression that holds the study's id.
    """
    way = paths()[model]
    tables = [f"{rows} t0"]
    for place, field in enumerate(way[:-1], start=1):
        to = field.related_model
        assert to is not None  # noqa: S101 - each step is a key
        table, key = to._meta.db_table, to._meta.pk.column
        tables.append(f"JOIN {table} t{place} ON t{place}.{key} = t{place - 1}.{field.column}")
    return " ".join(tables), f"t{len(way) - 1}.{way[-1].column}" if way else "t0.id"


def _triggers(model: type[Model]) -> list[pgtrigger.Trigger]:
    tables, study = joins(model, "written")
    # The first question is answered from an index that is nearly always empty.
    func = f"""
        IF NOT EXISTS (SELECT FROM studies_study WHERE archived_at IS NOT NULL OR delete_at IS NOT NULL) THEN
            RETURN NULL;
        END IF;
        IF EXISTS (
            SELECT FROM {tables} JOIN studies_study ON studies_study.id = {study}
             WHERE studies_study.archived_at IS NOT NULL OR studies_study.delete_at IS NOT NULL
        ) THEN
            RAISE EXCEPTION 'the study is read-only'
                USING ERRCODE = 'restrict_violation', CONSTRAINT = '{READ_ONLY}';
        END IF;
        RETURN NULL;
    """  # noqa: S608 - names of tables and columns only
    return [
        pgtrigger.Trigger(
            name=f"read_only_study_{name}",
            when=pgtrigger.After,
            operation=operation,
            level=pgtrigger.Statement,
            referencing=pgtrigger.Referencing(**{side: "written"}),
            func=func,
        )
        for name, operation, side in (
            ("adds_nothing", pgtrigger.Insert, "new"),
            ("changes_nothing", pgtrigger.Update, "new"),
            ("loses_nothing", pgtrigger.Delete, "old"),
        )
    ]


def guarded() -> list[type[Model]]:
    """The models whose rows stay as they are while their study is read-only."""
    return [
        model
        for model in paths()
        if model not in STILL_WRITTEN and model._meta.db_table not in COMPUTED | DELETED_BY_PEOPLE
    ]


def guard() -> None:
    """Declare the triggers that refuse writes into read-only studies, on all models that hold their rows."""
    for model in guarded():
        pgtrigger.register(*_triggers(model))(model)
