"""Submitting a label and receiving the next issue, through all of Django, in a small and a full study."""

import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client

from bench.ground import Ground, Measurement, percentile, seconds, timed
from bench.rounds import open_round_in
from ingest.queries.keywords import keywords_of
from ingest.queries.reading import Reading
from rounds.models import Assignment, Label, RoundIssue
from taxonomy.queries.codebooks import codebook

SMALL = 1_000
TIMES = 300
WARM_UP = 30
MOST = 0.025
GROWTH = 1.25
TIMES_A_QUERY = 6
JSON = {"Accept": "application/json"}
FORM = "application/x-www-form-urlencoded"  # as posted by the script of the page


def rows(ground: Ground) -> Iterator[Measurement]:
    settings.ROOT_URLCONF = "bench.urls"
    found = {}
    for issues in dict.fromkeys((SMALL, ground.issues)):
        slug = ground.study(issues)
        ground.say(f"a round over {issues:,} issues, half done …")
        round_, member = open_round_in(slug)
        ground.say(f"submitting {TIMES} labels …")
        found[issues] = submits(round_, member)
    draw_next(round_, member, WARM_UP + TIMES + 3)
    drawn = submits(round_, member)
    for issues, of in found.items():
        yield Measurement.p95(
            f"submit and next, {issues:,} issues",
            of.times,
            percentile(of.least, 0.95),
            most=MOST if issues == ground.issues else None,
            note=(
                f", fastest {seconds(min(of.times))}, of {len(of.times)} submits, each the last label of its"
                f" issue; of it in Python, by the clock of the processor: median"
                f" {seconds(statistics.median(of.processor))}, p95 {seconds(percentile(of.processor, 0.95))};"
                f" one query: median {seconds(statistics.median(of.least))};"
                f" answers of {of.size / 1000:.0f} kB on average"
            ),
        )
    first = found[ground.issues]
    median, least = statistics.median(drawn.times), statistics.median(drawn.least)
    first_median = statistics.median(first.times)
    yield Measurement(
        work=f"the same, medians, issues that somebody had read before, {ground.issues:,} issues",
        ours=seconds(median),
        limit=seconds(least),
        limit_is="a signed-in view with one query, median",
        ratio=median / least,
        bar=f"≤ {TIMES_A_QUERY:g} ×",
        met=median <= TIMES_A_QUERY * least,
        note=(
            f"an issue is drawn for the first of seven volunteers, and found in Redis by the other six; for"
            f" that first one {seconds(first_median)}, {first_median / statistics.median(first.least):.1f} ×"
        ),
    )
    yield Measurement.p95(
        f"a turn ahead, {ground.issues:,} issues",
        first.ahead,
        percentile(first.least, 0.95),
        note=f", fastest {seconds(min(first.ahead))}",
    )
    small, full_size = (statistics.median(found[issues].times) for issues in (SMALL, ground.issues))
    yield Measurement(
        work=f"submit and next: {ground.issues:,} issues against {SMALL:,}, medians",
        ours=seconds(full_size),
        limit=seconds(small),
        limit_is=f"{SMALL:,} issues",
        ratio=full_size / small,
        bar=f"does not grow (≤ {GROWTH:g} ×)",
        met=full_size / small <= GROWTH,
    )


@dataclass
class Submits:
    """The seconds of each submit and of each turn ahead, and the mean size of the responses. `processor` are
    the processor's seconds of Python in each submit, whatever else the machine did. `least` are the seconds
    of as many requests to a view with one query: as the speed of a machine changes with the minutes, some are
    made after every few submits.
    """

    times: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    ahead: list[float] = field(default_factory=list)
    least: list[float] = field(default_factory=list)
    size: float = 0


def submits(round_: Any, member: Any) -> Submits:
    """Label one issue after another as the browser does, with one turn in hand beyond the one shown. Checks
    that every label was stored.
    """
    chance = random.Random(7)
    categories = [state.category_id for state in codebook(round_.version_id).at_level(round_.depth)]
    client = signed_in(member)
    own = Label.objects.filter(round=round_, volunteer=member)
    before = own.count()
    url = f"/rounds/{round_.pk}/label/"
    form = hidden_inputs(client.get(url).content.decode())
    held = client.post(f"{url}ahead/", {"have": [form["issue"]]}, headers=JSON).json()["next"]
    found, sizes = Submits(), []
    for turn in range(WARM_UP + TIMES):
        given = form | {
            "category": chance.choice(categories),
            "summary": "Made by the benchmark.",
            "have": [held["issue"]],
        }

        def submit(given: dict[str, Any] = given) -> None:
            nonlocal answer
            answer = client.post(f"{url}submit/", urlencode(given, doseq=True), FORM, headers=JSON)

        def look_ahead(have: int = held["issue"]) -> None:
            client.post(f"{url}ahead/", urlencode({"have": have}), FORM, headers=JSON)

        answer: Any = None
        began = time.process_time()
        found.times.append(timed(submit))
        found.processor.append(time.process_time() - began)
        sizes.append(len(answer.content))
        if answer.status_code != 200:
            raise RuntimeError(f"a submit was answered with {answer.status_code}: {answer.content[:500]!r}")
        found.ahead.append(timed(look_ahead))
        form, held = hidden_inputs(held["turn"]), answer.json()["next"]
        if turn % WARM_UP == WARM_UP - 1:
            found.least += one_query(round_, member, WARM_UP)
    if own.count() != before + len(found.times):
        raise RuntimeError(f"{len(found.times)} submits stored {own.count() - before} labels")
    for values in (found.times, found.processor, found.ahead, found.least):
        del values[:WARM_UP]
    found.size = statistics.mean(sizes)
    return found


def draw_next(round_: Any, member: Any, turns: int) -> None:
    """Draw the issues of the next `turns` turns into the cache, as the page does for their first reader."""
    keywords = keywords_of(round_.study_id)
    coming = Assignment.objects.filter(round=round_, volunteer=member, submitted_at=None).order_by("rank")
    for slot in coming.select_related("issue__repository", "issue__current")[:turns]:
        render_to_string("ingest/_issue.html", {"reading": Reading(slot.issue, keywords)})


def one_query(round_: Any, member: Any, times: int = WARM_UP + TIMES) -> list[float]:
    """The seconds of as many requests to a view with one query."""
    client = signed_in(member)
    issues = RoundIssue.objects.filter(round=round_).values_list("issue", flat=True)[:times]
    return [timed(lambda pk=pk: client.get(f"/bench/issues/{pk}/")) for pk in issues]  # type: ignore[misc]


def signed_in(member: Any) -> Any:
    client = Client(SERVER_NAME="localhost")
    client.force_login(member.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


class Tags(HTMLParser):
    """The opening tags of a page or fragment, with their attributes, in `found`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def hidden_inputs(text: str) -> dict[str, str]:
    """The hidden inputs of a page or fragment, by name."""
    inputs = [given for tag, given in Tags(text).found if tag == "input" and given.get("type") == "hidden"]
    return {given["name"]: given.get("value", "") for given in inputs if given.get("name")}
