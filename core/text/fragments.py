"""Parts of pages that never change and are drawn once for all readers. Redis keeps them for all web
processes; if it is empty or down, they are drawn again.
"""

import zlib
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Any

from django.conf import settings
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

_CODE = ("core", "ingest", "templates", "locale")
_RENDERERS = ("Django", "markdown-it-py", "nh3", "Pygments")


class Fragments(RedisCache):
    """Django's cache in Redis; after an error nothing is found and nothing is kept."""

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        try:
            return super().get(key, default, version)
        except RedisError:
            return default

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        with suppress(RedisError):
            super().set(key, value, timeout, version)


class Compressed:
    """The form of HTML in Redis: compressed to a third, and without code that unpickling could run."""

    def dumps(self, html: str) -> bytes:
        return zlib.compress(html.encode(), 1)

    def loads(self, stored: bytes) -> str:
        return zlib.decompress(stored).decode()


@cache
def drawn_by() -> str:
    """A digest of what draws fragments: sizes and times of code, templates and translations, and versions of
    libraries. It is part of their keys, so that no HTML outlives its renderer, which may have had a security
    hole.
    """
    digest = sha256(" ".join(map(version, _RENDERERS)).encode())
    for folder in _CODE:
        for path in sorted((settings.BASE_DIR / folder).rglob("*.*")):
            if path.suffix in {".py", ".html", ".mo"}:
                found = path.stat()
                digest.update(f"{path} {found.st_size} {found.st_mtime_ns}".encode())
    return digest.hexdigest()
