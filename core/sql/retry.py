"""Repeats a transaction that the database aborted in favour of another one."""

import functools
import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.db import OperationalError, connection

P = ParamSpec("P")
R = TypeVar("R")

SERIALIZATION_FAILURE = "40001"
DEADLOCK_DETECTED = "40P01"
TRIES = 3


def retried(act: Callable[P, R]) -> Callable[P, R]:
    """Run `act` again, three times in all at most, when PostgreSQL aborted it in a deadlock or a race.

    `act` opens its own transaction, which was rolled back whole, so nothing is done twice. Inside an outer
    transaction nothing can be repeated, and the error is raised at once.
    """

    @functools.wraps(act)
    def tried(*args: P.args, **kwargs: P.kwargs) -> R:
        for left in range(TRIES - 1, -1, -1):
            try:
                return act(*args, **kwargs)
            except OperationalError as error:
                if not left or connection.in_atomic_block or not lost_a_race(error):
                    raise
                time.sleep(random.uniform(0.005, 0.05))
        raise AssertionError("the last try returns or raises")

    return tried


def lost_a_race(error: OperationalError) -> bool:
    """Was this a deadlock or a serialization failure, which a second try may survive?"""
    code = getattr(error.__cause__, "pgcode", None)
    return code in {SERIALIZATION_FAILURE, DEADLOCK_DETECTED}
