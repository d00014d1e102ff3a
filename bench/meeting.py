"""A meeting of seven with a long agenda: the delay of screens after a turn, and seven votes at once."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection

from bench.consensus import AGENDA, OPEN_ALL, opened
from bench.ground import Ground, Measurement, account, percentile, seconds
from bench.rounds import in_bulk, team_of
from bench.submit import JSON, signed_in
from consensus.actions.presence import away, here
from consensus.actions.votes import cast_ballot, open_vote
from consensus.models import Participant, Vote
from core import clock
from rounds.models import Round
from taxonomy.models import Category

EVERY = 1.0
TURNS = 20
MOST = 2.0


def rows(ground: Ground) -> Iterator[Measurement]:
    settings.ROOT_URLCONF = "bench.urls"
    lead, round_, members = team_of(ground.study(ground.issues))
    ground.say(f"a meeting of {len(members)} with {AGENDA} issues on its agenda …")
    meeting, people = held(lead, round_, members)
    items = list(meeting.items.order_by("position"))
    found = followed(meeting, items[:TURNS], lead, people)
    p95 = percentile(found, 0.95)
    yield Measurement.timed(
        f"the chair turns, {len(people)} screens follow, agenda of {AGENDA}: the last one, p95",
        p95,
        EVERY,
        "a screen asks once a second",
        most=MOST,
        note=f"{TURNS} turns; median {seconds(statistics.median(found))}; one process answers all of them",
    )
    voted = [vote(item, lead, people) for item in items[TURNS : 2 * TURNS]]
    yield Measurement(
        work=f"{len(people)} ballots at once, until the vote is closed: p95",
        ours=seconds(percentile(voted, 0.95)),
        note=f"{len(voted)} votes; median {seconds(statistics.median(voted))}; a thread each, without HTTP",
    )


def held(lead: Any, round_: Any, members: list[Any]) -> tuple[Any, list[Any]]:
    """An open meeting with the lead as chair and all volunteers present, each with an account."""
    for member in members:
        if member.user is None:
            member.user = account(f"Meeting {member.pk}")
            member.save(update_fields=["user"])
    in_bulk(OPEN_ALL, {"round": round_.pk})
    # Closes rounds of earlier rows, which would hide issues that a member still has to label there.
    Round.objects.filter(study=lead.study, closed_at=None).exclude(pk=round_.pk).update(closed_at=clock.now())
    return opened(round_, lead, quorum=4, people=members), members


@dataclass
class Screens:
    """The moments when each member's screen received an issue: by item, then by member."""

    meeting: Any
    seen: dict[int, dict[int, float]]
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def page(self) -> str:
        return f"/meetings/{self.meeting.pk}/"

    def follow(self, member: Any, after: float) -> None:
        """Poll once a second, as the page does, until the measurement is over."""
        client, revision = signed_in(member), "-1"
        self.over.wait(after)  # members do not open the page at the same moment
        while not self.over.is_set():
            began = time.monotonic()
            answer = client.post(f"{self.page}here/", {"revision": revision}, headers=JSON)
            if answer.status_code == 200:
                told = answer.json()
                revision = str(told["revision"])
                if told["item"]:
                    self.seen.get(int(told["item"]), {}).setdefault(member.pk, time.monotonic())
            self.over.wait(max(0.0, EVERY - (time.monotonic() - began)))

    def turn(self, items: list[Any], lead: Any, screens: int) -> list[float]:
        client, found = signed_in(lead), []
        for item in items:
            began = time.monotonic()
            answer = client.post(f"{self.page}turn/", {"item": item.pk, "revision": "-1"}, headers=JSON)
            if answer.status_code != 200:
                raise RuntimeError(f"turn: {answer.status_code}")
            while len(self.seen[item.pk]) < screens:
                if time.monotonic() - began > 30:
                    raise RuntimeError("a screen does not follow")
                time.sleep(0.005)
            found.append(max(self.seen[item.pk].values()) - began)
        return found


def followed(meeting: Any, items: list[Any], lead: Any, people: list[Any]) -> list[float]:
    """For each turn of the chair the seconds until the last screen received it."""
    screens = Screens(meeting, {item.pk: {} for item in items})
    with ThreadPoolExecutor(len(people) + 1) as pool:
        running = [
            pool.submit(on_its_own, partial(screens.follow, member, EVERY * number / len(people)))
            for number, member in enumerate(people)
        ]
        try:
            return pool.submit(on_its_own, partial(screens.turn, items, lead, len(people))).result()
        finally:
            screens.over.set()
            for one in running:
                one.result()


def vote(item: Any, lead: Any, people: list[Any]) -> float:
    """All members vote on one issue at the same moment; the seconds until the last ballot closed the vote."""
    away(meeting=item.meeting, member=lead)
    for member in people:
        here(meeting=item.meeting, member=member)
    # The lead has left, and is not just loading a page: the vote does not wait for their ballot.
    Participant.objects.filter(meeting=item.meeting, member=lead).update(left_at=item.added_at)
    category = Category.objects.filter(states__version=item.meeting.round.version_id, states__level=2)[0]
    opened = open_vote(item=item, by=lead)
    together = threading.Barrier(len(people) + 1)

    def cast(member: Any) -> None:
        together.wait(30)
        cast_ballot(item=item, member=member, category=category)

    with ThreadPoolExecutor(len(people)) as pool:
        running = [pool.submit(on_its_own, partial(cast, member)) for member in people]
        together.wait(30)
        began = time.monotonic()
        for one in running:
            one.result()
        took = time.monotonic() - began
    closed = Vote.objects.get(pk=opened.pk)
    if closed.closed_at is None or closed.ballots.count() != len(people):
        raise RuntimeError("the vote is not closed with all ballots")
    return took


def on_its_own(act: Callable[[], Any]) -> Any:
    """Call it in this thread, then close the thread's connection."""
    try:
        return act()
    finally:
        connection.close()
