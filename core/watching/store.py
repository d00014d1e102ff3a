"""Redis, as watching uses it: short waits, text as text, and no error that a visitor sees."""

from functools import cache
from typing import Any

import redis
from django.conf import settings

SECONDS = 0.5


def store() -> Any:
    """A client of the Redis server that all processes share. Its calls raise redis.RedisError."""
    place: Any = settings.CACHES["template_fragments"]
    return _client(str(place["LOCATION"]))


@cache
def _client(address: str) -> Any:
    return redis.Redis.from_url(
        address, decode_responses=True, socket_timeout=SECONDS, socket_connect_timeout=SECONDS
    )
