"""Does an answer come later when others have labelled? Times are compared by their ranks, between two worlds that differ in
the labels of others only.

No time is asserted. A difference counts when the probability that a request of the one world takes longer than one of the
other is far from a half (`FAR`), and only if every repetition says so in the same direction: a computer that is busy for a
while moves one repetition, and a leak moves all.
"""

import random
import time
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from rounds.models import Round
from studies.models import Membership
from tests.long import only_long
from tests.worlds.world import World, small_world, undone

pytestmark = [pytest.mark.django_db, pytest.mark.slow, only_long]

REPETITIONS = 4
PAIRS = 40
BEST_OF = 3
"""Each time is the shortest of three: whatever else the computer does only ever makes a request longer."""
WARM_UP = 3
FAR = 0.20
"""Of a half. Without any difference a repetition goes so far in one direction about once in a thousand times (40 and 40
times: standard deviation 0.065), and four in a row practically never.
"""
SLOWER = 1.3
"""A request that takes so many times longer is found, if times scatter by a fifth."""
ISSUES = 30

Ask = Callable[[Client, Round], object]


def superiority(first: list[float], second: list[float]) -> float:
    """The share of pairs in which the first takes longer, ties by half: Mann and Whitney's U by the number of pairs."""
    wins = sum((one > other) + 0.5 * (one == other) for one in first for other in second)
    return wins / (len(first) * len(second))


def effect(here: Callable[[], float], there: Callable[[], float], pairs: int) -> float:
    """How far the share is from a half; the two take turns, and each begins as often as the other."""
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(WARM_UP + pairs):
        for which in (0, 1) if number % 2 else (1, 0):
            took = min((here, there)[which]() for _ in range(BEST_OF))
            if number >= WARM_UP:
                times[which].append(took)
    return superiority(*times) - 0.5


def leaks(effects: list[float]) -> bool:
    return all(one > FAR for one in effects) or all(one < -FAR for one in effects)


def timed(ask: Ask, client: Client, round_: Round) -> Callable[[], float]:
    def once() -> float:
        with undone():
            began = time.perf_counter()
            ask(client, round_)
            return time.perf_counter() - began

    return once


def claim(client: Client, round_: Round) -> None:
    answer = client.post(reverse("ahead", args=[round_.pk]), headers={"accept": "application/json"})
    assert answer.json()["next"]


def page(name: str) -> Ask:
    def read(client: Client, round_: Round) -> None:
        assert client.get(reverse(name, args=[round_.pk])).status_code == 200

    return read


REQUESTS = {
    "claim": claim,
    "the labelling page": page("label"),
    "own labels": page("own_labels"),
    "the round": page("round"),
    "disagreements": page("disagreements"),
}


def world_with(share: float, *, crossed: bool) -> tuple[World, Round, Membership]:
    """A round that reveals when it closes; others have labelled this share of its issues, and the reader three issues."""
    world = small_world(issues=ISSUES, members=4)
    reveal = Round.Reveal.ROUND_CLOSED
    round_ = world.round(reveal=reveal, seed=7) if crossed else world.k_of_n(3, reveal=reveal, seed=7)
    reader, *others = world.members
    for issue in world.issues[-3:]:
        world.submit(round_, issue, reader, "C.1")
    for issue in world.issues[: int(share * (ISSUES - 3))]:
        for number, other in enumerate(others[:2]):
            world.submit(round_, issue, other, ("A.1", "C.9")[number])
    return world, round_, reader


def signed_in(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


@pytest.mark.parametrize("name", REQUESTS)
@pytest.mark.parametrize("crossed", [True, False], ids=["crossed", "k-of-n"])
def test_no_answer_comes_later_when_others_have_labelled(name: str, crossed: bool) -> None:
    if name == "claim" and crossed:
        pytest.skip("nobody claims where everybody labels everything")
    sides = []
    for share in (0.0, 1.0):
        _world, round_, reader = world_with(share, crossed=crossed)
        sides.append(timed(REQUESTS[name], signed_in(reader), round_))
    effects: list[float] = []
    while len(effects) < REPETITIONS:
        effects.append(effect(*sides, PAIRS))
        if not leaks(effects):
            break
    assert not leaks(effects), f"{name}: the share is {effects} from a half in each repetition"


@pytest.mark.parametrize(("slower", "found"), [(1.0, False), (SLOWER, True), (1 / SLOWER, True)])
def test_times_that_differ_so_far_are_found_and_equal_ones_are_not(slower: float, found: bool) -> None:
    """With made times that scatter by a fifth, as those of requests on a computer that does other work."""
    draw = random.Random(20)

    def here() -> float:
        return draw.lognormvariate(-4, 0.2)

    def there() -> float:
        return slower * draw.lognormvariate(-4, 0.2)

    assert leaks([effect(here, there, PAIRS) for _ in range(REPETITIONS)]) is found
