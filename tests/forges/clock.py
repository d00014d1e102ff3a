"""The time of the server and of its clients."""

import threading
import time
from datetime import UTC, datetime, timedelta


class Clock:
    """Stands still until `sleep` moves it."""

    def __init__(self, start: datetime = datetime(2026, 1, 15, 12, tzinfo=UTC)) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        with self._lock:
            self._now += timedelta(seconds=seconds)


class RealClock(Clock):
    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
