"""Rows without the ORM's converters, which take most of the time for thousands of rows."""

import json
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models import QuerySet


class Rows:
    """The columns of these models, whose tables the statement names p0, p1, … in the same order."""

    def __init__(self, *parts: type[models.Model]) -> None:
        self._parts: list[tuple[Any, list[str], list[str]]] = []
        for part in parts:
            fields = part._meta.concrete_fields  # noqa: SLF001 - public by documentation
            names = [field.attname for field in fields]
            as_text = [field.attname for field in fields if isinstance(field, models.JSONField)]
            self._parts.append((part, names, as_text))
        self.columns = ", ".join(
            f'p{place}."{name}"' for place, (_part, names, _json) in enumerate(self._parts) for name in names
        )

    def models(self, row: Sequence[Any]) -> list[Any]:
        """One model for each table, None where an outer join found no row."""
        found: list[Any] = []
        start = 0
        for part, names, as_text in self._parts:
            values = row[start : start + len(names)]
            start += len(names)
            if values[0] is None:
                found.append(None)
                continue
            made = part.from_db("default", names, values)
            for name in as_text:  # a bare cursor gives JSON as text
                setattr(made, name, json.loads(getattr(made, name)))
            found.append(made)
        return found


def plain_rows(found: QuerySet[Any, Any]) -> list[tuple[Any, ...]]:
    """The values that a `values_list` selects, in its order, as the driver returns them: numbers, texts,
    moments and lists of these. One query, none if nothing can match.
    """
    try:
        query, parameters = found.query.sql_with_params()
    except EmptyResultSet:
        return []
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
