"""At the same moment: run acts in threads that start together, each on a connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

_pools: dict[int, ThreadPoolExecutor] = {}
"""Threads by how many act at once. Kept with their connections: a new one costs more than most acts."""


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Call all acts at the same moment; return what each returned, or the exception that it raised."""
    start = Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        connection.close_if_unusable_or_obsolete()
        connection.ensure_connection()
        start.wait(timeout=30)
        try:
            return act()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            return error

    return list(_pool(len(acts)).map(run, acts))


def end_threads() -> None:
    """Close the connections of the threads that were kept."""
    for size in list(_pools):
        start = Barrier(size)
        with _pools.pop(size) as pool:
            list(pool.map(lambda _, start=start: (start.wait(timeout=30), connection.close()), range(size)))


def _pool(size: int) -> ThreadPoolExecutor:
    if size not in _pools:
        _pools[size] = ThreadPoolExecutor(size)
    return _pools[size]
