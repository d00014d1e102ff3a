"""Real processes: a web server behind a proxy that cuts and delays, and workers that are killed."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
import pytest
from django.conf import settings
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from config.celery import app
from core import embedded, jobs
from core.embedded.processes import end as end_processes
from core.management.commands.up import worker as worker_command
from core.models import Job
from core.supervisor import GENTLE_END
from replication.actions.packages import ask_for_package
from rounds.models import Assignment, Label, Round
from studies.models import Membership
from tests.core.places import eventually, free_port, get, place
from tests.long import only_long, sampled
from tests.storm.proxy import cutting
from tests.worlds.apart import environment
from tests.worlds.pages import label_all
from tests.worlds.world import small_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TOKEN = "s" * 32
"""Of the double-submitted cookie: any text, if header and cookie are equal."""
PEOPLE = 4
ISSUES = sampled(40, 8)
TRIES = 200


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = place()
    yield folder
    embedded.stop_all(folder)


def surroundings(folder: Path) -> dict[str, str]:
    """Of a process beside the test: its database and key, and a Redis in the folder."""
    embedded.ensure_redis(folder)
    more = {"CROSSCHECK_DATA": str(folder), "REDIS_URL": "", "SECRET_KEY": settings.SECRET_KEY}
    return environment(folder) | more | {"WEB_CONCURRENCY": "2", "WEB_THREADS": "4"}


@contextmanager
def web_server(folder: Path) -> Iterator[int]:
    port, log = free_port(), folder / "web.log"
    configuration = ["--config", "deploy/gunicorn.conf.py", "--log-level", "warning"]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi:application", *configuration]
    with log.open("wb") as output:
        server = subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env=surroundings(folder) | {"BIND": f"127.0.0.1:{port}"},
            stdout=output,
            stderr=output,
        )
    try:
        assert eventually(lambda: get(port, "/healthz").status == 200, 120), log.read_text()
        yield port
    finally:
        end_processes([psutil.Process(server.pid)], GENTLE_END)
        server.wait()
    assert "Traceback" not in log.read_text(), log.read_text()[-3000:]


class Volunteer:
    """Labels as the page does: a form is sent with its key until it is answered."""

    def __init__(self, member: Membership, round_: Round, category: int, seed: int) -> None:
        client = Client()
        client.force_login(member.user)
        self.member, self.round, self.category = member, round_, category
        self.session = client.cookies["sessionid"].value
        self.draw = random.Random(seed)
        self.answered: dict[int, str] = {}
        self.sent = 0
        self.error: BaseException | None = None

    def ask(self, port: int, path: str, form: dict[str, Any]) -> tuple[int, Any]:
        """The first whole answer to a form, however often it must be sent."""
        headers = {
            "Cookie": f"sessionid={self.session}; csrftoken={TOKEN}",
            "X-CSRFToken": TOKEN,
            "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        for _ in range(TRIES):
            connection = HTTPConnection("127.0.0.1", port, timeout=20)
            self.sent += 1
            try:
                connection.request("POST", path, urlencode(form), headers)
                answer = connection.getresponse()
                body = answer.read()
                # An answer that was cut among its headers has no length.
                if answer.status < 500 and answer.getheader("Content-Length"):
                    return answer.status, json.loads(body)
            except (OSError, HTTPException):
                pass  # cut: sent again, with the same key
            finally:
                connection.close()
        raise AssertionError(f"{path} was not answered in {TRIES} tries")

    def label_everything(self, port: int) -> None:
        url = f"/rounds/{self.round.pk}/label/"
        _status, found = self.ask(port, f"{url}ahead/", {})
        turn = found["next"]
        while turn:
            issue, word = turn["issue"], f"m{self.member.pk}i{turn['issue']}x{self.draw.getrandbits(40)}"
            form = {
                "issue": issue, "form_key": uuid.UUID(int=self.draw.getrandbits(128)), "version": turn["version"],
                "category": self.category, "summary": word,
            }  # fmt: skip
            status, answer = self.ask(port, f"{url}submit/", form)
            assert status == 200, answer
            self.answered[issue] = word
            turn = answer["next"]

    def run(self, port: int) -> None:
        try:
            self.label_everything(port)
        except BaseException as error:  # noqa: BLE001 - the test raises it
            self.error = error


@pytest.mark.parametrize("is_crossed", [True, False], ids=["crossed", "k-of-n"])
def test_what_was_answered_through_a_cutting_proxy_is_stored_once(folder: Path, is_crossed) -> None:
    world = small_world(issues=ISSUES, members=PEOPLE)
    round_ = world.round() if is_crossed else world.k_of_n(2)
    category = world.category("C.9").pk
    people = [Volunteer(member, round_, category, n) for n, member in enumerate(world.members)]
    with web_server(folder) as port, cutting(port, seed=20) as proxy:
        threads = [threading.Thread(target=one.run, args=[proxy.port]) for one in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for one in people:
        if one.error:
            raise one.error

    answered = {(one.member.pk, issue): word for one in people for issue, word in one.answered.items()}
    rows = list(Label.objects.filter(round=round_).values_list("volunteer", "issue", "summary", "surplus"))
    stored = {(member, issue): word for member, issue, word, _surplus in rows}
    assert len(stored) == len(rows)
    assert stored == answered
    assert len(rows) == ISSUES * (PEOPLE if is_crossed else 2)
    assert not any(surplus for *_row, surplus in rows)
    slots = Assignment.objects.filter(round=round_)
    assert set(slots.values_list("volunteer", "issue")) == stored.keys()
    assert not slots.filter(submitted_at=None).exists()
    # The proxy did what it is for, and answers were lost whose labels were stored.
    cut = sum(number for fate, number in proxy.fates.items() if fate.startswith("cut"))
    assert cut >= len(rows) // 4, proxy.fates
    assert sum(one.sent for one in people) >= len(rows) + cut


@contextmanager
def workers(number: int, folder: Path) -> Iterator[list[subprocess.Popen]]:
    log = (folder / "worker.log").open("ab")
    found = [
        subprocess.Popen(
            worker_command(), cwd=settings.BASE_DIR, env=surroundings(folder), stdout=log, stderr=log
        )
        for _ in range(number)
    ]
    try:
        yield found
    finally:
        for one in found:
            one.kill()
            one.wait()
        log.close()


@pytest.fixture
def rings(folder: Path, monkeypatch) -> Callable[[int], None]:
    """The bell of this test's workers alone: other tests have job numbers of their own."""
    embedded.ensure_redis(folder)
    url = embedded.broker_url(folder)

    def ring(job_id: int) -> None:
        with app.connection_for_write(url) as connection:
            app.send_task(jobs.RUN_JOB, args=[job_id], connection=connection)

    monkeypatch.setattr(jobs, "ring", ring)
    return ring


