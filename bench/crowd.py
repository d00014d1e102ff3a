"""`python -m bench.crowd [--minutes 10]`: a crowd of volunteers who think between two labels, over HTTP.

First in peace, then while the worker is killed every minute and jobs keep coming. Prints a table: errors,
the 95th percentile of a submit with its next issue, the growth of memory, labels that were answered and are
not stored, and jobs that were not done. Everything happens in a database of its own, as in `make bench`.
"""

import argparse
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench import ground
from bench.__main__ import heading, load_average, show

MOST = 0.150
GROWTH = 1.10
KILLED_EVERY = 60.0
JOB_EVERY = 2.0
AT_ONCE = 10
SETTLES = 120.0
"""Seconds after the crowd has gone in which the last jobs are taken up again."""
LABELS_AN_ISSUE = 7
COMES_WITHIN = 10.0
"""Seconds in which everybody comes; they do not count."""
WARM = 1 / 4
"""The share of the time after which memory is measured for the first time."""


@dataclass
class Seen:
    """What happened in one part of the run."""

    times: list[float] = field(default_factory=list)
    answered: int = 0
    errors: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    """Bytes of all processes of the platform, early and at the end."""
    stored: int = 0
    killed: int = 0
    jobs: int = 0
    undone: int = 0
    attempts: int = 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.crowd", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="of each of the two parts (%(default)s)")
    parser.add_argument("--volunteers", type=int, default=200, help="(%(default)s)")
    parser.add_argument(
        "--think", type=float, default=10, help="seconds between labels, on average (%(default)s)"
    )
    parser.add_argument("--issues", type=int, default=5_000, help="of the study (%(default)s)")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there too")
    asked = parser.parse_args()
    needed = 2 * (60 * asked.minutes + COMES_WITHIN) * asked.volunteers / asked.think
    if asked.issues * LABELS_AN_ISSUE < 1.2 * needed:
        parser.error(f"{asked.issues} issues are too few: the crowd would run out of them")
    busy, began = [load_average()], time.monotonic()
    data = ground.ROOT / "var" / "bench"
    found: list[ground.Measurement] = []
    with tempfile.TemporaryDirectory(prefix="crosscheck-bench-") as folder:
        ground.prepare(data)
        try:
            here = ground.Ground(Path(folder), asked.issues, say=lambda text: print(text, file=sys.stderr))
            found.extend(rows(here, asked))
        finally:
            busy.append(load_average())
            show(found, heading(busy, time.monotonic() - began), asked.markdown)
            ground.clear_away(data)
    sys.exit(any(row.met is False for row in found))


def rows(here: ground.Ground, asked: Any) -> Iterator[ground.Measurement]:
    from bench.page import web_server

    here.say(f"{asked.volunteers} volunteers join a study of {asked.issues:,} issues …")
    round_, members, lead = crowd_in(here.study(here.issues), asked.volunteers)
    for kills in (False, True):
        part = "a worker killed every minute" if kills else "in peace"
        here.say(f"{asked.volunteers} volunteers label for {asked.minutes:g} minutes, {part} …")
        with web_server() as address, worker_running() as worker:
            seen = together(address, round_, members, asked, worker, lead if kills else None)
        name = f"{asked.volunteers} volunteers, {part}"
        first = f"; the first: {seen.errors[0]}" if seen.errors else ""
        yield _row(f"{name}: errors", f"{len(seen.errors)}{first}", "0", not seen.errors)
        if not seen.times:
            continue
        note = (
            f"{len(seen.times):,} submits in {asked.minutes:g} min, {asked.think:g} s of thinking between on"
            f" average; median {ground.seconds(statistics.median(seen.times))},"
            f" slowest {ground.seconds(max(seen.times))}; clients and servers on the same machine"
        )
        p95 = ground.percentile(seen.times, 0.95)
        bar = f"≤ {ground.seconds(MOST)}"
        yield _row(f"{name}: p95 of a submit", ground.seconds(p95), bar, p95 <= MOST, note)
        lost = seen.answered - seen.stored
        yield _row(f"{name}: labels answered less labels stored", f"{lost}", "0", not lost)
        early, late = seen.memory
        yield _row(
            f"{name}: memory of web and worker",
            f"{ground.megabytes(early)}, {ground.megabytes(late)}",
            f"≤ {GROWTH:g} ×",
            late <= GROWTH * early,
            f"unique to these processes, after {WARM:.0%} of the time and at the end",
        )
        if kills:
            told = f"{seen.killed} times killed, {seen.jobs} jobs, {seen.attempts} begun again"
            yield _row(f"{name}: jobs not done", f"{seen.undone}", "0", not seen.undone, told)


