"""Past one machine: two web hosts, two workers, a replica, one PostgreSQL and one Redis, each on a computer of its own.

While people label, a web host, a worker and the replica are killed. Nothing acknowledged is lost, nothing doubled, and a
report has all that was there when somebody asked for it, from the replica or from the primary.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.conf import settings

from core.embedded.folder import Folder
from tests.core.places import eventually, place
from tests.long import only_long
from tests.rig import hosts, servers
from tests.rig.front import Front
from tests.rig.network import Computer, computers
from tests.rig.people import Labeller, united
from tests.rig.study import Study, make_study

PEOPLE = 12
ISSUES = 240
K = 2
NAMES = ("web1", "web2", "worker1", "worker2", "replica")
WEB_PORT = 8080


@dataclass
class Rig:
    """All that runs, by name."""

    here: Computer
    there: dict[str, Computer]
    folder: Path
    running: dict[str, Any] = field(default_factory=dict)
    study: Study | None = None

    def ask(self, question: str, *given: Any, of: str = "") -> Any:
        """The one row that a question finds, on the primary or on the replica."""
        computer = self.there[of] if of else self.here
        with closing(psycopg2.connect(**servers.reached(computer))) as opened, opened.cursor() as cursor:
            cursor.execute(question, given)
            return cursor.fetchone()

    def kill(self, name: str) -> None:
        self.running.pop(name).kill()


@pytest.fixture
def rig() -> Iterator[Rig]:
    folder = place()
    with computers(*NAMES) as (here, there):
        rig = Rig(here, there, folder)
        try:
            start(rig)
            yield rig
        finally:
            for name in list(rig.running):
                rig.kill(name)


def start(rig: Rig) -> None:
    here, there, folder, code = rig.here, rig.there, rig.folder, settings.BASE_DIR
    data = folder / "data"
    data.mkdir()
    rig.running["postgres"] = servers.primary(Folder(folder / "primary"), here)
    rig.running["redis"] = servers.redis_server(Folder(folder), here)
    at = f"{here.address}:{servers.PORT}/crosscheck"
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        # What two hosts must share: this folder, the key, the database and Redis.
        "CROSSCHECK_DATA": str(data),
        "SECRET_KEY": "r" * 60,
        "DATABASE_URL": f"postgres://crosscheck_app@{at}",
        "DATABASE_OWNER_URL": f"postgres://crosscheck@{at}",
        "REDIS_URL": f"redis://{here.address}:{servers.REDIS_PORT}/0",
        "CROSSCHECK_REPLICA_URL": f"postgres://crosscheck_app@{there['replica'].address}:{servers.PORT}/crosscheck",
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
    }
    hosts.manage(code, environment, "manage.py", "migrate", "--verbosity", "0")
    given = f"allocation=Round.Allocation.K_OF_N, labels_per_issue={K}"
    rig.study = make_study(code, environment, issues=ISSUES, people=PEOPLE, given=given)
    rig.running["replica"] = servers.replica(Folder(folder / "replica"), here, there["replica"])
    for name in ("web1", "web2"):
        at_port = (there[name].address, WEB_PORT)
        rig.running[name] = hosts.web(code, at_port, environment, folder / f"{name}.log", there[name].inside)
    for name in ("worker1", "worker2"):
        rig.running[name] = hosts.worker(code, environment, folder / f"{name}.log", there[name].inside)


@dataclass
class Report:
    """A package that the lead asked for: how many issues were complete then, and how many it has."""

    complete: int
    has: int
    seconds: float


def report(rig: Rig, lead: Labeller) -> Report:
    """Ask for a package, and wait until a worker has made it."""
    assert rig.study
    round_id = rig.study.round
    complete = complete_issues(rig)
    began = time.monotonic()
    assert lead.ask("POST", f"/rounds/{round_id}/packages/make/", {}) == ""
    last = "SELECT id FROM core_job WHERE kind = 'replication.make_package' ORDER BY id DESC LIMIT 1"
    (job,) = rig.ask(last)
    question = "SELECT state, result, error FROM core_job WHERE id = %s"
    assert eventually(lambda: rig.ask(question, job)[0] in {"done", "failed"}, 240)
    state, result, error = rig.ask(question, job)
    assert (state, error) == ("done", "")
    has = sum(last - first + 1 for first, last in result["issues"])
    return Report(complete, has, time.monotonic() - began)


def complete_issues(rig: Rig) -> int:
    assert rig.study
    question = "SELECT count(*) FROM rounds_roundissue WHERE round_id = %s AND completed_at IS NOT NULL"
    return int(rig.ask(question, rig.study.round)[0])


def reads_of_the_replica(rig: Rig) -> int:
    """Connections that its database had, but for ours."""
    return int(rig.ask("SELECT sessions FROM pg_stat_database WHERE datname = 'crosscheck'", of="replica")[0])


@pytest.mark.slow
@only_long
def test_a_web_host_a_worker_and_the_replica_are_killed_while_people_label(rig):
    study = rig.study
    webs = [(rig.there[name].address, WEB_PORT) for name in ("web1", "web2")]
    with Front(*webs) as front:
        people = [
            Labeller(front.port, one, study.round, study.categories, patient=True, pause=0.5)
            for one in study.people
        ]
        lead = Labeller(front.port, study.lead, study.round, study.categories, patient=True, pause=0)
        for one in people:
            one.start()
        assert eventually(lambda: complete_issues(rig) >= 5)
        before = reads_of_the_replica(rig)
        reports = {"all run": report(rig, lead)}
        assert reads_of_the_replica(rig) > before + 1

        rig.kill("web1")
        rig.kill("worker1")
        reports["a web host and a worker are killed"] = report(rig, lead)

        # Behind for longer than a report waits.
        with closing(psycopg2.connect(**servers.reached(rig.there["replica"], "postgres"))) as opened:
            opened.cursor().execute("SELECT pg_wal_replay_pause()")
        settled = complete_issues(rig)
        assert eventually(lambda: complete_issues(rig) > settled)
        reports["the replica stands still"] = report(rig, lead)

        rig.kill("replica")
        reports["the replica is killed"] = report(rig, lead)
        ledger = united(people)

    rows = "SELECT volunteer_id, issue_id, summary FROM rounds_label WHERE round_id = %s"
    with closing(psycopg2.connect(**servers.reached(rig.here))) as opened, opened.cursor() as cursor:
        cursor.execute(rows, [study.round])
        stored = sorted(tuple(row) for row in cursor.fetchall())
        cursor.execute(rows.replace("SELECT", "SELECT surplus,") + " AND NOT surplus", [study.round])
        counted = Counter(issue for _surplus, _who, issue, _text in cursor.fetchall())
    assert ledger.refused == []
    assert stored == sorted(map(tuple, ledger.acknowledged))
    assert len({(who, issue) for who, issue, _text in stored}) == len(stored) > 50
    assert max(counted.values()) <= K
    # Whoever asks for a report finds what was there when they asked.
    assert {name: one.has >= one.complete > 0 for name, one in reports.items()} == dict.fromkeys(
        reports, True
    )
    told = ", ".join(f"{name}: {one.seconds:.1f} s" for name, one in reports.items())
    print(  # noqa: T201 - with -s: figures for whoever runs it by hand
        f"{'namespaces' if rig.there['web1'].inside else 'loopback'}; {len(stored)} labels;"
        f" answers {dict(ledger.answers)}; reports {told}"
    )
