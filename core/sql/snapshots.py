"""Several queries that see the database at the same moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot(*, read_only: bool = True) -> Iterator[None]:
    """One transaction in which every query sees the database as the first query saw it.

    Inside an outer transaction it is only a savepoint, with the outer isolation level. A write
    (`read_only=False`) fails if another transaction changed the same row meanwhile: see `core.sql.retry`.
    """
    alone = not connection.in_atomic_block
    with transaction.atomic():
        if alone:
            with connection.cursor() as cursor:
                access = ", READ ONLY" if read_only else ""
                cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ{access}")
        yield
