"""What Prometheus reads, who may, and what it costs."""

import re
import threading
from datetime import timedelta

import pytest
import redis
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core import clock, embedded, jobs
from core.models import Job
from core.watching import counts, metrics, problems, workers
from core.watching.problems import keep_problem
from core.watching.store import store
from core.watching.workers import note_worker
from rounds.queries.labels_given import labels_stored
from tests.factories import (
    add_label,
    make_issue,
    make_member,
    make_repository,
    make_round,
    make_study,
    make_user,
    make_version,
)

pytestmark = pytest.mark.django_db
LINE = re.compile(r'(?P<series>[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})?) (?P<value>[-+0-9.e]+)')


@pytest.fixture(autouse=True)
def _of_this_test(monkeypatch, settings):
    settings.METRICS_NETWORKS = ["127.0.0.1"]
    embedded.ensure_redis()
    counts.flush()
    for module in (counts, problems, workers):
        monkeypatch.setattr(module, "KEY", f"tests-metrics-{module.__name__}")
        store().delete(module.KEY)
    monkeypatch.setattr(counts, "FLUSH_SECONDS", 600)


def read(client: Client) -> dict[str, float]:
    """The series of a scrape; each line is well-formed, and each family is introduced."""
    answer = client.get("/metrics")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, metrics.CONTENT_TYPE)
    found: dict[str, float] = {}
    family = ""
    for line in answer.text.splitlines():
        if line.startswith("# HELP "):
            family = line.split()[2]
        elif not line.startswith("# TYPE "):
            parts = LINE.fullmatch(line)
            assert parts, line
            assert line.startswith(family), line
            assert parts["series"] not in found
            found[parts["series"]] = float(parts["value"])
    return found


# --- who may


def test_nobody_reads_it_by_default(client, settings):
    settings.METRICS_NETWORKS = []
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_a_token_opens_it(client, settings):
    settings.METRICS_NETWORKS, settings.METRICS_TOKEN = [], "s3cret-of-prometheus"
    statuses = [
        client.get("/metrics", headers={"Authorization": given} if given else {}).status_code
        for given in ("", "Bearer s3cret", "Basic s3cret-of-prometheus", "Bearer s3cret-of-prometheus")
    ]
    assert statuses == [404, 404, 404, 200]


def test_a_network_opens_it_and_a_spoofed_address_does_not(settings):
    settings.METRICS_NETWORKS = ["10.1.0.0/16"]
    spoofed = {"X-Forwarded-For": "10.1.2.3"}
    assert Client(REMOTE_ADDR="10.1.2.3").get("/metrics").status_code == 200
    assert Client(REMOTE_ADDR="10.2.2.3").get("/metrics").status_code == 404
    assert Client(REMOTE_ADDR="10.2.2.3").get("/metrics", headers=spoofed).status_code == 404


# --- what it says


def test_requests_are_counted_by_page_method_and_status(client):
    make_user()
    client.get("/healthz")
    client.get("/healthz")
    client.post("/healthz")
    client.get("/no/such/page/")
    client.generic("BREW", "/healthz")
    found = read(client)
    total = 'crosscheck_http_requests_total{route="%s",method="%s",status="%s"}'
    assert found[total % ("healthz", "GET", 200)] == 2
    assert found[total % ("healthz", "POST", 405)] == 1
    assert found[total % ("none", "GET", 404)] == 1
    assert found[total % ("healthz", "other", 405)] == 1


def test_durations_are_a_histogram_that_adds_up(client):
    for seconds in (0.004, 0.01, 0.02, 3, 70):
        counts.measure("crosscheck_http_request_seconds", seconds, route="tests", method="GET")
    found = read(client)
    labels = 'route="tests",method="GET"'
    buckets = [
        found[f'crosscheck_http_request_seconds_bucket{{{labels},le="{end}"}}']
        for end in ("0.01", "0.025", "2.5", "5", "10", "+Inf")
    ]
    assert buckets == [2, 3, 3, 4, 4, 5]
    assert found[f"crosscheck_http_request_seconds_count{{{labels}}}"] == 5
    assert found[f"crosscheck_http_request_seconds_sum{{{labels}}}"] == pytest.approx(73.034)


