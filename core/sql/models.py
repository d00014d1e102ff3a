"""Rows without the ORM's converters: of thousands they take most of the time."""

import json
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models import QuerySet


class Rows:
    """The columns of these models, whose tables a statement calls p0, p1, … in the same order."""

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
        """One model for each table, None for one that an outer join found nothing in."""
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
    """What a `values_list` selects, in its order, as the driver reads it: numbers, texts, moments and lists
    of them. One query, none where nothing can match.
    """
    try:
        query, parameters = found.query.sql_with_params()
    except EmptyResultSet:
        return []
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return list(cursor.fetchall())
