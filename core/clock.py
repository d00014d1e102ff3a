"""The one clock, which can be set. All code reads the present moment here."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.utils import timezone

_set: ContextVar[Callable[[], datetime] | None] = ContextVar("moment", default=None)


def now() -> datetime:
    """The present moment with its time zone, or the moment to which the clock is set."""
    told = _set.get()
    return told() if told else timezone.now()


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Set the clock of this thread to `moment` inside the block: the demonstration plays in past weeks."""
    with told_by(lambda: moment):
        yield


@contextmanager
def told_by(reading: Callable[[], datetime]) -> Iterator[None]:
    """Let `reading` tell the moment in this thread inside the block, each time that somebody asks."""
    token = _set.set(reading)
    try:
        yield
    finally:
        _set.reset(token)


def sleep(seconds: float) -> None:
    """Wait. All code that waits for another server waits here."""
    time.sleep(seconds)
