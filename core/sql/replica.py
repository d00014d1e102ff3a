"""Long reads from a replica, where the settings name one (docs/decisions/0063).

Only what makes a whole file in a job reads there, in one snapshot, and the replica must have replayed all
that was committed on the primary before: who begins to read sees what they wrote, whoever was erased is
erased, and what is hidden is hidden. A replica that is behind for longer than `WAIT` seconds, or that does
not answer, is passed over.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, InterfaceError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import load_backend

T = TypeVar("T")

WAIT = 2.0
"""Seconds that a replica may need to catch up with the moment at which the reading began."""
LOOK = 0.05
CONNECT_SECONDS = 3

_PRIMARY = "SELECT pg_current_wal_insert_lsn()::text, (SELECT system_identifier FROM pg_control_system())"
_REPLICA = """
    SELECT pg_is_in_recovery() AND system_identifier = %(system)s,
           pg_last_wal_replay_lsn() >= %(at)s::pg_lsn
    FROM pg_control_system()
"""
_LAG = """
    SELECT pg_is_in_recovery(), CASE
        WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
        ELSE extract(epoch FROM now() - pg_last_xact_replay_timestamp())
    END
"""

logger = logging.getLogger("crosscheck.replica")


def reading(act: Callable[[], T]) -> T:
    """What `act` returns, which only reads: all its queries go to the replica, if there is one that has
    caught up, else to the primary. Called again on the primary if the replica fails meanwhile. Inside a
    transaction it is the primary: nobody else sees what that has written.
    """
    if not settings.REPLICA or connection.in_atomic_block:
        return act()
    replica = _connected(settings.REPLICA)
    try:
        if _has_caught_up(replica):
            with _in_the_place_of_the_primary(replica):
                return act()
    except (OperationalError, InterfaceError) as error:
        logger.warning("The replica fails, the primary answers: %s", type(error).__name__)
    finally:
        with suppress(OperationalError, InterfaceError):
            replica.close()
    return act()


@contextmanager
def _in_the_place_of_the_primary(replica: BaseDatabaseWrapper) -> Iterator[None]:
    """In the block all queries of this thread go to the replica."""
    primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


def lag() -> float | None:
    """Seconds by which the replica is behind; None for a server that is no replica. Raises OperationalError
    if it does not answer.
    """
    replica = _connected(settings.REPLICA or {})
    try:
        with replica.cursor() as cursor:
            cursor.execute(_LAG)
            is_replica, seconds = cursor.fetchone()
            return float(seconds or 0) if is_replica else None
    finally:
        replica.close()


def _has_caught_up(replica: BaseDatabaseWrapper) -> bool:
    """Wait until the replica has all that is committed on the primary now."""
    with connection.cursor() as cursor:
        cursor.execute(_PRIMARY)
        at, system = cursor.fetchone()
    deadline = time.monotonic() + WAIT
    with replica.cursor() as cursor:
        while True:
            cursor.execute(_REPLICA, {"at": at, "system": system})
            is_replica, has_all = cursor.fetchone()
            if is_replica and has_all:
                return True
            if not is_replica or time.monotonic() > deadline:
                what = "is behind" if is_replica else "is no replica of this server"
                logger.warning("The replica %s: the primary answers.", what)
                return False
            time.sleep(LOOK)


def _connected(to: dict[str, Any]) -> BaseDatabaseWrapper:
    """A connection to the replica, opened at its first query, under the name of the usual one."""
    usual: dict[str, Any] = connections.settings[DEFAULT_DB_ALIAS]
    given = {
        **usual,
        **to,
        "OPTIONS": {"connect_timeout": CONNECT_SECONDS, **to.get("OPTIONS", {})},
        "CONN_MAX_AGE": 0,
    }
    made: BaseDatabaseWrapper = load_backend(given["ENGINE"]).DatabaseWrapper(given, alias=DEFAULT_DB_ALIAS)
    return made
