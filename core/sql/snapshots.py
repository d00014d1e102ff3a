"""Several reads of one moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot(*, read_only: bool = True) -> Iterator[None]:
    """One transaction, in which every query sees the database as it was at the first one.

    Inside somebody's transaction that is theirs to say: there it is a savepoint. What writes in it
    (`read_only=False`) loses to whoever changed the same row meanwhile: see `core.sql.retry`.
    """
    alone = not connection.in_atomic_block
    with transaction.atomic():
        if alone:
            with connection.cursor() as cursor:
                access = ", READ ONLY" if read_only else ""
                cursor.execute(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ{access}")
        yield