def _row(work: str, ours: str, bar: str, met: bool, note: str = "") -> ground.Measurement:  # noqa: FBT001 - a column
    return ground.Measurement(work=work, ours=ours, bar=bar, met=met, note=note)


def crowd_in(slug: str, size: int) -> tuple[Any, list[Any], Any]:
    """An open round of k of n in which this many new members label, and the lead of its study."""
    from annotate.actions import rounds
    from bench.rounds import open_round_in, team_of
    from ingest.models import Issue
    from rounds.models import Round
    from studies.models import Membership, Role

    open_round_in(slug)  # gives texts to the issues
    lead, main_round, _members = team_of(slug)
    members = [
        Membership.objects.create(
            study=lead.study, user=ground.account(f"Crowd {n}"), role=Role.VOLUNTEER, pseudonym=f"Crowd {n}"
        )
        for n in range(1, size + 1)
    ]
    round_ = rounds.create_round(
        study=lead.study,
        by=lead,
        name="Crowd",
        version=main_round.version,
        depth=main_round.depth,
        issues=Issue.objects.filter(repository__study=lead.study),
        members=members,
        seed=1,
        allocation=Round.Allocation.K_OF_N,
        labels_per_issue=LABELS_AN_ISSUE,
    )
    return rounds.open_round(round_=round_, by=lead, reason="A benchmark."), members, lead


class Worker:
    """The process that runs jobs, as `manage.py up` starts it."""

    def __init__(self) -> None:
        from core.management.commands.up import worker

        self.command = worker()
        self.start()

    def start(self) -> None:
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, cwd=ground.ROOT, stdout=quiet, stderr=quiet)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def worker_running() -> Iterator[Worker]:
    worker = Worker()
    try:
        yield worker
    finally:
        worker.process.terminate()
        worker.process.wait()


def together(
    address: str, round_: Any, members: list[Any], asked: Any, worker: Worker, lead: Any | None
) -> Seen:
    """The crowd at work. With a lead, jobs come all the time, and the worker is killed every minute."""
    from bench.submit import signed_in
    from core.models import Job
    from rounds.models import Label
    from taxonomy.queries.codebooks import codebook

    seen, lock = Seen(), threading.Lock()
    categories = [state.category_id for state in codebook(round_.version_id).at_level(round_.depth)]
    cookies = [signed_in(member).cookies["sessionid"].value for member in members]
    labels = Label.objects.filter(round=round_)
    before = labels.count()
    last_job = Job.objects.order_by("pk").values_list("pk", flat=True).last() or 0
    start = time.perf_counter() + COMES_WITHIN
    end = start + 60 * asked.minutes
    volunteers = [
        threading.Thread(
            target=label_and_think,
            args=[address, cookie, round_.pk, categories, number, asked.think, start, end, seen, lock],
        )
        for number, cookie in enumerate(cookies)
    ]
    for one in volunteers:
        one.start()
    watch(worker, start, end, seen, lead)
    for one in volunteers:
        one.join()
    seen.stored = labels.count() - before
    if lead is not None:
        settle(list(Job.objects.filter(pk__gt=last_job).values_list("pk", flat=True)), seen)
    return seen


