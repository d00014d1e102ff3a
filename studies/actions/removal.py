"""Removes a study for good: its rows in batches, its files, and last itself; one line stays."""
# ruff: noqa: SLF001 - `_meta` is public by documentation

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pgtrigger
from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model, Q

from core import clock
from core.models import Job
from core.sql.append_only import append_only
from studies.actions.copies import remove_copies
from studies.models import RemovedStudy, Study
from studies.reach import joins, paths

log = logging.getLogger(__name__)

BATCH = 20_000
JOB_ARGUMENTS = {
    "study": "studies.Study",
    "member": "studies.Membership",
    "round": "rounds.Round",
    "import": "ingest.Import",
    "harvest": "harvests.Harvest",
    "selection": "harvests.Selection",
}
"""What the arguments of jobs name: a job that names a row of the study goes with it."""

_COMPOSITE = """
SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
 WHERE contype = 'f' AND cardinality(conkey) > 1 AND conrelid <> confrelid
"""
"""Keys of several columns, which Django does not know: the database asks for them at once, not at the end."""

_files: list[Callable[[Study, list[Job]], Iterable[Path]]] = []


def files_of(found: Callable[[Study, list[Job]], Iterable[Path]]) -> None:
    """Register where a room keeps files of a study, given the study's jobs as well."""
    if found not in _files:
        _files.append(found)


def remove_due_studies() -> int:
    """Remove the studies whose days of grace are over; return how many."""
    due = Study.objects.filter(delete_at__lte=clock.now()).order_by("delete_at", "pk")
    return sum(remove_study(study=study) is not None for study in due)


def remove_study(*, study: Study) -> RemovedStudy | None:
    """Remove all rows and files of a study that is due, and note it on the server; None if somebody kept it.

    Files go first and large tables follow in batches, each in its own transaction: a run that is killed is
    finished by the next one. Rows that refer to each other in a circle go with the study in the last one.
    """
    due = Study.objects.filter(pk=study.pk, delete_at__lte=clock.now()).first()
    if due is None:
        return None
    jobs = list(Job.objects.filter(pk__in=_jobs(due)))
    remove_copies(due.pk)
    files = {path for find in _files for path in find(due, jobs)}
    removed = 0
    for path in files:
        removed += path.is_file()
        path.unlink(missing_ok=True)
    rows: dict[str, int] = {}
    while gone := _remove_history(due):
        rows["history"] = rows.get("history", 0) + gone
    alone, circle = _in_order()
    for model in alone:
        while gone := _remove_batch(model, due):
            table = model._meta.db_table
            rows[table] = rows.get(table, 0) + gone
    with pgtrigger.ignore(), transaction.atomic():
        for model in circle:
            if gone := _delete(model, due):
                rows[model._meta.db_table] = gone
        Job.objects.filter(pk__in=[job.pk for job in jobs]).delete()
        RemovedStudy.objects.create(
            name=due.name,
            asked_by=due.delete_asked_by,
            created_at=due.created_at,
            rows=rows,
            files=removed,
        )
        _execute("DELETE FROM studies_study WHERE id = %s", [due.pk])
    line = RemovedStudy.objects.latest("pk")
    log.info("removed study %s: %s rows, %s files", due.pk, sum(rows.values()), removed)
    return line


def _in_order() -> tuple[list[type[Model]], list[type[Model]]]:
    """The models with rows of a study: those that can be emptied one by one, since nothing that is left
    refers to them, and those that refer to each other.
    """
    composite = {(child, parent) for child, parent in _execute(_COMPOSITE, [], rows=True)}
    left = set(paths()) - {Study, *append_only()}

    def free_of(required: bool) -> list[type[Model]]:  # noqa: FBT001 - a step of two
        return sorted(
            (
                one
                for one in left
                if not _pointed_at(one, left, required=required)
                and not any((_table(other), _table(one)) in composite for other in left)
            ),
            key=_table,
        )

    alone: list[type[Model]] = []
    while free := free_of(required=False):
        alone += free
        left -= set(free)
    circle: list[type[Model]] = []
    while left:
        free = free_of(required=True) or sorted(left, key=_table)[:1]
        circle += free
        left -= set(free)
    return alone, circle


def _table(model: type[Model]) -> str:
    return model._meta.db_table


def _pointed_at(model: type[Model], by: Iterable[type[Model]], *, required: bool = False) -> bool:
    """Does a table of `by` refer to this one; `required`: by a key that cannot be empty?

    A key counts whether the database holds it or not: other rows may lead to their study over it.
    """
    return any(
        field.related_model is not None
        and field.related_model._meta.concrete_model is model
        and not (required and (field.null or other is model))
        for other in by
        for field in other._meta.local_concrete_fields
        if field.is_relation
    )


def _remove_batch(model: type[Model], study: Study) -> int:
    with pgtrigger.ignore(), transaction.atomic():
        return _delete(model, study, BATCH)


def _remove_history(study: Study) -> int:
    """Remove a batch of the audit and of what labels were before: append-only for everybody else (0052)."""
    with pgtrigger.ignore(), transaction.atomic():
        ((gone,),) = _execute("SELECT remove_history(%s, %s)", [study.pk, BATCH], rows=True)
        return int(gone)


def _statement(model: type[Model], most: int | None = None) -> str:
    table = model._meta.db_table
    tables, its_study = joins(model, table)
    limit = f" LIMIT {most}" if most else ""
    return (
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY("  # noqa: S608 - names of tables and columns only
        f"SELECT t0.ctid FROM {tables} WHERE {its_study} = %s{limit}))"
    )


def _delete(model: type[Model], study: Study, most: int | None = None) -> int:
    return int(_execute(_statement(model, most), [study.pk]))


def _jobs(study: Study) -> list[int]:
    """The jobs that rows of the study refer to, or that name a row of it."""
    found: set[int] = set()
    for model in paths():
        for field in model._meta.local_concrete_fields:
            if field.related_model is Job:
                tables, its_study = joins(model, model._meta.db_table)
                asked = f"SELECT t0.{field.column} FROM {tables} WHERE {its_study} = %s"  # noqa: S608
                found |= {one for (one,) in _execute(asked, [study.pk], rows=True) if one}
    named = Q()
    for key, label in JOB_ARGUMENTS.items():
        model = apps.get_model(label)
        tables, its_study = joins(model, model._meta.db_table)
        asked = f"SELECT t0.id FROM {tables} WHERE {its_study} = %s"  # noqa: S608
        ids = [study.pk] if model is Study else [one for (one,) in _execute(asked, [study.pk], rows=True)]
        named |= Q(**{f"arguments__{key}__in": ids})
    return [*found, *Job.objects.filter(named).values_list("pk", flat=True)]


def _execute(sql: str, values: list[Any], *, rows: bool = False) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if rows else cursor.rowcount
