"""What Prometheus reads at /metrics, in its text format. A scrape costs the same on a server of any age: some
statements, none of which counts a table, and some calls of Redis (docs/decisions/0056).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import redis
from django.conf import settings
from django.db import Error, connection

from core import clock
from core.version import version
from core.watching import counts
from core.watching.store import store
from core.watching.workers import AGE, workers_seen

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Sample = tuple[str, float]
"""A series (`name{label="value"}`) and its value."""

_COUNTED = {
    "crosscheck_http_requests_total": "Requests by page, method and status.",
    "crosscheck_jobs_finished_total": "Jobs that were run to their end, by kind and state.",
    "crosscheck_errors_total": "Errors that nobody expected, by class.",
}
_MEASURED = {"crosscheck_http_request_seconds": "Seconds that a request took, by page and method."}
_BUCKET = re.compile(r'^(?P<name>\w+)_bucket\{(?P<labels>.*?),?le="(?P<le>[^"]+)"\}$')

_UNFINISHED = """
    SELECT state, count(*), extract(epoch FROM %s - min(created_at))
    FROM core_job WHERE finished_at IS NULL GROUP BY state
"""
_CONNECTIONS = """
    SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity
    WHERE datname = current_database() GROUP BY 1
"""

Gauge = Callable[[], float]
_gauges: dict[str, tuple[str, Gauge]] = {}


def register_gauge(name: str, about: str, value: Gauge) -> None:
    """A room tells Prometheus a number; `value` asks one statement of fixed cost at most."""
    _gauges[name] = (about, value)


def exposition() -> str:
    """All numbers. Those of a part that does not answer are missing, and its `…_up` is 0."""
    return "".join(f"{line}\n" for line in _lines())


def _lines() -> Iterator[str]:
    info = _labelled("crosscheck_info", 1, version=version())
    yield from _family("crosscheck_info", "gauge", "The version.", [info])
    database: list[str] = []
    with suppress(Error):
        database = [*_of_database()]
    yield from database
    yield from _gauge("crosscheck_database_up", "Did PostgreSQL answer?", bool(database))
    store_: list[str] = []
    with suppress(redis.RedisError):
        store_ = [*_of_redis()]
    yield from store_
    yield from _gauge("crosscheck_redis_up", "Did Redis answer?", bool(store_))


def _of_database() -> Iterator[str]:
    with connection.cursor() as cursor:
        cursor.execute(_UNFINISHED, [clock.now()])
        found = {state: (number, float(age)) for state, number, age in cursor.fetchall()}
        cursor.execute(_CONNECTIONS)
        connections = cursor.fetchall()
    states = ("queued", "running")
    yield from _family(
        "crosscheck_jobs", "gauge", "Jobs that have not ended, by state.",
        [_labelled("crosscheck_jobs", found.get(state, (0, 0))[0], state=state) for state in states],
    )  # fmt: skip
    name = "crosscheck_jobs_oldest_seconds"
    yield from _family(
        name, "gauge", "Age of the oldest of these jobs.",
        [_labelled(name, found.get(state, (0, 0))[1], state=state) for state in states],
    )  # fmt: skip
    name = "crosscheck_database_connections"
    yield from _family(
        name, "gauge", "Connections to the database, of all processes, by state.",
        [_labelled(name, number, state=state) for state, number in sorted(connections)],
    )  # fmt: skip
    for name, (about, value) in _gauges.items():
        yield from _gauge(name, about, value())


def _of_redis() -> Iterator[str]:
    length = store().llen(settings.CELERY_TASK_DEFAULT_QUEUE)
    yield from _gauge("crosscheck_queue_length", "Messages that wait for a worker.", length)
    now = clock.now()
    seen = list(workers_seen().values())
    well = sum(now - at <= AGE for at in seen)
    yield from _gauge("crosscheck_workers", "Workers seen within a minute.", well)
    if seen:
        past = (now - seen[0]).total_seconds()
        yield from _gauge("crosscheck_worker_seen_seconds", "Seconds since a worker was seen.", past)
    counts.flush()
    counted = counts.counted()
    for name, about in _COUNTED.items():
        yield from _family(name, "counter", about, sorted(_of(name, counted)))
    for name, about in _MEASURED.items():
        yield from _family(name, "histogram", about, _histogram(name, counted))


def _of(name: str, counted: dict[str, float]) -> Iterator[Sample]:
    return ((series, value) for series, value in counted.items() if series.partition("{")[0] == name)


def _histogram(name: str, counted: dict[str, float]) -> Iterator[Sample]:
    """Buckets, each with all below it, as Prometheus adds them up; stored are the buckets alone."""
    parts: dict[str, dict[str, float]] = {}
    for series, value in _of(f"{name}_bucket", counted):
        if found := _BUCKET.match(series):
            parts.setdefault(found["labels"], {})[found["le"]] = value
    for labels, buckets in sorted(parts.items()):
        total = 0.0
        for end in [*(f"{one:g}" for one in counts.BUCKETS), "+Inf"]:
            total += buckets.get(end, 0)
            yield f'{name}_bucket{{{labels},le="{end}"}}', total
        yield f"{name}_sum{{{labels}}}", counted.get(f"{name}_sum{{{labels}}}", 0)
        yield f"{name}_count{{{labels}}}", total


def _labelled(name: str, value: float, **labels: str) -> Sample:
    return counts.series(name, labels), value


def _gauge(name: str, about: str, value: float) -> Iterator[str]:
    return _family(name, "gauge", about, [(name, value)])


def _family(name: str, kind: str, about: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    for series, value in samples:
        yield f"{series} {float(value):.15g}"
