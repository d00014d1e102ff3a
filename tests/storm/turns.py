"""At once, and yet the same each time: acts in threads that take turns, one statement at a time, in a drawn order.

A thread stops before each statement and before each commit. One of those that stand goes on, drawn by a seeded
generator, until it stands again, ends, or waits for a lock that another one holds. So a race that a number found is run
again by that number.
"""

import queue
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

LOOK_AGAIN = 0.002
"""Seconds after which a thread that goes on is asked whether it waits for a lock."""
LOOK_LATEST = 0.02
"""It is asked less and less often: each question is a query, and a busy computer would only be asked."""
LONGEST = 60

_here = threading.local()


class Killed(Exception):
    """Not raised: stands for the answer of an act whose connection was cut."""


class Act:
    """One act in its thread: `stands` before a statement, `ends`, or goes on."""

    def __init__(self, act: Callable[[], Any], *, killed_at: int | None) -> None:
        self.act = act
        self.killed_at = killed_at
        self.was_killed = False
        self.statements = 0
        self.pid = 0
        self.result: Any = None
        self.has_ended = False
        self.go = threading.Event()
        self.stopped = threading.Event()

    def stand(self) -> None:
        """Wait for this act's turn. In the thread of the act."""
        self.statements += 1
        raw = connections["default"].connection
        self.pid = raw.info.backend_pid if raw is not None and not raw.closed else 0
        self.stopped.set()
        if not self.go.wait(timeout=LONGEST):
            raise TimeoutError("nobody gave this act its turn")
        self.go.clear()

    def run(self) -> None:
        connection.close_if_unusable_or_obsolete()
        connection.ensure_connection()
        _here.act = self
        try:
            self.stand()
            self.result = self.act()
        except Exception as error:  # noqa: BLE001 - whoever asked looks at it
            self.result = error
        finally:
            _here.act = None
            self.has_ended = True
            self.stopped.set()


class Workers:
    """Threads that are kept with their connections."""

    def __init__(self) -> None:
        self._threads: list[tuple[threading.Thread, queue.SimpleQueue]] = []

    def start(self, acts: list[Act]) -> None:
        while len(self._threads) < len(acts):
            waiting: queue.SimpleQueue = queue.SimpleQueue()
            thread = threading.Thread(target=self._serve, args=(waiting,), daemon=True)
            thread.start()
            self._threads.append((thread, waiting))
        for act, (_thread, waiting) in zip(acts, self._threads, strict=False):
            waiting.put(act)

    def end(self) -> None:
        for thread, waiting in self._threads:
            waiting.put(None)
            thread.join(timeout=LONGEST)
        self._threads.clear()

    @staticmethod
    def _serve(waiting: queue.SimpleQueue) -> None:
        while (act := waiting.get()) is not None:
            act.run()
        connection.close()


@contextmanager
def standing_before_statements() -> Iterator[Workers]:
    """Inside the block, `at_once` stops its acts before every statement and commit."""
    execute, many, commit = CursorWrapper.execute, CursorWrapper.executemany, BaseDatabaseWrapper._commit

    def stopping(call: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(self: Any, *args: Any, **kwargs: Any) -> Any:
            act = getattr(_here, "act", None)
            if act is not None:
                act.stand()
            return call(self, *args, **kwargs)

        return stopped

    workers = Workers()
    try:
        CursorWrapper.execute, CursorWrapper.executemany = stopping(execute), stopping(many)
        BaseDatabaseWrapper._commit = stopping(commit)
        yield workers
    finally:
        CursorWrapper.execute, CursorWrapper.executemany = execute, many
        BaseDatabaseWrapper._commit = commit
        workers.end()


def at_once(
    workers: Workers, draw: random.Random, *acts: Callable[[], Any], killed: dict[int, int] | None = None
) -> list[Act]:
    """Run all acts, taking turns; returns them with their results. `killed`: the place of an act, and the statement before
    which its connection is cut.
    """
    running = [Act(act, killed_at=(killed or {}).get(place)) for place, act in enumerate(acts)]
    workers.start(running)
    for act in running:
        _wait(act)
    while going := [act for act in running if not act.has_ended]:
        ready = [act for act in going if act.stopped.is_set()]
        if not ready:  # all wait for locks: the database ends a deadlock after a second
            threading.Event().wait(0.02)
            continue
        act = draw.choice(ready)
        if act.killed_at is not None and act.statements >= act.killed_at and act.pid and not act.was_killed:
            _cut(act)
        act.stopped.clear()
        act.go.set()
        for one in going:
            _wait(one)
    return running


def _wait(act: Act) -> None:
    """Until the act stands, has ended, or waits for a lock."""
    waited, look = 0.0, LOOK_AGAIN
    while not act.stopped.wait(look):
        waited += look
        look = min(2 * look, LOOK_LATEST)
        if act.pid and _waits_for_a_lock(act.pid):
            return
        if waited > LONGEST:
            raise TimeoutError("an act neither ends nor waits for a lock")


def _waits_for_a_lock(pid: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [pid])
        return bool(cursor.fetchone()[0])


def _cut(act: Act) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [act.pid])
    act.was_killed = True
