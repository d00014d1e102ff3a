"""The one clock, which can be set. All code reads the present moment here."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.utils import timezone

_set: ContextVar[datetime | None] = ContextVar("moment", default=None)


def now() -> datetime:
    """The present moment with its time zone, or the moment to which the clock is set."""
    return _set.get() or timezone.now()


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Set the clock of this thread to `moment` inside the block: the demonstration plays in past weeks."""
    token = _set.set(moment)
    try:
        yield
    finally:
        _set.reset(token)


def sleep(seconds: float) -> None:
    """Wait. All code that waits for another server waits here."""
    time.sleep(seconds)
