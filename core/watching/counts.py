"""Counters of all processes together.

A process adds up in memory, and what it has goes to Redis FLUSH_SECONDS after the first of it: a request
costs no call, and every web host answers Prometheus the same. A process that is killed loses the last two
seconds. When Redis starts again, the counters start at 0, as Prometheus expects of them.
"""

import atexit
import os
import threading
from bisect import bisect_left

import redis

from core.watching.store import store

KEY = "counts"
FLUSH_SECONDS = 2.0
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper ends of durations, in seconds; a last bucket has the rest."""

_lock = threading.Lock()
_pending: dict[str, float] = {}
_timer: list[threading.Timer] = []


def count(name: str, by: float = 1, **labels: str) -> None:
    """Raise a counter. Labels have few values, all of our own making."""
    _add({series(name, labels): by})


def measure(name: str, seconds: float, **labels: str) -> None:
    """Count a duration into the histogram of this name."""
    place = bisect_left(BUCKETS, seconds)
    end = f"{BUCKETS[place]:g}" if place < len(BUCKETS) else "+Inf"
    _add({series(f"{name}_bucket", labels | {"le": end}): 1, series(f"{name}_sum", labels): seconds})


def series(name: str, labels: dict[str, str]) -> str:
    """A series as Prometheus writes it: `name{route="home"}`."""
    told = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
    return f"{name}{{{told}}}" if told else name


def flush() -> None:
    """Add what this process counted to the sums in Redis; keep it where Redis does not answer."""
    with _lock:
        mine = dict(_pending)
        _pending.clear()
        _timer.clear()
    if not mine:
        return
    try:
        pipeline = store().pipeline()
        for field, by in mine.items():
            pipeline.hincrbyfloat(KEY, field, by)
        pipeline.execute()
    except (redis.RedisError, ValueError):  # ValueError: the address names no Redis
        with _lock:
            for field, by in mine.items():
                _pending[field] = _pending.get(field, 0) + by


def counted() -> dict[str, float]:
    """The sums of all processes. Raises redis.RedisError."""
    return {field: float(value) for field, value in store().hgetall(KEY).items()}


def _add(more: dict[str, float]) -> None:
    with _lock:
        for field, by in more.items():
            _pending[field] = _pending.get(field, 0) + by
        if _timer:
            return
        timer = threading.Timer(FLUSH_SECONDS, flush)
        timer.daemon = True
        _timer.append(timer)
    timer.start()


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _forget() -> None:
    """In a new process: what its parent counted is its parent's, and so is the timer."""
    global _lock  # noqa: PLW0603 - another thread of the parent may have held it
    _lock = threading.Lock()
    _pending.clear()
    _timer.clear()


os.register_at_fork(after_in_child=_forget)
atexit.register(flush)