def label_and_think(
    address: str, cookie: str, round_id: int, categories: list[int], number: int, think: float, start: float,
    end: float, seen: Seen, lock: threading.Lock,
) -> None:  # fmt: skip
    """One volunteer: comes, labels, thinks. What was refused or broken is an error, and is sent again."""
    from bench.page import Client

    chance = random.Random(number)
    time.sleep(chance.random() * COMES_WITHIN)
    submit: Callable[[], float] | None = None
    while time.perf_counter() < end:
        try:
            if submit is None:
                submit = submitter(Client(address, cookie), round_id, categories, chance)
                time.sleep(chance.random() * think)
                continue
            took = submit()
        except Exception as error:  # noqa: BLE001 - counted
            with lock:
                seen.errors.append(f"{type(error).__name__}: {error}"[:300])
            submit = None
            time.sleep(1)
            continue
        with lock:
            seen.answered += 1
            if start <= time.perf_counter() <= end:
                seen.times.append(took)
        time.sleep(min(chance.expovariate(1 / think), max(0.0, end - time.perf_counter())))


def submitter(
    client: Any, round_id: int, categories: list[int], chance: random.Random
) -> Callable[[], float]:
    """A function that labels the issue that its volunteer has claimed, as the page does with one turn in
    hand; returns the seconds until the answer with the next turn is there.
    """
    from bench.submit import hidden_inputs

    url = f"/rounds/{round_id}/label/"
    turn = client.post(f"{url}ahead/", {})["next"]
    held = client.post(f"{url}ahead/", {"have": turn["issue"]})["next"]

    def submit() -> float:
        nonlocal turn, held
        given = hidden_inputs(turn["turn"]) | {"category": chance.choice(categories)}
        given |= {"summary": "Made by the benchmark.", "have": held["issue"]}
        began = time.perf_counter()
        answer = client.post(f"{url}submit/", given)
        took = time.perf_counter() - began
        turn, held = held, answer["next"]
        return took

    return submit


def watch(worker: Worker, start: float, end: float, seen: Seen, lead: Any | None) -> None:
    """Measure memory early and at the end; ask for jobs and kill the worker meanwhile."""
    from core import jobs

    next_job = start
    # Once in a short run, so that a run of a minute shows it too.
    next_kill = start + min(KILLED_EVERY, (end - start) / 2)
    while (now := time.perf_counter()) < end:
        if not seen.memory and now >= start + WARM * (end - start):
            seen.memory.append(memory(worker))
        if lead is not None and now >= next_job:
            jobs.enqueue("core.ping", arguments={}, by=lead.user)
            seen.jobs, next_job = seen.jobs + 1, next_job + JOB_EVERY
        if lead is not None and now >= next_kill:
            # Some of these have just begun when the worker is killed.
            for _ in range(AT_ONCE):
                jobs.enqueue("core.ping", arguments={}, by=lead.user)
            seen.jobs += AT_ONCE
            worker.kill()
            worker.start()
            seen.killed, next_kill = seen.killed + 1, next_kill + KILLED_EVERY
        time.sleep(0.05)
    seen.memory.append(memory(worker))


def settle(made: list[int], seen: Seen) -> None:
    """Wait until the jobs are done, as long as may be needed to find that their worker was killed."""
    from core.models import Job

    undone = Job.objects.filter(pk__in=made).exclude(state=Job.State.DONE)
    deadline = time.monotonic() + SETTLES
    while undone.exists() and time.monotonic() < deadline:
        time.sleep(1)
    seen.undone = undone.count()
    seen.attempts = Job.objects.filter(pk__in=made, attempt__gt=1).count()


def memory(worker: Worker) -> float:
    """Bytes that only the processes of web and worker use."""
    family = psutil.Process().children(recursive=True)
    total = 0
    for one in family:
        with suppress(psutil.Error):
            if any(word in one.cmdline() for word in ("gunicorn", "celery")) or one.pid == worker.process.pid:
                total += one.memory_full_info().uss
    return float(total)


if __name__ == "__main__":
    main()
