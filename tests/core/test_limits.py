"""Counts in the shared cache: the window slides, threads lose none, and Redis may be down."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.cache import cache

from config.settings import base
from core import clock
from core.embedded import ensure_redis, redis_url
from core.limits import Rate, spend
from core.limits.shared_cache import Shared

START = datetime(2026, 3, 4, 10, 20, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _empty():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def at(monkeypatch):
    """Set the clock, in seconds after the start of a minute."""
    now = [START]
    monkeypatch.setattr(clock, "now", lambda: now[0])

    def set_to(seconds: float) -> None:
        now[0] = START + timedelta(seconds=seconds)

    return set_to


@pytest.mark.parametrize(("text", "rate"), [("5/m", Rate(5, 60)), ("1/h", Rate(1, 3600)), ("", None)])
def test_rates_are_read(text, rate):
    assert Rate.of(text) == rate


@pytest.mark.parametrize("text", ["5", "5/", "5/w", "0/m", "-1/m", "x/m", "5/5m"])
def test_what_is_no_rate_is_refused(text):
    with pytest.raises(ValueError):
        Rate.of(text)


def test_so_many_are_let_through_and_no_more(at):
    rate = Rate(6, 60)
    at(30)
    assert [spend("a", rate) for _ in range(8)] == [None] * 6 + [40, 40]
    assert spend("b", rate) is None


def test_the_window_slides(at):
    rate = Rate(6, 60)
    at(59)
    assert [spend("a", rate) for _ in range(6)] == [None] * 6
    # Ten seconds later five sixths of the former six still count: one is free.
    at(70)
    assert [spend("a", rate), spend("a", rate)] == [None, 10]
    at(79)
    assert spend("a", rate) == 1
    at(80)
    assert spend("a", rate) is None
    at(200)
    assert [spend("a", rate) for _ in range(7)][:6] == [None] * 6


def test_after_the_time_that_was_said_one_is_let_through(at):
    rate = Rate(6, 60)
    at(10)
    for _ in range(6):
        assert spend("a", rate) is None
    wait = spend("a", rate)
    at(10 + wait - 1)
    assert spend("a", rate) is not None
    at(10 + wait)
    assert spend("a", rate) is None


def shared(prefix: str, url: str = "") -> Shared:
    """The shared cache as a deployed server has it, under keys of its own."""
    options = {"serializer": "core.limits.shared_cache.Json", "socket_timeout": 0.5}
    return Shared(url or redis_url(settings.DATA_DIR), {"KEY_PREFIX": prefix, "OPTIONS": options})


@pytest.fixture
def prefix() -> Iterator[str]:
    ensure_redis()
    Shared.down_until = 0.0
    yield uuid4().hex
    Shared.down_until = 0.0


def test_two_processes_count_together_and_lose_none(prefix):
    one, other = shared(prefix), shared(prefix)
    one.add("n", 0, 60)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda turn: (one, other)[turn % 2].incr("n"), range(200)))
    assert sorted(found) == list(range(1, 201))
    assert other.get("n") == 200


def test_values_come_back(prefix):
    cache = shared(prefix)
    cache.set("history", [1.5, 2.25], 60)
    assert cache.get("history") == [1.5, 2.25]
    assert (cache.add("history", [], 60), cache.add("lock", True, 60)) == (False, True)
    assert cache.delete("lock") is True
    assert cache.get("lock", "none") == "none"
    assert cache.incr("new") == 1


def test_without_redis_each_process_counts_for_itself(prefix):
    cache = shared(prefix, "redis://127.0.0.1:1/0")
    assert cache.add("n", 0, 60)
    assert [cache.incr("n") for _ in range(3)] == [1, 2, 3]
    assert cache.get("n") == 3
    assert Shared.down_until > time.monotonic()


def test_redis_is_asked_again_after_a_while(prefix):
    cache = shared(prefix)
    cache.set("n", 7, 60)
    Shared.down_until = time.monotonic() + 100
    assert cache.get("n") is None
    Shared.down_until = time.monotonic() - 1
    assert cache.get("n") == 7


def test_every_way_of_running_counts_in_redis():
    assert base.CACHES["default"]["BACKEND"] == f"{Shared.__module__}.{Shared.__name__}"
