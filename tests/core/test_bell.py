"""What is due is rung for once, by whichever worker looks first."""

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest

from config.bell import Bell, due
from core import embedded

MORNING = datetime(2026, 11, 27, 7, tzinfo=UTC)


@pytest.fixture
def bell(settings):
    """A bell of an application that only notes what is rung, and an empty Redis."""
    embedded.ensure_redis()

    class Noted:
        sent: list = []

        def send_task(self, name, *, expires, retry):
            self.sent.append((name, expires))

    settings.BELL = {
        "often": {"task": "a.often", "seconds": 15, "expires": 15},
        "daily": {"task": "a.daily", "hour": 7, "expires": 60},
    }
    Noted.sent = []
    found = Bell(Noted())
    for key in found._redis.scan_iter("bell:*"):
        found._redis.delete(key)
    return found


def test_what_is_due_is_rung_for_once(bell):
    assert bell.ring(MORNING) == ["often", "daily"]
    assert bell.ring(MORNING + timedelta(seconds=1)) == []
    assert bell._app.sent == [("a.often", 15), ("a.daily", 60)]
    # The mark of an interval goes away by itself, and a day has one of its own.
    assert 14_000 < bell._redis.pttl("bell:often") <= 15_000
    bell._redis.delete("bell:often")
    assert bell.ring(MORNING + timedelta(seconds=15)) == ["often"]
    assert bell.ring(MORNING + timedelta(days=1)) == ["daily"]


def test_of_many_workers_one_rings(bell):
    others = [Bell(bell._app) for _ in range(8)]
    start, rung = Barrier(8), []

    def look(one: Bell) -> None:
        start.wait(10)
        rung.extend(one.ring(MORNING))

    threads = [Thread(target=look, args=[one]) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(rung) == ["daily", "often"]


@pytest.mark.parametrize(
    ("at", "is_due"),
    [(-1, False), (0, True), (6 * 3600 - 1, True), (6 * 3600, False), (12 * 3600, False)],
)
def test_a_day_begins_at_its_hour_and_a_missed_one_is_made_up_for_some_hours(at, is_due):
    mark, seconds = due("daily", {"hour": 7}, MORNING + timedelta(seconds=at))
    assert (mark, seconds) == (("daily:2026-11-27", 86_400) if is_due else ("", 0))


def test_without_redis_the_bell_goes_on_trying(bell, monkeypatch, caplog):
    tries = []

    def fails(now):
        tries.append(now)
        if len(tries) == 3:
            bell.stop()
        raise ConnectionError

    monkeypatch.setattr("config.bell.LOOK_SECONDS", 0.01)
    monkeypatch.setattr(bell, "ring", fails)
    bell.run()
    assert len(tries) == 3
    assert [record.message for record in caplog.records] == [
        "the bell cannot ring; it tries again each second"
    ]
