"""Submitting a label and receiving the next issue, through all of Django, in a small and in a full study."""

import random
import statistics
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from bench.ground import Ground, Row, percentile, seconds, timed
from bench.rounds import open_round_in

SMALL = 1_000
TIMES = 300
WARM_UP = 30
MOST = 0.025
GROWTH = 1.25
JSON = {"Accept": "application/json"}


def rows(ground: Ground) -> Iterator[Row]:
    from django.conf import settings  # noqa: PLC0415

    settings.ROOT_URLCONF = "bench.urls"
    found = {}
    for issues in dict.fromkeys((SMALL, ground.issues)):
        slug = ground.study(issues)
        ground.say(f"a round over {issues:,} issues, half done …")
        round_, member = open_round_in(slug)
        ground.say(f"submitting {TIMES} labels …")
        found[issues] = submits(round_, member)
    least = one_query(round_, member)
    for issues, (times, size, ahead) in found.items():
        p95, limit = percentile(times, 0.95), percentile(least, 0.95)
        full = issues == ground.issues
        yield Row(
            work=f"submit and next, {issues:,} issues: p95",
            ours=seconds(p95),
            limit=seconds(limit),
            limit_is="a signed-in view with one query, p95",
            ratio=p95 / limit,
            bar=f"≤ {seconds(MOST)}" if full else "",
            met=p95 <= MOST if full else None,
            note=(
                f"{len(times)} submits, each the last label of its issue; median"
                f" {seconds(statistics.median(times))}, fastest {seconds(min(times))}; a turn ahead:"
                f" median {seconds(statistics.median(ahead))}; one query:"
                f" median {seconds(statistics.median(least))}; answers of {size / 1000:.0f} kB on average"
            ),
        )
    ahead, limit = percentile(found[ground.issues][2], 0.95), percentile(least, 0.95)
    yield Row(
        work=f"a turn ahead, {ground.issues:,} issues: p95",
        ours=seconds(ahead),
        limit=seconds(limit),
        limit_is="a signed-in view with one query, p95",
        ratio=ahead / limit,
    )
    small, full_size = (statistics.median(found[issues][0]) for issues in (SMALL, ground.issues))
    yield Row(
        work=f"submit and next: {ground.issues:,} issues against {SMALL:,}, medians",
        ours=seconds(full_size),
        limit=seconds(small),
        limit_is=f"{SMALL:,} issues",
        ratio=full_size / small,
        bar=f"does not grow (≤ {GROWTH:g} ×)",
        met=full_size / small <= GROWTH,
    )


def submits(round_: Any, member: Any) -> tuple[list[float], float, list[float]]:
    """The seconds of each submit, the mean size of the answers, and the seconds of each turn ahead.

    As the browser does it: with one turn in hand beyond the one shown. Every label is checked to be stored.
    """
    from annotate.models import Label  # noqa: PLC0415
    from taxonomy.queries import codebook  # noqa: PLC0415

    chance = random.Random(7)
    categories = [state.category_id for state in codebook(round_.version_id).at_level(round_.depth)]
    client = signed_in(member)
    own = Label.objects.filter(round=round_, volunteer=member)
    before = own.count()
    url = f"/rounds/{round_.pk}/label/"
    form = Inputs.of(client.get(url).content.decode())
    held = client.post(f"{url}ahead/", {"have": [form["issue"]]}, headers=JSON).json()["next"]
    times, sizes, ahead = [], [], []
    for _turn in range(WARM_UP + TIMES):
        given = form | {
            "category": chance.choice(categories),
            "summary": "Made by the benchmark.",
            "have": [held["issue"]],
        }

        def submit(given: dict[str, Any] = given) -> None:
            nonlocal answer
            answer = client.post(f"{url}submit/", given, headers=JSON)

        def look_ahead(have: int = held["issue"]) -> None:
            client.post(f"{url}ahead/", {"have": [have]}, headers=JSON)

        answer: Any = None
        times.append(timed(submit))
        sizes.append(len(answer.content))
        if answer.status_code != 200:
            raise RuntimeError(f"a submit was answered with {answer.status_code}: {answer.content[:500]!r}")
        ahead.append(timed(look_ahead))
        form, held = Inputs.of(held["turn"]), answer.json()["next"]
    if own.count() != before + len(times):
        raise RuntimeError(f"{len(times)} submits stored {own.count() - before} labels")
    return times[WARM_UP:], statistics.mean(sizes), ahead[WARM_UP:]


def one_query(round_: Any, member: Any) -> list[float]:
    """The seconds of as many requests to a view that reads one row."""
    from annotate.models import RoundIssue  # noqa: PLC0415

    client = signed_in(member)
    issues = RoundIssue.objects.filter(round=round_).values_list("issue", flat=True)[: WARM_UP + TIMES]
    times = [timed(lambda pk=pk: client.get(f"/bench/issues/{pk}/")) for pk in issues]  # type: ignore[misc]
    return times[WARM_UP:]


def signed_in(member: Any) -> Any:
    from django.test import Client  # noqa: PLC0415

    client = Client(SERVER_NAME="localhost")
    client.force_login(member.user, backend="django.contrib.auth.backends.ModelBackend")
    return client


class Inputs(HTMLParser):
    """The hidden inputs of a page or fragment, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, str] = {}

    @classmethod
    def of(cls, text: str) -> dict[str, str]:
        parser = cls()
        parser.feed(text)
        return parser.found

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "input" and given.get("type") == "hidden" and given.get("name"):
            self.found[given["name"] or ""] = given.get("value") or ""
