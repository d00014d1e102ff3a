"""Two at a time: run functions in threads that start together, each with its own connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection


def at_once(*functions: Callable[[], Any]) -> list[Any]:
    """Call all functions at the same moment; return what each gave, or the exception that it raised."""
    start = Barrier(len(functions))

    def call(function: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            start.wait(timeout=20)
            return function()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(call, functions))
