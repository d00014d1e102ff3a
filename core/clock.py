"""The one clock. Whatever asks for the present moment asks here, so that it can be set."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.utils import timezone

_set: ContextVar[datetime | None] = ContextVar("moment", default=None)


def now() -> datetime:
    """The present moment with its zone, or the moment that the clock is set to."""
    return _set.get() or timezone.now()


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Set the clock of this thread to `moment` inside the block: the demonstration tells of past weeks."""
    token = _set.set(moment)
    try:
        yield
    finally:
        _set.reset(token)
