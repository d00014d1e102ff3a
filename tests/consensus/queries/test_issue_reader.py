"""Readers of the same kind in several threads of one web process."""

import threading
from collections.abc import Iterator
from typing import Any

from consensus.queries.meeting_issue import IssueReader


def reader(participants: Any) -> IssueReader:
    made = IssueReader.__new__(IssueReader)
    made.__dict__["_participants"] = participants
    return made


def test_one_that_waits_for_the_database_stops_no_other() -> None:
    # functools.cached_property holds a lock for all instances until Python 3.12.
    waits, goes_on = threading.Event(), threading.Event()

    def late() -> Iterator[Any]:
        waits.set()
        goes_on.wait(timeout=30)
        yield from ()

    found: list[frozenset[int]] = []
    first = threading.Thread(target=lambda: reader(late())._present)
    second = threading.Thread(target=lambda: found.append(reader([])._present))
    first.start()
    assert waits.wait(timeout=10)
    second.start()
    second.join(timeout=5)
    was_free = found == [frozenset()]
    goes_on.set()
    first.join()
    second.join()
    assert was_free
