"""Raw SQL for the tests of constraints: statements with usual values, and how the database refuses them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction


def filled(statement: str, **usual: Any) -> Callable[..., str]:
    """A function that gives the statement, with these values where it is called without others."""
    return lambda **given: statement.format(**usual | given)


def refusal(statement: str, names: dict[str, Any] | None = None) -> DatabaseError:
    """The error of this statement, with constraints checked at once; nothing is changed."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        with pytest.raises(DatabaseError) as refused, transaction.atomic():
            cursor.execute(statement, names)
    return refused.value