def states(asked: list[Job]) -> Counter[str]:
    return Counter(of(asked).values_list("state", flat=True))


def of(asked: list[Job]) -> QuerySet[Job]:
    return Job.objects.filter(pk__in=[job.pk for job in asked])


@only_long
def test_jobs_of_a_killed_worker_are_taken_up_once(folder: Path, rings, settings) -> None:
    world = small_world(issues=3, members=2)
    rounds = [world.round(name=f"Round {number}") for number in range(sampled(12, 4))]
    for round_ in rounds:
        label_all(world, round_, "C.1 C.1", "C.1 C.2", "A.1 B.1")
    asked = [ask_for_package(round_=round_, by=world.lead) for round_ in rounds]
    with workers(1, folder) as [first]:
        assert eventually(lambda: states(asked)["running"], 120), (folder / "worker.log").read_text()
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
    lost = set(of(asked).filter(state="running").values_list("pk", flat=True))
    done = set(of(asked).filter(state="done").values_list("pk", flat=True))
    assert lost

    # Nobody beats for them any more: the sweep rings for them, twice, and two workers hear it.
    long_ago = timezone.now() - 2 * jobs.LOST_AFTER
    of(asked).filter(finished_at=None).update(created_at=long_ago)
    Job.objects.filter(pk__in=lost).update(heartbeat_at=long_ago)
    with workers(2, folder):
        for _ in range(2):
            assert jobs.sweep() >= len(asked) - len(done)
        assert eventually(lambda: states(asked)["done"] == len(asked), 120), states(asked)

    for job in of(asked):
        assert job.attempt == (2 if job.pk in lost else 1), job.pk
    assert len({job.result["name"] for job in of(asked)}) == len(asked)
