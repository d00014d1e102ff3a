"""The cache that all web processes share: Redis. While Redis is down, each process counts for itself."""

import json
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

RETRY_AFTER = 5.0
"""Seconds without a question to Redis after it failed: a server that hangs delays few requests."""


class Shared(RedisCache):
    """Django's cache in Redis, or in this process after an error."""

    down_until = 0.0
    """Of the monotonic clock, for all threads of this process."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._alone = LocMemCache(params.get("KEY_PREFIX", ""), {"KEY_PREFIX": params.get("KEY_PREFIX", "")})

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return bool(self._of_either("add", key, value, timeout, version))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._of_either("get", key, default, version)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        self._of_either("set", key, value, timeout, version)

    def delete(self, key: Any, version: int | None = None) -> bool:
        return bool(self._of_either("delete", key, version))

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        try:
            return int(self._of_either("incr", key, delta, version))
        except ValueError:
            # The key has just expired, or Redis has just ended or come back.
            self.set(key, delta, version=version)
            return delta

    def _of_either(self, name: str, *given: Any) -> Any:
        if time.monotonic() >= self.down_until:
            try:
                of_redis: Callable[..., Any] = getattr(super(), name)
                return of_redis(*given)
            except RedisError:
                Shared.down_until = time.monotonic() + RETRY_AFTER
        of_process: Callable[..., Any] = getattr(self._alone, name)
        return of_process(*given)


class Json:
    """The form of values in Redis: without code that unpickling could run. Numbers stay countable."""

    def dumps(self, value: Any) -> bytes:
        return json.dumps(value).encode()

    def loads(self, stored: bytes) -> Any:
        return json.loads(stored)