def test_jobs_workers_queue_and_errors(client, monkeypatch):
    past = clock.now() - timedelta(seconds=90)
    Job.objects.create(kind="tests.waits", created_at=past)
    Job.objects.create(kind="tests.waits")
    job = Job.objects.create(kind="core.ping")
    jobs.run(job.pk)
    keep_problem(ValueError(), where="/x/")
    with clock.at(past):
        note_worker("gone@host")
    found = read(client)
    assert found['crosscheck_jobs{state="queued"}'] == 2
    assert found['crosscheck_jobs{state="running"}'] == 0
    assert found['crosscheck_jobs_oldest_seconds{state="queued"}'] == pytest.approx(90, abs=10)
    assert found['crosscheck_jobs_finished_total{kind="core.ping",state="done"}'] == 1
    assert found['crosscheck_errors_total{kind="ValueError"}'] == 1
    assert found["crosscheck_workers"] == 0
    assert found["crosscheck_worker_seen_seconds"] == pytest.approx(90, abs=10)
    note_worker("here@host")
    assert read(client)["crosscheck_workers"] == 1
    assert found["crosscheck_queue_length"] == store().llen("celery")
    assert sum(value for series, value in found.items() if "database_connections" in series) >= 1
    assert found["crosscheck_database_up"] == found["crosscheck_redis_up"] == 1


def test_what_does_not_answer_is_said_and_the_rest_is_there(client, monkeypatch):
    for module in (metrics, counts, workers):
        monkeypatch.setattr(module, "store", lambda: redis.Redis(port=1))
    found = read(client)
    assert (found["crosscheck_redis_up"], found["crosscheck_database_up"]) == (0, 1)
    assert "crosscheck_queue_length" not in found

    def away():
        raise OperationalError

    monkeypatch.setattr(metrics, "_of_database", away)
    assert read(client)["crosscheck_database_up"] == 0


def test_a_scrape_counts_no_table_and_costs_the_same_whatever_there_is(client):
    def statements() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            read(client)
        return [query["sql"] for query in queries]

    before = statements()
    for _ in range(3):
        Job.objects.create(kind="tests.x")
        Job.objects.create(kind="tests.x", state=Job.State.DONE, finished_at=clock.now())
    after = statements()
    assert len(before) == len(after) == 3
    assert not [sql for sql in after if "rounds_label" in sql and "count(" in sql.lower()]


@pytest.mark.django_db(transaction=True)
def test_labels_are_an_estimate_that_follows():
    member = make_member(make_study())
    issues = [make_issue(make_repository(member.study)) for _ in range(4)]
    round_ = make_round(make_version(member.study), issues, [member])
    for issue in issues:
        add_label(round_, issue, member, "C.1")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE rounds_label")
    assert labels_stored() == 4


# --- counters


@pytest.mark.parametrize("away", [lambda: redis.Redis(port=1), lambda: redis.Redis.from_url("nowhere")])
def test_processes_add_up_and_nothing_is_lost_where_redis_is_away(monkeypatch, away):
    counts.count("tests_total", kind="a")
    with monkeypatch.context() as patch:
        patch.setattr(counts, "store", away)
        counts.flush()
    counts.count("tests_total", kind="a", by=2)
    counts.flush()
    store().hincrbyfloat(counts.KEY, 'tests_total{kind="a"}', 4)  # another process
    assert counts.counted()['tests_total{kind="a"}'] == 7
    counts.flush()
    assert counts.counted()['tests_total{kind="a"}'] == 7


def test_threads_that_count_at_once_lose_nothing():
    def many() -> None:
        for _ in range(500):
            counts.count("tests_total")
            if _ % 50 == 0:
                counts.flush()

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts.flush()
    assert counts.counted()["tests_total"] == 2000


def test_what_was_counted_goes_to_redis_by_itself(monkeypatch):
    monkeypatch.setattr(counts, "FLUSH_SECONDS", 0.01)
    counts.flush()
    counts.count("tests_total")
    (timer,) = counts._timer
    timer.join()
    assert counts.counted()["tests_total"] == 1


def test_labels_are_written_so_that_no_value_breaks_a_line():
    assert counts.series("x", {"kind": 'a"\\\nb'}) == 'x{kind="a\\"\\\\\\nb"}'
