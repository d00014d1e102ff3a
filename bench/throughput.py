"""Eight volunteers at once over HTTP, against a view that reads one row, on the same server."""

import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator

from bench.ground import Ground, Measurement, percentile, seconds
from bench.page import Client, web_server
from bench.rounds import evening_round_in
from bench.submit import draw_next, hidden_inputs, signed_in
from rounds.models import RoundIssue
from taxonomy.queries.codebooks import codebook

CLIENTS = 8
WARM_UP = 2.0
MEASURED = 10.0
ALONE = 5.0
READS_A_SUBMIT = 4
DRAWN = 250  # turns of each client, more than any client reaches


def rows(ground: Ground) -> Iterator[Measurement]:
    round_, members = evening_round_in(ground.study(ground.issues), CLIENTS)
    categories = [state.category_id for state in codebook(round_.version_id).at_level(round_.depth)]
    cookies = [signed_in(member).cookies["sessionid"].value for member in members]
    ground.say("drawing the issues that they come to, as for a volunteer before them …")
    for member in members:
        draw_next(round_, member, DRAWN)
    ground.say(f"{CLIENTS} clients …")
    with web_server("bench.wsgi:application") as address:
        submits = together(
            [submitter(Client(address, cookie), round_.pk, categories, n) for n, cookie in enumerate(cookies)]
        )
        issues = list(RoundIssue.objects.filter(round=round_).values_list("issue", flat=True)[:1000])
        reads = together([reader(Client(address, cookie), issues) for cookie in cookies])
        alone = together([submitter(Client(address, cookies[0]), round_.pk, categories, 0)], ALONE)
    ours, limit = len(submits) / MEASURED, len(reads) / MEASURED
    yield Measurement(
        work=f"{CLIENTS} clients at once: labels submitted in a second",
        ours=f"{ours:,.0f} /s",
        limit=f"{limit:,.0f} /s",
        limit_is="a signed-in view with one query",
        ratio=limit / ours,
        bar=f"≤ {READS_A_SUBMIT:g} ×",
        met=limit / ours <= READS_A_SUBMIT,
        note=(
            f"{len(submits):,} submits of issues drawn before, and {len(reads):,} reads, in {MEASURED:.0f} s"
            " each; clients, Redis and PostgreSQL on the same machine; a submit took"
            f" {seconds(statistics.median(submits))} (median), p95 {seconds(percentile(submits, 0.95))};"
            f" a read {seconds(statistics.median(reads))}, p95 {seconds(percentile(reads, 0.95))};"
            f" one client alone: a submit {seconds(statistics.median(alone))},"
            f" p95 {seconds(percentile(alone, 0.95))}"
        ),
    )


def submitter(client: Client, round_id: int, categories: list[int], seed: int) -> Callable[[], float]:
    """A function that labels the next issue as the page does, with one turn in hand; returns the seconds."""
    chance = random.Random(seed)
    url = f"/rounds/{round_id}/label/"
    form = hidden_inputs(client.get(url)[1].decode())
    held = client.post(f"{url}ahead/", {"have": form["issue"]})["next"]

    def submit() -> float:
        nonlocal form, held
        given = form | {"category": chance.choice(categories), "summary": "Made by the benchmark."}
        began = time.perf_counter()
        answer = client.post(f"{url}submit/", given | {"have": held["issue"]})
        took = time.perf_counter() - began
        form, held = hidden_inputs(held["turn"]), answer["next"]
        return took

    return submit


def reader(client: Client, issues: list[int]) -> Callable[[], float]:
    """A function that reads one row by its key; returns the seconds."""
    chance = random.Random(1)

    def read() -> float:
        began = time.perf_counter()
        client.get(f"/bench/issues/{chance.choice(issues)}/")
        return time.perf_counter() - began

    return read


def together(acts: list[Callable[[], float]], measured: float = MEASURED) -> list[float]:
    """Run the functions in parallel without pauses; the results of calls that end in the measured time."""
    found: list[tuple[float, float]] = []
    failed: list[Exception] = []
    start = time.perf_counter() + WARM_UP
    end = start + measured

    def work(act: Callable[[], float]) -> None:
        try:
            while time.perf_counter() < end and not failed:
                took = act()
                found.append((time.perf_counter(), took))
        except Exception as error:  # noqa: BLE001 - raised again below
            failed.append(error)

    clients = [threading.Thread(target=work, args=[act]) for act in acts]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    if failed:
        raise failed[0]
    return [took for ended, took in found if start <= ended <= end]
