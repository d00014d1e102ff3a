"""Rows as the driver gives them: of thousands with arrays the ORM's converters take most of the time."""

from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet


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
