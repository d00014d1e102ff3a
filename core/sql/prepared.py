"""Statements that a connection plans once: for what is run with every label.

PostgreSQL takes longer to plan such a statement than to run it. It plans a prepared statement for the given
values five times; then it keeps one plan for all values, if that plan is as good, until statistics change.
"""

import re
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection
from django.db.backends.utils import CursorWrapper

_PLACE = re.compile(r"%\((\w+)\)s")
_prepared: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
"""The names of the statements that each connection of psycopg2 has prepared."""


class Prepared:
    """A statement with named parameters, under a name that no other statement has.

    PostgreSQL finds the type of a parameter where the statement first uses it: a parameter that is first
    returned, and not compared, needs a cast.
    """

    def __init__(self, name: str, statement: str) -> None:
        self._name = name
        self._parameters = list(dict.fromkeys(_PLACE.findall(statement)))
        places = {parameter: f"${place}" for place, parameter in enumerate(self._parameters, start=1)}
        self._prepare = f"PREPARE {name} AS {_PLACE.sub(lambda found: places[found[1]], statement)}"
        self._execute = f"EXECUTE {name} ({', '.join(f'%({parameter})s' for parameter in self._parameters)})"

    def run(self, cursor: CursorWrapper, given: Mapping[str, Any]) -> None:
        """Execute the statement; the cursor then has its rows. `given` may hold more than the parameters."""
        connection.ensure_connection()
        names = _prepared.setdefault(connection.connection, set())
        if self._name not in names:
            # A bare cursor: nobody counts this as a query.
            with connection.wrap_database_errors, connection.connection.cursor() as bare:
                bare.execute(self._prepare)
            names.add(self._name)
        # Past pghistory, which would set its context before each: nothing that is prepared changes a label.
        wrappers, connection.execute_wrappers = connection.execute_wrappers, []
        try:
            cursor.execute(self._execute, {name: given[name] for name in self._parameters})
        finally:
            connection.execute_wrappers = wrappers
