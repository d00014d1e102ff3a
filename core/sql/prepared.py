"""Statements that run with every label, and that each connection plans only once.

PostgreSQL takes longer to plan such a statement than to run it. It plans a prepared statement five times for
the given values; then it keeps one plan for all values, if that is as good, until statistics change.
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
    """A statement with named parameters and a unique name. PostgreSQL infers the type of a parameter from its
    first use in the statement: a parameter that is first returned, not compared, needs a cast.
    """

    def __init__(self, name: str, statement: str) -> None:
        self._name = name
        self._parameters = list(dict.fromkeys(_PLACE.findall(statement)))
        places = {parameter: f"${place}" for place, parameter in enumerate(self._parameters, start=1)}
        self._prepare = f"PREPARE {name} AS {_PLACE.sub(lambda found: places[found[1]], statement)}"
        self._execute = f"EXECUTE {name} ({', '.join(f'%({parameter})s' for parameter in self._parameters)})"

    def run(self, cursor: CursorWrapper, given: Mapping[str, Any]) -> None:
        """Execute the statement; the cursor then has its rows. `given` may have more than the parameters."""
        connection.ensure_connection()
        names = _prepared.setdefault(connection.connection, set())
        if self._name not in names:
            # A bare cursor, so that this does not count as a query.
            with connection.wrap_database_errors, connection.connection.cursor() as bare:
                bare.execute(self._prepare)
            names.add(self._name)
        # Bypasses pghistory, which would set its context each time: no prepared statement changes or deletes
        # a stored label.
        wrappers, connection.execute_wrappers = connection.execute_wrappers, []
        try:
            cursor.execute(self._execute, {name: given[name] for name in self._parameters})
        finally:
            connection.execute_wrappers = wrappers
