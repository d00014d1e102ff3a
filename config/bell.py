"""Rings for what is due: each worker looks every second, and Redis lets one of them ring.

There is no program beside the workers that keeps the time, and no file: without a worker nothing is due.
"""

import logging
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import redis
from celery import Celery
from django.conf import settings

LOOK_SECONDS = 1.0
LATE = timedelta(hours=6)
"""A daily task is rung for so long after its hour, if no worker ran then."""

log = logging.getLogger(__name__)


class Bell(threading.Thread):
    """Rings through `app` until `stop`; a worker has one."""

    def __init__(self, app: Celery) -> None:
        super().__init__(name="bell", daemon=True)
        self._app = app
        self._redis = redis.Redis.from_url(
            str(settings.CACHES["template_fragments"]["LOCATION"]), socket_timeout=3, socket_connect_timeout=3
        )
        self._ended = threading.Event()
        self._is_quiet = False

    def run(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            try:
                self.ring(datetime.now(UTC))
                self._is_quiet = False
            except Exception:  # Redis is away; it comes back, and a job waits as a row until then
                if not self._is_quiet:
                    log.warning("the bell cannot ring; it tries again each second", exc_info=True)
                self._is_quiet = True

    def ring(self, now: datetime) -> list[str]:
        """Ring for what is due and nobody has rung for; returns its names."""
        rung = []
        for name, entry in settings.BELL.items():
            mark, seconds = due(name, entry, now)
            if mark and self._redis.set(f"bell:{mark}", 1, nx=True, px=int(seconds * 1000)):
                self._app.send_task(entry["task"], expires=entry["expires"], retry=False)
                rung.append(name)
        return rung

    def stop(self) -> None:
        self._ended.set()


def due(name: str, entry: dict[str, Any], now: datetime) -> tuple[str, float]:
    """The mark that whoever rings must set first, and for how many seconds it stays; "" if it is too early
    or too late. A mark of an interval is gone when the next one begins.
    """
    if "hour" not in entry:
        return name, entry["seconds"]
    begin = now.replace(hour=entry["hour"], minute=0, second=0, microsecond=0)
    if not begin <= now < begin + LATE:
        return "", 0
    return f"{name}:{now:%Y-%m-%d}", timedelta(days=1).total_seconds()
